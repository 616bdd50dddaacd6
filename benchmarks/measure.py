# SPDX-License-Identifier: Apache-2.0
"""Takes the time of peers in turn, so that what else the machine does slows all of them alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

PAUSE = 0.06
"""Seconds between calls: longer than the threads of OpenBLAS stay awake after theirs."""


@dataclass(frozen=True)
class Series:
    """The seconds that calls of one peer took, in order."""

    seconds: tuple[float, ...]

    @property
    def minimum(self) -> float:
        """The time that least else slowed."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """Half of the calls took longer."""
        return statistics.median(self.seconds)

    @property
    def spread(self) -> float:
        """The distance of the quartiles as a share of the median: how noisy it was.

        >>> Series((1.0, 2.0, 3.0, 4.0, 5.0)).spread
        1.0
        """
        if len(self.seconds) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.seconds, n=4)
        return (high - low) / self.median


def timed(call: Callable[[], object]) -> float:
    """Give the seconds that a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def alternate(
    peers: Mapping[str, Callable[[], float]], rounds: int, pause: float = PAUSE
) -> dict[str, Series]:
    """Call every peer, which gives the seconds it took, once a round; a first one does not count.

    Every other round goes backwards, so that none always follows the same one.
    """
    taken: dict[str, list[float]] = {name: [] for name in peers}
    for i in range(rounds + 1):
        for name in list(peers)[:: 1 if i % 2 else -1]:
            time.sleep(pause)
            seconds = peers[name]()
            if i > 0:
                taken[name].append(seconds)
    return {name: Series(tuple(seconds)) for name, seconds in taken.items()}
