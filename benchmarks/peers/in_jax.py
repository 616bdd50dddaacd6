# SPDX-License-Identifier: Apache-2.0
"""The workloads in JAX, on a mesh of ``rows x columns`` devices; one device is 1 x 1.

Rows cut tokens, columns cut weights and with them heads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

from benchmarks.peers.rope import cosines_and_sines

Arrays = Mapping[str, "np.ndarray[Any, Any]"]
Cut = tuple[str | None, ...]
Made = tuple[Callable[[Mapping[str, jax.Array]], jax.Array], Arrays, Mapping[str, Cut]]
ROWS, COLUMNS = "rows", "columns"
CHUNK = 256
"""Queries that attend at a time where the tokens of a sequence are on one device."""


def prepare(
    workload: str, variant: str, arrays: Arrays, settings: Mapping[str, Any], threads: int
) -> Callable[[], jax.Array]:
    """Give the workload as a function; variants are meshes as "2x4"."""
    rows, columns = map(int, variant.split("x"))
    mesh = jax.make_mesh((rows, columns), (ROWS, COLUMNS), (jax.sharding.AxisType.Auto,) * 2)
    make = {"block": _block, "steps": _steps}[workload]
    function, given, cuts = make(arrays, settings, mesh)
    placed = {name: jax.device_put(a, _placed(mesh, cuts[name])) for name, a in given.items()}
    compiled = jax.jit(function).lower(placed).compile()
    return lambda: compiled(placed).block_until_ready()


def _placed(mesh: jax.sharding.Mesh, cut: Cut) -> NamedSharding:
    return NamedSharding(mesh, PartitionSpec(*cut))


def _block(arrays: Arrays, sizes: Mapping[str, int], mesh: jax.sharding.Mesh) -> Made:
    """Give the transformer block over ``[batch, seq, d_model]``; the batch is cut if it can be."""
    batch, seq, width = sizes["batch"], sizes["seq"], sizes["d_model"]
    heads, kv_heads, dim = sizes["heads"], sizes["kv_heads"], sizes["head_dim"]
    cosines, sines = cosines_and_sines(seq, dim)
    tokens: Cut = (ROWS, None) if batch % mesh.shape[ROWS] == 0 else (None, ROWS)
    chunk = seq if tokens[1] else min(seq, CHUNK)

    def cut(x: jax.Array, *axes: str | None) -> jax.Array:
        return jax.lax.with_sharding_constraint(x, _placed(mesh, (*tokens, *axes)))

    def norm(x: jax.Array, weight: jax.Array) -> jax.Array:
        return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * weight

    def split(x: jax.Array, weight: jax.Array, count: int) -> jax.Array:
        return cut((x @ weight).reshape(batch, seq, count, dim), COLUMNS, None)

    def turned(x: jax.Array) -> jax.Array:
        a, b = jnp.split(x, 2, -1)
        return jnp.concatenate([a * cosines - b * sines, b * cosines + a * sines], -1)

    def block(w: Mapping[str, jax.Array]) -> jax.Array:
        x = w["x"]
        n = norm(x, w["w_norm1"])
        q, k = turned(split(n, w["w_q"], heads)), turned(split(n, w["w_k"], kv_heads))
        attended = _attention(q, k, split(n, w["w_v"], kv_heads), chunk)
        x = x + cut(cut(attended.reshape(batch, seq, -1), COLUMNS) @ w["w_out"], None)
        n = norm(x, w["w_norm2"])
        hidden = cut(jax.nn.silu(n @ w["w_gate"]) * (n @ w["w_up"]), COLUMNS)
        return x + cut(hidden @ w["w_down"], None)

    given = {name: array for name, array in arrays.items() if name != "positions"}
    for name in ("w_q", "w_k", "w_v"):
        given[name] = given[name].reshape(width, -1)
    given["w_out"] = given["w_out"].reshape(-1, width)
    given["x"] = given["x"].reshape(batch, seq, width)
    cuts: dict[str, Cut] = dict.fromkeys(given, (None, COLUMNS))
    cuts |= {"x": (*tokens, None), "w_out": (COLUMNS, None), "w_down": (COLUMNS, None)}
    cuts |= {"w_norm1": (None,), "w_norm2": (None,)}
    return block, given, cuts


def _attention(q: jax.Array, k: jax.Array, v: jax.Array, chunk: int) -> jax.Array:
    """Attend causally: so many queries at a time, to the keys up to the last of them."""
    seq = q.shape[1]
    parts = []
    for start in range(0, seq, chunk):
        end = min(seq, start + chunk)
        seen = np.tri(end - start, end, start, dtype=bool)[None, None]
        parts.append(
            jax.nn.dot_product_attention(q[:, start:end], k[:, :end], v[:, :end], mask=seen)
        )
    return jnp.concatenate(parts, 1)


def _steps(arrays: Arrays, program: Mapping[str, Any], mesh: jax.sharding.Mesh) -> Made:
    """Give a chain of products as `benchmarks.peers.steps` describes it."""
    operators = {"matmul": jnp.matmul, "relu": jax.nn.relu}

    def run(given: Mapping[str, jax.Array]) -> jax.Array:
        values = dict(given)
        for step in program["steps"]:
            values[step["to"]] = operators[step["op"]](*(values[name] for name in step["of"]))
        return values[program["saved"]]

    return run, arrays, {name: tuple(program["cuts"][name]) for name in arrays}
