# SPDX-License-Identifier: Apache-2.0
"""The environment that holds the peers, made when it is first needed."""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.process import ROOT, PeerError

FOLDER = ROOT / "build" / "peers-venv"
PACKAGES = ("torch==2.13.0", "jax", "onnxruntime", "onnx", "numpy")
"""onnx writes the file that onnxruntime reads."""


@functools.cache
def python_of(folder: Path | None = None) -> Path:
    """Give the Python of a given environment, or of the one that is made here.

    Raises
    ------
    PeerError
        If a given folder holds none, or none can be made.
    """
    if folder is not None:
        python = folder / "bin" / "python"
        if not python.exists():
            raise PeerError(f"{folder} is no environment: there is no {python}")
        return python
    return made(FOLDER, PACKAGES)


def made(folder: Path, packages: Sequence[str]) -> Path:
    """Give the Python of an environment with these packages, made unless it is there.

    Raises
    ------
    PeerError
        If it cannot be made; then nothing is left but the log beside it.
    """
    python, stamp, wanted = folder / "bin" / "python", folder / "made.txt", "\n".join(packages)
    if python.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    log = folder.with_suffix(".log")
    print(f"making {folder} with {', '.join(packages)}; its log is {log.name}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as file:
        for command in (
            [sys.executable, "-m", "venv", str(folder)],
            [str(python), "-m", "pip", "install", *packages],
        ):
            if subprocess.run(command, stdout=file, stderr=subprocess.STDOUT).returncode:
                shutil.rmtree(folder, ignore_errors=True)
                raise PeerError(f"they could not be installed: {_last_line(log)} (see {log})")
    stamp.write_text(wanted, encoding="utf-8")
    return python


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["nothing was said"])[-1]
