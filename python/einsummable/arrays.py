# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries, as NumPy arrays."""

from __future__ import annotations

from typing import Any, Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

from einsummable import _core, dtypes
from einsummable.errors import InputError


class SupportsDLPack(Protocol):
    """An array of another library, as of PyTorch or JAX."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any:
        """Give the data."""


def is_array(value: object) -> TypeGuard[npt.NDArray[Any] | SupportsDLPack]:
    """Whether it is a NumPy array, or gives its data by DLPack."""
    return isinstance(value, np.ndarray) or hasattr(value, "__dlpack__")


def as_numpy(what: str, value: Any) -> npt.NDArray[Any]:
    """Give the data of an array without a copy where that is possible.

    Parameters
    ----------
    what
        The name of the array in messages, as ``input "x"``.
    value
        A NumPy array, or anything with ``__dlpack__`` in memory of the host.

    Raises
    ------
    einsummable.InputError
        If the array has a dtype there is no tensor of; the message says how to convert it.
    """
    array = value if isinstance(value, np.ndarray) else _from_dlpack(what, value)
    name = dtypes.name_of_numpy(array.dtype)
    if name is None:
        raise InputError(
            f"{what} has the dtype {array.dtype}; there are {', '.join(dtypes.NUMPY_DTYPES)}: "
            f"convert it by .astype"
        )
    if not array.dtype.isnative:
        raise InputError(
            f"{what} has the bytes of each element in reverse order ({array.dtype.str}): convert "
            f'it by .astype("{name}")'
        )
    return array


def _from_dlpack(what: str, value: Any) -> npt.NDArray[Any]:
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        # NumPy takes no bfloat16 by DLPack: take the same bytes as 16-bit integers.
        try:
            return _core.bits_of_bfloat16(value).view(dtypes.NUMPY_DTYPES["bfloat16"])
        except (BufferError, RuntimeError, TypeError, ValueError):
            pass
        raise InputError(
            f"{what}: a {type(value).__name__} gives no data to NumPy ({error}); convert it to an "
            f"array in the memory of the host"
        ) from error
