# SPDX-License-Identifier: Apache-2.0
"""The errors the library raises: each a ``ValueError`` that says what would be legal."""

from einsummable._core import (
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
]

for _name in __all__:
    globals()[_name].__module__ = "einsummable"
