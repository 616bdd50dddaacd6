# SPDX-License-Identifier: Apache-2.0
"""How near synthesised exchange programs come to what is possible, and how long that takes."""

from __future__ import annotations

import argparse
import random
import re
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.report import Report
from einsummable import exchange
from einsummable.cli.quantities import show_seconds

GB = 1_000_000_000
MACHINES = ("dgx-v100", "dgx-v100-paper", "dgx-a100", "dgx-a100-2", "dgx-h100", "pcie-a6000-8")
RANDOM_PREAMBLES = 100
EXAMPLE_5_3 = """
PARTITIONS: G1 {%s}; G2 {%s}
IN: A @ 0; B @ 1; C @ 2; D @ 3; E @ 4; F @ 5; G @ 6; H @ 7
OUT: A+B+E+F @ G1; C+D+G+H @ G2
"""


@dataclass(frozen=True)
class Target:
    """A preamble, and how long its program may take, ideal: a share above the bound, or ms."""

    machine: str
    name: str
    text: str
    within: float = 0
    ms: float = 0


def run(given: argparse.Namespace) -> Iterator[Report]:
    """Give a report for the targets and one for random preambles."""
    del given
    yield _targets()
    yield _random_preambles()


def _targets() -> Report:
    report = Report(
        "synthesis, ideal",
        ["", "bound ms", "ours ms", "ratio", "packing ms", "allowed", "", "pieces", "time"],
    )
    for target in targets():
        program = exchange.parse(target.text)
        start = time.perf_counter()
        found = exchange.synthesize(program, target.machine, ideal=True)
        seconds = time.perf_counter() - start
        # The bound of open partitions may say nothing; that of the members chosen does.
        bound = exchange.bound(program, target.machine, ideal=True).ms or found.bound
        allowed = target.ms or bound * (1 + target.within)
        reached = found.ms <= allowed * 1.0001
        pieces = most_pieces(str(found))
        report.rows.append(
            [
                f"{target.machine}: {target.name}",
                f"{bound:.2f}",
                f"{found.ms:.2f}",
                f"{found.ms / bound:.3f}",
                f"{found.packing_ms:.2f}",
                f"{allowed:.2f}",
                "" if reached else "MISSED",
                str(pieces),
                show_seconds(seconds),
            ]
        )
        report.entries.append(
            {
                "machine": target.machine,
                "preamble": target.name,
                "bound_ms": bound,
                "ms": found.ms,
                "naive_ms": found.naive_ms,
                "packing_ms": found.packing_ms,
                "allowed_ms": allowed,
                "reached": reached,
                "pieces": pieces,
                "simulations": found.simulations,
                "seconds": seconds,
            }
        )
    return report


def targets() -> list[Target]:
    """Give the preambles to be reached, 1 GB an atom where nothing else is said."""
    v100, a100, two = "dgx-v100", "dgx-a100", "dgx-a100-2"
    paper = EXAMPLE_5_3 % ("0, 1, 4, 5", "2, 3, 6, 7")
    return [
        Target(v100, "all-gather", _collective("all-gather", 8), 0.05),
        Target(v100, "reduce-scatter", _collective("reduce-scatter", 8), 0.05),
        Target(v100, "all-reduce", _collective("all-reduce", 8), 0.05),
        Target(v100, "all-to-all, 1/8 GB a pair", _collective("all-to-all", 8, GB // 8), 0.02),
        Target(v100, "broadcast", _collective("broadcast", 8), 0.05),
        Target(v100, "reduce", _collective("reduce", 8), 0.1),
        Target(v100, "repartition 2x4 -> 4x2", repartition(GB), 0.05),
        Target(v100, "repartition 2x4 -> 4x2, placed", repartition(GB, placed=True), ms=8.15),
        Target(v100, "Example 5.3, the paper's groups", paper, ms=15.5),
        Target(v100, "Example 5.3, groups free", EXAMPLE_5_3 % ("size 4", "size 4"), ms=11.5),
        Target("dgx-v100-paper", "Example 5.3, the paper's groups", paper, ms=15.5),
        Target(a100, "all-gather", _collective("all-gather", 8), 0.01),
        Target(a100, "all-reduce", _collective("all-reduce", 8), 0.01),
        Target(a100, "all-to-all, 1/8 GB a pair", _collective("all-to-all", 8, GB // 8), 0.01),
        Target(a100, "Example 5.3, the paper's groups", paper, 0.01),
        Target(a100, "reduce-scatter", _collective("reduce-scatter", 8), 0.05),
        Target(a100, "broadcast", _collective("broadcast", 8), 0.05),
        Target(a100, "reduce", _collective("reduce", 8), 0.05),
        Target(two, "all-gather", _collective("all-gather", 16), 0.06),
        Target(two, "reduce-scatter", _collective("reduce-scatter", 16), 0.06),
        Target(two, "all-reduce", _collective("all-reduce", 16), 0.06),
    ]


def _collective(name: str, sites: int, size: int = GB) -> str:
    return str(exchange.collective(name, sites, size))


def repartition(size: int, *, placed: bool = False) -> str:
    """Cut a tensor of 8 blocks, 2 x 4, into 4 x 2; each at any site of its own if placed."""
    cells = [(row, column) for row in range(4) for column in range(4)]
    prefix = "S" if placed else ""
    text = _preamble(
        [f"T{r}.{c} @ {r // 2 * 4 + c} (size: {size // 2} B)" for r, c in cells],
        [f"T{r}.{c} @ {prefix}{r * 2 + c // 2}" for r, c in cells],
    )
    partitions = "PARTITIONS: " + "; ".join(f"S{s} {{size 1}}" for s in range(8)) + "\n"
    return (partitions if placed else "") + text


def _preamble(given: list[str], required: list[str]) -> str:
    return f"IN: {'; '.join(given)}\nOUT: {'; '.join(required)}\n"


def random_preamble(draw: random.Random) -> str:
    """Draw sums and multicasts of random sizes, 1 kB to 4 GB, over 2 to 8 sites."""
    sites = draw.randint(2, 8)
    kind = draw.choice(["sums", "multicasts", "both"])
    given: list[str] = []
    required: list[str] = []
    for demand in range(draw.randint(1, 6)):
        size = int(10 ** draw.uniform(3, 9.6))
        summed = kind == "sums" or (kind == "both" and draw.random() < 0.5)
        atoms = [f"a{demand}.{k}" for k in range(draw.randint(2, sites + 1) if summed else 1)]
        for atom in atoms:
            copies = draw.sample(range(sites), draw.randint(1, min(3, sites)))
            at = copies if draw.random() < 0.25 else copies[:1]
            given.append(f"{atom} @ {', '.join(map(str, at))} (size: {size} B)")
        targets = draw.sample(range(sites), draw.randint(1, sites))
        required.append(f"{'+'.join(atoms)} @ {', '.join(map(str, targets))}")
    return _preamble(given, required)


def _random_preambles() -> Report:
    report = Report(
        f"synthesis, {RANDOM_PREAMBLES} random preambles a machine: time / bound, latencies count",
        ["", "median", "90 %", "worst", "its packing", "naive / ours", "time, median", "slowest"],
    )
    for machine in MACHINES:
        draw = random.Random(1)
        ratios: list[float] = []
        gains: list[float] = []
        seconds: list[float] = []
        worst, worst_packing, worst_text = 0.0, 0.0, ""
        for _ in range(RANDOM_PREAMBLES):
            text = random_preamble(draw)
            program = exchange.parse(text)
            start = time.perf_counter()
            found = exchange.synthesize(program, machine)
            seconds.append(time.perf_counter() - start)
            bound = exchange.bound(program, machine).ms
            if bound == 0:
                continue
            ratios.append(found.ms / bound)
            gains.append(found.naive_ms / found.ms)
            if ratios[-1] > worst:
                worst, worst_packing, worst_text = ratios[-1], found.packing_ms / bound, text
        ratios.sort()
        report.rows.append(
            [
                machine,
                f"{statistics.median(ratios):.3f}",
                f"{ratios[int(0.9 * len(ratios))]:.3f}",
                f"{worst:.3f}",
                f"{worst_packing:.3f}",
                f"{statistics.geometric_mean(gains):.2f}",
                show_seconds(statistics.median(seconds)),
                show_seconds(max(seconds)),
            ]
        )
        report.entries.append(
            {"machine": machine, "ratios": ratios, "seconds": seconds, "worst": worst_text}
        )
    report.notes.append(
        "its packing: the load of the best packing of trees over the bound, for the worst; what is "
        "above it is latency, pieces and order."
    )
    return report


def most_pieces(text: str) -> int:
    """Give the most pieces that an atom of a program is cut into; 1 if none is.

    Examples
    --------
    >>> most_pieces("IN: A @ 0; B @ 0; SPLIT: A into 3; B into 2 (1 B, 2 B); BODY:")
    3
    """
    splits = text.partition("SPLIT:")[2].partition("BODY:")[0]
    counts = [int(count) for count in re.findall(r" into (\d+)", splits)]
    return max(counts, default=1)
