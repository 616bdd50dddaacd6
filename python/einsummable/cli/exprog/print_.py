# SPDX-License-Identifier: Apache-2.0
"""Print a program in its one canonical layout."""

from __future__ import annotations

import argparse
import json

from einsummable.cli.exprog import program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    program.add_file(parser)


def run(given: argparse.Namespace) -> int:
    """Print it."""
    text = str(program.read(given))
    print(json.dumps({"program": text}) if given.json else text, end="\n" if given.json else "")
    return 0
