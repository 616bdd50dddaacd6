# SPDX-License-Identifier: Apache-2.0
"""Cuts a tensor computation over many devices, and proves the result."""

from einsummable import operators
from einsummable._core import version as __version__
from einsummable.errors import (
    DeviceError,
    Error,
    ExchangeError,
    GraphError,
    InputError,
    MemoryLimitError,
    PlanError,
    TopologyError,
)
from einsummable.graph import Graph, parse_graph
from einsummable.operators import *  # noqa: F403
from einsummable.tensor import Tensor

__all__ = [
    "DeviceError",
    "Error",
    "ExchangeError",
    "Graph",
    "GraphError",
    "InputError",
    "MemoryLimitError",
    "PlanError",
    "Tensor",
    "TopologyError",
    "__version__",
    "parse_graph",
]
__all__ += operators.__all__
