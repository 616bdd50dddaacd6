# SPDX-License-Identifier: Apache-2.0
"""Runs benchmarks and prints a table each. benchmarks/README.md says how to read them.

plan     how long it takes to plan, lower and prove large models, and graphs without a pattern
block    a transformer block, beside PyTorch, JAX, and its matrix products alone
minilm   a sentence encoder, beside PyTorch, onnxruntime, and its matrix products alone
chains   chains of matrix products and a feed-forward network, beside PyTorch, JAX, and the products
overhead what finer cuts, tasks and calls cost
memory   the memory that plans say they need, beside what they take and the least there could be
proxy    what plans chosen in several ways take, and how well their costs foretell it
simulator  how long it takes to simulate exchange programs of 10,000 actions
synthesis   how near exchange programs come to the bounds, on machines as files describe them
simulated   the paper's experiments in simulation, beside what the paper measured
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import (
    block,
    chains,
    machine,
    memory,
    minilm,
    overhead,
    plan,
    proxy,
    simulated,
    simulator,
    synthesis,
)
from benchmarks.peers.process import PeerError
from benchmarks.report import Report
from einsummable.options import cores

BENCHMARKS = {
    "plan": plan.run,
    "block": block.run,
    "minilm": minilm.run,
    "chains": chains.run,
    "overhead": overhead.run,
    "memory": memory.run,
    "proxy": proxy.run,
    "simulator": simulator.run,
    "synthesis": synthesis.run,
    "simulated": simulated.run,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks that the command line names."""
    given = _parser().parse_args(arguments)
    draw = _drawing(given.results) if given.results else None
    described = machine.described()
    print(machine.text(described), flush=True)
    if described["build"] != "Release":
        print(f"note: times of a {described['build']} build say little", file=sys.stderr)
    reports: list[Report] = []
    status = _run(given, reports)
    print(f"\nload {machine.load():.1f} at the end")
    if given.results:
        _write(given.results / "results.json", described, reports)
    if draw:
        draw(given.results, reports)
    return status


def _run(given: argparse.Namespace, reports: list[Report]) -> int:
    """Add reports as they come, and print them; a peer that fails ends it."""
    try:
        for name in dict.fromkeys(given.names or BENCHMARKS):
            for report in BENCHMARKS[name](given):
                reports.append(report)
                print(f"\n{report.text()}", flush=True)
    except PeerError as error:
        print(f"benchmarks/run: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="benchmarks/run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "names", nargs="*", type=_name, metavar="NAME", help="as above; without one, all of them"
    )
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FOLDER",
        help="write every single figure to results.json there, and charts as PNG",
    )
    parser.add_argument(
        "--part",
        action="append",
        choices=list(simulated.PARTS),
        help="of simulated, may be given again; default all: " + ", ".join(simulated.PARTS),
    )
    parser.add_argument(
        "--rounds", type=_count, default=15, metavar="N", help="calls of every peer; default 15"
    )
    parser.add_argument(
        "--threads",
        type=_count,
        default=cores(),
        metavar="N",
        help="of all peers; default one a core",
    )
    parser.add_argument(
        "--peers",
        default="",
        metavar="FOLDER",
        help="an environment with PyTorch, JAX, onnxruntime and onnx, or none to leave them out; "
        "by default build/peers-venv, which is made when it is first needed",
    )
    parser.add_argument("--profile", action="store_true", help="say what took the time")
    return parser


def _count(given: str) -> int:
    if not given.isascii() or not given.isdecimal() or int(given) < 1:
        raise argparse.ArgumentTypeError(f"{given!r} is no number from 1 on")
    return int(given)


def _name(given: str) -> str:
    if given not in BENCHMARKS:
        raise argparse.ArgumentTypeError(f"{given!r} is none of {', '.join(BENCHMARKS)}")
    return given


def _drawing(folder: Path) -> Callable[[Path, list[Report]], object] | None:
    """Make the folder, and load what draws: better no run than one whose results are lost."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        from benchmarks import charts
    except ModuleNotFoundError as error:
        print(f"note: no charts, {error.name} is missing: scripts/setup brings it", file=sys.stderr)
        return None
    return charts.write


def _write(path: Path, described: dict[str, Any], reports: list[Report]) -> None:
    document = {
        "machine": described,
        "load_at_the_end": machine.load(),
        "reports": [report.described() for report in reports],
    }
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
