# SPDX-License-Identifier: Apache-2.0
"""Experiments 3 and 5: optimal, greedy and random plans on eight GPUs, and how costs correlate."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import asdict

from benchmarks import paper
from benchmarks.cases import (
    GPUS,
    MACHINES,
    MODES,
    WORKLOADS,
    Case,
    Outcome,
    correlation,
    family,
    mean_of,
    members,
    outcome,
    prepare,
    show_ms,
    show_ratio,
)
from benchmarks.report import Bars, Report, Scatter

RANDOM_PLANS = 20
BLOCK_PLANS = 100

SELECTED = {
    "optimal": "least cost",
    "greedy": "greedy",
    "best": f"best of {RANDOM_PLANS}",
    "median": f"median of {RANDOM_PLANS}",
    "time": "least time",
}
OTHERS = tuple(SELECTED)[1:]


def run(threads: int) -> Iterator[Report]:
    """Give the times of each selector's plans, and how well costs foretell them."""
    prepare(
        (
            Case(name, machine, GPUS, "proxy", mode, "random", seed)
            for machine in MACHINES
            for name in WORKLOADS
            for mode in MODES
            for seed in range(max(_counts(name, machine), default=0))
        ),
        threads,
    )
    yield _selectors()
    for machine in MACHINES:
        yield _correlations(machine)


def _counts(workload: str, machine: str) -> list[int]:
    """Give over how many random plans to correlate; the paper did so on A100."""
    papers = [RANDOM_PLANS] if machine == paper.A100 else []
    return [*papers, BLOCK_PLANS] if family(workload) == "block" else papers


def _random_plans(workload: str, machine: str, mode: str, count: int) -> list[Outcome]:
    return [
        outcome(Case(workload, machine, GPUS, "proxy", mode, "random", seed))
        for seed in range(count)
    ]


def _selectors() -> Report:
    report = Report(
        f"simulated, plans on {GPUS} GPUs of {paper.A100} with searched exchange programs: ms of "
        "the plan of least cost, others over it, in parentheses the paper's, measured",
        ["", *SELECTED.values(), "faster than both"],
    )
    times = {workload: _times(workload) for workload in WORKLOADS}
    for workload, found in times.items():
        random = [plan.ms for plan in _random_plans(workload, paper.A100, "search", RANDOM_PLANS)]
        faster = [sum(ms < found[name] for ms in random) for name in ("optimal", "time")]
        theirs = _papers_ratios(workload)
        report.rows.append(
            [
                workload,
                show_ms(found["optimal"]),
                *(show_ratio(found[n] / found["optimal"], theirs.get(n)) for n in OTHERS),
                f"{faster[0]}, {faster[1]}",
            ]
        )
        report.entries.append({"workload": workload, "ms": found, "random_ms": random})
    report.rows += [_mean_row(group, times) for group in ("block", "chain")]
    report.notes.append("faster than both: random plans that beat the one of least cost, of time.")
    report.charts.append(
        Bars(
            title=f"Plan selectors on {GPUS} GPUs of {paper.A100}, simulated",
            groups=list(times),
            series={
                label: [found[name] / found["optimal"] for found in times.values()]
                for name, label in SELECTED.items()
            },
            unit="time over that of the plan of least cost",
        )
    )
    return report


def _times(workload: str) -> dict[str, float]:
    """Give simulated ms by the names in `SELECTED`."""

    def ms(objective: str, selector: str) -> float:
        return outcome(Case(workload, paper.A100, GPUS, objective, "search", selector)).ms

    random = [plan.ms for plan in _random_plans(workload, paper.A100, "search", RANDOM_PLANS)]
    return {
        "optimal": ms("proxy", "optimal"),
        "greedy": ms("proxy", "greedy"),
        "best": min(random),
        "median": statistics.median(random),
        "time": ms("time", "optimal"),
    }


def _papers_ratios(workload: str) -> dict[str, float]:
    figures = {"best": paper.RANDOM_BEST, "median": paper.RANDOM_MEDIAN}
    return {
        name: ms[workload] / paper.EINSUMMABLE[paper.A100, workload, GPUS][0]
        for name, ms in figures.items()
        if workload in ms
    }


def _mean_row(group: str, times: Mapping[str, Mapping[str, float]]) -> list[str]:
    means = {name: mean_of(times[w][name] for w in members(group)) for name in SELECTED}
    ratios = [
        show_ratio(means[name] / means["optimal"], paper.SELECTORS.get((group, name)))
        for name in OTHERS
    ]
    return [f"{group}s, geometric mean", show_ms(means["optimal"]), *ratios, ""]


def _correlations(machine: str) -> Report:
    report = Report(
        f"simulated, random plans on {GPUS} GPUs of {machine}: Pearson correlation with "
        "simulated time",
        [
            "",
            "plans",
            "paper: cost, measured",
            *(f"{what}, {mode}" for what in ("cost", "planned time") for mode in MODES),
            "search over naive, worst",
        ],
    )
    counts = {name: _counts(name, machine) for name in WORKLOADS if _counts(name, machine)}
    for workload in counts:
        for count in counts[workload]:
            _add_correlations(report, workload, machine, count)
    plans = {name: _random_plans(name, machine, "search", max(counts[name])) for name in counts}
    title = f"random plans on {GPUS} GPUs of {machine}"
    report.charts += [
        Scatter(
            f"Cost of {title}",
            {name: [(p.cost, p.ms) for p in found] for name, found in plans.items()},
            "elements that move",
            "simulated ms",
        ),
        Scatter(
            f"Planned time of {title}",
            {name: [(p.planned_ms, p.ms) for p in found] for name, found in plans.items()},
            "planned ms",
            "simulated ms",
        ),
    ]
    return report


def _add_correlations(report: Report, workload: str, machine: str, count: int) -> None:
    plans = {mode: _random_plans(workload, machine, mode, count) for mode in MODES}
    times = {mode: [plan.ms for plan in found] for mode, found in plans.items()}
    of_cost = {m: correlation([p.cost for p in plans[m]], times[m]) for m in MODES}
    of_planned = {m: correlation([p.planned_ms for p in plans[m]], times[m]) for m in MODES}
    theirs = paper.CORRELATION.get(workload) if count == RANDOM_PLANS else None
    worst = max(s / n for s, n in zip(times["search"], times["naive"], strict=True))
    found = [theirs, *of_cost.values(), *of_planned.values()]
    report.rows.append(
        [workload, str(count), *("" if r is None else f"{r:.2f}" for r in found), f"{worst:.3f}"]
    )
    report.entries.append(
        {
            "workload": workload,
            "correlation_of_cost": of_cost,
            "correlation_of_planned_time": of_planned,
            "paper": theirs,
            "plans": {mode: [asdict(plan) for plan in found] for mode, found in plans.items()},
        }
    )
