# SPDX-License-Identifier: Apache-2.0
"""Names of dtypes, and what NumPy calls them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from einsummable.errors import GraphError, shown

DTypeLike = str | type | np.dtype[Any]
"""A name such as ``"float32"``, or what NumPy takes for a dtype."""

NUMPY_DTYPES: dict[str, np.dtype[Any]] = {
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "int32": np.dtype(np.int32),
    "int64": np.dtype(np.int64),
    "bool": np.dtype(np.bool_),
}


def dtype_name(dtype: object) -> str:
    """Give the name of a dtype: ``"float32"`` of ``np.float32`` or ``torch.float32``.

    Raises
    ------
    einsummable.GraphError
        If there is no such dtype; the message lists those there are.
    """
    name = dtype if isinstance(dtype, str) else _foreign_name(dtype)
    if name not in NUMPY_DTYPES:
        given = shown(dtype if name is None else name)
        raise GraphError(f"there is no dtype {given}; there are {', '.join(NUMPY_DTYPES)}")
    return name


def name_of_numpy(dtype: np.dtype[Any]) -> str | None:
    """Give the name of a NumPy dtype in the byte order of this machine; None if it has none."""
    native = dtype.newbyteorder("=")
    return next((name for name, known in NUMPY_DTYPES.items() if known == native), None)


def _foreign_name(dtype: object) -> str | None:
    if type(dtype).__module__.partition(".")[0] == "torch":
        return str(dtype).removeprefix("torch.")
    if dtype is None:
        return None
    try:
        return name_of_numpy(np.dtype(dtype))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return None


def kind(name: str) -> str:
    """``"float"``, ``"int"`` or ``"bool"``."""
    return "float" if "float" in name else name.rstrip("0123456789")
