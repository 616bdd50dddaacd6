# SPDX-License-Identifier: Apache-2.0
"""Print the preamble of a standard collective: what is where, and what must be where."""

from __future__ import annotations

import argparse
import json

from einsummable import _core, exchange
from einsummable.cli import quantities


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "name", metavar="NAME", choices=_core.collective_names(), help="%(choices)s"
    )
    parser.add_argument(
        "--sites", metavar="N", type=quantities.count, required=True, help="over how many sites"
    )
    parser.add_argument(
        "--size",
        metavar="BYTES",
        type=quantities.size,
        default=10**9,
        help="of each atom, as 64MB; default 1GB",
    )


def run(given: argparse.Namespace) -> int:
    """Print it."""
    text = str(exchange.collective(given.name, given.sites, given.size))
    print(json.dumps({"program": text}) if given.json else text, end="\n" if given.json else "")
    return 0
