# SPDX-License-Identifier: Apache-2.0
"""Experiment 1: every workload on 1, 4 and 8 GPUs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from benchmarks import paper
from benchmarks.cases import (
    GPUS,
    MACHINES,
    OBJECTIVES,
    PAPERS_WAY,
    WAYS,
    WORKLOADS,
    Case,
    mean_of,
    members,
    outcome,
    prepare,
    show_ms,
)
from benchmarks.report import Bars, Report

DEVICES = (1, 4, 8)
Way = tuple[str, str]


def run(threads: int) -> Iterator[Report]:
    """Give every workload on each machine."""
    for machine in MACHINES:
        prepare(
            (Case(name, machine, n, *way) for name in WORKLOADS for n in DEVICES for way in WAYS),
            threads,
        )
        yield _report(machine)


def _report(machine: str) -> Report:
    report = Report(
        f"simulated, every workload on {machine}, float16: ms by objective and exchange programs",
        ["", "GPUs", "paper, measured", *(", ".join(way) for way in WAYS), "paper's way", "ours"],
    )
    for workload in WORKLOADS:
        for devices in DEVICES:
            found = {way: outcome(Case(workload, machine, devices, *way)) for way in WAYS}
            measured, source = paper.EINSUMMABLE.get((machine, workload, devices), (None, None))
            times = {way: found[way].ms for way in WAYS}
            report.rows.append([workload, *_cells(devices, measured, times)])
            report.entries.append(
                {
                    "machine": machine,
                    "workload": workload,
                    "devices": devices,
                    "paper_ms": measured,
                    "paper_source": source,
                    "simulated": {", ".join(way): asdict(found[way]) for way in WAYS},
                }
            )
    for group in ("block", "chain"):
        report.rows.append(_mean_row(machine, group))
    report.notes.append(
        f"paper's way, ours: simulated time by {', '.join(PAPERS_WAY)} and by "
        f"{', '.join(WAYS[-1])}, over what the paper measured."
    )
    report.notes.append(_slowest_search(machine))
    report.charts += [
        _chart(f"Workloads on {GPUS} GPUs of {machine}", machine, list(WORKLOADS), (GPUS,)),
        _chart(f"Blocks on {machine} by GPUs", machine, members("block"), DEVICES),
    ]
    return report


def _cells(devices: int, measured: float | None, times: Mapping[Way, float]) -> list[str]:
    ratios = [times[way] / measured if measured else None for way in (PAPERS_WAY, WAYS[-1])]
    return [
        str(devices),
        show_ms(measured),
        *(show_ms(times[way]) for way in WAYS),
        *("" if ratio is None else f"{ratio:.2f}" for ratio in ratios),
    ]


def _mean_row(machine: str, group: str) -> list[str]:
    measured = mean_of(paper.EINSUMMABLE[machine, name, GPUS][0] for name in members(group))
    times = {
        way: mean_of(outcome(Case(name, machine, GPUS, *way)).ms for name in members(group))
        for way in WAYS
    }
    return [f"{group}s, geometric mean", *_cells(GPUS, measured, times)]


def _slowest_search(machine: str) -> str:
    """Say where searched exchange programs do worst beside naive ones."""
    ratio, objective, workload, devices = max(
        (
            outcome(Case(workload, machine, devices, objective, "search")).ms
            / outcome(Case(workload, machine, devices, objective, "naive")).ms,
            objective,
            workload,
            devices,
        )
        for objective in OBJECTIVES
        for workload in WORKLOADS
        for devices in DEVICES
    )
    return f"search over naive, worst: {ratio:.4f} ({workload}, {devices} GPUs, {objective})"


def _chart(title: str, machine: str, names: Sequence[str], numbers: Sequence[int]) -> Bars:
    setups = [(machine, name, devices) for name in names for devices in numbers]
    measured = [paper.EINSUMMABLE.get(setup, (None, ""))[0] for setup in setups]
    simulated = {
        "simulated: " + ", ".join(way): [
            outcome(Case(name, where, devices, *way)).ms for where, name, devices in setups
        ]
        for way in WAYS
    }
    return Bars(
        title=title,
        groups=[f"{name}, {n}" if len(numbers) > 1 else name for _, name, n in setups],
        series={"paper, measured": measured, **simulated},
        unit="ms",
        logarithmic=True,
    )
