# SPDX-License-Identifier: Apache-2.0
"""A machine as text: its figures, and a table of how each site reaches each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from einsummable import _core
from einsummable.cli import quantities
from einsummable.cli.report import table
from einsummable.topology import Machine

_MOST = 16
"""Of more sites, those that are alike share a row."""

_MARKS = {
    "link": ("L", "a link of the pair's own"),
    "egress": ("S", "the switch; GB/s are of a site's way out or in, whichever is less"),
    "nic": ("N", "the NICs of both"),
    "bus": ("B", "a bus that all its pairs share, both directions together"),
    "several": ("R", "several things: see the ways below"),
    "handover": ("H", "hand-over: nothing moves"),
}


def describe(machine: Machine, any_sites: int) -> str:
    """Give the whole picture.

    Parameters
    ----------
    machine : Machine
    any_sites : int
        How many sites to show of a machine that has any number.
    """
    count = machine.sites or any_sites
    resolved = machine._core.resolve(list(range(count)))
    cells = [
        [_cell(resolved, a, b) if a != b else ("-", "") for b in range(count)] for a in range(count)
    ]
    groups = _groups(cells) if count > _MOST else [[site] for site in range(count)]
    parts = [_head(machine), _matrix(cells, groups), _legend(cells), _between(machine)]
    return "\n\n".join(part for part in parts if part)


def _head(machine: Machine) -> str:
    figures = machine.figures
    sites = figures["sites"]
    lines = [f"{machine.name}: {machine.sites or 'any number of'} sites"]
    if "memory" in sites:
        lines.append(f"memory  {quantities.show_size(sites['memory'])} each")
    lines.append(f"HBM     {sites['hbm']:g} GB/s each")
    rates = [f"{dtype} {rate / 1e12:g}" for dtype, rate in sites.get("flops", {}).items()]
    if rates:
        lines.append(f"TFLOP/s {', '.join(rates)}")
    lines.append(f"kernel  {sites.get('kernel_latency_us', 0):g} us before its work begins")
    compute = figures.get("compute", {})
    if "workers" in compute:
        lines.append(f"workers {compute['workers']} kernels run at once, over all sites")
    for node in figures.get("node", []):
        lines.append(f"node    {_span(node['sites'])}")
    return "\n".join(lines)


def _cell(resolved: _core.Topology, a: int, b: int) -> tuple[str, str]:
    """Give the mark and the GB/s of a pair."""
    way = resolved.way(a, b)
    if way is None:
        return (".", "")
    return (_MARKS[_kind(way.through)][0], f"{way.gbps:g}" if math.isfinite(way.gbps) else "")


def _kind(through: Sequence[str]) -> str:
    kinds = [name.split()[0] for name in through]
    if not kinds:
        return "handover"
    if kinds in (["egress", "ingress"], ["nic", "nic"]) or len(kinds) == 1:
        return kinds[0]
    return "several"


def _groups(cells: list[list[tuple[str, str]]]) -> list[list[int]]:
    """Put sites together that could be swapped as far as the table shows."""
    groups: list[list[int]] = []
    for site in range(len(cells)):
        for group in groups:
            if _alike(cells, group[0], site) and (len(group) == 1 or _alike(cells, *group[:2])):
                group.append(site)
                break
        else:
            groups.append([site])
    return groups


def _alike(cells: list[list[tuple[str, str]]], a: int, b: int) -> bool:
    others = [site for site in range(len(cells)) if site not in (a, b)]
    return cells[a][b] == cells[b][a] and all(
        cells[a][c] == cells[b][c] and cells[c][a] == cells[c][b] for c in others
    )


def _matrix(cells: list[list[tuple[str, str]]], groups: list[list[int]]) -> str:
    names = [_span(group) for group in groups]
    rows = []
    for name, group in zip(names, groups, strict=True):
        row = [name]
        for other in groups:
            a, b = (group[0], other[0]) if group is not other else (group[0], group[-1])
            row.append("".join(cells[a][b]))
        rows.append(row)
    return table(["GB/s", *names], rows)


def _legend(cells: list[list[tuple[str, str]]]) -> str:
    used = {mark for row in cells for mark, _ in row}
    lines = [f"{mark}  {text}" for mark, text in _MARKS.values() if mark in used]
    if "." in used:
        lines.append(".  no way: nothing is sent there directly")
    return "\n".join(lines)


def _between(machine: Machine) -> str:
    figures = machine.figures
    lines = []
    for link in figures.get("link", []):
        pairs = link.get("pairs", [link.get("sites")])
        arrow = "-" if link.get("both", True) else "->"
        shown = ", ".join(f"{a}{arrow}{b}" for a, b in pairs)
        lines.append(f"link {_figures(link, 'gbps')}: {shown}")
    for switch in figures.get("switch", []):
        lines.append(f"switch {_figures(switch, 'egress', 'ingress')}: {_span(switch['sites'])}")
    for bus in figures.get("bus", []):
        pairs = bus.get("pairs", [])
        shown = (
            "all other pairs" if pairs == "unlinked" else ", ".join(f"{a}-{b}" for a, b in pairs)
        )
        lines.append(f"bus {bus['name']} {_figures(bus, 'gbps')}: {shown or 'routes alone'}")
    for nic in figures.get("nic", []):
        whose = _span(nic["sites"] if "sites" in nic else [nic["site"]])
        kind = "one for" if nic.get("shared") else "one each of"
        lines.append(f"NIC {_figures(nic, 'egress', 'ingress')}: {kind} {whose}")
    for route in figures.get("route", []):
        ends = [
            _span(end if isinstance(end, list) else [end]) for end in (route["from"], route["to"])
        ]
        arrow = " <-> " if route.get("both") else " -> "
        latency = f"; {route['latency_us']:g} us in all" if "latency_us" in route else ""
        lines.append(f"way {arrow.join(ends)}: {', '.join(route['via'])}{latency}")
    return "\n".join(lines)


def _figures(entry: dict[str, Any], *fields: str) -> str:
    speeds = " out, ".join(f"{entry[field]:g} GB/s" for field in fields)
    speeds += " in" if len(fields) == 2 else ""
    return f"{speeds}, {entry.get('latency_us', 0):g} us"


def _span(sites: Sequence[int] | str) -> str:
    """Write sites, ``0-7`` for a run of them."""
    if isinstance(sites, str):
        return sites
    runs: list[list[int]] = []
    for site in sorted(sites):
        if runs and runs[-1][1] == site - 1:
            runs[-1][1] = site
        else:
            runs.append([site, site])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)
