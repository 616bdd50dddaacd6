# SPDX-License-Identifier: Apache-2.0
"""Say what time no program with these IN and OUT takes less than, and what proves it."""

from __future__ import annotations

import argparse
import json
import math

from einsummable import exchange
from einsummable.cli.exprog import program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    program.add_file(parser)
    program.add_machine(parser)


def run(given: argparse.Namespace) -> int:
    """Print the bound and its proof."""
    least = exchange.bound(
        program.read(given), given.topology, ideal=given.ideal, members=program.members(given)
    )
    if given.json:
        ms = least.ms if math.isfinite(least.ms) else None
        print(json.dumps({"ms": ms, "proof": least.proof, "members": least.members}, indent=2))
        return 0
    print(f"at least {least.ms:.4f} ms; {least.proof}")
    for partition, sites in least.members.items():
        print(f"{partition} = {sites}")
    return 0
