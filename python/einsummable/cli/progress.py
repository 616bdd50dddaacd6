# SPDX-License-Identifier: Apache-2.0
"""One line that says what is going on, on a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType


class Progress:
    """Writes one line to standard error if that is a terminal; it is gone at the end."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._start = time.monotonic()

    def __enter__(self) -> Progress:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Clear the line."""
        self._write("")

    def step(self, text: str) -> None:
        """Say what comes next."""
        self._write(f"{text} ... [{time.monotonic() - self._start:.0f} s]")

    def _write(self, text: str) -> None:
        if self._shown:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
