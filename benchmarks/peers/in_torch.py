# SPDX-License-Identifier: Apache-2.0
"""The workloads in PyTorch, eager and compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from benchmarks.peers import minilm_in_torch
from benchmarks.peers.rope import cosines_and_sines

Arrays = Mapping[str, "np.ndarray[Any, Any]"]


def prepare(
    workload: str, variant: str, arrays: Arrays, settings: Mapping[str, Any], threads: int
) -> Callable[[], torch.Tensor]:
    """Give the workload as a function; variants are "eager", "compiled", see also MiniLM's."""
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    makers: dict[str, Callable[..., Any]] = {
        "block": block,
        "steps": chain,
        "minilm": minilm_in_torch.minilm,
    }
    function, inputs = makers[workload](arrays, settings, variant)
    if variant.startswith("compiled"):
        function = torch.compile(function, dynamic=False)

    def compute() -> torch.Tensor:
        with torch.inference_mode():
            result: torch.Tensor = function(*inputs)
            return result

    return compute


def block(
    arrays: Arrays, sizes: Mapping[str, int], variant: str, device: str = "cpu"
) -> tuple[Callable[..., torch.Tensor], tuple[torch.Tensor, ...]]:
    """Give the transformer block over ``[batch, seq, d_model]``.

    Weights lie as `torch.nn.Linear` has them, ``[out, in]``; those that have the same operand are
    one product.
    """
    batch, seq, width = sizes["batch"], sizes["seq"], sizes["d_model"]
    heads, kv_heads, dim = sizes["heads"], sizes["kv_heads"], sizes["head_dim"]
    own = {name: torch.from_numpy(array).to(device) for name, array in arrays.items()}

    def linear(*names: str) -> torch.Tensor:
        matrices = [own[f"w_{name}"].reshape(width, -1).T for name in names]
        return torch.cat(matrices).contiguous()

    qkv, gate_up = linear("q", "k", "v"), linear("gate", "up")
    out = own["w_out"].reshape(-1, width).T.contiguous()
    down = own["w_down"].T.contiguous()
    columns = [heads * dim, kv_heads * dim, kv_heads * dim]
    cosines, sines = (torch.from_numpy(turn).to(own["x"]) for turn in cosines_and_sines(seq, dim))

    def turned(x: torch.Tensor, count: int) -> torch.Tensor:
        a, b = x.view(batch, seq, count, dim).chunk(2, -1)
        x = torch.cat([a * cosines - b * sines, b * cosines + a * sines], -1)
        return x.transpose(1, 2)

    def compute(x: torch.Tensor) -> torch.Tensor:
        n = functional.rms_norm(x, (width,), own["w_norm1"], 1e-5)
        q, k, v = functional.linear(n, qkv).split(columns, -1)
        attended = functional.scaled_dot_product_attention(
            turned(q, heads),
            turned(k, kv_heads),
            v.view(batch, seq, kv_heads, dim).transpose(1, 2),
            is_causal=True,
            enable_gqa=True,
        )
        x = x + functional.linear(attended.transpose(1, 2).reshape(batch, seq, -1), out)
        n = functional.rms_norm(x, (width,), own["w_norm2"], 1e-5)
        gate, up = functional.linear(n, gate_up).chunk(2, -1)
        return x + functional.linear(functional.silu(gate) * up, down)

    return compute, (own["x"].view(batch, seq, width),)


def chain(
    arrays: Arrays, program: Mapping[str, Any], variant: str, device: str = "cpu"
) -> tuple[Callable[..., torch.Tensor], tuple[torch.Tensor, ...]]:
    """Give a chain of products as `benchmarks.peers.steps` describes it."""
    operators = {"matmul": torch.matmul, "relu": functional.relu}

    def run(*inputs: torch.Tensor) -> torch.Tensor:
        values = dict(zip(program["inputs"], inputs, strict=True))
        for step in program["steps"]:
            values[step["to"]] = operators[step["op"]](*(values[name] for name in step["of"]))
        return values[program["saved"]]

    return run, tuple(torch.from_numpy(arrays[name]).to(device) for name in program["inputs"])
