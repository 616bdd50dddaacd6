# SPDX-License-Identifier: Apache-2.0
"""The paper's experiments in simulation, beside what the paper measured on its machines."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from benchmarks import experiment_1, experiment_3, experiment_4, objectives
from benchmarks.report import Report

PARTS: dict[str, Callable[[int], Iterator[Report]]] = {
    "workloads": experiment_1.run,
    "selectors": experiment_3.run,
    "schedules": experiment_4.run,
    "objectives": objectives.run,
    "rack": objectives.run_rack,
}


def run(given: argparse.Namespace) -> Iterator[Report]:
    """Give the reports of the parts that are asked for."""
    for part in given.part or PARTS:
        yield from PARTS[part](given.threads)
