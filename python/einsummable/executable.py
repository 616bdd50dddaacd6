# SPDX-License-Identifier: Apache-2.0
"""A graph on its devices: load parameters, call, verify."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from einsummable import _core, arrays, dtypes
from einsummable.errors import GraphError, InputError, shown
from einsummable.graph import Graph
from einsummable.handle import Handle
from einsummable.operands import is_number, scalar
from einsummable.planning import Plan
from einsummable.tensor import Tensor
from einsummable.trace import write_trace

Given = Mapping[str, Any] | Mapping[Tensor, Any] | Mapping[str | Tensor, Any]
"""Arrays by the names of inputs and parameters, or by their handles."""


class Results(dict[str, npt.NDArray[Any]]):
    """The saved tensors of a call, by name, by handle, or as attributes."""

    def __init__(self, values: dict[str, npt.NDArray[Any]], names: Mapping[Tensor, str]) -> None:
        super().__init__(values)
        self._names = names

    def __getitem__(self, key: str | Tensor) -> npt.NDArray[Any]:
        """Give the array saved under a name, or of a saved tensor."""
        name = self._names.get(key) if isinstance(key, Tensor) else key
        if isinstance(name, str) and name in self:
            return super().__getitem__(name)
        wanted = shown(key.name if isinstance(key, Tensor) else key)
        raise InputError(f"no tensor is saved as {wanted}; there are {', '.join(map(repr, self))}")

    def __getattr__(self, name: str) -> npt.NDArray[Any]:
        """Give the array saved under a name."""
        if name.startswith("_") or name not in self:
            raise AttributeError(f"no tensor is saved as {name!r}")
        return self[name]


class Executable:
    """A compiled graph. May be called from several threads; calls run one after another.

    Examples
    --------
    >>> import numpy as np
    >>> import einsummable as es
    >>> g = es.Graph()
    >>> x = g.tensor([2, 2], name="x")
    >>> g.save(x @ x, name="y")
    >>> exe = es.compile(g, devices=4)
    >>> exe(x=np.eye(2, dtype=np.float32))["y"]
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """

    def __init__(self, core: _core.Executable, plan: Plan, graph: Graph) -> None:
        self._core = core
        self._plan = plan
        self._graph = graph
        pruned = plan.graph
        self._saved = dict(pruned.saved)
        self._given = {**pruned.inputs, **pruned.parameters}
        self._handles = {tensor: name for name, tensor in reversed(graph.saved.items())}

    @property
    def plan(self) -> Plan:
        """How it is cut."""
        return self._plan

    @property
    def graph(self) -> Graph:
        """The graph it was compiled from."""
        return self._graph

    @property
    def predicted_ms(self) -> float:
        """What a call is predicted to take in ms; see `Plan.predicted_ms`."""
        return self.plan.predicted_ms

    @property
    def peak_bytes(self) -> int:
        """The most memory that a device needs."""
        return self._core.peak_bytes

    @property
    def memory(self) -> list[_core.DeviceMemory]:
        """What a call needs on each device, in bytes.

        ``peak`` is what is set aside there, ``least`` the largest sum of what is in use at one time
        while tasks run in their order: no placement in memory needs less.
        """
        return self._core.memory

    @property
    def compile_seconds(self) -> dict[str, float]:
        """Seconds that the stages of its compilation took."""
        times = self._core.times
        stages = ("logical", "physical", "lowering", "verification", "preparation")
        return {stage: getattr(times, stage) for stage in stages}

    def verify(self) -> _core.VerifyReport:
        """Report what was proven of the program: true where all checks hold.

        Returns
        -------
        VerifyReport
            ``ok``, and ``checks`` of ``name``, ``count``, ``seconds``, ``detail`` and ``note``.
            Compiled with ``verify="numeric"``, the last check is ``numeric``: the elements that
            all calls so far were compared in, and in its note the largest difference.

        Notes
        -----
        With ``verify="numeric"`` a second program that keeps every tensor runs beside the first,
        in memory beyond `peak_bytes`. The float64 reference of each operator is given that
        program's own inputs and must agree with its outputs: integers and bools are equal, NaN is
        where NaN is, floats are as near as rounding in the dtypes of the operator allows. The
        saved tensors of both programs must be the same to the bit, so products on GPUs are
        compiled without epilogues. A call whose results are off raises a DeviceError that names
        the tensor, the position, both values and the bound.
        """
        return self._core.report

    def profile(self) -> list[_core.ProfileLine]:
        """Say what the last call took, by kind of work, the longest first.

        Returns
        -------
        list of ProfileLine
            ``work``, ``reference`` (whether there is no fast kernel for it), ``tasks`` and
            ``seconds``, which are summed over threads.

        Raises
        ------
        einsummable.DeviceError
            On GPUs, if it was not compiled with ``timed=True``.
        """
        return self._core.last_profile()

    def trace(self, path: str | os.PathLike[str]) -> None:
        """Write the last call as a trace that Chrome and Perfetto open, a lane a device.

        Parameters
        ----------
        path : str or path
            The file; JSON of trace events, times in microseconds after the call began.

        Raises
        ------
        einsummable.InputError
            If the file cannot be written.
        einsummable.DeviceError
            On GPUs, if it was not compiled with ``timed=True``.
        """
        lanes: list[dict[str, Any]] = [
            {
                "ph": "M",
                "name": "thread_name",
                "pid": 0,
                "tid": site,
                "args": {"name": f"device {site}"},
            }
            for site in range(self._plan.devices)
        ]
        tasks = [
            {
                "ph": "X",
                "name": span.name,
                "cat": span.work,
                "pid": 0,
                "tid": span.site,
                "ts": span.start * 1e6,
                "dur": span.seconds * 1e6,
                "args": {"work": span.work},
            }
            for span in self._core.last_spans()
        ]
        write_trace(path, lanes + tasks)

    def load(self, parameters: Given | None = None, /, **named: Any) -> None:
        """Copy parameters to the devices, where they stay.

        Parameters
        ----------
        parameters : mapping, optional
            Arrays by name or handle.
        **named
            Arrays by name.

        Raises
        ------
        einsummable.InputError
            For a name that is no parameter, an array of another dtype or shape.
        """
        for name, array in self._arrays(parameters, named):
            dtype, lent = _lend(array)
            self._core.load(name, dtype, lent)

    def __call__(self, inputs: Given | None = None, /, **named: Any) -> Results:
        """Run the graph.

        Parameters
        ----------
        inputs : mapping, optional
            Arrays by name or handle: every input, and any parameters, which stay loaded. NumPy
            arrays of any strides, or anything with DLPack; a number where there are no axes.
        **named
            Arrays by name.

        Returns
        -------
        Results
            New arrays, by the names of the saved tensors or by their handles.

        Raises
        ------
        einsummable.InputError
            For inputs that are missing, unknown, misshapen or mistyped, and for values out of
            range.
        einsummable.DeviceError
            If it was compiled with ``verify="numeric"`` and results are not those of the graph.
        """
        given = [(name, *_lend(array)) for name, array in self._arrays(inputs, named)]
        out = {
            name: np.empty(tensor.shape, dtypes.NUMPY_DTYPES[tensor.dtype])
            for name, tensor in self._saved.items()
        }
        self._core.call(given, [(name, *_lend(array)) for name, array in out.items()])
        return Results(out, self._handles)

    def _arrays(
        self, given: Given | None, named: dict[str, Any]
    ) -> list[tuple[str, npt.NDArray[Any]]]:
        if given is not None and not isinstance(given, Mapping):
            raise InputError(
                f'arrays are given by name, as {{"x": array}} or x=array, not as '
                f"{type(given).__name__}"
            )
        pairs = [*(given or {}).items(), *named.items()]
        names = [self._name(key) for key, _ in pairs]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"{twice!r} is given twice")
        return [
            (name, self._array(name, value)) for name, (_, value) in zip(names, pairs, strict=True)
        ]

    def _name(self, key: object) -> str:
        if isinstance(key, Handle):
            if key.graph is not self._graph:
                raise InputError(f"{key.name!r} is a tensor of another graph")
            key = key.name
        if not isinstance(key, str):
            raise InputError(f"arrays are given by name or handle, not by {shown(key)}")
        if key not in self._given:
            listed = ", ".join(map(repr, self._given)) or "none"
            raise InputError(f"there is no input or parameter called {key!r}; there are {listed}")
        return key

    def _array(self, name: str, value: Any) -> npt.NDArray[Any]:
        tensor = self._given[name]
        if is_number(value) and not tensor.shape and not isinstance(value, np.generic):
            return _scalar(name, value, tensor.dtype)
        if isinstance(value, np.generic):
            value = np.asarray(value)
        if not arrays.is_array(value):
            raise InputError(
                f"{name!r} must be a NumPy array or one with DLPack, not "
                f"{type(value).__name__}; it is {tensor.dtype}{list(tensor.shape)}"
            )
        return arrays.as_numpy(repr(name), value)


def _scalar(name: str, value: Any, dtype: str) -> npt.NDArray[Any]:
    try:
        array = scalar(repr(name), value, dtype)
    except GraphError as error:
        raise InputError(str(error)) from None
    if dtypes.kind(dtype) != "float" and array.item() != value:
        raise InputError(f"{name!r}, {shown(value)}, is no {dtype}")
    return array


def _lend(array: npt.NDArray[Any]) -> tuple[str, npt.NDArray[Any]]:
    """Give the name of the dtype, and memory that the core can read."""
    name = dtypes.name_of_numpy(array.dtype)
    assert name is not None
    if not array.flags.aligned or any(stride % array.itemsize for stride in array.strides):
        array = array.copy()
    return name, array.view(np.uint16) if name == "bfloat16" else array
