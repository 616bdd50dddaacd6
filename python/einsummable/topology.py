# SPDX-License-Identifier: Apache-2.0
"""Machines: devices, what lies between them, and how fast each is (docs/topology.md)."""

from __future__ import annotations

import os
import tomllib
from typing import Any

from einsummable import _core, attributes
from einsummable.errors import GraphError, TopologyError

__all__ = ["Machine", "load", "names", "parse"]


class Machine:
    """A machine; `str` gives its file. Made by `load` and `parse`."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.Machine) -> None:
        self._core = core

    @property
    def name(self) -> str:
        """What it is called."""
        return self._core.name

    @property
    def sites(self) -> int | None:
        """How many devices it has; None if as many as wanted."""
        return self._core.count

    @property
    def figures(self) -> dict[str, Any]:
        """All that its file says, as tables of TOML."""
        return tomllib.loads(str(self))

    def way(self, from_site: int, to_site: int) -> _core.Way | None:
        """Say how a device reaches another.

        Returns
        -------
        Way or None
            ``through``, the names of the links, ports and buses that it takes, ``gbps`` and
            ``latency_us``; None if there is no way.

        Raises
        ------
        einsummable.TopologyError
            For a device that is not there, or the same one twice.

        Examples
        --------
        >>> load("dgx-v100").way(2, 6).through
        ['link 2->6']
        """
        pair = [_site(from_site), _site(to_site)]
        if pair[0] == pair[1]:
            raise TopologyError(f"a way is between two devices, not from {pair[0]} to itself")
        return self._core.resolve(pair).way(0, 1)

    def __str__(self) -> str:
        """Give its file, without comments."""
        return self._core.text()

    def __repr__(self) -> str:
        """Name it."""
        return f"<machine {self.name!r} of {self.sites or 'any'} sites>"


def names() -> list[str]:
    """Name the machines that come with the library.

    Examples
    --------
    >>> "dgx-a100" in names()
    True
    """
    return list(_core.machine_names())


def load(name_or_path: str | os.PathLike[str]) -> Machine:
    """Load a machine.

    Parameters
    ----------
    name_or_path : str or path
        One of `names`, the path of a file, or ``"measured"``, which is this machine as
        ``einsummable doctor --measure`` found it.

    Raises
    ------
    einsummable.TopologyError
        If it is none of these, or the file is no machine; with file, line and field.
    """
    path = os.fspath(name_or_path) if isinstance(name_or_path, os.PathLike) else name_or_path
    return Machine(_core.load_machine(_text("a topology is a name or a path, which", path)))


def parse(text: str, file: str = "the text") -> Machine:
    """Read a machine from the text of its file; `file` is what errors call it.

    Raises
    ------
    einsummable.TopologyError
        If the text is no machine; with line and field.
    """
    return Machine(_core.parse_machine(_text("the text of a machine", text), _text("file", file)))


def _text(what: str, value: object) -> str:
    try:
        return attributes.text(what, value)
    except GraphError as error:
        raise TopologyError(str(error)) from None


def _site(value: int) -> int:
    try:
        return attributes.integer("a device", value)
    except GraphError as error:
        raise TopologyError(str(error)) from None
