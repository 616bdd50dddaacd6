# SPDX-License-Identifier: Apache-2.0
"""Cuts a tensor computation over many devices, and proves the result."""

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

__all__ = [
    "DeviceError",
    "Error",
    "ExchangeError",
    "GraphError",
    "InputError",
    "MemoryLimitError",
    "PlanError",
    "TopologyError",
    "__version__",
]
