# SPDX-License-Identifier: Apache-2.0
"""Which matrix products a graph computes."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from einsummable import Graph

Shape = tuple[int, ...]

_LINE = re.compile(r"%(?P<out>\d+) = (?P<op>matmul|einsum)\(%(?P<x>\d+), %(?P<w>\d+), (?P<rest>.*)")


@dataclass(frozen=True)
class Product:
    """``[rows, inner]`` times ``[inner, columns]``; ``[columns, inner]`` where transposed."""

    rows: int
    inner: int
    columns: int
    transposed: bool = False

    @property
    def flops(self) -> float:
        """Multiplications and additions."""
        return 2.0 * self.rows * self.inner * self.columns


def products_of(graph: Graph) -> list[Product]:
    """Give the products with two operands, in order; axes that go together are one.

    Raises
    ------
    ValueError
        For products over a batch axis, which no workload here has.

    Examples
    --------
    >>> import einsummable as es
    >>> products_of(es.workloads.ffn(3, 4, 5))
    [Product(rows=3, inner=4, columns=5, transposed=False), \
Product(rows=3, inner=5, columns=4, transposed=False)]
    """
    shapes = [tensor.shape for tensor in graph.tensors]
    found = []
    for line in str(graph).splitlines():
        if match := _LINE.match(line):
            x, w = shapes[int(match["x"])], shapes[int(match["w"])]
            make = _of_einsum if match["op"] == "einsum" else _of_matmul
            found.append(make(match["rest"], x, w))
    return found


def _of_matmul(rest: str, x: Shape, w: Shape) -> Product:
    if len(w) != 2 or "transpose_x=true" in rest:
        raise ValueError(f"a product of {x} and {w} is not one of rows with a weight")
    transposed = "transpose_w=true" in rest
    return Product(math.prod(x[:-1]), x[-1], w[0] if transposed else w[1], transposed)


def _of_einsum(rest: str, x: Shape, w: Shape) -> Product:
    spec = re.search(r'spec="(\w+),(\w+)->(\w+)"', rest)
    if spec is None or set(spec[1]) & set(spec[2]) & set(spec[3]):
        raise ValueError(f"einsum({rest} is not a product of two matrices")
    extents = {**dict(zip(spec[1], x, strict=True)), **dict(zip(spec[2], w, strict=True))}
    inner = set(spec[1]) & set(spec[2])
    return Product(
        rows=math.prod(extents[i] for i in set(spec[1]) - inner),
        inner=math.prod(extents[i] for i in inner),
        columns=math.prod(extents[i] for i in set(spec[2]) - inner),
    )
