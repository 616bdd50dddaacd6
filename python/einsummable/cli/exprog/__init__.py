# SPDX-License-Identifier: Apache-2.0
"""Check, simulate, bound and synthesize exchange programs, with no graph.

A program says what is where, what must be where, and who sends what to whom; docs/exprog.md has the
language. FILE is its text, or - for the standard input.
"""

from __future__ import annotations

import argparse

from einsummable.cli.exprog import bound, check, make, print_, simulate, synthesize

EPILOG = """\
examples:
  einsummable exprog make all-reduce --sites 8 --size 1GB > ar.exprog
  einsummable exprog check ar.exprog
  einsummable exprog bound ar.exprog --topology dgx-v100 --ideal
  einsummable exprog synthesize ar.exprog --topology dgx-v100 > fast.exprog
  einsummable exprog simulate fast.exprog --topology dgx-v100 --trace fast.json

exit status: 0 valid, 1 not valid or it cannot run there, 2 unreadable or wrong usage
"""

COMMANDS = {
    "check": check,
    "simulate": simulate,
    "bound": bound,
    "synthesize": synthesize,
    "print": print_,
    "make": make,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the commands."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        doc = (command.__doc__ or "").strip()
        added = commands.add_parser(
            name,
            help=doc.splitlines()[0],
            description=doc,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(added)
        added.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="print JSON"
        )
        added.set_defaults(run=command.run, parser=added)


def run(given: argparse.Namespace) -> int:
    """Print how the command is used; one of its commands runs instead."""
    given.parser.print_help()
    return 2
