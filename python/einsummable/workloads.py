# SPDX-License-Identifier: Apache-2.0
"""The paper's computations, as graphs."""

from __future__ import annotations

from einsummable import _core
from einsummable.attributes import boolean, integer, text
from einsummable.dtypes import DTypeLike, dtype_name
from einsummable.graph import Graph

__all__ = ["chain", "ffn", "llama", "llama_block"]


def ffn(tokens: int, d_model: int, d_ff: int, dtype: DTypeLike = "float32") -> Graph:
    """Give the feed-forward network ``y = relu(x w1) w2`` (Section 2).

    ``x``, ``[tokens, d_model]``, is given at every call; ``w1`` and ``w2`` are parameters. The
    operators are called ``up``, ``relu`` and ``down``.

    Raises
    ------
    einsummable.GraphError
        For a negative extent or an unknown dtype.

    Examples
    --------
    >>> print(ffn(2, 3, 4))
    graph 1
    %0 = input f32[2, 3] "x"
    %1 = parameter f32[3, 4] "w1"
    %2 = parameter f32[4, 3] "w2"
    %3 = matmul(%0, %1, transpose_x=false, transpose_w=false) "up"
    %4 = relu(%3, a=0.0) "relu"
    %5 = matmul(%4, %2, transpose_x=false, transpose_w=false) "down"
    save %5 "y"
    <BLANKLINE>
    """
    sizes = _sizes("ffn", tokens=tokens, d_model=d_model, d_ff=d_ff)
    return Graph(_core.ffn(**sizes, dtype=dtype_name(dtype)))


def llama_block(
    batch: int = 1,
    seq: int = 1024,
    d_model: int = 4096,
    heads: int = 32,
    kv_heads: int = 8,
    head_dim: int = 128,
    d_ff: int = 14336,
    dtype: DTypeLike = "float16",
    rope: bool = True,
) -> Graph:
    """Give one transformer block (Section 6), of the sizes of Llama-3-8B.

    It takes ``x``, ``[batch * seq, d_model]``, and with RoPE ``positions``, int32
    ``[batch * seq]``; weights are parameters, and ``y`` is saved.

    Parameters
    ----------
    batch, seq
        How many sequences, and how many tokens each; they are packed.
    d_model, heads, kv_heads, head_dim, d_ff
        The width, heads of queries, heads of keys and values, their width, the inner width.
    dtype
    rope
        Whether queries and keys are turned by their positions.

    Raises
    ------
    einsummable.GraphError
        For sizes that do not fit, or an unknown dtype.
    """
    return llama(1, batch, seq, d_model, heads, kv_heads, head_dim, d_ff, dtype, rope)


def llama(
    layers: int = 32,
    batch: int = 1,
    seq: int = 1024,
    d_model: int = 4096,
    heads: int = 32,
    kv_heads: int = 8,
    head_dim: int = 128,
    d_ff: int = 14336,
    dtype: DTypeLike = "float16",
    rope: bool = True,
) -> Graph:
    """Give several blocks, one after the other; otherwise as `llama_block`."""
    sizes = _sizes(
        "llama",
        layers=layers,
        batch=batch,
        seq=seq,
        d_model=d_model,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        d_ff=d_ff,
    )
    named = dtype_name(dtype)
    return Graph(_core.llama(**sizes, dtype=named, rope=boolean("llama: rope", rope)))


def chain(name: str, scale: int = 1, dtype: DTypeLike = "float32") -> Graph:
    """Give a chain of matrix products, ``"A"`` to ``"E"`` (Section 6).

    Parameters
    ----------
    name
    scale
        Every extent is divided by it.
    dtype

    Raises
    ------
    einsummable.GraphError
        For another name, a scale below 1, or an unknown dtype.
    """
    scaled = integer("chain: scale", scale)
    return Graph(_core.chain(name=text("chain: name", name), scale=scaled, dtype=dtype_name(dtype)))


def _sizes(workload: str, **sizes: int) -> dict[str, int]:
    return {name: integer(f"{workload}: {name}", size) for name, size in sizes.items()}
