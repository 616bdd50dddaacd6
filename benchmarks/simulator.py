# SPDX-License-Identifier: Apache-2.0
"""How long simulating takes: programs of about 10,000 actions on 8 sites, checked and simulated."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator

from benchmarks.report import Report
from einsummable import exchange
from einsummable.cli.quantities import show_seconds

# A cycle of a DGX-V100's fast links.
CYCLE = (0, 3, 2, 1, 5, 6, 7, 4)
PIECES = 180
TRANSFERS = 10_000


def run(given: argparse.Namespace) -> Iterator[Report]:
    """Give one report."""
    report = Report(
        f"simulator, one thread, the best of {given.rounds}",
        ["", "machine", "actions", "check and simulate", "simulated"],
    )
    for name, program, actions in (
        ("all-gather around a cycle", _cycle(), 7 * 8 * PIECES),
        ("random transfers", _random_transfers(), TRANSFERS),
    ):
        for machine in ("dgx-v100", "dgx-a100"):
            _add(report, name, program, machine, actions, given.rounds)
    yield report


def _add(
    report: Report, name: str, program: exchange.Program, machine: str, actions: int, rounds: int
) -> None:
    seconds = []
    for _ in range(rounds):
        start = time.thread_time()
        simulated = program.simulate(machine)
        seconds.append(time.thread_time() - start)
    report.rows.append(
        [name, machine, str(actions), show_seconds(min(seconds)), f"{simulated.ms:.1f} ms"]
    )
    report.entries.append({"name": name, "machine": machine, "seconds": seconds})


def _cycle() -> exchange.Program:
    """Pass the pieces of eight atoms around the cycle."""
    preamble = str(exchange.collective("all-gather", 8, 10**9))
    split = ", ".join(f"A{site}" for site in range(8))
    lines = [f"SPLIT: {split} into {PIECES}"]
    for hop in range(7):
        for place, site in enumerate(CYCLE):
            source, destination = CYCLE[(place + hop) % 8], CYCLE[(place + hop + 1) % 8]
            lines.append(f"A{site} @ {source} -> {destination}")
    return exchange.parse(preamble + "\n".join(lines))


def _random_transfers() -> exchange.Program:
    """Send atoms of random sizes between random sites."""
    chance = random.Random(1)
    given, required, body = [], [], []
    for atom in range(TRANSFERS):
        source, destination = chance.sample(range(8), 2)
        given.append(f"A{atom} @ {source} (size: {chance.randrange(10**5, 10**6)} B)")
        required.append(f"A{atom} @ {destination}")
        body.append(f"A{atom} @ {source} -> {destination}")
    entries = f"IN: {'; '.join(given)}\nOUT: {'; '.join(required)}\n"
    return exchange.parse(entries + "\n".join(body))
