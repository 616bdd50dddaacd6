# SPDX-License-Identifier: Apache-2.0
"""What it costs to cut work finely, to run a task, and to call a graph from Python."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

import einsummable as es
from benchmarks import block
from benchmarks.measure import Series, alternate, timed
from benchmarks.report import Bars, Report
from einsummable.cli.quantities import show_seconds
from einsummable.handle import Handle

DEVICES = (1, 2, 4, 8, 16, 72)
TOKENS = (8, 128)
OBJECTIVES = ("time", "proxy")
TASKS = 4000
CALLS = 1000
Inputs = Mapping[str, npt.NDArray[Any]]
Pins = dict[str | Handle, dict[str, int]]


@dataclass(frozen=True)
class Run:
    """An executable that `threads` threads run, and what it is called with."""

    name: str
    executable: es.Executable
    threads: int
    inputs: Inputs

    def __call__(self) -> object:
        """Call it."""
        return self.executable(self.inputs)

    @property
    def tasks(self) -> int:
        """How many tasks a call runs."""
        return self.executable._core.task_count

    def timed(self) -> tuple[float, float]:
        """Call it, and give the seconds that its threads had, and those they spent in kernels."""
        start = time.perf_counter()
        self()
        seconds = time.perf_counter() - start
        return seconds * self.threads, sum(line.seconds for line in self.executable.profile())


def run(given: argparse.Namespace) -> Iterator[Report]:
    """Give a report for the same work cut ever finer, for tiny tasks, and for tiny graphs."""
    yield _same_work(given)
    yield _tiny_tasks(given)
    yield _tiny_graphs(given)


def _same_work(given: argparse.Namespace) -> Report:
    """Time one block on ever more devices, which the same threads run."""
    batch, seq = TOKENS
    graph = es.workloads.llama_block(batch, seq, dtype="float32", **block.SIZES)
    inputs = {
        "x": _random(batch * seq, block.SIZES["d_model"]),
        "positions": np.arange(batch * seq, dtype=np.int32) % seq,
    }
    weights = {name: _random(*tensor.shape) * 0.02 for name, tensor in graph.parameters.items()}
    runs = {}
    for objective, p in product(OBJECTIVES, DEVICES):
        threads = min(p, given.threads)
        exe = es.compile(graph, devices=p, threads=threads, objective=objective)
        exe.load(weights)
        runs[objective, p] = Run(f"{objective}, {_devices(p)}", exe, threads, inputs)
    series = alternate({r.name: partial(timed, r) for r in runs.values()}, given.rounds)
    base = min((p for p in DEVICES if p >= given.threads), default=DEVICES[-1])
    report = Report(
        f"overhead, the same block of {batch} x {seq} tokens, {given.threads} threads",
        ["", "tasks", "minimum", "median", "spread", f"over p = {base}", "not in kernels"],
    )
    ratios: dict[str, list[float | None]] = {objective: [] for objective in OBJECTIVES}
    for (objective, _), r in runs.items():
        ratio = series[r.name].minimum / series[runs[objective, base].name].minimum
        ratios[objective].append(ratio)
        all_seconds, kernels = r.timed()
        idle = 1 - kernels / all_seconds
        columns = [f"{ratio:.2f}", f"{100 * idle:.1f} %"]
        _add(report, r, series[r.name], columns, ratio=ratio, idle=idle)
    groups = [f"p = {p}" for p in DEVICES]
    report.charts.append(Bars(f"block on p devices over p = {base}", groups, ratios, "ratio"))
    return report


def _tiny_tasks(given: argparse.Namespace) -> Report:
    """Time graphs whose kernels take about a microsecond.

    What the threads spend outside of kernels, waiting included, is what tasks cost.
    """
    runs = []
    for (name, graph_of), p in product({"apart": _apart, "meeting": _meeting}.items(), DEVICES):
        threads = min(p, given.threads)
        graph, pins = graph_of(p)
        exe = es.compile(
            graph,
            devices=p,
            threads=threads,
            objective="proxy",
            schedule_mode="naive",
            specs=pins,
        )
        exe.load({name: _random(*tensor.shape) for name, tensor in graph.parameters.items()})
        inputs = {name: _random(*tensor.shape) for name, tensor in graph.inputs.items()}
        runs.append(Run(f"{name}, {_devices(p)}", exe, threads, inputs))
    series = alternate({r.name: partial(timed, r) for r in runs}, given.rounds)
    report = Report(
        f"overhead, tiny tasks, {given.threads} threads",
        ["", "tasks", "minimum", "median", "spread", "in kernels a task", "overhead a task"],
    )
    for r in runs:
        calls = [r.timed() for _ in range(given.rounds)]
        kernel = statistics.median(kernels for _, kernels in calls) / r.tasks
        overhead = statistics.median(whole - kernels for whole, kernels in calls) / r.tasks
        columns = [f"{1e6 * kernel:.2f} us", f"{1e6 * overhead:.2f} us"]
        _add(report, r, series[r.name], columns, kernel=kernel, overhead=overhead)
    return report


def _apart(p: int) -> tuple[es.Graph, Pins]:
    """Make chains that never meet: each site has its rows all along."""
    graph = es.Graph()
    x = graph.tensor([8 * p, 8], name="x")
    for _ in range(TASKS // p):
        x = es.softmax(x, -1)
    graph.save(x, name="y")
    return graph, {}


def _meeting(p: int) -> tuple[es.Graph, Pins]:
    """Make products cut by rows and by columns in turn: each site waits for all others."""
    graph = es.Graph()
    size = max(8, p)
    x = graph.tensor([size, size], name="x")
    pins: Pins = {}
    for i in range(max(4, TASKS // (2 * p))):
        w = graph.parameter([size, size], name=f"w{i}")
        x = es.matmul(x, w, name=f"product{i}")
        pins[f"product{i}"] = {"i": p} if i % 2 else {"j": p}
    graph.save(x, name="y")
    return graph, pins if p > 1 else {}


def _tiny_graphs(given: argparse.Namespace) -> Report:
    """Time calls of two operators from Python."""
    graph = es.Graph()
    x = graph.tensor([4, 4], name="x")
    graph.save(es.softmax(x @ x, -1), name="y")
    inputs = {"x": _random(4, 4)}
    peers: dict[str, Callable[[], float]] = {}
    runs = []
    for name, exe in (
        ("1 device", es.compile(graph, devices=1)),
        ("a device a core", es.compile(graph)),
    ):
        runs.append(Run(name, exe, 1, inputs))
        peers[name] = partial(timed, partial(_repeat, runs[-1]))
    series = alternate(peers, given.rounds)
    report = Report(
        f"overhead, two operators, {CALLS} calls in a row from Python",
        ["", "tasks", "minimum", "median", "spread", "a call", "calls a second"],
    )
    for r in runs:
        seconds = series[r.name].minimum / CALLS
        columns = [f"{1e6 * seconds:.1f} us", f"{1 / seconds:,.0f}"]
        _add(report, r, series[r.name], columns, call=seconds)
    return report


def _repeat(run: Run) -> None:
    for _ in range(CALLS):
        run()


def _add(report: Report, of: Run, times: Series, columns: list[str], **figures: float) -> None:
    report.rows.append(
        [
            of.name,
            str(of.tasks),
            show_seconds(times.minimum),
            show_seconds(times.median),
            f"{100 * times.spread:.0f} %",
            *columns,
        ]
    )
    report.entries.append({"name": of.name, "tasks": of.tasks, **figures, **asdict(times)})


def _devices(p: int) -> str:
    return f"{p} device{'s' if p > 1 else ''}"


def _random(*shape: int) -> npt.NDArray[np.float32]:
    return np.random.default_rng(0).standard_normal(shape, np.float32)
