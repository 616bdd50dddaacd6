# SPDX-License-Identifier: Apache-2.0
"""What plans say of memory, beside what the process takes, and beside the least there could be."""

from __future__ import annotations

import argparse
import ctypes
import gc
import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import einsummable as es
from benchmarks import block
from benchmarks.report import Report
from einsummable.cli.quantities import show_size
from einsummable.models import MiniLM
from einsummable.models.packing import pack

CHAIN_SCALE = 8
CALLS = 3
Arrays = Mapping[str, npt.NDArray[Any]]
Workload = tuple[es.Graph, Arrays, Arrays]
"""A graph, its parameters, and the inputs of a call."""


def _block(batch: int, seq: int) -> Workload:
    graph = es.workloads.llama_block(batch, seq, dtype="float32", **block.SIZES)
    given = _normal(graph)
    given["positions"] = np.arange(batch * seq, dtype=np.int32) % seq
    return _workload(graph, given)


def _minilm() -> Workload:
    model = MiniLM.load()
    chunk = pack([[1000 + n] * (16 + n % 33) for n in range(64)])[0]
    graph = model.graph(chunk.ends)
    return graph, model.parameters(), {"ids": chunk.ids, "positions": chunk.positions}


def _chain(letter: str) -> Workload:
    graph = es.workloads.chain(letter, scale=CHAIN_SCALE)
    return _workload(graph, _normal(graph))


WORKLOADS: dict[str, Callable[[], Workload]] = {
    "block 8x128": lambda: _block(8, 128),
    "block 1x1024": lambda: _block(1, 1024),
    "minilm": _minilm,
    **{f"chain {letter}": partial(_chain, letter) for letter in "ABCDE"},
}


@dataclass(frozen=True)
class Case:
    """A workload on so many devices."""

    workload: str
    devices: int
    objective: str


WAYS = ((1, "time"), (2, "time"), (8, "time"), (8, "proxy"), (72, "proxy"))
"""Plans by time leave devices idle where cores are few; plans by cost use all."""

CASES = tuple(Case(workload, *way) for workload in WORKLOADS for way in WAYS)


@dataclass(frozen=True)
class Outcome:
    """Bytes over all devices: predicted, least by lifetimes, and what the process grew by."""

    predicted: int
    least: int
    measured: int


def run(given: argparse.Namespace) -> Iterator[Report]:
    """Give one report; every case has a process of its own, so that its memory is clean."""
    report = Report(
        f"memory, {CALLS} calls, all devices together, {given.threads} threads",
        ["", "predicted", "measured", "predicted / measured", "least", "predicted / least"],
    )
    spawning = multiprocessing.get_context("spawn")
    for case in CASES:
        with ProcessPoolExecutor(1, spawning) as alone:
            _add(report, case, alone.submit(measure, case, given.threads).result())
    yield report


def _add(report: Report, case: Case, outcome: Outcome) -> None:
    measured, least = (outcome.predicted / n for n in (outcome.measured, outcome.least))
    devices = f"{case.devices} device{'s' if case.devices > 1 else ''}"
    report.rows.append(
        [
            f"{case.workload}, {case.objective}, {devices}",
            show_size(outcome.predicted),
            show_size(outcome.measured),
            f"{measured:.3f}",
            show_size(outcome.least),
            f"{least:.3f}",
        ]
    )
    report.entries.append({**asdict(case), **asdict(outcome)})


def measure(case: Case, threads: int) -> Outcome:
    """Compile, load and call, in this process.

    What it had before is not counted: the interpreter, the caller's arrays, and what OpenBLAS keeps
    for its threads once they have worked. Nor is what planning leaves free. Inputs are given
    backwards, so that none is read where the caller has it: what is said counts room for all.
    """
    graph, parameters, inputs = WORKLOADS[case.workload]()
    inputs = {name: array[::-1] for name, array in inputs.items()}
    results = _results(graph)
    options: dict[str, Any] = {"threads": min(case.devices, threads), "objective": case.objective}
    _warm_up(options)
    _forget()
    before = _resident("VmRSS")
    exe = es.compile(graph, devices=case.devices, schedule_mode="naive", **options)
    _forget()
    exe.load(parameters)
    for _ in range(CALLS):
        exe(inputs)
    measured = _resident("VmHWM") - before - results
    memory = exe.memory
    return Outcome(sum(m.peak for m in memory), sum(m.least for m in memory), measured)


def _forget() -> None:
    """Give free memory back to the system, and let it forget what was the most."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _results(graph: es.Graph) -> int:
    """Give the bytes of what a call returns."""
    return sum(
        int(np.prod(tensor.shape)) * np.dtype(tensor.dtype).itemsize
        for tensor in graph.saved.values()
    )


def _warm_up(options: Mapping[str, Any]) -> None:
    graph = es.Graph()
    x = graph.tensor([2048, 2048], name="x")
    graph.save(x @ x, name="y")
    exe = es.compile(graph, devices=2, schedule_mode="naive", **options)
    for _ in range(CALLS):
        exe(x=np.ones((2048, 2048), np.float32))


def _resident(field: str) -> int:
    """Give the bytes that the system says of this process: now, or at the most."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return int(value.split()[0]) * 1024
    raise RuntimeError(f"the system does not tell {field}")


def _normal(graph: es.Graph) -> dict[str, npt.NDArray[Any]]:
    random = np.random.default_rng(0)
    given = {**graph.inputs, **graph.parameters}
    return {name: random.standard_normal(t.shape, np.float32) for name, t in given.items()}


def _workload(graph: es.Graph, given: Arrays) -> Workload:
    parameters = {name: given[name] for name in graph.parameters}
    return graph, parameters, {name: given[name] for name in graph.inputs}
