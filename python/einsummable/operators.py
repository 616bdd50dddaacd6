# SPDX-License-Identifier: Apache-2.0
"""Every operator three times: as a method of a graph, as one of a tensor, and as a function.

All are made from the methods in `composites` and from the registry of the core, so that a new
operator of the core is here by itself. The stub of this module, written by the
build, says what there is.
"""

from __future__ import annotations

import inspect
from typing import Any

from einsummable.composites import Composites
from einsummable.operands import graph_of
from einsummable.registry import OPERATORS, Method, make_method

_INTERNAL = {"constant", "gelu_tanh", "slice"}
"""Operators that have another form in Python: as ``t[a:b:c]``."""

METHODS: dict[str, Method] = {
    name: make_method(info) for name, info in OPERATORS.items() if name not in _INTERNAL
} | {name: value for name, value in vars(Composites).items() if inspect.isfunction(value)}
"""The methods of a graph that add operators, by name."""


def _operands(method: Method) -> list[str]:
    parameters = list(inspect.signature(method).parameters.values())[1:]
    return [p.name for p in parameters if "Operand" in str(p.annotation)]


def _make_function(name: str, method: Method) -> Method:
    signature = inspect.signature(method)
    parameters = list(signature.parameters.values())[1:]

    def function(*args: Any, **kwargs: Any) -> Any:
        graph = graph_of(name, [*args, *kwargs.values()])
        return method(graph, *args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "einsummable"
    function.__doc__ = method.__doc__
    function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return function


def _make_tensor_method(name: str, method: Method) -> Method:
    def tensor_method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return method(self.graph, self, *args, **kwargs)

    signature = inspect.signature(method)
    parameters = list(signature.parameters.values())
    tensor_method.__name__ = name
    tensor_method.__qualname__ = f"Tensor.{name}"
    tensor_method.__module__ = "einsummable"
    tensor_method.__doc__ = method.__doc__
    tensor_method.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[parameters[0], *parameters[2:]]
    )
    return tensor_method


FUNCTIONS: dict[str, Method] = {
    name: _make_function(name, method) for name, method in METHODS.items() if _operands(method)
}
"""The functions of the module: of the operators that take tensors."""

TENSOR_METHODS: dict[str, Method] = {
    name: _make_tensor_method(name, method)
    for name, method in METHODS.items()
    if _operands(method)[:1] == ["x"]
}
"""The methods of a tensor: of the operators whose first input is called x."""

globals().update(FUNCTIONS)
GraphOperators = type("GraphOperators", (Composites,), {"__slots__": (), **METHODS})
TensorOperators = type("TensorOperators", (), {"__slots__": (), **TENSOR_METHODS})
__all__ = sorted(FUNCTIONS)
