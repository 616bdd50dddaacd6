# SPDX-License-Identifier: Apache-2.0
"""Cuts a tensor computation over many devices, and proves the result."""

from einsummable import exchange, models, operators, proposer, topology, workloads
from einsummable._core import version as __version__
from einsummable.compiler import compile
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
from einsummable.executable import Executable, Results
from einsummable.graph import Graph, parse_graph
from einsummable.operators import *  # noqa: F403
from einsummable.paper import compileGraph, createGraph, tensorDesc
from einsummable.planning import Plan, load_plan, plan
from einsummable.tensor import Tensor

__all__ = [
    "DeviceError",
    "Error",
    "ExchangeError",
    "Executable",
    "Graph",
    "GraphError",
    "InputError",
    "MemoryLimitError",
    "Plan",
    "PlanError",
    "Results",
    "Tensor",
    "TopologyError",
    "__version__",
    "compile",
    "compileGraph",
    "createGraph",
    "exchange",
    "load_plan",
    "models",
    "parse_graph",
    "plan",
    "proposer",
    "tensorDesc",
    "topology",
    "workloads",
]
__all__ += operators.__all__
