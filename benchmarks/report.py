# SPDX-License-Identifier: Apache-2.0
"""What a benchmark gives: one table, and the same for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.measure import alternate
from einsummable import Executable
from einsummable.cli.quantities import show_seconds
from einsummable.cli.report import table


@dataclass(frozen=True)
class Bars:
    """A chart: in each group a bar of every series, which holds a value a group or None."""

    title: str
    groups: Sequence[str]
    series: Mapping[str, Sequence[float | None]]
    unit: str
    logarithmic: bool = False


@dataclass(frozen=True)
class Scatter:
    """A chart: a panel of points (across, up) each."""

    title: str
    panels: Mapping[str, Sequence[tuple[float, float]]]
    across: str
    up: str


@dataclass
class Report:
    """A title, a table, what JSON says of each of its rows, and charts."""

    title: str
    head: Sequence[str]
    rows: list[list[str]] = field(default_factory=list)
    entries: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    charts: list[Bars | Scatter] = field(default_factory=list)

    def text(self) -> str:
        """Lay it out."""
        return "\n".join([self.title, table(self.head, self.rows), *self.notes])

    def described(self) -> dict[str, Any]:
        """Give what JSON says."""
        return {"title": self.title, "entries": self.entries}


@dataclass(frozen=True)
class Peer:
    """Something to be timed; `base` names the peer that its time is divided by."""

    name: str
    call: Callable[[], object]
    base: str = ""
    executable: Executable | None = None


def compare(title: str, peers: Sequence[Peer], rounds: int) -> Report:
    """Time peers in turn, and put their times in a table."""
    series = alternate({peer.name: peer.call for peer in peers}, rounds)
    report = Report(title, ["", "minimum", "median", "spread", "ratio", "in references"])
    for peer in peers:
        times = series[peer.name]
        ratio = times.minimum / series[peer.base].minimum if peer.base else None
        share = reference_share(peer.executable) if peer.executable else None
        report.rows.append(
            [
                peer.name,
                show_seconds(times.minimum),
                show_seconds(times.median),
                f"{100 * times.spread:.0f} %",
                f"{ratio:.2f}" if ratio else "",
                f"{100 * share:.1f} %" if share is not None else "",
            ]
        )
        entry = {"name": peer.name, "ratio": ratio, "in_references": share, **asdict(times)}
        if peer.executable:
            entry["profile"] = _profile(peer.executable)
        report.entries.append(entry)
    return report


def reference_share(executable: Executable) -> float:
    """Give the share of the last call's time that went to operators without a fast kernel."""
    lines = executable.profile()
    total = sum(line.seconds for line in lines)
    return sum(line.seconds for line in lines if line.reference) / total


def profile_note(name: str, executable: Executable) -> str:
    """Say what the last call took by kind of work."""
    lines = _profile(executable)
    total = sum(line["seconds"] for line in lines)
    rows = [
        [
            line["work"] + (" (reference)" if line["reference"] else ""),
            str(line["tasks"]),
            show_seconds(line["seconds"]),
            f"{100 * line['seconds'] / total:.1f} %",
        ]
        for line in lines
    ]
    return f"\n{name}, last call, summed over threads\n" + table(
        ["work", "tasks", "time", "share"], rows
    )


def _profile(executable: Executable) -> list[dict[str, Any]]:
    fields = ("work", "reference", "tasks", "seconds")
    return [{field: getattr(line, field) for field in fields} for line in executable.profile()]
