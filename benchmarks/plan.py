# SPDX-License-Identifier: Apache-2.0
"""How long planning takes: every stage up to a proven program, which needs no device."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.random_graph import random_graph
from benchmarks.report import Report, Scatter
from einsummable import Graph, _core, workloads
from einsummable.cli.quantities import show_seconds
from einsummable.options import make_options

STAGES = ("choice", "logical", "physical", "lowering", "verification")
"""The choice is a part of the logical stage."""
TOPOLOGIES = {8: "dgx-a100", 72: "gb200-nvl72"}
"""The machine with so many devices."""
OBJECTIVES = {"proxy": "cost", "time": "time"}
NAIVE = [(layers, devices) for layers in (1, 32, 80) for devices in TOPOLOGIES]
SEARCHED = [(1, 8), (32, 8), (1, 72)]
OPERATORS = 2000
SEEDS = (1, 2, 3)
ROUNDS_SHARE = 3
"""A round of this benchmark takes seconds."""
PATIENCE = 2.0
"""Seconds after which a case is not begun anew."""
GROWTH: dict[str, tuple[tuple[int, ...], Callable[[int], tuple[Graph, int]]]] = {
    "layers, 8 devices": ((1, 4, 8, 16, 32, 48, 64, 80), lambda n: (workloads.llama(n), 8)),
    "devices, 4 layers": ((1, 2, 4, 8, 12, 24, 36, 48, 72), lambda n: (workloads.llama(4), n)),
    "operators without a pattern, 8 devices": (
        (125, 250, 500, 1000),
        lambda n: (random_graph(n, SEEDS[0]), 8),
    ),
}
"""What grows in each panel of the chart: its values, and the graph and devices of a value."""


@dataclass(frozen=True)
class Timed:
    """The program that was made last, and the least seconds of each stage."""

    program: _core.LoweredPlan
    best: dict[str, float]
    rounds: list[dict[str, float]]

    @property
    def physical(self) -> float:
        """Seconds from the graph to the physical plan."""
        return self.best["logical"] + self.best["physical"]

    @property
    def tasks(self) -> float:
        """Seconds from the graph to the task graph."""
        return self.physical + self.best["lowering"]

    @property
    def verified(self) -> float:
        """The share of verification in all of it."""
        return self.best["verification"] / (self.tasks + self.best["verification"])


def run(given: argparse.Namespace) -> Iterator[Report]:
    """Give a report for models, for searched programs, for random graphs, and on growth."""
    rounds = max(1, given.rounds // ROUNDS_SHARE)
    yield _models("naive", NAIVE, rounds)
    yield _models("search", SEARCHED, 1)
    yield _random_graphs(rounds)
    yield _growth()


def _timed(graph: Graph, objective: str, mode: str, devices: int, rounds: int) -> Timed:
    topology = TOPOLOGIES[min(d for d in TOPOLOGIES if d >= devices)]
    options = make_options(
        backend="cpu", devices=devices, objective=objective, schedule_mode=mode, topology=topology
    )
    start = time.perf_counter()
    times: list[dict[str, float]] = []
    while True:
        program = _core.make_lowered(graph._core, options)
        times.append({stage: getattr(program.times, stage) for stage in STAGES})
        if len(times) >= rounds or time.perf_counter() - start > PATIENCE:
            break
    assert program.report, "a program is proven"
    return Timed(program, {stage: min(t[stage] for t in times) for stage in STAGES}, times)


def _models(mode: str, cases: list[tuple[int, int]], rounds: int) -> Report:
    report = Report(
        f"plan, {mode} programs, layers of Llama-3-8B, 1 x 1024 tokens, float16, one thread, "
        f"the best of up to {rounds}",
        [
            "",
            *STAGES,
            "to a physical plan",
            "to a task graph",
            "verification's share",
            "tasks",
        ],
    )
    for layers, devices in cases:
        graph = workloads.llama(layers)
        for objective, name in OBJECTIVES.items():
            timed = _timed(graph, objective, mode, devices, rounds)
            _add(report, f"{layers} layers, {devices} devices, by {name}", timed)
    return report


def _add(report: Report, name: str, timed: Timed) -> None:
    report.rows.append(
        [
            name,
            *(show_seconds(timed.best[stage]) for stage in STAGES),
            show_seconds(timed.physical),
            show_seconds(timed.tasks),
            f"{100 * timed.verified:.0f} %",
            str(timed.program.task_count),
        ]
    )
    checks = [
        {"name": c.name, "count": c.count, "seconds": c.seconds}
        for c in timed.program.report.checks
    ]
    report.entries.append({"name": name, "seconds": timed.rounds, "checks": checks})


def _random_graphs(rounds: int) -> Report:
    report = Report(
        f"plan, naive programs, random graphs of {OPERATORS} operators, 8 devices, one thread, "
        f"the best of up to {rounds}",
        ["", "logical", "to a physical plan", "to a task graph", "verification's share", "gap"],
    )
    for seed in SEEDS:
        for objective, name in OBJECTIVES.items():
            if objective == "time" and seed != SEEDS[0]:
                continue
            timed = _timed(random_graph(OPERATORS, seed), objective, "naive", 8, rounds)
            plan = timed.program.plan
            gap = None
            if objective == "proxy" and plan.bound is not None:
                gap = (plan.cost - plan.bound) / plan.bound
            report.rows.append(
                [
                    f"seed {seed}, by {name}",
                    show_seconds(timed.best["logical"]),
                    show_seconds(timed.physical),
                    show_seconds(timed.tasks),
                    f"{100 * timed.verified:.0f} %",
                    "" if gap is None else f"{100 * gap:.2f} %",
                ]
            )
            report.entries.append(
                {"seed": seed, "objective": objective, "seconds": timed.rounds, "gap": gap}
            )
    return report


def _growth() -> Report:
    """Time once what grows by layers, devices and operators."""
    report = Report(
        "plan, naive programs, seconds to a task graph as the problem grows, once each",
        ["", "by cost", "by time"],
    )
    for objective, by in OBJECTIVES.items():
        panels: dict[str, list[tuple[float, float]]] = {}
        for name, (values, case) in GROWTH.items():
            for value in values:
                graph, devices = case(value)
                seconds = _timed(graph, objective, "naive", devices, 1).tasks
                panels.setdefault(name, []).append((value, seconds))
        title = f"Planning by {by}, naive programs"
        report.charts.append(Scatter(title, panels, "how many", "seconds to a task graph"))
    columns = [chart.panels for chart in report.charts if isinstance(chart, Scatter)]
    for name in GROWTH:
        for places in zip(*(panels[name] for panels in columns), strict=True):
            took = {by: seconds for by, (_, seconds) in zip(OBJECTIVES, places, strict=True)}
            of = f"{places[0][0]:.0f} {name}"
            report.rows.append([of, *(show_seconds(s) for s in took.values())])
            report.entries.append({"name": of, "seconds": took})
    return report
