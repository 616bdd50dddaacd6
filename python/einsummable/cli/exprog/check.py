# SPDX-License-Identifier: Apache-2.0
"""Say whether a program is valid: every action can fire, and OUT is met."""

from __future__ import annotations

import argparse
import json

from einsummable.cli.exprog import program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    program.add_file(parser)
    parser.add_argument(
        "--derivations", action="store_true", help="say how everything comes about, a line each"
    )


def run(given: argparse.Namespace) -> int:
    """Print the verdict; 0 if it is valid, else 1."""
    verdict = program.read(given).check(program.members(given))
    if given.json:
        said = {
            "ok": verdict.ok,
            "reason": verdict.reason,
            "members": verdict.members,
            "uniform": verdict.uniform,
        }
        if given.derivations:
            said["derivations"] = verdict.derivations.splitlines()
        print(json.dumps(said, indent=2))
    elif not verdict:
        print(f"not valid: {verdict.reason}")
    else:
        if given.derivations:
            print(verdict.derivations, end="")
        print("valid" + "".join(f"; {g} = {sites}" for g, sites in verdict.members.items()))
    return 0 if verdict else 1
