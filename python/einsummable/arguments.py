# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments that several functions take."""

from __future__ import annotations

import os

from einsummable.attributes import boolean, integer, real, text
from einsummable.errors import GraphError, InputError, TopologyError, shown


def machine_name(topology: str | os.PathLike[str]) -> str:
    """Check the name of a machine, or the path of its file."""
    try:
        return text("a topology", os.fspath(topology))
    except (GraphError, TypeError):
        raise TopologyError(
            f"a topology is the name of a machine or the path of its file, not {shown(topology)}"
        ) from None


def at_least(least: int, name: str, value: int) -> int:
    """Check a number that has a least value."""
    try:
        number = integer(name, value)
    except GraphError as error:
        raise InputError(str(error)) from None
    if number < least:
        raise InputError(f"{name} must be at least {least}, not {number}")
    return number


def seconds(what: str, value: object) -> float:
    """Check a time, of whatever unit."""
    try:
        time = real(what, value)
    except GraphError as error:
        raise InputError(str(error)) from None
    if not time >= 0:
        raise InputError(f"{what} must be a time, at least 0, not {shown(value)}")
    return time


def flag(what: str, value: object) -> bool:
    """Check a flag."""
    try:
        return boolean(what, value)
    except GraphError as error:
        raise InputError(str(error)) from None


def folder(path: str | os.PathLike[str]) -> str:
    """Check the path of a folder to keep programs in."""
    try:
        return text("cache_dir", os.fspath(path))
    except (GraphError, TypeError):
        raise InputError(f"cache_dir is the path of a folder, not {shown(path)}") from None
