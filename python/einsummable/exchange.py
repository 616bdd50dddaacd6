# SPDX-License-Identifier: Apache-2.0
"""Exchange programs (Section 5.2): what must be where, and who sends what to whom."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from einsummable import _core
from einsummable.arguments import at_least, flag, folder, machine_name, seconds
from einsummable.attributes import integer, integers, text
from einsummable.endpoint import Proposer, asker, warn_of
from einsummable.errors import ExchangeError, GraphError, shown
from einsummable.simulation import Simulation

__all__ = [
    "Program",
    "Simulation",
    "SynthesizedProgram",
    "bound",
    "collective",
    "parse",
    "synthesize",
]

Members = Mapping[str, Sequence[int]]


class Program:
    """An exchange program; `str` gives its text. Made by `parse`."""

    __slots__ = ("_core",)

    def __init__(self, core: _core.Program) -> None:
        self._core = core

    def check(self, members: Members | None = None) -> _core.Verdict:
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

    def simulate(
        self,
        topology: str | os.PathLike[str],
        *,
        ideal: bool = False,
        members: Members | None = None,
    ) -> Simulation:
        r"""Say what happens when it runs on a machine.

        An aggregate is formed at a site as soon as what is there partitions it. Between two sites
        one transfer runs at a time, of those that can the first in the program; what shares a
        link, a switch's port, a bus or a memory shares its bandwidth fairly.

        Parameters
        ----------
        topology : str or path
            The machine: its name, as ``"dgx-v100"``, the path of its file, or ``"measured"``.
            Site 0 is its device 0, and so on.
        ideal : bool, optional
            Whether all latencies are taken to be zero.
        members : mapping, optional
            The sites of partitions that the text gives by size alone; default any that make it
            valid.

        Returns
        -------
        Simulation
            ``ms``, ``timeline``, ``load`` and ``critical_path``.

        Raises
        ------
        einsummable.ExchangeError
            If the program is not valid, or for members as in `check`.
        einsummable.TopologyError
            For a machine that is not there, or lacks a site or a way that the program needs.

        Examples
        --------
        >>> swap = "IN: A @ 0; B @ 1\nOUT: A+B @ 0, 1\nA @ 0 -> 1; B @ 1 -> 0\nA+B @ 0, 1"
        >>> round(parse(swap).simulate("dgx-h100", ideal=True).ms, 3)
        3.118
        """
        return Simulation(
            self._core.simulate(machine_name(topology), flag("ideal", ideal), _named(members))
        )

    def __str__(self) -> str:
        """Give the text, which parses back to an equal program."""
        return self._core.text()

    def __repr__(self) -> str:
        """Count its lines."""
        return f"<exchange program of {len(str(self).splitlines())} lines>"


def _named(members: Members | None) -> dict[str, list[int]]:
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
    topology: str | os.PathLike[str],
    *,
    ideal: bool = False,
    members: Members | None = None,
) -> _core.Bound:
    r"""Give a time that no program with the IN and OUT of this one takes less than.

    Its body and SPLIT do not count; a program without GPUS uses the sites that it names.

    Parameters
    ----------
    program : Program
        What is where, and what must be where.
    topology : str or path
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
    return program._core.bound(machine_name(topology), _named(members), flag("ideal", ideal))


def collective(name: str, sites: int, size: int) -> Program:
    """Make the preamble of a standard collective, of atoms of `size` bytes each.

    Parameters
    ----------
    name : str
        ``"all-gather"`` (each site holds an atom, all need all), ``"reduce-scatter"`` (each site
        holds a partial of each of `sites` sums and needs one of them), ``"all-reduce"``,
        ``"all-to-all"`` (each site holds an atom for each other one), ``"broadcast"`` or
        ``"reduce"`` (from, or to, site 0).
    sites : int
        2 to 255; they are 0, 1, 2, ...
    size : int
        Bytes of an atom.

    Returns
    -------
    Program
        Without a body.

    Raises
    ------
    einsummable.ExchangeError
        For another name, or numbers out of range.

    Examples
    --------
    >>> print(str(collective("all-reduce", 2, 10**9)).splitlines()[-1])
    OUT: A0+A1 @ 0, 1
    """
    try:
        given = text("a collective", name), integer("sites", sites), integer("size", size)
    except GraphError as error:
        raise ExchangeError(str(error)) from None
    return Program(_core.collective(*given))


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


class SynthesizedProgram(Program):
    """A program that `synthesize` made, with how it was made."""

    __slots__ = ("_synthesis",)

    def __init__(self, synthesis: _core.Synthesis) -> None:
        super().__init__(synthesis.program)
        self._synthesis = synthesis

    @property
    def members(self) -> dict[str, list[int]]:
        """The sites of each partition, as given or as chosen."""
        return self._synthesis.members

    @property
    def ms(self) -> float:
        """How long it takes on the machine."""
        return self._synthesis.ms

    @property
    def bound(self) -> float:
        """A time, in ms, that no program with these members takes less than; `proof` says why."""
        return self._synthesis.bound_ms

    @property
    def proof(self) -> str:
        """What proves the bound."""
        return self._synthesis.proof

    @property
    def gap(self) -> float:
        """How far `ms` is above the bound: 0.03 is 3 %."""
        return self._synthesis.gap

    @property
    def naive_ms(self) -> float:
        """How long the naive program takes."""
        return self._synthesis.naive_ms

    @property
    def packing_ms(self) -> float:
        """The load of the best packing of trees: a target for programs, not a bound; 0 if none."""
        return self._synthesis.packing_ms

    @property
    def simulations(self) -> int:
        """How many simulations the search took."""
        return self._synthesis.simulations

    @property
    def cut_short(self) -> bool:
        """Whether the time limit ended the search."""
        return self._synthesis.cut_short

    @property
    def from_cache(self) -> bool:
        """Whether it was found in the cache."""
        return self._synthesis.from_cache

    @property
    def proposed(self) -> bool:
        """Whether the proposer gave it."""
        return self._synthesis.proposed


def synthesize(
    program: Program,
    topology: str | os.PathLike[str],
    *,
    seed: int = 0,
    budget: int | None = None,
    ideal: bool = False,
    members: Members | None = None,
    time_limit: float | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    proposer: Proposer | None = None,
) -> SynthesizedProgram:
    r"""Make a fast program with the IN and OUT of this one.

    Its body and SPLIT do not count. Never slower than naive; the same for the same arguments.

    Parameters
    ----------
    program : Program
        What is where, and what must be where.
    topology : str or path
        The machine: its name, the path of its file, or ``"measured"``.
    seed : int, optional
        Of the random part of the search.
    budget : int, optional
        Simulations at most; default 200.
    ideal : bool, optional
        Whether all latencies are taken to be zero.
    members : mapping, optional
        The sites of partitions that the text gives by size alone; default the best found.
    time_limit, cache_dir : float, str or path, optional
        Seconds after which the search ends; a folder in which programs are kept.
    proposer : callable, optional
        Asked for programs that are faster than what the search found (`einsummable.proposer`).

    Returns
    -------
    SynthesizedProgram
        A `Program` with ``ms``, ``bound``, ``gap``, ``members`` and more.

    Raises
    ------
    einsummable.ExchangeError, einsummable.TopologyError, einsummable.InputError
        If nothing can meet OUT; if the machine lacks a site or a way; for numbers out of range.

    Examples
    --------
    >>> made = synthesize(collective("all-reduce", 8, 10**9), "dgx-a100", ideal=True)
    >>> f"{made.ms:.2f} ms; the bound {made.bound:.2f} ms; naive {made.naive_ms:.1f} ms"
    '5.83 ms; the bound 5.83 ms; naive 52.5 ms'
    """
    if not isinstance(program, Program):
        raise ExchangeError(f"what is synthesized is an exchange program, not {shown(program)}")
    core = program._core.synthesize(
        machine_name(topology),
        at_least(0, "seed", seed),
        200 if budget is None else at_least(0, "budget", budget),
        flag("ideal", ideal),
        _named(members),
        None if time_limit is None else seconds("time_limit", time_limit),
        "" if cache_dir is None else folder(cache_dir),
        None if proposer is None else asker(proposer),
    )
    warn_of(core.warning, 3)
    return SynthesizedProgram(core)
