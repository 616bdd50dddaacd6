# SPDX-License-Identifier: Apache-2.0
"""A graph on several numbers of devices, beside its matrix products alone and what others make."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy.typing as npt

import einsummable as es
from benchmarks.blas import Gemms
from benchmarks.compare import Peer, compare
from benchmarks.measure import timed
from benchmarks.peers.beside import Beside, Task, Variant, difference
from benchmarks.report import Report, profile_note

Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Case:
    """A graph that saves one tensor, its arrays, and how the modules of peers know it."""

    title: str
    graph: es.Graph
    parameters: Arrays
    inputs: Arrays
    workload: str
    settings: Mapping[str, Any]


def run_case(
    case: Case,
    devices: Iterable[int],
    variants: Sequence[Variant],
    others: Beside,
    given: argparse.Namespace,
) -> Report:
    """Time a case on so many devices and on one a thread, its products, and variants of others."""
    threads: int = given.threads
    executables = {p: _executable(case, p, threads) for p in sorted({*devices, threads})}
    (expected,) = executables[threads](case.inputs).values()
    counts = sorted({min(p, threads) for p in executables})
    peers = [Peer(_products(count), _timed(Gemms(case.graph, count))) for count in counts]
    for p, executable in executables.items():
        name = ours(p, threads)
        (result,) = executable(case.inputs).values()
        peers.append(
            Peer(
                name=name,
                call=_timed(partial(executable, case.inputs)),
                base=_products(min(p, threads)),
                executable=executable,
                difference=difference(name, result, expected),
            )
        )
    arrays = {**case.parameters, **case.inputs}
    task = Task(case.workload, arrays, case.settings, expected)
    peers += others.peers(variants, task, _products(threads))
    (default,) = (peer for peer in peers if peer.executable is executables[threads])
    report = compare(case.title, peers, given.rounds, default)
    report.notes += others.notes()
    if given.profile:
        report.notes += [profile_note(f"{p} devices", e) for p, e in executables.items()]
    return report


def ours(devices: int, threads: int) -> str:
    """Name ours on so many devices, which keep no more threads than that busy."""
    return (
        f"einsummable, {_counted(devices, 'device')}, {_counted(min(devices, threads), 'thread')}"
    )


def _products(threads: int) -> str:
    return f"matrix products alone, {_counted(threads, 'thread')}"


def _executable(case: Case, devices: int, threads: int) -> es.Executable:
    executable = es.compile(case.graph, devices=devices, threads=min(devices, threads))
    executable.load(case.parameters)
    return executable


def _timed(call: Callable[[], object]) -> Callable[[], float]:
    return partial(timed, call)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count > 1 else ''}"
