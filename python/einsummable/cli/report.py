# SPDX-License-Identifier: Apache-2.0
"""Tables that several commands print."""

from __future__ import annotations

from collections.abc import Sequence

from einsummable import _core
from einsummable.cli import quantities
from einsummable.executable import Executable


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out columns, the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = []
    for row in (head, *rows):
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def verified(exe: Executable) -> str:
    """Say what was proven of a program."""
    rows = [
        [
            check.name.replace("_", " "),
            str(check.count),
            quantities.show_seconds(check.seconds),
            check.detail or check.note or "holds",
        ]
        for check in exe.verify().checks
    ]
    return table(["verified", "checked", "time", ""], rows)


def exchanges(all_of_them: Sequence[_core.ExchangeReport]) -> str:
    """Say what moves before each operator, how long that takes, and how near that is to a bound."""
    rows = [
        [
            f"{exchange.op} (saved)" if exchange.save else exchange.op,
            *_figures(exchange.bytes, exchange.ms, exchange.bound_ms),
        ]
        for exchange in all_of_them
    ]
    total = _figures(
        sum(exchange.bytes for exchange in all_of_them),
        sum(exchange.ms for exchange in all_of_them),
        sum(exchange.bound_ms for exchange in all_of_them),
    )
    head = ["exchange before", "bytes", "ms", "bound ms", "gap"]
    return table(head, [*rows, ["total", *total]])


def _figures(moved: int, ms: float, bound_ms: float) -> list[str]:
    gap = "-" if bound_ms == 0 else f"{100 * (ms / bound_ms - 1):z.1f} %"
    return [str(moved), f"{ms:.4g}", f"{bound_ms:.4g}", gap]
