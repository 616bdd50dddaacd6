# SPDX-License-Identifier: Apache-2.0
"""A graph on several numbers of devices, and its matrix products alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy.typing as npt

from benchmarks.blas import Gemms
from benchmarks.report import Peer
from einsummable import Executable, Graph


def peers_of(
    graph: Graph,
    executables: Mapping[int, Executable],
    inputs: Mapping[str, npt.NDArray[Any]],
    threads: int,
) -> list[Peer]:
    """Give every executable (by its number of devices) and what it is compared with.

    p devices keep no more than p threads busy: the products alone get as many.
    """
    counts = sorted({min(p, threads) for p in executables})
    gemms = {count: f"matrix products alone, {_threads(count)}" for count in counts}
    peers = [Peer(gemms[count], Gemms(graph, count)) for count in counts]
    for p, executable in executables.items():
        count = min(p, threads)
        name = f"einsummable, {p} device{'s' if p > 1 else ''}, {_threads(count)}"
        peers.append(Peer(name, partial(executable, inputs), gemms[count], executable))
    return peers


def _threads(count: int) -> str:
    return f"{count} thread{'s' if count > 1 else ''}"
