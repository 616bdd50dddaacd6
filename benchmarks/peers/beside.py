# SPDX-License-Identifier: Apache-2.0
"""Peers to be timed beside ours, with the same arrays, threads, and result."""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.compare import Peer
from benchmarks.measure import PAUSE
from benchmarks.peers.environment import python_of
from benchmarks.peers.process import PeerError, Processes, Setting
from einsummable.cli.quantities import show_seconds

Array = npt.NDArray[Any]

LIMIT = 1e-3
"""How far results may be apart, as a share of the largest."""


@dataclass(frozen=True)
class Task:
    """What is computed: a workload by its name in the modules, its arrays, and its result."""

    workload: str
    arrays: Mapping[str, Array]
    settings: Mapping[str, Any]
    expected: Array


@dataclass(frozen=True)
class Variant:
    """A way to compute a task. Of those of one `kind` a table has the fastest alone."""

    name: str
    library: str
    module: str
    variant: str
    kind: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)


def _jax(name: str, mesh: str, devices: int, kind: str = "") -> Variant:
    flags = {
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}",
    }
    library = "JAX" if devices == 1 else f"JAX on {devices} devices"
    return Variant(name, library, "benchmarks.peers.in_jax", mesh, kind, flags)


def _torch(name: str, variant: str, kind: str = "") -> Variant:
    return Variant(name, "PyTorch", "benchmarks.peers.in_torch", variant, kind)


TORCH = (_torch("PyTorch, eager", "eager"), _torch("PyTorch, compiled", "compiled"))
_EIGHT = "JAX, 8 devices"
JAX = (
    _jax("JAX, 1 device", "1x1", 1),
    _jax(f"{_EIGHT}, tokens cut", "8x1", 8, _EIGHT),
    _jax(f"{_EIGHT}, heads cut", "1x8", 8, _EIGHT),
    _jax(f"{_EIGHT}, 2 x 4 cut", "2x4", 8, _EIGHT),
    _jax(f"{_EIGHT}, 4 x 2 cut", "4x2", 8, _EIGHT),
)


AT_A_TIME = 16
"""Sentences, longest first, that are padded to one length."""
FEW = 64
"""Sentences that are padded at once, too."""


def minilm(sentences: int) -> tuple[Variant, ...]:
    """Give the ways to embed so many sentences: in one batch where they are few, and in several."""
    found = [_torch("PyTorch, eager, packed", "eager packed")]
    for most in (sentences, AT_A_TIME) if sentences <= FEW else (AT_A_TIME,):
        form = f"padded, {most} at a time"
        found += [
            _torch(f"PyTorch, eager, {form}", f"eager {most}"),
            _torch(f"PyTorch, compiled, {form}", f"compiled {most}"),
            Variant(
                f"onnxruntime, {form}",
                "onnxruntime",
                "benchmarks.peers.in_onnxruntime",
                str(most),
            ),
        ]
    return tuple(found)


class Beside:
    """The processes of the peers while they are timed; without an environment there are none."""

    def __init__(self, processes: Processes | None, threads: int, folder: Path) -> None:
        self._processes = processes
        self._threads = threads
        self._folder = folder

    def peers(self, variants: Sequence[Variant], task: Task, base: str) -> list[Peer]:
        """Let each variant prepare itself, and compare what it computes.

        Raises
        ------
        PeerError
            If one fails, or its result is off by more than `LIMIT`.
        """
        if self._processes is None:
            return []
        arrays = self._folder / "arrays.npz"
        np.savez(arrays, **task.arrays)  # type: ignore[arg-type]
        return [self._peer(self._processes, variant, task, arrays, base) for variant in variants]

    def notes(self) -> list[str]:
        """Say which libraries go on working after a call for longer than the pause."""
        processes = self._processes.started() if self._processes else []
        medians = {p.library: statistics.median(p.resting) for p in processes if p.resting}
        return [
            f"note: {library} uses {show_seconds(seconds)} of CPU after a call, more than the pause"
            for library, seconds in medians.items()
            if seconds > PAUSE
        ]

    def _peer(
        self, processes: Processes, variant: Variant, task: Task, arrays: Path, base: str
    ) -> Peer:
        process = processes.get(
            Setting(variant.library, variant.module, self._threads, variant.variables)
        )
        process.ask(
            "prepare",
            variant.name,
            workload=task.workload,
            variant=variant.variant,
            arrays=str(arrays),
            settings=dict(task.settings),
        )
        result = self._folder / "result.npy"
        process.ask("result", variant.name, file=str(result))
        return Peer(
            name=variant.name,
            call=partial(process.call, variant.name),
            base=base,
            kind=variant.kind,
            difference=difference(variant.name, np.load(result), task.expected),
        )


@contextlib.contextmanager
def beside(given: argparse.Namespace) -> Iterator[Beside]:
    """Have processes of the peers, or say that there are none."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        processes = None
        if given.peers != "none":
            try:
                python = python_of(Path(given.peers) if given.peers else None)
                processes = stack.enter_context(Processes(python))
            except PeerError as error:
                print(f"note: without PyTorch, JAX and onnxruntime: {error}", file=sys.stderr)
        yield Beside(processes, given.threads, folder)


def difference(name: str, result: Array, expected: Array) -> float:
    """Give the largest difference as a share of the largest value expected.

    Raises
    ------
    PeerError
        If it is above `LIMIT`, or the number of values is another.
    """
    if result.size != expected.size:
        raise PeerError(f"{name} gives {result.shape}, not {expected.shape}")
    apart = np.abs(result.reshape(expected.shape) - expected).max() / np.abs(expected).max()
    if not apart <= LIMIT:
        raise PeerError(f"{name} computes something else: its result is off by {apart:.1e}")
    return float(apart)
