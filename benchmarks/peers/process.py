# SPDX-License-Identifier: Apache-2.0
"""Processes of the peers' environment, from the side of the benchmark."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent


class PeerError(Exception):
    """A peer that failed, or that computes something else."""


@dataclass(frozen=True)
class Setting:
    """What a process runs, `benchmarks.peers.worker` with a module of a library, and how."""

    library: str
    module: str
    threads: int
    variables: Mapping[str, str] = field(default_factory=dict)


class Process:
    """One process. See `benchmarks.peers.worker` for what it is asked."""

    def __init__(self, python: Path, setting: Setting) -> None:
        self.library = setting.library
        self._said = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        self._process = subprocess.Popen(
            _command(python, setting),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env=_variables(setting),
            text=True,
        )
        self.resting: list[float] = []

    def ask(self, do: str, name: str, **more: Any) -> dict[str, Any]:
        """Give the answer.

        Raises
        ------
        PeerError
            If it answers with an error, with anything but JSON, or not at all.
        """
        request = json.dumps({"do": do, "name": name, **more})
        assert self._process.stdin and self._process.stdout
        try:
            self._process.stdin.write(request + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise PeerError(f"{self.library} ended while it should {do} {name!r}: {self._end()}")
        try:
            answer: dict[str, Any] = json.loads(line)
        except ValueError:
            raise PeerError(
                f"{self.library} did not understand {request}: it says {line}"
            ) from None
        if "error" in answer:
            raise PeerError(f"{self.library} could not {do} {name!r}: {answer['error']}")
        return answer

    def call(self, name: str) -> float:
        """Let it compute once, and give the seconds that took there."""
        answer = self.ask("call", name)
        self.resting.append(float(answer["resting"]))
        return float(answer["seconds"])

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()
        self._said.close()

    def _end(self) -> str:
        """Say how it ended, and the last that it wrote."""
        status = self._process.wait()
        self._said.seek(0)
        lines = self._said.read().strip().splitlines()
        last = lines[-1] if lines else "without a word"
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        return f"{how}, {last}"


class Processes:
    """Processes by what they run, each started when it is first asked for."""

    def __init__(self, python: Path) -> None:
        self._python = python
        self._started: dict[str, Process] = {}

    def get(self, setting: Setting) -> Process:
        """Give the one of a setting."""
        key = repr(setting)
        if key not in self._started:
            self._started[key] = Process(self._python, setting)
        return self._started[key]

    def started(self) -> list[Process]:
        """Give those that were started."""
        return list(self._started.values())

    def __enter__(self) -> Processes:
        """Nothing is started yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all of them."""
        for process in self._started.values():
            process.close()


def _command(python: Path, setting: Setting) -> Sequence[str]:
    return [str(python), "-m", "benchmarks.peers.worker", setting.module, str(setting.threads)]


def _variables(setting: Setting) -> dict[str, str]:
    """Give the environment: what is here, but packages from its own alone."""
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": str(setting.threads),
        "MKL_NUM_THREADS": str(setting.threads),
        **setting.variables,
    }
