# SPDX-License-Identifier: Apache-2.0
"""Show machines: what they are made of, and how fast everything is.

A machine is a name from `list`, the path of a file, or `measured`, which is this one as
`einsummable doctor --measure` found it. docs/topology.md says how a file is written.
"""

from __future__ import annotations

import argparse
import json
import math
from typing import Any

from einsummable import _core, topology
from einsummable.cli import picture, quantities
from einsummable.cli.report import table
from einsummable.topology import Machine

EPILOG = """\
examples:
  einsummable topology list
  einsummable topology show dgx-v100      its links as a table of GB/s
  einsummable topology check my-box.toml  is the file right, and does every pair have a way?
"""
_ANY = 4
"""How many sites are shown of a machine that has any number."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the commands, and what each takes."""
    commands = parser.add_subparsers(dest="what", metavar="list|show|check", required=True)
    added = {
        "list": commands.add_parser("list", help="the machines that come with einsummable"),
        "show": commands.add_parser("show", help="one machine, with a picture of its links"),
        "check": commands.add_parser("check", help="whether a file is right"),
    }
    added["show"].add_argument("machine", metavar="NAME|FILE", help="a name or the path of a file")
    added["check"].add_argument("machine", metavar="FILE", help="the path of a file, or a name")
    for each in added.values():
        # Else it would undo a --json before the command.
        each.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="print JSON"
        )


def run(given: argparse.Namespace) -> int:
    """Run the command; mistakes in files are errors."""
    commands = {"list": _list, "show": _show, "check": _check}
    return commands[given.what](given)


def _list(given: argparse.Namespace) -> int:
    machines = [topology.load(name) for name in topology.names()]
    if given.json:
        print(json.dumps([{"name": m.name, "sites": m.sites, **_about(m)} for m in machines]))
        return 0
    rows = []
    for machine in machines:
        sites = machine.figures["sites"]
        memory = quantities.show_size(sites["memory"]) if "memory" in sites else "-"
        count = str(machine.sites or "any")
        rows.append([machine.name, count, memory, f"{sites['hbm']:g}"])
    lines = table(["machine", "sites", "memory each", "GB/s of it"], rows).splitlines()
    about = ["", *(_about(machine)["about"] for machine in machines)]
    width = max(map(len, lines))
    for line, text in zip(lines, about, strict=True):
        print(f"{line:{width}}  {text}".rstrip())
    return 0


def _about(machine: Machine) -> dict[str, str]:
    """Give the first sentence of a shipped file."""
    head = []
    for line in _core.machine_text(machine.name).splitlines():
        if not line.startswith("#"):
            break
        head.append(line.removeprefix("#").strip())
    return {"about": " ".join(head).split(". ")[0].rstrip(".")}


def _show(given: argparse.Namespace) -> int:
    machine = topology.load(given.machine)
    if given.json:
        print(json.dumps({**machine.figures, "ways": _ways(machine)}, indent=2))
    else:
        print(picture.describe(machine, _ANY))
    return 0


def _check(given: argparse.Namespace) -> int:
    machine = topology.load(given.machine)
    lost = [f"{way['from']}->{way['to']}" for way in _ways(machine) if not way.get("through")]
    lost = [] if machine.figures.get("compute", {}).get("handover") else lost
    unsourced = _without_source(machine.figures)
    if given.json:
        report = {
            "ok": True,
            "name": machine.name,
            "sites": machine.sites,
            "pairs_without_a_way": lost,
            "tables_without_source": unsourced,
        }
        print(json.dumps(report, indent=2))
        return 0
    print(f"{given.machine}: {machine.name}, {machine.sites or 'any number of'} sites; it is right")
    if lost:
        print(
            f"note: {len(lost)} pairs have no way, so nothing can be sent there directly: "
            f"{', '.join(lost[:8])}{', ...' if len(lost) > 8 else ''}"
        )
    if unsourced:
        print(f"note: without source (it may be left out): {', '.join(unsourced)}")
    return 0


def _without_source(figures: dict[str, Any]) -> list[str]:
    out = []
    for name, value in figures.items():
        if isinstance(value, dict) and "source" not in value:
            out.append(f"[{name}]")
        if isinstance(value, list) and not all("source" in each for each in value):
            out.append(f"[[{name}]]")
    return out


def _ways(machine: Machine) -> list[dict[str, Any]]:
    sites = range(machine.sites or _ANY)
    resolved = machine._core.resolve(list(sites))
    out = []
    for a in sites:
        for b in sites:
            if a == b:
                continue
            way = resolved.way(a, b)
            entry: dict[str, Any] = {"from": a, "to": b}
            if way is not None:
                entry["through"] = way.through
                entry["gbps"] = way.gbps if math.isfinite(way.gbps) else None
                entry["latency_us"] = way.latency_us
            out.append(entry)
    return out
