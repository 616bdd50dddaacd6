# SPDX-License-Identifier: Apache-2.0
"""Tensors of a graph under the operators of Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from einsummable.dtypes import DTypeLike, kind
from einsummable.errors import GraphError
from einsummable.handle import Handle
from einsummable.indexing import Index, select
from einsummable.operands import Operand, is_number
from einsummable.operators import TensorOperators


class Tensor(Handle, TensorOperators):
    """A tensor of a graph: a name for values that a call will give or compute.

    Operators are methods of it and Python's own; numbers take its dtype, arrays become constants
    of the graph. Two tensors are equal only if they are one: `equal` compares elements.

    Examples
    --------
    >>> g = Graph()
    >>> x = g.tensor([3, 4], name="x")
    >>> (2 * x[:, ::-1] + 1).shape
    (3, 4)
    """

    __slots__ = ()
    __hash__ = object.__hash__
    # NumPy leaves operators with an array on the left to the tensor.
    __array_ufunc__ = None

    @property
    def T(self) -> Tensor:  # noqa: N802
        """The tensor with its axes in reverse order."""
        return self.graph.apply("transpose", [self])[0]

    def astype(self, dtype: DTypeLike, *, name: str | None = None) -> Tensor:
        """Cast to another dtype; the same as `cast`."""
        return self.graph.apply("cast", [self], {"dtype": dtype}, name=name)[0]

    def __getitem__(self, index: Index) -> Tensor:
        selection = select(self, index)
        out = self
        if any(step != 1 for step in selection.steps) or selection.sliced != list(self.shape):
            # A stop before position 0, of a falling slice, is written from the end.
            stops = [
                stop if stop >= 0 else -extent - 1
                for stop, extent in zip(selection.stops, self.shape, strict=True)
            ]
            bounds = {"starts": selection.starts, "stops": stops, "steps": selection.steps}
            out = self.graph.apply("slice", [self], bounds)[0]
        if selection.shape != list(out.shape):
            out = self.graph.apply("reshape", [out], {"shape": selection.shape})[0]
        return out

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        if not self.shape:
            raise GraphError(f"{self.name} is a tensor without axes: it has no length")
        return self.shape[0]

    def __bool__(self) -> bool:
        raise GraphError(
            f"{self.name} is a tensor of a graph: it has values only in a call, so it cannot "
            f"decide an `if`; use where()"
        )

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise GraphError(
            f"{self.name} is a tensor of a graph: it has values only in a call; save it, compile "
            f"the graph, and read it from the result"
        )

    def _binary(self, op: str, left: Operand, right: Operand) -> Tensor:
        return self.graph.apply(op, [left, right])[0]

    def __add__(self, other: Operand) -> Tensor:
        return self._binary("add", self, other)

    def __radd__(self, other: Operand) -> Tensor:
        return self._binary("add", other, self)

    def __sub__(self, other: Operand) -> Tensor:
        return self._binary("subtract", self, other)

    def __rsub__(self, other: Operand) -> Tensor:
        return self._binary("subtract", other, self)

    def __mul__(self, other: Operand) -> Tensor:
        return self._binary("multiply", self, other)

    def __rmul__(self, other: Operand) -> Tensor:
        return self._binary("multiply", other, self)

    def __truediv__(self, other: Operand) -> Tensor:
        return self._binary("divide", self, other)

    def __rtruediv__(self, other: Operand) -> Tensor:
        return self._binary("divide", other, self)

    def __floordiv__(self, other: Operand) -> Tensor:
        return self._binary("floor_divide", self, other)

    def __rfloordiv__(self, other: Operand) -> Tensor:
        return self._binary("floor_divide", other, self)

    def __mod__(self, other: Operand) -> Tensor:
        return self._binary("remainder", self, other)

    def __rmod__(self, other: Operand) -> Tensor:
        return self._binary("remainder", other, self)

    def __pow__(self, other: Operand) -> Tensor:
        if is_number(other) and (kind(self.dtype) == "float" or isinstance(other, int)):
            return self.graph.apply("pow", [self], {"a": other})[0]
        return self._binary("power", self, other)

    def __rpow__(self, other: Operand) -> Tensor:
        return self._binary("power", other, self)

    def __matmul__(self, other: Operand) -> Tensor:
        return self.graph.matmul(self, other)

    def __rmatmul__(self, other: Operand) -> Tensor:
        return self.graph.matmul(other, self)

    def __lt__(self, other: Operand) -> Tensor:
        return self._binary("less", self, other)

    def __le__(self, other: Operand) -> Tensor:
        return self._binary("less_equal", self, other)

    def __gt__(self, other: Operand) -> Tensor:
        return self._binary("greater", self, other)

    def __ge__(self, other: Operand) -> Tensor:
        return self._binary("greater_equal", self, other)

    def __neg__(self) -> Tensor:
        return self.graph.apply("neg", [self])[0]

    def __pos__(self) -> Tensor:
        return self

    def __abs__(self) -> Tensor:
        return self.graph.apply("abs", [self])[0]

    def _logical(self, op: str, symbol: str, *operands: Operand) -> Tensor:
        for operand in operands:
            if getattr(operand, "dtype", "bool") != "bool" or not (
                isinstance(operand, bool) or hasattr(operand, "dtype")
            ):
                raise GraphError(
                    f"{symbol} is of bools: {self.name} is {self.dtype}, and there are no "
                    f"operators on bits"
                )
        return self.graph.apply(op, operands)[0]

    def __and__(self, other: Operand) -> Tensor:
        return self._logical("logical_and", "&", self, other)

    def __rand__(self, other: Operand) -> Tensor:
        return self._logical("logical_and", "&", other, self)

    def __or__(self, other: Operand) -> Tensor:
        return self._logical("logical_or", "|", self, other)

    def __ror__(self, other: Operand) -> Tensor:
        return self._logical("logical_or", "|", other, self)

    def __xor__(self, other: Operand) -> Tensor:
        return self._logical("logical_xor", "^", self, other)

    def __rxor__(self, other: Operand) -> Tensor:
        return self._logical("logical_xor", "^", other, self)

    def __invert__(self) -> Tensor:
        return self._logical("logical_not", "~", self)
