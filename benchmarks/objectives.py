# SPDX-License-Identifier: Apache-2.0
"""How plans of least predicted time compare with those of least cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benchmarks.cases import MACHINES, MODES, OBJECTIVES, WORKLOADS, Case, mean_of, outcome, prepare
from benchmarks.report import Report

COMPARED = (
    *((machine, devices) for machine in MACHINES for devices in (3, 5, 6, 8)),
    ("dgx-h100-2", 12),
    ("dgx-h100-2", 16),
)
RACK = (("gb200-nvl72", 72),)
RACK_MODES = ("naive",)


def run(threads: int) -> Iterator[Report]:
    """Give one row a machine, number of devices, and way to write exchange programs."""
    yield report_on(COMPARED, WORKLOADS, MODES, threads)


def run_rack(threads: int) -> Iterator[Report]:
    """Give the same on a rack of 72 GPUs, naive alone."""
    yield report_on(RACK, WORKLOADS, RACK_MODES, threads)


def report_on(
    setups: Sequence[tuple[str, int]], names: Iterable[str], modes: Sequence[str], threads: int
) -> Report:
    """Compare the plans of both objectives for workloads on machines."""
    names = list(names)
    prepare(
        (
            Case(name, *setup, objective, mode)
            for setup in setups
            for name in names
            for mode in modes
            for objective in OBJECTIVES
        ),
        threads,
    )
    report = Report(
        "simulated, time of the plan of least time over that of least cost",
        ["", "GPUs", "exchange programs", "worst", "its workload", "geometric mean", "best", ""],
    )
    worst_of_all = 0.0
    for machine, devices in setups:
        for mode in modes:
            ratios = {
                workload: outcome(Case(workload, machine, devices, "time", mode)).ms
                / outcome(Case(workload, machine, devices, "proxy", mode)).ms
                for workload in names
            }
            worst = max(ratios, key=lambda name: ratios[name])
            worst_of_all = max(worst_of_all, ratios[worst])
            report.rows.append(
                [
                    machine,
                    str(devices),
                    mode,
                    f"{ratios[worst]:.4f}",
                    worst,
                    f"{mean_of(ratios.values()):.3f}",
                    f"{min(ratios.values()):.3f}",
                    "SLOWER" if ratios[worst] > 1 else "",
                ]
            )
            report.entries.append(
                {"machine": machine, "devices": devices, "mode": mode, "ratios": ratios}
            )
    report.notes.append(f"worst of all: {worst_of_all:.6f}")
    return report
