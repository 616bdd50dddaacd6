# SPDX-License-Identifier: Apache-2.0
"""Say how long a program takes on a machine, and what bounds it."""

from __future__ import annotations

import argparse
import json

from einsummable.cli.exprog import program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    program.add_file(parser)
    program.add_machine(parser)
    parser.add_argument(
        "--trace", metavar="FILE", help="write a trace that Chrome and Perfetto open"
    )


def run(given: argparse.Namespace) -> int:
    """Print the timeline, the critical path and the loads."""
    simulated = program.read(given).simulate(
        given.topology, ideal=given.ideal, members=program.members(given)
    )
    if given.trace:
        simulated.trace(given.trace)
    if given.json:
        said = {
            "ms": simulated.ms,
            "members": simulated.members,
            "skipped": simulated.skipped,
            "timeline": [_step(step) for step in simulated.timeline],
            "critical_path": [_step(step) for step in simulated.critical_steps],
            "load": [
                {field: getattr(load, field) for field in ("name", "bytes", "busy_ms", "share")}
                for load in simulated.load
            ],
        }
        print(json.dumps(said, indent=2))
        return 0
    print("timeline (from ms, to ms)")
    print(simulated.timeline_text(limit=100))
    print("critical path")
    print(simulated, end="")
    for partition, sites in simulated.members.items():
        print(f"{partition} = {sites}")
    return 0


def _step(step: object) -> dict[str, object]:
    fields = ("aggregate", "site", "destination", "parts", "start_ms", "end_ms", "bytes")
    return {field: getattr(step, field) for field in fields}
