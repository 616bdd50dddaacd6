# SPDX-License-Identifier: Apache-2.0
"""From a graph to something that runs."""

from __future__ import annotations

import os

from einsummable import _core
from einsummable.dtypes import DTypeLike
from einsummable.endpoint import Proposer, warn_of
from einsummable.errors import DeviceError, PlanError, shown
from einsummable.executable import Executable
from einsummable.graph import Graph
from einsummable.options import Devices, Pins, device_count, make_options
from einsummable.planning import Plan, checked_graph


def compile(
    graph: Graph,
    *,
    devices: Devices | None = None,
    plan: Plan | None = None,
    backend: str | None = None,
    selector: str = "optimal",
    objective: str | None = None,
    schedule_mode: str = "search",
    specs: Pins | None = None,
    memory_limit: int | None = None,
    partial_dtype: DTypeLike | None = None,
    topology: str | os.PathLike[str] | None = None,
    seed: int = 0,
    threads: int = 0,
    private_sites: bool = False,
    verify: str = "static",
    timed: bool = False,
    tf32: bool = False,
    budget: int | None = None,
    time_limit: float | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    proposer: Proposer | None = None,
) -> Executable:
    """Compile a graph for devices: cut it, move what must move, prove it, and make it ready.

    Parameters
    ----------
    graph : Graph
    devices : int or sequence of int, optional
        How many, or which; default all GPUs, or where there are none one a core. The CPU has as
        many virtual ones as asked for; a GPU that a list names twice has two sites.
    plan : Plan, optional
        A plan of this graph to follow; the options that make one are left out then.
    backend : "cpu" or "cuda", optional
        Default GPUs, if there are any and their plugin is installed.
    selector, objective, schedule_mode, specs, memory_limit, partial_dtype, topology, seed
        As for `plan`; and so budget, time_limit, cache_dir and proposer. The memory is that of
        the devices compiled for, and `plan` must fit the limit as it is.
    threads : int, optional
        Of the CPU, by default as many as devices or cores (the fewer).
    private_sites : bool, default False
        Whether every device's memory is its own, so that all that moves is copied.
    verify : "static" or "numeric"
        Whether calls are compared with float64 references too (`Executable.verify`).
    timed : bool, default False
        Whether GPUs take the time of every task for `Executable.profile` and
        `Executable.trace`, which makes calls longer. The CPU always does.
    tf32 : bool, default False
        Whether products of float32 on GPUs may round their operands to 10 bits after the point.

    Raises
    ------
    einsummable.Error
        GraphError if it saves nothing; PlanError if no plan is as asked; and the others.
    """
    options = make_options(
        devices=_devices(plan, devices),
        backend=backend,
        selector=selector,
        objective=objective,
        schedule_mode=schedule_mode,
        specs=specs,
        partial_dtype=partial_dtype,
        topology=topology,
        memory_limit=memory_limit,
        seed=seed,
        threads=threads,
        private_sites=private_sites,
        verify=verify,
        timed=timed,
        tf32=tf32,
        budget=budget,
        time_limit=time_limit,
        cache_dir=cache_dir,
        proposer=proposer,
    )
    if plan is not None and topology is not None:
        plan = Plan(plan._core, options)  # whose times are those of this topology
    return _compiled(checked_graph(graph), plan, options)


def _devices(plan: object, devices: Devices | None) -> Devices | None:
    """Check that a plan, if there is one, is for as many devices as are asked for."""
    if plan is None:
        return devices
    if not isinstance(plan, Plan):
        raise PlanError(f"plan must be a Plan, not {shown(plan)}")
    if devices is not None and device_count(devices) != plan.devices:
        raise DeviceError(f"the plan is for {plan.devices} devices, not for {shown(devices)}")
    return plan.devices


def _compiled(graph: Graph, plan: Plan | None, options: _core.CompileOptions) -> Executable:
    if plan is None:
        core = _core.compile(graph._core, options)
        plan = Plan(core.plan, options)
        warn_of(core.plan.warning, 4)
    else:
        _core.check_plan_of(plan._core, graph._core)
        core = _core.compile(plan._core, options)
    executable = Executable(core, plan, graph)
    executable.load(graph.presets)
    return executable
