# SPDX-License-Identifier: Apache-2.0
"""Times peers in turn, and puts their times and ratios in tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.measure import Series, alternate
from benchmarks.report import Report, profile_of, reference_share
from einsummable import Executable
from einsummable.cli.quantities import show_seconds

HEAD = (
    "",
    "minimum",
    "median",
    "spread",
    "over products",
    "ours over it",
    "round by round",
    "difference",
    "in references",
)


@dataclass(frozen=True)
class Peer:
    """Something to be timed.

    `call` does the work once and gives the seconds it took. `base` names the peer that its time is
    divided by. Of the peers of one `kind` a table has the fastest alone. `difference` is how far
    its result is from ours.
    """

    name: str
    call: Callable[[], float]
    base: str = ""
    executable: Executable | None = None
    kind: str = ""
    difference: float | None = None


@dataclass(frozen=True)
class Ratio:
    """Of two minima, and of calls in the same round: their median and spread."""

    minimum: float
    median: float
    spread: float


def ratio_of(over: Series, under: Series) -> Ratio:
    """Divide times by those of another peer.

    >>> ratio_of(Series((1.0, 2.0)), Series((2.0, 2.0)))
    Ratio(minimum=0.5, median=0.75, spread=1.0)
    """
    rounds = Series(tuple(a / b for a, b in zip(over.seconds, under.seconds, strict=True)))
    return Ratio(over.minimum / under.minimum, rounds.median, rounds.spread)


def compare(title: str, peers: Sequence[Peer], rounds: int, ours: Peer) -> Report:
    """Time peers in turn; `ours` is the one of them that is compared with the others."""
    series = alternate({peer.name: peer.call for peer in peers}, rounds)
    report = Report(title, HEAD)
    report.entries = [_entry(peer, series, ours) for peer in peers]
    for peer, entry in zip(peers, report.entries, strict=True):
        if entry in shown(report):
            report.rows.append(_row(peer, series[peer.name], entry))
    return report


def shown(report: Report) -> list[dict[str, Any]]:
    """Give the entries of a comparison without those of a kind that has a faster one."""
    fastest: dict[str, dict[str, Any]] = {}
    for entry in report.entries:
        key = kind_of(entry)
        if key not in fastest or min(entry["seconds"]) < min(fastest[key]["seconds"]):
            fastest[key] = entry
    return list(fastest.values())


def kind_of(entry: Mapping[str, Any]) -> str:
    """Give what a row of a table is about."""
    return str(entry["kind"] or entry["name"])


def _entry(peer: Peer, series: Mapping[str, Series], ours: Peer) -> dict[str, Any]:
    times = series[peer.name]
    other = peer.executable is None and ours.base in (peer.name, peer.base)
    again = peer.executable is not None and peer.name != ours.name
    return {
        "name": peer.name,
        "kind": peer.kind,
        "ratio": ratio_of(times, series[peer.base]).minimum if peer.base else None,
        "ours_over_it": asdict(ratio_of(series[ours.name], times)) if other else None,
        "over_ours": asdict(ratio_of(times, series[ours.name])) if again else None,
        "difference": peer.difference,
        "in_references": reference_share(peer.executable) if peer.executable else None,
        "profile": profile_of(peer.executable) if peer.executable else None,
        **asdict(times),
    }


def _row(peer: Peer, times: Series, entry: Mapping[str, Any]) -> list[str]:
    over, share, apart = entry["ours_over_it"], entry["in_references"], entry["difference"]
    return [
        peer.name,
        show_seconds(times.minimum),
        show_seconds(times.median),
        f"{100 * times.spread:.0f} %",
        f"{entry['ratio']:.2f}" if entry["ratio"] else "",
        f"{over['minimum']:.2f}" if over else "",
        f"{over['median']:.2f} ({100 * over['spread']:.0f} %)" if over else "",
        f"{apart:.0e}" if apart is not None else "",
        f"{100 * share:.1f} %" if share is not None else "",
    ]
