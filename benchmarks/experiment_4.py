# SPDX-License-Identifier: Apache-2.0
"""Experiment 4: naive beside searched exchange programs on eight GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import paper
from benchmarks.cases import (
    GPUS,
    MACHINES,
    MODES,
    OBJECTIVES,
    WAYS,
    WORKLOADS,
    Case,
    mean_of,
    members,
    outcome,
    prepare,
    show_ms,
    show_ratio,
)
from benchmarks.report import Bars, Report


def run(threads: int) -> Iterator[Report]:
    """Give the table of each machine, the one with few links first."""
    for machine in reversed(MACHINES):
        prepare((Case(name, machine, GPUS, *way) for name in WORKLOADS for way in WAYS), threads)
        yield _report(machine)


def _report(machine: str) -> Report:
    report = Report(
        f"simulated, naive over searched exchange programs, {GPUS} GPUs of {machine}: ms, ratio",
        ["", "paper", "ratio", *(f"{o}, {kind}" for o in OBJECTIVES for kind in (*MODES, "ratio"))],
    )
    gains = {name: _gains(name, machine) for name in WORKLOADS}
    theirs = {name: _papers_gain(name, machine) for name in WORKLOADS}
    for name in WORKLOADS:
        report.rows.append(_row(name, machine))
        report.entries.append(
            {
                "machine": machine,
                "workload": name,
                "naive_over_search": gains[name],
                "paper": theirs[name],
            }
        )
    for group in ("block", "chain"):
        means = {o: mean_of(gains[name][o] for name in members(group)) for o in OBJECTIVES}
        known = [gain for name in members(group) if (gain := theirs[name]) is not None]
        mean = mean_of(known) if known else paper.NAIVE_GAIN.get((machine, group))
        cells = [cell for o in OBJECTIVES for cell in ("", "", show_ratio(means[o]))]
        report.rows.append([f"{group}s, geometric mean", "", show_ratio(mean), *cells])
    simulated = {f"simulated: {o}": [gains[name][o] for name in WORKLOADS] for o in OBJECTIVES}
    report.charts.append(
        Bars(
            title=f"Naive over searched exchange programs, {GPUS} GPUs of {machine}",
            groups=list(WORKLOADS),
            series={"paper, measured": list(theirs.values()), **simulated},
            unit="naive / searched",
            logarithmic=True,
        )
    )
    return report


def _gains(name: str, machine: str) -> dict[str, float]:
    """Give naive over searched time of an objective each."""
    return {
        objective: outcome(Case(name, machine, GPUS, objective, "naive")).ms
        / outcome(Case(name, machine, GPUS, objective, "search")).ms
        for objective in OBJECTIVES
    }


def _papers_gain(name: str, machine: str) -> float | None:
    if machine != paper.V100 or name not in paper.NAIVE_V100:
        return None
    return paper.NAIVE_V100[name] / paper.EINSUMMABLE[machine, name, GPUS][0]


def _row(name: str, machine: str) -> list[str]:
    gain = _papers_gain(name, machine)
    measured = ""
    if gain is not None:
        searched, _ = paper.EINSUMMABLE[machine, name, GPUS]
        measured = f"{show_ms(paper.NAIVE_V100[name])} / {show_ms(searched)}"
    cells = []
    for objective, ratio in _gains(name, machine).items():
        cells += [show_ms(outcome(Case(name, machine, GPUS, objective, m)).ms) for m in MODES]
        cells.append(show_ratio(ratio))
    return [name, measured, show_ratio(gain), *cells]
