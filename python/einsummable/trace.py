# SPDX-License-Identifier: Apache-2.0
"""Traces that Chrome and Perfetto open."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from einsummable import _core
from einsummable.errors import InputError, shown

__all__ = ["call_events", "write_trace"]


def write_trace(path: str | os.PathLike[str], events: Sequence[dict[str, Any]]) -> None:
    """Write trace events to a file.

    Raises
    ------
    einsummable.InputError
        If the file cannot be written.
    """
    try:
        Path(path).write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
    except (OSError, TypeError, ValueError) as error:
        raise InputError(f"the trace {shown(path)} cannot be written: {error}") from None


def call_events(tasks: Sequence[_core.SimulatedTask], devices: int) -> list[dict[str, Any]]:
    """Give the events of a simulated call.

    Process 0 has a lane a site, process 1 a lane an ordered pair of sites that transfers.
    """
    pairs = sorted({(task.source, task.span.site) for task in tasks if task.source is not None})
    lane_of: dict[tuple[int | None, int], tuple[int, int]] = {
        pair: (1, number) for number, pair in enumerate(pairs)
    }
    lanes = [(0, site, f"site {site}") for site in range(devices)]
    lanes += [(1, number, f"{a}->{b}") for number, (a, b) in enumerate(pairs)]
    named = [
        _name("process_name", 0, 0, "sites"),
        _name("process_name", 1, 0, "transfers"),
        *(_name("thread_name", *lane) for lane in lanes),
    ]
    return named + [_event(task, lane_of) for task in tasks]


def _name(what: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": process, "tid": thread, "args": {"name": name}}


def _event(
    task: _core.SimulatedTask, lane_of: dict[tuple[int | None, int], tuple[int, int]]
) -> dict[str, Any]:
    span = task.span
    process, thread = lane_of.get((task.source, span.site), (0, span.site))
    args = {"work": span.work} if task.source is None else {"bytes": task.bytes}
    return {
        "ph": "X",
        "name": span.name,
        "cat": span.work,
        "pid": process,
        "tid": thread,
        "ts": span.start * 1e6,
        "dur": span.seconds * 1e6,
        "args": args,
    }
