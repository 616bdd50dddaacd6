# SPDX-License-Identifier: Apache-2.0
"""What happens when an exchange program runs on a machine."""

from __future__ import annotations

import os
from typing import Any

from einsummable import _core
from einsummable.trace import write_trace

__all__ = ["Simulation"]


class Simulation:
    """What happens when a program runs on a machine; `str` gives its critical path and loads."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.Simulation) -> None:
        self._core = core

    @property
    def ms(self) -> float:
        """The time until every action has ended, needed or not."""
        return self._core.ms

    @property
    def timeline(self) -> list[_core.Step]:
        """Its transfers and the aggregates it forms, by start: site, start_ms, end_ms, bytes."""
        return self._core.timeline

    @property
    def load(self) -> list[_core.Load]:
        """What each resource carried, and each device's memory: bytes, busy_ms, share."""
        return self._core.load

    @property
    def critical_path(self) -> str:
        """What bounds the time, in words."""
        return self._core.critical_path

    @property
    def critical_steps(self) -> list[_core.Step]:
        """The steps of the critical path, each started by the end of the one before."""
        return self._core.critical_steps

    @property
    def skipped(self) -> int:
        """How many transfers were to where their aggregate was already."""
        return self._core.skipped

    @property
    def members(self) -> dict[str, list[int]]:
        """The sites of each partition, as given or as found."""
        return self._core.members

    def timeline_text(self, limit: int = 1_000) -> str:
        """Give a line a step: when it starts and ends in ms, and what it is."""
        return self._core.timeline_text(limit)

    def trace(self, path: str | os.PathLike[str]) -> None:
        """Write a trace that Chrome and Perfetto open, a lane for each link and each site.

        Parameters
        ----------
        path : str or path
            The file; JSON of trace events.

        Raises
        ------
        einsummable.InputError
            If the file cannot be written.
        """
        write_trace(path, _trace(self))

    def __str__(self) -> str:
        """Give the critical path and the loads."""
        return self._core.critical_path + "\n" + self._core.load_text()

    def __repr__(self) -> str:
        """Say how long it takes."""
        return f"<simulation of {len(self.timeline)} steps, {self.ms:.6g} ms>"


def _trace(simulation: Simulation) -> list[dict[str, Any]]:
    """Give the events: process 0 has a lane a site, process 1 a lane a pair of sites."""
    steps = simulation.timeline
    pairs = sorted({(s.site, s.destination) for s in steps if s.destination is not None})
    lanes: dict[tuple[int, int | None], tuple[int, int]] = {
        pair: (1, number) for number, pair in enumerate(pairs)
    }
    names = [(1, number, f"link {a}->{b}") for number, (a, b) in enumerate(pairs)]
    # What a site forms at one time lies in lanes of its own, as many as there are at once.
    free_from: dict[int, list[float]] = {}
    events: list[dict[str, Any]] = []
    for step in steps:
        if step.destination is None:
            ends = free_from.setdefault(step.site, [])
            lane = next((k for k, end in enumerate(ends) if end <= step.start_ms), len(ends))
            ends[lane : lane + 1] = [step.end_ms]
            process, thread = 0, step.site * 1_000 + lane
        else:
            process, thread = lanes[step.site, step.destination]
        events.append(
            {
                "ph": "X",
                "name": str(step),
                "cat": "form" if step.destination is None else "transfer",
                "pid": process,
                "tid": thread,
                "ts": step.start_ms * 1e3,
                "dur": (step.end_ms - step.start_ms) * 1e3,
                "args": {"bytes": step.bytes},
            }
        )
    for site, ends in sorted(free_from.items()):
        names += [(0, site * 1_000 + lane, f"site {site}") for lane in range(len(ends))]
    return [
        {"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "sites"}},
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "links"}},
        *(
            {"ph": "M", "name": "thread_name", "pid": p, "tid": t, "args": {"name": name}}
            for p, t, name in names
        ),
        *events,
    ]
