# SPDX-License-Identifier: Apache-2.0
"""Exchange programs (Section 5.2): what must be where, and who sends what to whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from einsummable import _core
from einsummable.attributes import integers, text
from einsummable.errors import ExchangeError, GraphError, TopologyError, shown

__all__ = ["Program", "bound", "parse"]


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
        return self._core.check(_named(members))

    def __str__(self) -> str:
        """Give the text, which parses back to an equal program."""
        return self._core.text()

    def __repr__(self) -> str:
        """Count its lines."""
        return f"<exchange program of {len(str(self).splitlines())} lines>"


def _named(members: Mapping[str, Sequence[int]] | None) -> dict[str, list[int]]:
    if members is not None and not isinstance(members, Mapping):
        raise ExchangeError(f'members are given as {{"G1": [0, 1]}}, not as {shown(members)}')
    try:
        return {
            text("a partition", name): list(integers(f"members of {name}", sites))
            for name, sites in (members or {}).items()
        }
    except GraphError as error:
        raise ExchangeError(str(error)) from None


def bound(
    program: Program,
    topology: str,
    *,
    ideal: bool = False,
    members: Mapping[str, Sequence[int]] | None = None,
) -> _core.Bound:
    r"""Give a time that no program with the IN and OUT of this one takes less than.

    Its body and SPLIT do not count; a program without GPUS uses the sites that it names.

    Parameters
    ----------
    program : Program
        What is where, and what must be where.
    topology : str
        The name of a machine, or the path of its file.
    ideal : bool
        Whether all latencies are zero.
    members : mapping, optional
        The sites of partitions that the text gives by size alone; default those that allow the
        least.

    Returns
    -------
    Bound
        ``ms``; ``proof``, what proves it; and ``members``.

    Raises
    ------
    einsummable.ExchangeError
        If nothing can meet OUT, or for members that do not fit.
    einsummable.TopologyError
        If there is no such machine, or it has too few sites.

    Examples
    --------
    >>> p = parse("IN: A @ 0\nOUT: A @ 1")
    >>> b = bound(p, "dgx-a100", ideal=True)
    >>> f"{b.ms:.3f} ms by the {b.proof}"
    '3.333 ms by the cut {0}: 1 GB leave over 300 GB/s'
    """
    if not isinstance(program, Program):
        raise ExchangeError(f"a bound is of an exchange program, not of {program!r}")
    try:
        machine = text("a topology", topology)
    except GraphError as error:
        raise TopologyError(str(error)) from None
    return program._core.bound(machine, _named(members), bool(ideal))


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
