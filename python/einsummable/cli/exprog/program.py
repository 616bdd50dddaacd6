# SPDX-License-Identifier: Apache-2.0
"""What the commands on exchange programs share: the file, the members, the machine."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from einsummable import exchange
from einsummable.cli.workload import UsageError
from einsummable.errors import ExchangeError


class UnreadableError(UsageError):
    """A file that is no exchange program, or is not there."""


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add the file, and the members of its partitions."""
    parser.add_argument("file", metavar="FILE", help="the program's text; - for standard input")
    parser.add_argument(
        "--members",
        metavar="G=0,1",
        action="append",
        default=[],
        type=_members,
        help="the sites of a partition that is given by size alone; may be repeated",
    )


def add_machine(parser: argparse.ArgumentParser) -> None:
    """Add the machine that it runs on."""
    parser.add_argument(
        "--topology",
        metavar="NAME",
        required=True,
        help="the machine: its name (see `einsummable topology list`), the path of its file, or "
        "`measured`",
    )
    parser.add_argument("--ideal", action="store_true", help="take all latencies to be zero")


def read(given: argparse.Namespace) -> exchange.Program:
    """Read the program.

    Raises
    ------
    UnreadableError
        If the file is not there, or is none.
    """
    name = "standard input" if given.file == "-" else given.file
    try:
        source = sys.stdin.read() if given.file == "-" else Path(given.file).read_text("utf-8")
    except (OSError, ValueError) as error:
        raise UnreadableError(f"{name} cannot be read: {error}") from None
    try:
        return exchange.parse(source)
    except ExchangeError as error:
        raise UnreadableError(f"{name}, {error}") from None


def members(given: argparse.Namespace) -> dict[str, list[int]] | None:
    """Give the members that were named, if any."""
    return dict(given.members) or None


def _members(text: str) -> tuple[str, list[int]]:
    name, equals, sites = text.rpartition("=")
    if not equals or not name or not re.fullmatch(r"\d{1,5}(,\d{1,5})*", sites):
        raise argparse.ArgumentTypeError(f"{text!r} is not a partition and its sites, as G1=0,1")
    return name, [int(site) for site in sites.split(",")]
