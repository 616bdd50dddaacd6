# SPDX-License-Identifier: Apache-2.0
"""Measure this computer with small programs of the library, as a machine that plans are timed on.

All cores work at once while rates are taken, as they do in a plan.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from einsummable import compiler, dtypes, operators, options
from einsummable.cli.progress import Progress
from einsummable.executable import Executable
from einsummable.graph import Graph

CUBES = (512, 1024, 1536)
"""Extents of products that are large enough for the peak."""
ROWS = (1, 8, 32, 128, 512)
WIDTHS = ((64, 64), (512, 512), (2048, 2048), (4096, 1024), (1024, 4096))
"""The extents m, and k and n, at which products are measured."""
FEW_ROWS = (8, 128)
FEW_WIDTHS = ((512, 512), (2048, 2048))
"""Those of other dtypes than float32."""
_ELEMENTS = 8_000_000
"""Of a task that streams through memory; of all at once at most eight times as many."""
_MOST_AT_ONCE = 16
"""Products that run at once while they are timed, so that many cores need not wait for memory."""
_SECONDS = 0.3
"""Spent on one figure."""
_CALLS = 4
"""At the least, not counting the first."""
_STEPS = (200, 600)
"""Of two chains, whose difference is free of what a call takes."""


@dataclass
class Figures:
    """What was found."""

    workers: int
    flops: dict[str, float] = field(default_factory=dict)
    rates: dict[tuple[str, int, int, int], float] = field(default_factory=dict)
    memory_gbps: float = 0
    copy_gbps: float = 0
    kernel_us: float = 0
    handover_us: float = 0


def measure(progress: Progress) -> Figures:
    """Measure everything; takes less than a minute."""
    found = Figures(workers=options.cores())
    for dtype in ("float32", "float64", "float16", "bfloat16"):
        for m, k, n in _shapes(dtype):
            progress.step(f"products of {dtype}: {m} x {k} x {n}")
            found.rates[dtype, m, k, n] = _product(
                min(found.workers, _MOST_AT_ONCE), dtype, m, k, n
            )
        found.flops[dtype] = max(
            rate for (other, *_), rate in found.rates.items() if other == dtype
        )
    progress.step("memory")
    found.memory_gbps = _memory(found.workers)
    progress.step("copies between memories")
    found.copy_gbps = _copies(found.workers)
    progress.step("what a task takes")
    found.kernel_us = _step_us(sites=1, turning=False)
    progress.step("what a hand-over takes")
    along, across = (_step_us(sites=2, turning=turning) for turning in (False, True))
    found.handover_us = max(0.0, across - along)
    return found


def machine_text(found: Figures, source: str) -> str:
    """Write the figures as a machine file."""
    quoted = source.replace("\\", "/").replace('"', "'")
    lines = [
        "version = 1",
        'name = "measured"',
        f'source = "{quoted}"',
        "",
        "[sites]",
        'count = "any"',
        f"hbm = {_round(found.memory_gbps)}",
        f"kernel_latency_us = {_round(found.kernel_us)}",
        *(f"flops.{dtype} = {_round(rate)}" for dtype, rate in found.flops.items()),
        "",
        "[compute]",
        f"workers = {found.workers}",
        "handover = true",
        f"handover_us = {_round(found.handover_us)}",
        "",
        "# Of devices with memory of their own (private_sites).",
        "[[bus]]",
        'name = "copies"',
        f"gbps = {_round(found.copy_gbps)}",
        'pairs = "unlinked"',
    ]
    for (dtype, m, k, n), rate in found.rates.items():
        lines += [
            "",
            "[[efficiency]]",
            'op = "matmul"',
            f'dtype = "{dtype}"',
            f"shape = [{m}, {k}, {n}]",
            f"fraction = {_round(rate / found.flops[dtype])}",
        ]
    return "\n".join(lines) + "\n"


def _round(figure: float) -> str:
    return f"{max(figure, 1e-6):.3g}"


def _shapes(dtype: str) -> Iterator[tuple[int, int, int]]:
    plain = dtype == "float32"
    for m in ROWS if plain else FEW_ROWS:
        for k, n in WIDTHS if plain else FEW_WIDTHS:
            yield m, k, n
    for extent in CUBES if plain else CUBES[1:2]:
        yield extent, extent, extent


def _product(workers: int, dtype: str, m: int, k: int, n: int) -> float:
    """Give FLOP/s of a worker, while each multiplies blocks of m x k by k x n."""
    graph = Graph()
    x = graph.tensor([workers * m, k], dtype, name="x")
    w = graph.parameter([k, n], dtype, name="w")
    graph.save(operators.matmul(x, w, name="product"), name="y")
    exe = compiler.compile(
        graph, devices=workers, threads=workers, specs={"product": {"i": workers}}
    )
    exe.load({"w": _ones(dtype, k, n)})
    seconds = _task_seconds(exe, {"x": _ones(dtype, workers * m, k)}, "matmul")
    return 2.0 * m * k * n / seconds


def _memory(workers: int) -> float:
    """Give GB/s of a worker, while each adds blocks that no cache holds."""
    graph = Graph()
    elements = _ELEMENTS * min(workers, 8) // workers
    shape = [workers * elements]
    x, y = (graph.tensor(shape, "float32", name=name) for name in "xy")
    graph.save(operators.add(x, y, name="sum"), name="z")
    exe = compiler.compile(graph, devices=workers, threads=workers)
    block = _ones("float32", *shape)
    seconds = _task_seconds(exe, {"x": block, "y": block}, "add")
    return 3 * 4 * elements / seconds / 1e9


def _copies(workers: int) -> float:
    """Give GB/s that all copies between devices with memories of their own reach together."""
    sites = max(2, workers)
    extent = -(-2048 // sites) * sites
    graph = Graph()
    x = graph.tensor([extent, extent], "float32", name="x")
    rows = operators.relu(x, name="rows")
    graph.save(operators.exp(rows, name="columns"), name="y")
    specs: options.Pins = {"rows": {"i0": sites}, "columns": {"i1": sites}}
    exe = compiler.compile(graph, devices=sites, threads=workers, private_sites=True, specs=specs)
    seconds = _task_seconds(exe, {"x": _ones("float32", extent, extent)}, "transfer")
    return workers * 4 * (extent // sites) ** 2 / seconds / 1e9


def _step_us(*, sites: int, turning: bool) -> float:
    """Give microseconds of a step of a chain of tiny products, cut one way or by turns."""
    shorter, longer = (_chain_us(steps, sites, turning) for steps in _STEPS)
    return max(0.0, longer - shorter) / (_STEPS[1] - _STEPS[0])


def _chain_us(steps: int, sites: int, turning: bool) -> float:
    graph = Graph()
    x = graph.tensor([8, 8], "float32", name="x")
    w = graph.parameter([8, 8], "float32", name="w")
    for step in range(steps):
        x = operators.matmul(x, w, name=f"step{step}")
    graph.save(x, name="y")
    specs: options.Pins = {
        f"step{step}": {"k" if turning and step % 2 else "i": sites} for step in range(steps)
    }
    exe = compiler.compile(graph, devices=sites, threads=1, specs=specs)
    exe.load({"w": np.eye(8, dtype=np.float32)})
    return min(_calls(exe, {"x": _ones("float32", 8, 8)})) * 1e6


def _task_seconds(exe: Executable, inputs: Mapping[str, Any], work: str) -> float:
    """Give what one task of this kind takes, on average, in the best call."""
    best = float("inf")
    for _ in _calls(exe, inputs):
        done = [line for line in exe.profile() if line.work == work]
        tasks = sum(line.tasks for line in done)
        best = min(best, sum(line.seconds for line in done) / max(1, tasks))
    return max(best, 1e-9)


def _calls(exe: Executable, inputs: Mapping[str, Any]) -> Iterator[float]:
    """Call for a while; give the seconds of each call but the first."""
    exe(inputs)
    end = time.perf_counter() + _SECONDS
    calls = 0
    while calls < _CALLS or time.perf_counter() < end:
        start = time.perf_counter()
        exe(inputs)
        yield time.perf_counter() - start
        calls += 1


def _ones(dtype: str, *shape: int) -> Any:
    return np.ones(shape, dtypes.NUMPY_DTYPES[dtype])
