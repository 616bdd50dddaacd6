# SPDX-License-Identifier: Apache-2.0
"""What a run depends on beside the code: the processor, the build, what else the machine does."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks import blas
from einsummable import _core
from einsummable.options import cores


def described() -> dict[str, Any]:
    """Describe the machine and the build."""
    return {
        "processor": _processor(),
        "cores": cores(),
        "system": f"{platform.system()} {platform.machine()}",
        "build": _core.build_type,
        "blas": f"scipy-openblas32 {version('scipy-openblas32')}, {blas.kernels()}",
        "load": load(),
    }


def load() -> float:
    """Give the mean number of tasks that wanted a core in the last minute."""
    return os.getloadavg()[0]


def text(described: dict[str, Any]) -> str:
    """Say in two lines what `described` gives."""
    return (
        f"{described['processor']}, {described['cores']} cores, {described['system']}; "
        f"load {described['load']:.1f} at the start\n"
        f"{described['build']} build; {described['blas']}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    found = {name.strip(): value.strip() for name, value in fields.items()}
    name = found.get("model name") or platform.processor() or "unknown processor"
    if "model" not in found:
        return name
    return f"{name} (family {found.get('cpu family')}, model {found['model']})"
