# SPDX-License-Identifier: Apache-2.0
"""Compares GPUs with the CPU, site by site, and times them; scripts/test-gpu runs it.

usage: check_gpu.py [--small] [--memory-only]

--small leaves out what is timed, and takes few random graphs; --memory-only runs one small call of
every kind, for compute-sanitizer.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

import einsummable as es

SITES = (1, 2, 8)
# Largest relative error, of the largest value of the CPU's result.
ALLOWED = {"float32": 1e-5, "float16": 4e-3, "bfloat16": 3e-2}
LAUNCHES = 1000
# The paper's block.
BLOCK = {
    "seq": 1024,
    "d_model": 4096,
    "heads": 32,
    "kv_heads": 8,
    "head_dim": 128,
    "d_ff": 14336,
}

# What the extents of the paper's chains are divided by.
CHAIN_SCALE = 4

Array = npt.NDArray[Any]
Build = Callable[[es.Graph, es.Tensor, es.Tensor], es.Tensor]

# One graph an operator, of square x and y.
KINDS: dict[str, Build] = {
    "add": lambda g, x, y: x + y,
    "where": lambda g, x, y: es.where(x > y, x, y),
    "exp": lambda g, x, y: es.exp(x),
    "gelu": lambda g, x, y: es.gelu(x),
    "matmul": lambda g, x, y: g.matmul(x, y),
    "einsum": lambda g, x, y: es.einsum("ij,kj->ik", x, y),
    "min-plus": lambda g, x, y: es.einsum("ij,jk->ik", x, y, combine="add", aggregate="min"),
    "sum": lambda g, x, y: es.sum(x, axis=0),
    "max": lambda g, x, y: es.max(x, axis=1),
    "mean": lambda g, x, y: es.mean(x, axis=1),
    "logsumexp": lambda g, x, y: es.logsumexp(x, axis=0),
    "softmax": lambda g, x, y: es.softmax(x, axis=1),
    "transpose": lambda g, x, y: es.transpose(x, (1, 0)),
    "concat": lambda g, x, y: es.concat([x, y], axis=1),
    "pad": lambda g, x, y: es.pad(x, [(1, 2), (0, 3)]),
    "slice": lambda g, x, y: x[1::2, 3:],
    "attention": lambda g, x, y: es.attention(
        es.reshape(x, (2, -1, 16)),
        es.reshape(y, (2, -1, 16)),
        es.reshape(y, (2, -1, 16)),
        causal=True,
    ),
}
SQUARE = ("add", "where", "gelu", "matmul", "einsum", "softmax", "transpose")


def arrays(size: int, dtype: str, seed: int) -> dict[str, np.ndarray]:
    """Give x and y; small numbers, so that chains of products stay in range."""
    random = np.random.default_rng(seed)
    return {name: (random.standard_normal((size, size)) / 8).astype(dtype) for name in "xy"}


def same(name: str, build: Build, size: int, dtype: str, sites: int, seed: int) -> None:
    """Run one graph on `sites` sites of GPU 0 and on the CPU, and stop where they differ."""
    graph = es.Graph()
    x, y = graph.tensor([size, size], dtype, name="x"), graph.tensor([size, size], dtype, name="y")
    graph.save(build(graph, x, y), name="out")
    given = arrays(size, dtype, seed)
    wanted = es.compile(graph, devices=1, backend="cpu")(given)["out"].astype(np.float64)
    # However small the work is, all sites take part.
    gpu = es.compile(graph, devices=[0] * sites, backend="cuda", objective="proxy")
    found = gpu(given)["out"].astype(np.float64)
    error = np.abs(found - wanted).max() / max(np.abs(wanted).max(), 1e-30)
    if not error <= ALLOWED[dtype]:
        raise SystemExit(f"{name}, {dtype}, {sites} sites, seed {seed}: an error of {error:.3g}")


def random_build(seed: int) -> Build:
    """Give a graph of six operators, each of any two earlier results."""

    def build(graph: es.Graph, x: es.Tensor, y: es.Tensor) -> es.Tensor:
        random = np.random.default_rng(seed)
        values = [x, y]
        for _ in range(6):
            first, second = (values[i] for i in random.integers(0, len(values), 2))
            made = KINDS[SQUARE[random.integers(len(SQUARE))]](graph, first, second)
            values.append(made * 0.25)
        return values[-1]

    return build


def compare(graphs: int) -> int:
    """Compare every kind and `graphs` random graphs; give how many comparisons there were."""
    count = 0
    for sites in SITES:
        for dtype in ALLOWED:
            for name, build in KINDS.items():
                same(name, build, 32, dtype, sites, count)
                count += 1
        for seed in range(graphs):
            same("a random graph", random_build(seed), 37, "float32", sites, seed)
            count += 1
    return count


def one_hash(launches: int) -> str:
    """Launch one executable again and again; stop if any bit of its result changes."""
    graph = es.workloads.ffn(64, 96, 128)
    executable = es.compile(graph, devices=[0] * 8, backend="cuda", objective="proxy")
    random = np.random.default_rng(0)
    shapes = {"x": (64, 96), "w1": (96, 128), "w2": (128, 96)}
    given = {name: random.standard_normal(s).astype(np.float32) for name, s in shapes.items()}
    seen = {hashlib.sha256(executable(given)["y"].tobytes()).hexdigest() for _ in range(launches)}
    if len(seen) != 1:
        raise SystemExit(f"{launches} launches gave {len(seen)} different results")
    return seen.pop()[:16]


def fastest(call: Callable[[], object], calls: int = 5) -> float:
    """Give the seconds of the shortest of some calls, after one that is not timed."""
    call()
    taken = []
    for _ in range(calls):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken)


def chained(size: int, dtype: str, attention: bool, length: int) -> float:
    """Time `length` products, or attentions of 16 heads of 128, one after another."""
    graph = es.Graph()
    shape = [16, size, 128] if attention else [size, size]
    x = graph.parameter(shape, dtype, name="x")
    out = x
    for _ in range(length):
        out = es.attention(out, x, x, causal=True) if attention else graph.matmul(out, x)
    graph.save(es.max(out), name="out")
    executable = es.compile(graph, devices=[0], backend="cuda")
    values = np.random.default_rng(0).standard_normal(shape) / size**0.5
    executable.load({"x": values.astype(dtype)})
    return fastest(executable)


def efficiency() -> None:
    """Print what products and attention reach by shape, without what a call costs anyway."""
    print(f"{'what':24} {'TFLOP/s':>8}")
    for attention, sizes in ((False, (1024, 2048, 4096, 8192)), (True, (1024, 4096, 8192))):
        for size in sizes:
            flops = 2 * size**2 * 128 * 16 if attention else 2 * size**3
            each = (
                chained(size, "float16", attention, 9) - chained(size, "float16", attention, 1)
            ) / 8
            name = f"{'attention' if attention else 'product'} {size} float16"
            print(f"{name:24} {flops / max(each, 1e-9) / 1e12:8.1f}")


def compare_blocks(device: str, **sizes: Any) -> None:
    """Print what the paper's block takes here and in PyTorch, with x copied in and y out."""
    import torch
    from benchmarks.peers import in_torch

    seq, width = sizes["seq"], sizes["d_model"]
    graph = es.workloads.llama_block(1, seq, dtype="float16", **_without(sizes, "seq"))
    random = np.random.default_rng(0)
    weights = {}
    for name, tensor in graph.parameters.items():
        values = random.standard_normal(tensor.shape, np.float32) / width**0.5
        weights[name] = (values + (len(tensor.shape) == 1)).astype("float16")
    x = random.standard_normal((seq, width)).astype("float16")
    given = {"x": x, "positions": np.arange(seq, dtype=np.int32)}
    results = []
    for sites in (1, 8):
        executable = es.compile(graph, devices=[0] * sites, backend="cuda")
        executable.load(weights)
        results.append(executable(given)["y"])
        taken = fastest(partial(executable, given))
        print(f"block, {seq} tokens, float16, {sites} sites: {taken * 1e3:.2f} ms")
    with torch.inference_mode():
        eager, _ = in_torch.block({**weights, "x": x}, {"batch": 1, **sizes}, "eager", device)
        for name, function in (("eager", eager), ("compiled", torch.compile(eager))):
            call = partial(_in_torch, function, x, device)
            results.append(call()[0])
            print(f"the same in PyTorch, {name}: {fastest(call) * 1e3:.2f} ms")
    for result in results[1:]:
        error = np.abs(result.astype(np.float64) - results[0]).max() / np.abs(results[0]).max()
        if not error <= 2e-2:
            raise SystemExit(f"the block's results differ by {error:.3g}")


def compare_chains(device: str, scale: int) -> None:
    """Print what the paper's chains take here and in PyTorch, their matrices on the device."""
    import torch
    from benchmarks.peers import in_torch
    from benchmarks.peers.steps import steps_of

    for letter in "ABCDE":
        chain = es.workloads.chain(letter, scale, dtype="float16")
        program, given = steps_of(chain), _matrices(chain)
        results, taken = [], []
        for sites in (1, 8):
            executable = es.compile(_kept(program, given), devices=[0] * sites, backend="cuda")
            executable.load(given)
            results.append(executable()["out"].astype(np.float64))
            taken.append(fastest(executable))
        with torch.inference_mode():
            eager, inputs = in_torch.chain(given, program, "eager", device)
            for function in (eager, torch.compile(eager)):
                call = partial(_call_in_torch, function, inputs)
                results.append(call().astype(np.float64))
                taken.append(fastest(call))
        for result in results[1:]:
            error = np.abs(result - results[0]).max() / np.abs(results[0]).max()
            if not error <= 2e-2:
                raise SystemExit(f"chain {letter}'s results differ by {error:.3g}")
        names = ("1 site", "8 sites", "PyTorch eager", "PyTorch compiled")
        times = ", ".join(f"{n} {t * 1e3:.2f} ms" for n, t in zip(names, taken, strict=True))
        print(f"chain {letter} over {scale}, float16: {times}")


def _matrices(graph: es.Graph) -> dict[str, Array]:
    """Give numbers that stay of one size from product to product."""
    random = np.random.default_rng(0)
    return {
        name: (random.standard_normal(t.shape, np.float32) / t.shape[0] ** 0.5).astype("float16")
        for name, t in graph.inputs.items()
    }


def _kept(program: dict[str, Any], given: dict[str, Array]) -> es.Graph:
    """Give a chain whose matrices are parameters, and stay where they are."""
    graph = es.Graph()
    values = {
        name: graph.parameter(matrix.shape, "float16", name=name) for name, matrix in given.items()
    }
    for step in program["steps"]:
        values[step["to"]] = graph.matmul(*(values[name] for name in step["of"]))
    graph.save(values[program["saved"]], name="out")
    return graph


def _call_in_torch(function: Callable[..., Any], inputs: tuple[Any, ...]) -> Array:
    out: Array = function(*inputs).cpu().numpy()
    return out


def _in_torch(function: Callable[..., Any], x: Array, device: str) -> Array:
    """Copy x in, with a batch of one, call, and copy the result out."""
    import torch

    out: Array = function(torch.from_numpy(x).to(device)[None]).cpu().numpy()
    return out


def _without(sizes: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in sizes.items() if key != name}


def main() -> None:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--memory-only", action="store_true")
    given = parser.parse_args()
    if given.memory_only:
        for name, build in KINDS.items():
            same(name, build, 32, "float32", 2, 0)
        return
    print(f"{compare(2 if given.small else 40)} comparisons with the CPU agree")
    launches = 5 if given.small else LAUNCHES
    print(f"{launches} launches gave one result, {one_hash(launches)}")
    if not given.small:
        efficiency()
        compare_blocks("cuda:0", **BLOCK)
        compare_chains("cuda:0", CHAIN_SCALE)


if __name__ == "__main__":
    main()
