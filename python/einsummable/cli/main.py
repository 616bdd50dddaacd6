# SPDX-License-Identifier: Apache-2.0
"""Reads the command line and runs the command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from einsummable import __version__
from einsummable.cli import demo, doctor, exprog, plan, run, topology
from einsummable.cli.workload import UsageError
from einsummable.errors import Error

STOPPED = 130

_EPILOG = """\
examples:
  einsummable doctor                              is everything there, and does it work?
  einsummable demo                                real sentences through a real model, checked
  einsummable plan llama-block --devices 8 --tokens 1x8K
                                                  how a transformer block is cut over 8 devices
  einsummable plan llama-block --devices 8 --tokens 1x8K --explain q
                                                  why the query projection is cut as it is
  einsummable run ffn --devices 3 --tokens 256    run it on random data over 3 virtual devices
  einsummable topology show dgx-v100              the links of a machine
  einsummable exprog simulate ar.exprog --topology dgx-v100
                                                  how long an exchange program takes there

exit status: 0 done, 1 the job failed, 2 wrong usage, 130 stopped by Ctrl-C
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; gives the exit status."""
    parser = make_parser()
    given = parser.parse_args(arguments)
    try:
        status: int = given.run(given)
        sys.stdout.flush()
        return status
    except UsageError as error:
        given.parser.print_usage(sys.stderr)
        print(f"{given.parser.prog}: error: {error}", file=sys.stderr)
        return 2
    except Error as error:
        return _failed(f"{type(error).__name__}: {error}")
    except ImportError as error:
        return _failed(str(error))
    except MemoryError:
        return _failed("there is not enough memory in this machine")
    except BrokenPipeError:
        # Whoever read the output has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _failed(str(error))
    except KeyboardInterrupt:
        print("\neinsummable: stopped", file=sys.stderr)
        return STOPPED


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="einsummable",
        description="Cuts a tensor computation over many devices, proves that the distributed "
        "program computes the same result, and runs it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"einsummable {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (doctor, demo, plan, run, topology, exprog):
        name = command.__name__.rpartition(".")[2]
        doc = (command.__doc__ or "").strip()
        added = commands.add_parser(
            name,
            help=doc.splitlines()[0],
            description=doc,
            epilog=command.EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(added)
        added.add_argument("--json", action="store_true", help="print JSON, for programs")
        added.set_defaults(run=command.run, parser=added)
    return parser


def _failed(message: str) -> int:
    print(f"einsummable: {message}", file=sys.stderr)
    return 1
