# SPDX-License-Identifier: Apache-2.0
"""What may stand where an operator takes a tensor: handles, numbers, arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from einsummable import arrays, dtypes
from einsummable.errors import GraphError, shown
from einsummable.handle import Handle

if TYPE_CHECKING:
    from einsummable.builder import Builder
    from einsummable.graph import Graph
    from einsummable.tensor import Tensor

LARGEST_CONSTANT = 64
"""Elements of an array that becomes a `constant`; a larger one becomes a parameter with data."""

Operand = Handle | float | np.generic | npt.NDArray[Any] | arrays.SupportsDLPack
"""A tensor of the graph, a number, or an array (NumPy, or anything with DLPack)."""

_LIMITS = {"int32": 2**31, "int64": 2**63}


def is_number(value: object) -> bool:
    """Whether it is a weak scalar: a number of Python or NumPy, which takes the others' dtype."""
    return isinstance(value, (bool, int, float, np.generic)) and not isinstance(
        value, (np.complexfloating, np.flexible, np.datetime64, np.timedelta64)
    )


def graph_of(name: str, values: Sequence[object]) -> Graph:
    """Find the graph that the operands of the function `name` belong to.

    Raises
    ------
    einsummable.GraphError
        If none of them is a tensor of a graph.
    """
    for value in values:
        if isinstance(value, Handle):
            return value.graph
        if isinstance(value, (list, tuple)):
            for item in value:
                if isinstance(item, Handle):
                    return item.graph
    raise GraphError(
        f"{name}: no operand is a tensor of a graph; make one by Graph.tensor or "
        f"Graph.parameter, or call {name} as a method of a graph"
    )


def resolve(
    graph: Builder,
    where: str,
    operands: Sequence[Operand],
    names: Sequence[str],
    weak: Sequence[bool],
) -> list[Tensor]:
    """Turn the operands of an operator into tensors of `graph`.

    Parameters
    ----------
    graph
        The graph the operator is added to.
    where
        The operator and its name, for messages.
    operands, names
        What was given, and what the operator calls each.
    weak
        Whether the operand is one of those whose dtypes meet: a number among them takes the
        dtype in which the tensors among them meet.
    """
    tensors: list[Tensor | None] = [
        None if is_number(value) else as_tensor(graph, where, name, value)
        for value, name in zip(operands, names, strict=True)
    ]
    peers = [t.dtype for t, is_weak in zip(tensors, weak, strict=True) if t is not None and is_weak]
    out = []
    for tensor, value, name, is_weak in zip(tensors, operands, names, weak, strict=True):
        if tensor is None:
            tensor = _number(graph, where, name, value, peers if is_weak else [])
        out.append(tensor)
    return out


def as_tensor(graph: Builder, where: str, name: str, value: object) -> Tensor:
    """Turn a handle or an array into a tensor of `graph`."""
    if isinstance(value, Handle):
        if value.graph is not graph:
            raise GraphError(f"{where}: {name}, {value.name!r}, is a tensor of another graph")
        return value  # type: ignore[return-value]
    if arrays.is_array(value):
        return graph.constant(value)
    raise GraphError(
        f"{where}: {name} must be a tensor, a number or an array, "
        f"not {_article(type(value).__name__)}"
    )


def number_dtype(value: Any, peers: Sequence[str]) -> str:
    """Give the dtype a number takes among tensors of the dtypes `peers`."""
    kinds = {dtypes.kind(peer) for peer in peers}
    number = _kind_of_number(value)
    if "float" in kinds or (kinds and number == "bool") or (number == "int" and "int" in kinds):
        return _widest(peers)
    return {"float": "float32", "int": "int64", "bool": "bool"}[number]


def _widest(peers: Sequence[str]) -> str:
    """Of the dtypes of the highest kind, one; the core promotes the rest."""
    floats = [peer for peer in peers if dtypes.kind(peer) == "float"]
    ints = [peer for peer in peers if dtypes.kind(peer) == "int"]
    return max(floats or ints or list(peers), key=lambda peer: dtypes.NUMPY_DTYPES[peer].itemsize)


def _kind_of_number(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "bool"
    return "int" if isinstance(value, (int, np.integer)) else "float"


def _number(graph: Builder, where: str, name: str, value: Any, peers: Sequence[str]) -> Tensor:
    dtype = number_dtype(value, peers)
    return graph.apply(
        "constant", [], {"shape": [], "values": [_fit(where, name, value, dtype)], "dtype": dtype}
    )[0]


def scalar(what: str, value: Any, dtype: str) -> npt.NDArray[Any]:
    """Give a number as an array without axes, rounded to the dtype.

    Raises
    ------
    einsummable.GraphError
        If the dtype has no such number.
    """
    try:
        number = value.item() if isinstance(value, np.generic) else value
        if dtypes.kind(dtype) != "float":
            return np.array(number, dtypes.NUMPY_DTYPES[dtype])
        # bfloat16 takes large ints only as floats.
        number = float(number)
        with np.errstate(over="ignore"):
            array = np.array(number, dtypes.NUMPY_DTYPES[dtype])
        if math.isfinite(number) == bool(np.isfinite(array)):
            return array
    except (OverflowError, ValueError):
        pass
    raise GraphError(f"{what}, {shown(value)}, is out of the range of {dtype}")


def _fit(where: str, name: str, value: Any, dtype: str) -> float:
    if dtype in _LIMITS:
        whole = int(value)
        if not -_LIMITS[dtype] <= whole < _LIMITS[dtype]:
            raise GraphError(f"{where}: {name}, {shown(whole)}, is out of the range of {dtype}")
        if int(float(whole)) != whole:
            raise GraphError(
                f"{where}: {name}, {shown(whole)}, is too large for a number; give it as an array"
            )
    try:
        number = float(value)
    except OverflowError:
        raise GraphError(f"{where}: {name} is out of the range of {dtype}") from None
    if math.isfinite(number) and dtypes.kind(dtype) == "float":
        with np.errstate(over="ignore"):
            if not np.isfinite(np.float64(number).astype(dtypes.NUMPY_DTYPES[dtype])):
                raise GraphError(f"{where}: {name}, {number:g}, is out of the range of {dtype}")
    return number


def _article(word: str) -> str:
    return f"an {word}" if word[0].lower() in "aeiou" else f"a {word}"
