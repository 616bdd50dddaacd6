# SPDX-License-Identifier: Apache-2.0
"""What `compile` and `plan` are asked for, checked."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence

from einsummable import _core, cuda
from einsummable.arguments import flag, folder, machine_name, seconds
from einsummable.attributes import integer, text
from einsummable.dtypes import NUMPY_DTYPES, DTypeLike, dtype_name, kind
from einsummable.endpoint import Proposer, asker
from einsummable.errors import DeviceError, Error, GraphError, PlanError, shown
from einsummable.handle import Handle

Devices = int | Sequence[int]
"""How many devices, or which."""

Pins = Mapping[str | Handle, Mapping[str, int]]
"""Into how many intervals indices of operators must be cut: ``{"up": {"i": 8}}``."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def device_count(devices: Devices | None) -> int:
    """Count the devices; see `device_numbers`."""
    return len(device_numbers(devices))


def device_numbers(devices: Devices | None) -> Sequence[int]:
    """Give the number of each device; of so many, the first ones.

    Raises
    ------
    einsummable.DeviceError
        Unless it is an int of at least 1 or a list, not empty, of ints of at least 0.
    """
    if devices is None:
        return range(cores())
    legal = "devices is how many there are, at least 1, or a list of their numbers"
    if isinstance(devices, Sequence) and not isinstance(devices, (str, bytes)):
        if not devices:
            raise DeviceError(f"{legal}; the list is empty")
        numbers = [_checked(DeviceError, f"devices[{i}]", d) for i, d in enumerate(devices)]
        for i, number in enumerate(numbers):
            if number < 0:
                raise DeviceError(f"{legal}; devices[{i}] is {number}")
        return numbers
    try:
        count = _checked(DeviceError, "devices", devices)
    except DeviceError as error:
        raise DeviceError(f"{error}; {legal}") from None
    if count < 1:
        raise DeviceError(f"{legal}, not {count}")
    return range(count)


def make_options(
    *,
    devices: Devices | None = None,
    backend: str | None = None,
    selector: str = "optimal",
    objective: str | None = None,
    schedule_mode: str = "search",
    specs: Pins | None = None,
    memory_limit: int | None = None,
    seed: int = 0,
    threads: int = 0,
    private_sites: bool = False,
    verify: str = "static",
    partial_dtype: DTypeLike | None = None,
    topology: str | os.PathLike[str] | None = None,
    budget: int | None = None,
    time_limit: float | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    proposer: Proposer | None = None,
    timed: bool = False,
    tf32: bool = False,
    runs: bool = True,
) -> _core.CompileOptions:
    """Check the options of `compile` and turn them into those of the core.

    What does not run is a plan alone: GPUs that are there say what it is for, but none need be.
    """
    chosen = "cpu" if backend is None else backend
    _choose(DeviceError, "backend", chosen, ["cpu", "cuda"], ["mpi"])
    if objective is not None:
        _choose(PlanError, "objective", objective, ["proxy", "time"], [])
    _choose(PlanError, "schedule_mode", schedule_mode, ["naive", "search", "ai"], [])
    _choose(PlanError, "selector", selector, _core.selectors(), [])
    _choose(PlanError, "verify", verify, ["static", "numeric"], [])
    virtual = flag("private_sites", private_sites)
    if virtual and backend == "cuda":
        raise DeviceError('private_sites is for backend="cpu"; GPUs have memories of their own')
    of_gpus = _gpu_options(timed=timed, tf32=tf32, verify=verify)
    numbers = device_numbers(devices) if devices is not None else None
    gpus, executor = None, None
    if not virtual:
        gpus = cuda.choose(backend) if runs else _planned_gpus(devices, topology)
    if gpus is not None:
        numbers = cuda.numbers_of(gpus, numbers, exactly=isinstance(devices, Sequence))
        executor = cuda.executor(gpus, numbers, threads, **of_gpus) if runs else None
        if topology is None:
            topology, numbers = cuda.machine_file(gpus, numbers), range(len(numbers))
    numbers = range(cores()) if numbers is None else numbers
    return _core.CompileOptions(
        devices=len(numbers),
        selector=selector,
        seed=_checked(PlanError, "seed", seed, 0, 2**64 - 1),
        specs=_pins(specs),
        memory_limit=_limit(memory_limit),
        threads=_checked(DeviceError, "threads", threads, 0, 1024),
        private_sites=virtual,
        numeric=verify == "numeric",
        partial_dtype=None if partial_dtype is None else _float_dtype(partial_dtype),
        objective=objective,
        topology=None if topology is None else machine_name(topology),
        numbers=[] if topology is None else list(numbers),
        schedule=_schedule(schedule_mode, budget, time_limit, cache_dir, proposer),
        executor=executor,
    )


def _gpu_options(*, timed: bool, tf32: bool, verify: str) -> dict[str, bool]:
    options = {"timed": flag("timed", timed), "tf32": flag("tf32", tf32)}
    if options["tf32"] and verify == "numeric":
        raise PlanError('tf32 rounds more than verify="numeric" allows; take one of them')
    return options


def _limit(memory_limit: int | None) -> int | None:
    return None if memory_limit is None else _checked(PlanError, "memory_limit", memory_limit, 0)


def _planned_gpus(
    devices: Devices | None, topology: str | os.PathLike[str] | None
) -> _core.CudaBackend | None:
    """Give the GPUs that a plan is for: where it says nothing else, and there are as many."""
    found = cuda.find().backend if topology is None else None
    if found is None or devices is None:
        return found
    return found if max(device_numbers(devices)) < len(found.devices) else None


def _schedule(
    mode: str,
    budget: int | None,
    time_limit: float | None,
    cache_dir: str | os.PathLike[str] | None,
    proposer: Proposer | None,
) -> _core.ScheduleOptions:
    """Check how exchange programs are made."""
    if proposer is not None and mode != "ai":
        raise PlanError(f"a proposer is for schedule_mode='ai', not for {shown(mode)}")
    return _core.ScheduleOptions(
        mode=mode,
        budget=200 if budget is None else _checked(PlanError, "budget", budget, 0),
        time_limit=math.inf if time_limit is None else seconds("time_limit", time_limit),
        cache_dir="" if cache_dir is None else folder(cache_dir),
        proposer=asker(proposer) if mode == "ai" else None,
    )


def op_name(op: str | Handle) -> str:
    """Give the name of an operator, or of the one that makes a tensor."""
    return op.name if isinstance(op, Handle) else text("the name of an operator", op)


def _pins(specs: Pins | None) -> dict[str, dict[str, int]]:
    if specs is None:
        return {}
    legal = 'specs names operators, indices and counts, as {"up": {"i": 8}}'
    if not isinstance(specs, Mapping):
        raise PlanError(f"{legal}; it is {shown(specs)}")
    out: dict[str, dict[str, int]] = {}
    for op, counts in specs.items():
        if not isinstance(op, (str, Handle)) or not isinstance(counts, Mapping):
            raise PlanError(f"{legal}; {shown(op)} has {shown(counts)}")
        name = op_name(op)
        out[name] = {}
        for index, count in counts.items():
            if not isinstance(index, str):
                raise PlanError(f"{legal}; {name!r} has the index {shown(index)}")
            out[name][index] = _checked(PlanError, f"specs[{name!r}][{index!r}]", count, 1)
    return out


def _choose(
    error: type[Error], option: str, value: object, there: Sequence[str], later: Sequence[str]
) -> None:
    if isinstance(value, str) and value in there:
        return
    legal = f"{option} is {' or '.join(map(repr, there))}"
    if isinstance(value, str) and value in later:
        raise error(f"{option}={shown(value)} is not there yet; {legal}")
    raise error(f"{legal}, not {shown(value)}")


def _float_dtype(dtype: object) -> str:
    """Give the name of the dtype of partial sums."""
    floats = [name for name in NUMPY_DTYPES if kind(name) == "float"]
    try:
        name = dtype_name(dtype)
    except GraphError:
        name = ""
    if name not in floats:
        raise PlanError(
            f"partial_dtype is {', '.join(map(repr, floats))} or None, not {shown(dtype)}"
        )
    return name


def _checked(
    error: type[Error], what: str, value: object, least: int = -(2**63), most: int = 2**63 - 1
) -> int:
    try:
        number = integer(what, value, most)
    except GraphError as mistake:
        raise error(str(mistake)) from None
    if not least <= number <= most:
        raise error(f"{what} must be at least {least} and at most {most}, not {shown(number)}")
    return number
