# SPDX-License-Identifier: Apache-2.0
"""What a tensor of a graph is, before it has operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from einsummable.graph import Graph


class Handle:
    """Names a tensor of a graph; equal only to itself."""

    __slots__ = ("__weakref__", "_dtype", "_graph", "_id", "_name", "_shape")

    def __init__(
        self, graph: Graph, number: int, name: str, dtype: str, shape: tuple[int, ...]
    ) -> None:
        self._graph = graph
        self._id = number
        self._name = name
        self._dtype = dtype
        self._shape = shape

    @property
    def graph(self) -> Graph:
        """The graph it belongs to."""
        return self._graph

    @property
    def id(self) -> int:
        """Its number in the text of the graph, as ``%3``."""
        return self._id

    @property
    def name(self) -> str:
        """Its name; of a result, that of the operator that makes it."""
        return self._name

    @property
    def dtype(self) -> str:
        """The name of its dtype, as ``"float32"``."""
        return self._dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Its extents."""
        return self._shape

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """How many elements it has."""
        size = 1
        for extent in self._shape:
            size *= extent
        return size

    def __repr__(self) -> str:
        """Name and type, for people."""
        return f"<tensor {self._name!r}: {describe(self)}>"


def describe(tensor: Handle) -> str:
    """``float32[3, 4]``."""
    return f"{tensor.dtype}[{', '.join(map(str, tensor.shape))}]"
