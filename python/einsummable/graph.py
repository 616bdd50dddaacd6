# SPDX-License-Identifier: Apache-2.0
"""A computation, written down before it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy.typing as npt

from einsummable import _core
from einsummable.attributes import integers, name_or_default, text
from einsummable.dtypes import DTypeLike, dtype_name
from einsummable.errors import GraphError, shown
from einsummable.operators import GraphOperators
from einsummable.tensor import Tensor


class Graph(GraphOperators):
    """A computation: tensors that are given, operators on them, and tensors to keep.

    It says nothing of devices. `str` gives its text, which `parse_graph` reads.

    Examples
    --------
    >>> g = Graph()
    >>> x = g.tensor([1024, 4096], "float32", name="x")
    >>> w = g.parameter([4096, 14336], "float32", name="w")
    >>> g.save(g.matmul(x, w, name="up"), name="y")
    >>> print(g)
    graph 1
    %0 = input f32[1024, 4096] "x"
    %1 = parameter f32[4096, 14336] "w"
    %2 = matmul(%0, %1, transpose_x=false, transpose_w=false) "up"
    save %2 "y"
    """

    __slots__ = ("__weakref__",)

    def tensor(
        self, shape: int | Sequence[int], dtype: DTypeLike = "float32", *, name: str | None = None
    ) -> Tensor:
        """Add a tensor that is given at every call.

        Parameters
        ----------
        shape : sequence of int
            The extents; zero is legal.
        dtype : dtype, default "float32"
        name : str, optional
            Unique among inputs and parameters; default ``tensor_<id>``.

        Raises
        ------
        einsummable.GraphError
            For a name taken, an extent that is negative or too large, an unknown dtype.
        """
        return self._given(self._core.input, shape, dtype, name)

    def parameter(
        self, shape: int | Sequence[int], dtype: DTypeLike = "float32", *, name: str | None = None
    ) -> Tensor:
        """Add a tensor that is loaded once and stays on the devices; otherwise as `tensor`."""
        return self._given(self._core.parameter, shape, dtype, name)

    def save(self, tensor: Tensor, name: str | None = None) -> None:
        """Keep a tensor: its value is in the result of a call.

        Parameters
        ----------
        tensor : Tensor
        name : str, optional
            Its name in the result; default the tensor's own.

        Raises
        ------
        einsummable.GraphError
            If it is no tensor of this graph, or the name is taken.
        """
        if not isinstance(tensor, Tensor):
            raise GraphError(f"save: a tensor of a graph is saved, not {shown(tensor)}")
        if tensor.graph is not self:
            raise GraphError(f"save: {tensor.name!r} is a tensor of another graph")
        self._core.save(tensor.id, name_or_default("save: name", name))

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """All tensors, in the order in which they were made."""
        return tuple(self._handle(i) for i in range(self._core.tensor_count))

    @property
    def inputs(self) -> dict[str, Tensor]:
        """The tensors given at every call, by name."""
        return self._of_kind("input")

    @property
    def parameters(self) -> dict[str, Tensor]:
        """The tensors loaded once, by name."""
        return self._of_kind("parameter")

    @property
    def saved(self) -> dict[str, Tensor]:
        """The tensors to keep, by the names they are saved under."""
        return {name: self._handle(number) for number, name in self._core.saves}

    @property
    def presets(self) -> Mapping[str, npt.NDArray[Any]]:
        """The data of parameters that were made from arrays, by name."""
        return MappingProxyType(self._presets)

    @classmethod
    def from_text(cls, source: str) -> Graph:
        """Read a graph from its text; the same as `parse_graph`."""
        return cls(_core.parse_graph(text("the text of a graph", source)))

    def __str__(self) -> str:
        """Give the text, one entry a line."""
        return self._core.text()

    def __repr__(self) -> str:
        """Count what is in it."""
        return (
            f"<graph: {len(self.inputs)} inputs, {len(self.parameters)} parameters, "
            f"{self._core.op_count} operators, {len(self.saved)} saved>"
        )

    def _given(self, add: Any, shape: object, dtype: object, name: object) -> Tensor:
        checked = name_or_default("name", name)
        what = f'tensor "{checked}"' if checked else "tensor"
        try:
            named = dtype_name(dtype)
        except GraphError as error:
            raise GraphError(f"{what}: {error}") from None
        return self._handle(add(named, integers(f"{what}: shape", shape), checked))

    def _of_kind(self, kind: str) -> dict[str, Tensor]:
        found = (self._core.tensor(i).kind == kind for i in range(self._core.tensor_count))
        return {t.name: t for t, fits in zip(self.tensors, found, strict=True) if fits}

    def _make_handle(self, number: int) -> Tensor:
        made = self._core.tensor(number)
        return Tensor(self, number, made.name, made.dtype, tuple(made.shape))


def parse_graph(source: str) -> Graph:
    """Read a graph from its text.

    The text holds no data: a parameter made from an array is one to load.

    Raises
    ------
    einsummable.GraphError
        With line and column, if the text is not that of a graph.
    """
    return Graph.from_text(source)
