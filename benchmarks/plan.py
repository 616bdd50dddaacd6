# SPDX-License-Identifier: Apache-2.0
"""How long planning takes: every stage up to a proven program, which needs no device."""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator

from benchmarks.random_graph import random_graph
from benchmarks.report import Report
from einsummable import Graph, _core, workloads
from einsummable.cli.quantities import show_seconds
from einsummable.options import make_options

STAGES = ("logical", "physical", "lowering", "verification")
LAYERS = (1, 32, 80)
DEVICES = (8, 72)
OPERATORS = 2000
SEEDS = (1, 2, 3)
# A round of this benchmark takes seconds.
ROUNDS_SHARE = 3


def run(given: argparse.Namespace) -> Iterator[Report]:
    """Give a report for models and one for random graphs."""
    rounds = max(1, given.rounds // ROUNDS_SHARE)
    yield _models(rounds)
    yield _random_graphs(rounds)


def _models(rounds: int) -> Report:
    report = Report(
        f"plan, layers of Llama-3-8B, 1 x 1024 tokens, float16, one thread, the best of {rounds}",
        ["", *STAGES, "all but verification", "verification's share", "tasks"],
    )
    for layers in LAYERS:
        graph = workloads.llama(layers)
        for devices in DEVICES:
            _add_model(report, f"{layers} layers, {devices} devices", graph, devices, rounds)
    return report


def _add_model(report: Report, name: str, graph: Graph, devices: int, rounds: int) -> None:
    options = make_options(devices=devices, objective="proxy", schedule_mode="naive")
    program = None
    times: list[dict[str, float]] = []
    for _ in range(rounds):
        program = _core.make_lowered(graph._core, options)
        times.append({stage: getattr(program.times, stage) for stage in STAGES})
    assert program is not None and program.report, "a program is proven"
    best = {stage: min(t[stage] for t in times) for stage in STAGES}
    total = sum(best.values())
    share = best["verification"] / total
    report.rows.append(
        [
            name,
            *(show_seconds(best[stage]) for stage in STAGES),
            show_seconds(total - best["verification"]),
            f"{100 * share:.0f} %",
            str(program.task_count),
        ]
    )
    checks = [
        {"name": c.name, "count": c.count, "seconds": c.seconds} for c in program.report.checks
    ]
    report.entries.append({"name": name, "seconds": times, "checks": checks})


def _random_graphs(rounds: int) -> Report:
    report = Report(
        f"plan, random graphs of {OPERATORS} operators, 8 devices, one thread, best of {rounds}",
        ["", "logical", "median", "gap", "width"],
    )
    options = make_options(devices=8, objective="proxy", schedule_mode="naive")
    for seed in SEEDS:
        graph = random_graph(OPERATORS, seed)
        programs = [_core.make_lowered(graph._core, options) for _ in range(rounds)]
        seconds = [program.times.logical for program in programs]
        plan = programs[-1].plan
        assert plan.bound is not None, "the optimal selector gives a bound"
        gap = (plan.cost - plan.bound) / plan.bound
        report.rows.append(
            [
                f"seed {seed}",
                show_seconds(min(seconds)),
                show_seconds(statistics.median(seconds)),
                f"{100 * gap:.2f} %",
                str(plan.width),
            ]
        )
        report.entries.append({"seed": seed, "seconds": seconds, "gap": gap, "width": plan.width})
    return report
