# SPDX-License-Identifier: Apache-2.0
"""GPUs: which there are, how they are reached, and the machine that they make up."""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from einsummable import _core
from einsummable.errors import DeviceError, TopologyError

INSTALL = "pip install einsummable[cuda13]"
"""What brings the plugin."""

_LATENCY_US = 2.0
"""What a copy takes before its bytes flow, where nothing better is known."""


@dataclass(frozen=True)
class Found:
    """GPUs, or why there are none.

    Attributes
    ----------
    backend : CudaBackend or None
    reason : str
        One sentence; empty if there is a backend.
    installed : bool
        Whether the plugin is there at all.
    """

    backend: _core.CudaBackend | None
    reason: str = ""
    installed: bool = True


@functools.cache
def find() -> Found:
    """Look for GPUs, once a process."""
    plugin, folders = os.environ.get("EINSUMMABLE_CUDA_PLUGIN", ""), ""
    if not plugin:
        try:
            package = importlib.import_module("einsummable_cuda13")
        except ImportError:
            return Found(None, f"the CUDA plugin is not installed: {INSTALL}", installed=False)
        plugin, folders = package.plugin(), ":".join(package.library_folders())
    try:
        return Found(_core.CudaBackend(plugin, folders))
    except DeviceError as error:
        return Found(None, str(error))


@functools.cache
def _warn_of(reason: str) -> None:
    warnings.warn(f"virtual CPU devices run this: {reason}", RuntimeWarning, stacklevel=5)


def choose(backend: str | None) -> _core.CudaBackend | None:
    """Give the GPUs that a backend means; None is the CPU.

    Parameters
    ----------
    backend : "cpu", "cuda" or None
        None: GPUs if there are any. Where the plugin is installed, but does not find any, one
        sentence says so, once, as a RuntimeWarning.

    Raises
    ------
    einsummable.DeviceError
        If it is "cuda", and there are none; with the reason.
    """
    if backend == "cpu":
        return None
    found = find()
    if found.backend is None and backend == "cuda":
        raise DeviceError(f"there is no GPU to run on: {found.reason}")
    if found.backend is None and found.installed:
        _warn_of(found.reason)
    return found.backend


def numbers_of(
    backend: _core.CudaBackend, devices: Sequence[int] | None, *, exactly: bool
) -> list[int]:
    """Give the GPU of each site: all; so many, the first ones; or exactly these.

    Raises
    ------
    einsummable.DeviceError
        If there are fewer GPUs than devices asked for.
    """
    count = len(backend.devices)
    numbers = list(range(count) if devices is None else devices)
    if max(numbers) < count:
        return numbers
    if exactly:
        raise DeviceError(
            f"there is no GPU {max(numbers)}: they are 0 to {count - 1}; devices may name one twice"
        )
    there = "there is 1 GPU" if count == 1 else f"there are {count} GPUs"
    wanted = len(numbers)
    raise DeviceError(
        f"{there}, not {wanted}: devices=[0] * {wanted} puts {wanted} sites on GPU 0, and "
        f'backend="cpu" has as many virtual devices as asked for'
    )


def cache_folder() -> Path:
    """Give the folder where compiled kernels and machines are kept; one of this process if none."""
    measured = _core.measured_path()
    return Path(measured).parent if measured else _own_folder()


@functools.cache
def _own_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="einsummable-"))


def executor(
    backend: _core.CudaBackend, numbers: Sequence[int], threads: int, *, timed: bool, tf32: bool
) -> _core.Executor:
    """Make what runs graphs on the GPUs of the sites, as the options of `compile` say."""
    folder = str(cache_folder() / "cuda-kernels")
    count = threads or len(os.sched_getaffinity(0))
    return backend.executor(list(numbers), folder, count, timed=timed, tf32=tf32)


def machine_file(backend: _core.CudaBackend, numbers: Sequence[int], *, anew: bool = False) -> Path:
    """Give the machine that sites on these GPUs are, as a file, so that plans repeat.

    It is measured when it is first asked for, and kept, for this process alone where nothing can be
    written in the folder of all; a file that is damaged is as none.
    """
    known = [(gpu.name, gpu.bus, gpu.architecture) for gpu in backend.devices]
    key = hashlib.sha256(repr((sorted(known), list(numbers))).encode()).hexdigest()[:16]
    name = f"cuda-{key}.toml"
    if anew:
        _measured.cache_clear()
    for folder in (cache_folder(), _own_folder()):
        if not anew and _is_machine(folder / name):
            return folder / name
    text = machine_text(backend, numbers)
    try:
        return _written(cache_folder() / name, text)
    except OSError:
        return _written(_own_folder() / name, text)


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
    return path


def _is_machine(path: Path) -> bool:
    try:
        _core.load_machine(str(path))
    except TopologyError:
        return False
    return True


@functools.cache
def _measured(backend: _core.CudaBackend, number: int) -> _core.CudaFigures:
    """Measure a GPU, once a process."""
    return backend.measure(number)


def machine_text(backend: _core.CudaBackend, numbers: Sequence[int]) -> str:
    """Measure the machine that sites on these GPUs are, and write it as a machine file."""
    used = sorted(set(numbers))
    figures = [_measured(backend, number) for number in used]
    gpus = [backend.devices[number] for number in used]
    rates = _rates([one.products for one in figures])
    attentions = _rates([one.attentions for one in figures])
    peaks = {dtype: max(r for (d, *_), r in rates.items() if d == dtype) for dtype, *_ in rates}
    crowd = max(list(numbers).count(number) for number in used)
    names = ", ".join(sorted({gpu.name.replace('"', "'").replace("\\", "/") for gpu in gpus}))
    lines = [
        "version = 1",
        'name = "cuda"',
        f'source = "measured on {names}"',
        "",
        "[sites]",
        f"count = {len(numbers)}",
        f"memory = {min(gpu.memory for gpu in gpus) // crowd}",
        f"hbm = {_figure(min(one.memory_gbps for one in figures))}",
        f"kernel_latency_us = {_figure(max(one.kernel_us for one in figures))}",
        *(f"flops.{dtype} = {_figure(rate)}" for dtype, rate in peaks.items()),
    ]
    if len(used) == 1:
        # Sites on one GPU share its memory, and it works for one of them at a time.
        lines += ["", "[compute]", "workers = 1", "handover = true", "handover_us = 0"]
    else:
        lines += _links(backend, numbers, figures)
    for op, reached in (("matmul", rates), ("attention", attentions)):
        for (dtype, *shape), rate in reached.items():
            lines += ["", "[[efficiency]]", f'op = "{op}"', f'dtype = "{dtype}"']
            lines += [f"shape = {shape}", f"fraction = {_figure(min(rate / peaks[dtype], 1))}"]
    return "\n".join(lines) + "\n"


def _rates(
    measured: Sequence[Sequence[tuple[str, int, int, int, float]]],
) -> dict[tuple[str, int, int, int], float]:
    """Give FLOP/s by dtype and shape, of the slowest GPU; of those that all have."""
    each = [{(d, a, b, c): rate for d, a, b, c, rate in one} for one in measured]
    common = [key for key in each[0] if all(key in one for one in each)]
    return {key: min(one[key] for one in each) for key in common}


def _links(
    backend: _core.CudaBackend, numbers: Sequence[int], figures: Sequence[_core.CudaFigures]
) -> list[str]:
    """Write what lies between the sites: links where copies are direct, a bus for all others."""
    links: dict[str, list[list[int]]] = {}
    through_host: list[float] = []
    for i, first in enumerate(numbers):
        for j, second in enumerate(numbers[:i]):
            if first == second:
                gbps = min(one.memory_gbps for one in figures) / 2
                links.setdefault(_figure(gbps), []).append([j, i])
                continue
            there, back = backend.probe(first, second), backend.probe(second, first)
            if there.direct and back.direct:
                links.setdefault(_figure(min(there.gbps, back.gbps)), []).append([j, i])
            else:
                through_host.append(min(there.gbps, back.gbps))
    lines: list[str] = []
    for rate, pairs in sorted(links.items()):
        lines += ["", "[[link]]", f"pairs = {pairs}", f"gbps = {rate}"]
        lines.append(f"latency_us = {_LATENCY_US}")
    if through_host:
        lines += ["", "[[bus]]", 'name = "host"', f"gbps = {_figure(min(through_host))}"]
        lines += ['pairs = "unlinked"', f"latency_us = {_LATENCY_US}"]
    return lines


def _figure(value: float) -> str:
    return f"{max(value, 1e-6):.3g}"
