# SPDX-License-Identifier: Apache-2.0
"""Graphs without a pattern, for the planner."""

from __future__ import annotations

import numpy as np

from einsummable import Graph, Tensor

EXTENTS = (512, 1024, 2048)
NEAR = 40
"""An operator reads tensors among the last so many."""


def random_graph(operators: int, seed: int) -> Graph:
    """Make products, sums and functions of matrices of random extents.

    All that is not read is saved. A result is read as often as chance has it, so that no
    elimination order is easy.
    """
    random = np.random.default_rng(seed)
    graph = Graph()
    shapes = [(rows, columns) for rows in EXTENTS for columns in EXTENTS]
    made = [graph.tensor(shape, name=f"x{i}") for i, shape in enumerate(shapes)]
    read: set[int] = set()
    for _ in range(operators):
        near = made[-NEAR:]
        x = near[random.integers(len(near))]
        y = _result(random, near, x)
        read.update(t.id for t in y[1])
        made.append(y[0])
    for tensor in made:
        if tensor.id not in read and tensor not in made[: len(shapes)]:
            graph.save(tensor)
    return graph


def _result(
    random: np.random.Generator, near: list[Tensor], x: Tensor
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Give an operator's output and what it reads, `x` first."""
    graph = x.graph
    alike = [t for t in near if t.shape == x.shape and t is not x]
    fitting = [t for t in near if t.shape[0] == x.shape[1]]
    kind = random.choice(["product", "sum", "function", "softmax", "transpose"], p=_CHANCES)
    if kind == "product" and fitting:
        y = fitting[random.integers(len(fitting))]
        return graph.matmul(x, y), (x, y)
    if kind in ("product", "sum") and alike:
        y = alike[random.integers(len(alike))]
        return x + y, (x, y)
    if kind == "softmax":
        return graph.softmax(x, axis=1), (x,)
    if kind == "transpose":
        return x.T, (x,)
    return graph.relu(x), (x,)


_CHANCES = (0.4, 0.3, 0.2, 0.05, 0.05)
