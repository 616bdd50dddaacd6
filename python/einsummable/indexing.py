# SPDX-License-Identifier: Apache-2.0
"""What ``t[...]`` means: ints, slices, None and Ellipsis, as in NumPy."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any

from einsummable.errors import GraphError, shown
from einsummable.handle import Handle, describe

Index = Any
"""An int, a slice, None, Ellipsis, or a tuple of those."""


@dataclass
class Selection:
    """A slice of every axis, and the shape of what it gives."""

    starts: list[int] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    sliced: list[int] = field(default_factory=list)
    """The shape after the slice, one extent an axis of the tensor."""
    shape: list[int] = field(default_factory=list)
    """The shape without the axes that ints drop, with those that None adds."""

    def add(self, start: int, stop: int, step: int) -> int:
        """Slice the next axis; gives its extent."""
        extent = len(range(start, stop, step))
        if extent == 0:
            start, stop, step = 0, 0, 1
        self.starts.append(start)
        self.stops.append(stop)
        self.steps.append(step)
        self.sliced.append(extent)
        return extent


def select(tensor: Handle, index: Index) -> Selection:
    """Read an index of `tensor`.

    Raises
    ------
    einsummable.GraphError
        If a position is out of range, there are too many, or one is no index.
    """
    items = list(index) if isinstance(index, tuple) else [index]
    used = sum(item is not None and item is not Ellipsis for item in items)
    if used > tensor.ndim:
        raise _error(tensor, index, f"there are {tensor.ndim} axes and {used} positions")
    dots = sum(item is Ellipsis for item in items)
    if dots > 1:
        raise _error(tensor, index, "'...' may stand once")
    if dots == 0:
        items.append(Ellipsis)
    out = Selection()
    for item in items:
        if item is None:
            out.shape.append(1)
        elif item is Ellipsis:
            for _ in range(tensor.ndim - used):
                out.shape.append(out.add(0, tensor.shape[len(out.starts)], 1))
        else:
            _select_axis(tensor, index, item, out)
    return out


def _select_axis(tensor: Handle, index: Index, item: object, out: Selection) -> None:
    extent = tensor.shape[len(out.starts)]
    if isinstance(item, slice):
        try:
            start, stop, step = item.indices(extent)
        except (TypeError, ValueError) as error:
            raise _error(tensor, index, str(error)) from None
        out.shape.append(out.add(start, stop, step))
        return
    if isinstance(item, bool):
        raise _error(tensor, index, "a bool is no position")
    try:
        position = operator.index(item)  # type: ignore[arg-type]
    except TypeError:
        raise _error(
            tensor,
            index,
            "a position is an int, a slice, None or '...'; rows by number are taken by `embedding`",
        ) from None
    if not -extent <= position < extent:
        axis = len(out.starts)
        raise _error(
            tensor, index, f"axis {axis} has {extent} positions, and {shown(position)} is none"
        )
    out.add(position % extent, position % extent + 1, 1)


def _error(tensor: Handle, index: Index, message: str) -> GraphError:
    shown = ", ".join(map(_show, index if isinstance(index, tuple) else (index,)))
    return GraphError(f"{tensor.name}[{shown}]: {tensor.name} is {describe(tensor)}; {message}")


def _show(item: object) -> str:
    if item is Ellipsis:
        return "..."
    if not isinstance(item, slice):
        return shown(item)
    parts = [item.start, item.stop] if item.step is None else [item.start, item.stop, item.step]
    return ":".join("" if part is None else shown(part) for part in parts)
