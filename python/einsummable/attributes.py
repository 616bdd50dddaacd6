# SPDX-License-Identifier: Apache-2.0
"""Python values as attributes of operators."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from einsummable.dtypes import DTypeLike, dtype_name
from einsummable.errors import GraphError, shown

ANNOTATIONS = {
    "boolean": "bool",
    "integer": "int",
    "real": "float",
    "string": "str",
    "integers": "int | Sequence[int]",
    "reals": "float | Sequence[float]",
    "dtype": "DTypeLike",
}
"""The annotation of a parameter that is an attribute of each kind."""

_LARGEST = 2**63 - 1


def to_attribute(what: str, kind: str, value: object) -> Any:
    """Turn `value` into an attribute of `kind`, or None.

    Raises
    ------
    einsummable.GraphError
        If it is of another kind, or an integer beyond 64 bits; `what` begins the message.
    """
    return None if value is None else _CONVERSIONS[kind](what, value)


def integer(what: str, value: object, most: int = _LARGEST) -> int:
    """Turn `value`, any int that fits 64 bits (or is at most `most`), into an ``int``."""
    if not isinstance(value, (bool, np.bool_)):
        try:
            number = operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
        else:
            if not -_LARGEST - 1 <= number <= max(most, _LARGEST):
                raise GraphError(f"{what}, {shown(number)}, is beyond 64 bits")
            return number
    raise GraphError(f"{what} must be an integer, not {shown(value)}")


def integers(what: str, value: object) -> list[int]:
    """Turn `value`, an int or a sequence of ints, into a list."""
    return [integer(f"{what}[{i}]", item) for i, item in _items(what, value, "integers", integer)]


def boolean(what: str, value: object) -> bool:
    """Turn `value`, a bool of Python or NumPy, into a ``bool``."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise GraphError(f"{what} must be True or False, not {shown(value)}")


def real(what: str, value: object) -> float:
    """Turn `value`, a number of Python or NumPy, into a ``float``."""
    if isinstance(value, (int, float, np.number)) and not isinstance(
        value, (bool, np.complexfloating, np.timedelta64)
    ):
        try:
            number = float(value)
        except OverflowError:
            raise GraphError(f"{what} is beyond the range of float64") from None
        if isinstance(value, (int, np.integer)) and int(number) != value:
            raise GraphError(f"{what}, {shown(value)}, is too large for a number: no float64 is it")
        return number
    raise GraphError(f"{what} must be a number, not {shown(value)}")


def text(what: str, value: object) -> str:
    """Check that `value` is a text that can be printed."""
    if not isinstance(value, str):
        raise GraphError(f"{what} must be a text, not {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise GraphError(f"{what} holds half a surrogate pair: {value!a}") from None
    return value


def name_or_default(what: str, value: object) -> str:
    """Check the name of an operator or a tensor; the empty text stands for None, the default."""
    if value is None:
        return ""
    if text(what, value) == "":
        raise GraphError(f"{what} must not be empty; leave it out to have one made")
    return str(value)


def _reals(what: str, value: object) -> list[float]:
    return [real(f"{what}[{i}]", item) for i, item in _items(what, value, "numbers", real)]


def _dtype(what: str, value: object) -> str:
    try:
        return dtype_name(value)
    except GraphError as error:
        raise GraphError(f"{what}: {error}") from None


def _items(
    what: str, value: Any, plural: str, one: Callable[[str, object], Any]
) -> list[tuple[int, object]]:
    if isinstance(value, (str, bytes)):
        raise GraphError(f"{what} must be a list of {plural}, not {shown(value)}")
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = list(value)
    if isinstance(value, Sequence):
        return list(enumerate(value))
    try:
        return [(0, one(what, value))]
    except GraphError:
        raise GraphError(f"{what} must be a list of {plural}, not {shown(value)}") from None


_CONVERSIONS: dict[str, Callable[[str, object], Any]] = {
    "boolean": boolean,
    "integer": integer,
    "real": real,
    "string": text,
    "integers": integers,
    "reals": _reals,
    "dtype": _dtype,
}

__all__ = [
    "ANNOTATIONS",
    "DTypeLike",
    "boolean",
    "integer",
    "integers",
    "name_or_default",
    "real",
    "text",
    "to_attribute",
]
