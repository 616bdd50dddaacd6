# SPDX-License-Identifier: Apache-2.0
"""The errors the library raises: each a ``ValueError`` that says what would be legal."""

import numpy as np

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


def shown(value: object) -> str:
    """Give a value as messages do: of an int too long to read, how many bits it has."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an int of {value.bit_length()} bits"
    try:
        return str(value) if isinstance(value, np.generic) else repr(value)
    except ValueError:  # of an int with more digits than Python prints
        return f"a {type(value).__name__} that holds an int too long to print"
