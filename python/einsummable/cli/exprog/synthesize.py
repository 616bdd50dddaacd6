# SPDX-License-Identifier: Apache-2.0
"""Print a fast program with the IN and OUT of another; what it is worth goes to standard error."""

from __future__ import annotations

import argparse
import json
import sys

from einsummable import exchange
from einsummable.cli import quantities
from einsummable.cli.exprog import program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    program.add_file(parser)
    program.add_machine(parser)
    parser.add_argument(
        "--seed", metavar="N", type=int, default=0, help="of the random part of the search"
    )
    parser.add_argument(
        "--budget", metavar="N", type=quantities.count, help="simulations at most; default 200"
    )
    parser.add_argument(
        "--time-limit", metavar="SECONDS", type=float, help="end the search with what it has then"
    )
    parser.add_argument("--cache-dir", metavar="DIR", help="keep programs there, and look for them")


def run(given: argparse.Namespace) -> int:
    """Print the program."""
    made = exchange.synthesize(
        program.read(given),
        given.topology,
        seed=given.seed,
        budget=given.budget,
        ideal=given.ideal,
        members=program.members(given),
        time_limit=given.time_limit,
        cache_dir=given.cache_dir,
    )
    if given.json:
        said = {
            "program": str(made),
            "members": made.members,
            "ms": made.ms,
            "bound": made.bound,
            "proof": made.proof,
            "gap": made.gap,
            "naive_ms": made.naive_ms,
            "packing_ms": made.packing_ms,
            "simulations": made.simulations,
            "cut_short": made.cut_short,
            "from_cache": made.from_cache,
        }
        print(json.dumps(said, indent=2))
        return 0
    print(made, end="")
    lines = [
        f"{made.ms:.6g} ms; naive {made.naive_ms:.6g} ms",
        f"{100 * made.gap:.1f} % above the bound, {made.bound:.6g} ms"
        + (f": {made.proof}" if made.proof else ""),
        *(f"{partition} = {sites}" for partition, sites in made.members.items()),
    ]
    if made.cut_short:
        lines.append("the time limit cut the search short")
    print("\n".join(lines), file=sys.stderr)
    return 0
