# SPDX-License-Identifier: Apache-2.0
"""Tables that several commands print."""

from __future__ import annotations

from collections.abc import Sequence

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
