# SPDX-License-Identifier: Apache-2.0
"""Exchange programs (Section 5.2): what must be where, and who sends what to whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from einsummable import _core
from einsummable.attributes import integers, text
from einsummable.errors import ExchangeError, GraphError, shown

__all__ = ["Program", "parse"]


class Program:
    """An exchange program; `str` gives its text. Made by `parse`."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.Program) -> None:
        self._core = core

    def check(self, members: Mapping[str, Sequence[int]] | None = None) -> _core.Verdict:
        """Say whether it is valid (Definition 5.5).

        Parameters
        ----------
        members : mapping, optional
            The sites of partitions that the text gives by size alone; default any that make it
            valid.

        Returns
        -------
        Verdict
            ``ok``, ``reason`` and ``members``; true if it is valid.

        Raises
        ------
        einsummable.ExchangeError
            For a partition that is not there, or sites that are no numbers.
        """
        if members is not None and not isinstance(members, Mapping):
            raise ExchangeError(f'members are given as {{"G1": [0, 1]}}, not as {shown(members)}')
        try:
            named = {
                text("a partition", name): integers(f"members of {name}", sites)
                for name, sites in (members or {}).items()
            }
        except GraphError as error:
            raise ExchangeError(str(error)) from None
        return self._core.check(named)

    def __str__(self) -> str:
        """Give the text, which parses back to an equal program."""
        return self._core.text()

    def __repr__(self) -> str:
        """Count its lines."""
        return f"<exchange program of {len(str(self).splitlines())} lines>"


def parse(source: str) -> Program:
    r"""Read an exchange program.

    Raises
    ------
    einsummable.ExchangeError
        With line and reason, if the text is none.

    Examples
    --------
    Two partials are added at site 0:

    >>> bool(parse("IN: A @ 0; B @ 1\nOUT: A+B @ 0\nB @ 1 -> 0\nA+B @ 0").check())
    True
    """
    try:
        checked = text("the text of an exchange program", source)
    except GraphError as error:
        raise ExchangeError(str(error)) from None
    return Program(_core.parse_program(checked))
