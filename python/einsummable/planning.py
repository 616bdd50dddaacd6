# SPDX-License-Identifier: Apache-2.0
"""How a graph is cut over devices, and why; no device is needed."""

from __future__ import annotations

import os
from pathlib import Path

from einsummable import _core
from einsummable.dtypes import DTypeLike
from einsummable.endpoint import Proposer, warn_of
from einsummable.errors import PlanError, shown
from einsummable.graph import Graph
from einsummable.handle import Handle
from einsummable.options import Devices, Pins, make_options, op_name
from einsummable.trace import call_events, write_trace


class Plan:
    """How every operator of a graph is cut, where its cells run, and what moves.

    `str` gives a table of the operators. Made by `plan`, `load_plan`, or `compile`.
    """

    __slots__ = ("_core", "_options", "_prediction")

    def __init__(self, core: _core.Plan, options: _core.CompileOptions) -> None:
        self._core = core
        self._options = options
        self._prediction: tuple[float, float] | None = None

    @property
    def devices(self) -> int:
        """The number of devices it is for."""
        return self._core.devices

    @property
    def partial_dtype(self) -> str | None:
        """The dtype of float sums until they are complete; None if their operators state it."""
        return self._core.partial_dtype

    @property
    def graph(self) -> Graph:
        """The graph it is of, without operators that no saved tensor needs."""
        return Graph(self._core.graph)

    @property
    def cost(self) -> int:
        """What moves, in elements: repartitions, joins and aggregations."""
        return self._core.cost

    @property
    def exact(self) -> bool:
        """Whether it is proven that no plan costs less."""
        return self._core.exact

    @property
    def predicted_ms(self) -> float:
        """What a call takes in ms, simulated on the topology, host transfers apart."""
        return self._predict()[1]

    @property
    def planned_ms(self) -> float:
        """A quick estimate of `predicted_ms`: exchanges in turn beside kernels in turn, in ms."""
        return self._predict()[0]

    @property
    def exchanges(self) -> list[_core.ExchangeReport]:
        """What moves before each operator and saved tensor, on the topology.

        Each has ``op``, ``save`` (whether that is a saved tensor), ``bytes``, ``merges``, ``ms``
        (simulated, alone), ``bound_ms`` (no program takes less), ``gap`` (``ms / bound_ms - 1``,
        or None if only the bound is 0) and ``proof`` (of the bound, in words).

        Raises
        ------
        einsummable.TopologyError
            If the topology has no way between two devices.

        Examples
        --------
        >>> from einsummable import workloads
        >>> made = plan(workloads.ffn(64, 64, 64), devices=2, topology="dgx-a100",
        ...             specs={"up": {"i": 2}, "down": {"i": 1, "k": 2}})
        >>> [(exchange.op, exchange.bytes) for exchange in made.exchanges]
        [('down', 16384)]
        """
        return _core.exchanges(self._core, self._options)

    def _predict(self) -> tuple[float, float]:
        """Give the planned and the simulated ms, which take a simulation, once."""
        if self._prediction is None:
            self._prediction = _core.predict(self._core, self._options)
        return self._prediction

    @property
    def cut_short(self) -> bool:
        """Whether the time limit cut the search for exchange programs short."""
        return self._core.cut_short

    @property
    def specs(self) -> dict[str, dict[str, int]]:
        """Into how many intervals each index of each operator is cut."""
        return self._core.specs

    @property
    def cuts(self) -> dict[str, dict[str, list[int]]]:
        """Where each index of each operator is cut, from 0 to its extent."""
        return self._core.cuts

    def explain(self, op: str | Handle) -> _core.Explanation:
        """Say why an operator is cut as it is.

        Parameters
        ----------
        op : str or Tensor
            The name of the operator, or a tensor it makes.

        Returns
        -------
        Explanation
            Every way to cut it, with the best whole plan in which it is cut so; `str` gives a
            table.

        Raises
        ------
        einsummable.PlanError
            If there is no such operator.
        """
        if not isinstance(op, (str, Handle)):
            raise PlanError(f"explain takes the name of an operator or a tensor, not {shown(op)}")
        return _core.explain(self._core, self._options, op_name(op))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file that `load_plan` reads.

        Raises
        ------
        einsummable.PlanError
            If the file cannot be written.
        """
        file = _file(path)
        try:
            file.write_text(self._core.text(), encoding="utf-8")
        except (OSError, ValueError) as error:
            raise PlanError(f"the plan {file} cannot be written: {error}") from None

    def trace(self, path: str | os.PathLike[str]) -> None:
        """Write a call as it is simulated on the topology, for Chrome's tracing or Perfetto.

        There is a lane for each device, and for each ordered pair of them that transfers.

        Parameters
        ----------
        path : str or path
            The file; JSON of trace events, times in microseconds after the call began.

        Raises
        ------
        einsummable.InputError
            If the file cannot be written.
        einsummable.TopologyError
            If the topology has no way between two devices.
        """
        tasks = _core.simulate_call(self._core, self._options)
        write_trace(path, call_events(tasks, self.devices))

    def __str__(self) -> str:
        """Give the table: operator, shape, cuts, and costs."""
        note = "\nthe search for programs was cut short by the time limit" if self.cut_short else ""
        return self._core.table().rstrip("\n") + note

    def __repr__(self) -> str:
        """Count what is in it."""
        return f"<plan of {len(self.specs)} operators on {self.devices} devices: {self.cost}>"


def plan(
    graph: Graph,
    *,
    devices: Devices | None = None,
    selector: str = "optimal",
    objective: str | None = None,
    schedule_mode: str = "search",
    specs: Pins | None = None,
    memory_limit: int | None = None,
    partial_dtype: DTypeLike | None = None,
    topology: str | os.PathLike[str] | None = None,
    seed: int = 0,
    budget: int | None = None,
    time_limit: float | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    proposer: Proposer | None = None,
) -> Plan:
    """Plan a graph for a number of devices that need not be there.

    Parameters
    ----------
    graph : Graph
    devices : int or sequence of int, optional
        How many, or which; default one a core.
    selector : "optimal", "paper", "greedy" or "random"
        How cuts are chosen: at the least cost; by the paper's Algorithm 1; an operator at a time;
        at random, by `seed`.
    objective : "time" or "proxy", optional
        What a plan costs: the time that a call is predicted to take, of the best plans by an
        estimate and the best one by elements, each simulated; or the elements that move. Default
        time, but elements for selectors other than "optimal".
    schedule_mode : "search", "naive" or "ai"
        How exchange programs are made: searched for, to be fast on the topology; the naive ones;
        or searched for, and a proposer asked for faster ones.
    specs : mapping, optional
        Pins: into how many intervals indices of operators must be cut, ``{"up": {"i": 8}}``.
    memory_limit : int, optional
        Bytes a device that a call may need, as measured in the memory plan of the best plan found
        that does: of devices that share no memory if the topology's do not. Only the optimal
        selector looks for another plan than its own.
    partial_dtype : dtype, optional
        Of float sums until they are complete: float64 is more exact, float16 and bfloat16 halve
        the bytes of float32, but float16 overflows beyond 65504. Default as operators state.
    topology : str or path, optional
        What times are predicted on, of `einsummable.topology.names` or a file; default "cpu" with
        as many workers as there are cores.
    seed : int, default 0
    budget : int, optional
        Simulations a program at most; default 200.
    time_limit : float, optional
        Seconds after which the search for programs is cut short (`Plan.cut_short`); they then
        depend on it.
    cache_dir : str or path, optional
        A folder in which programs are kept.
    proposer : callable, optional
        From prompt to text, for "ai" (`einsummable.proposer`); default the endpoint that the
        environment names.

    Raises
    ------
    einsummable.Error
        GraphError if the graph saves nothing; PlanError if there is no plan as asked;
        MemoryLimitError, which says what would fit, if none is found within the limit.

    Examples
    --------
    >>> from einsummable import workloads
    >>> plan(workloads.ffn(1024, 4096, 14336), devices=8).cost
    209715200
    """
    options = make_options(
        runs=False,
        devices=devices,
        selector=selector,
        objective=objective,
        schedule_mode=schedule_mode,
        specs=specs,
        memory_limit=memory_limit,
        partial_dtype=partial_dtype,
        topology=topology,
        seed=seed,
        budget=budget,
        time_limit=time_limit,
        cache_dir=cache_dir,
        proposer=proposer,
    )
    core = _core.make_plan(checked_graph(graph)._core, options)
    warn_of(core.warning, 3)
    return Plan(core, options)


def load_plan(path: str | os.PathLike[str]) -> Plan:
    """Read a plan from a file, and check all of it.

    Raises
    ------
    einsummable.PlanError
        If the file cannot be read, is no plan, or does not hold what it says.
    einsummable.TopologyError
        If its machine is none, or lacks a device that the plan names.
    """
    file = _file(path)
    try:
        source = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise PlanError(f"the plan {file} cannot be read: {error}") from None
    core = _core.parse_plan(source)
    return Plan(core, _core.options_of(core))


def _file(path: object) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise PlanError(f"the path of a plan must be a text or a path, not {shown(path)}")
    return Path(path)


def checked_graph(graph: object) -> Graph:
    """Check that it is a graph."""
    if not isinstance(graph, Graph):
        raise PlanError(f"a Graph is planned, not {shown(graph)}")
    return graph
