# SPDX-License-Identifier: Apache-2.0
"""What a benchmark gives: one table, and the same for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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


def reference_share(executable: Executable) -> float:
    """Give the share of the last call's time that went to operators without a fast kernel."""
    lines = executable.profile()
    total = sum(line.seconds for line in lines)
    return sum(line.seconds for line in lines if line.reference) / total


def profile_note(name: str, executable: Executable) -> str:
    """Say what the last call took by kind of work."""
    lines = profile_of(executable)
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


def profile_of(executable: Executable) -> list[dict[str, Any]]:
    """Give what the last call took by kind of work."""
    fields = ("work", "reference", "tasks", "seconds")
    return [{field: getattr(line, field) for field in fields} for line in executable.profile()]
