# SPDX-License-Identifier: Apache-2.0
"""The spelling of the paper (Section 2), each name in a few lines.

Examples
--------
>>> import numpy as np
>>> import einsummable as es
>>> graph = es.createGraph()
>>> x = graph.insertTensor(es.tensorDesc([2, 2], "float32"))
>>> y = graph.unary(graph.matmul(x, x), "relu", 0.0)
>>> graph.save(y)
>>> es.compileGraph(graph, device=[0, 1, 2, 3])
>>> graph.load({x: np.eye(2, dtype=np.float32)})
>>> graph.execute()
>>> graph.offload(y)
array([[1., 0.],
       [0., 1.]], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy.typing as npt

from einsummable.compiler import compile
from einsummable.dtypes import DTypeLike
from einsummable.errors import GraphError, InputError, shown
from einsummable.executable import Executable, Results
from einsummable.graph import Graph
from einsummable.operands import Operand
from einsummable.options import Devices
from einsummable.registry import OPERATORS
from einsummable.tensor import Tensor

__all__ = ["PaperGraph", "compileGraph", "createGraph", "tensorDesc"]


class TensorDesc(NamedTuple):
    """Shape and dtype of a tensor."""

    shape: int | Sequence[int]
    dtype: DTypeLike


class PaperGraph(Graph):
    """A graph that is loaded, executed and offloaded itself, once it is compiled."""

    __slots__ = ("_executable", "_results")

    def __init__(self) -> None:
        super().__init__()
        self._executable: Executable | None = None
        self._results: Results | None = None

    def insertTensor(self, desc: TensorDesc, *, name: str | None = None) -> Tensor:
        """Add a tensor to load; the same as `parameter`."""
        if not isinstance(desc, TensorDesc):
            raise GraphError(f"insertTensor takes a tensorDesc, not {shown(desc)}")
        return self.parameter(desc.shape, desc.dtype, name=name)

    def unary(
        self, x: Operand, function: str, parameter: float = 0.0, *, name: str | None = None
    ) -> Tensor:
        """Apply a function of one operand; `parameter` is its slope or exponent, if it has one."""
        info = OPERATORS.get(function) if isinstance(function, str) else None
        if info is None or len(info.inputs) != 1:
            raise GraphError(f"there is no unary operator {shown(function)}")
        given = {"a": parameter} if any(item.name == "a" for item in info.attributes) else {}
        if not given and parameter != 0:
            raise GraphError(
                f"{function} has no parameter; {shown(parameter)} must be left out or 0"
            )
        return self.apply(function, [x], given, name=name)[0]

    def load(self, arrays: Mapping[str | Tensor, Any]) -> None:
        """Copy arrays to the devices; the same as `Executable.load`."""
        self._compiled().load(arrays)

    def execute(self) -> None:
        """Run the graph on what is loaded."""
        self._results = self._compiled()()

    def offload(self, tensor: str | Tensor) -> npt.NDArray[Any]:
        """Give the value of a saved tensor after `execute`."""
        if self._results is None:
            raise InputError("there is no result yet: call graph.execute() first")
        return self._results[tensor]

    def _compiled(self) -> Executable:
        if self._executable is None:
            raise InputError("the graph is not compiled yet: call es.compileGraph(graph) first")
        return self._executable


createGraph = PaperGraph
tensorDesc = TensorDesc


def compileGraph(
    graph: PaperGraph, device: Devices | None = None, schedule_mode: str = "naive", **options: Any
) -> None:
    """Compile a graph in place: as `compile`, but by default with naive exchange programs."""
    if not isinstance(graph, PaperGraph):
        raise GraphError("compileGraph takes a graph of createGraph; compile takes any")
    made = compile(graph, devices=device, schedule_mode=schedule_mode, **options)
    graph._executable, graph._results = made, None
