# SPDX-License-Identifier: Apache-2.0
"""Proposers of exchange programs: any callable from text to text, or a language model's endpoint.

A proposer is given a prompt (the language, the machine, what must be where, the best program so
far) and answers with text that holds a program. What it answers is checked and simulated; it can
make a plan faster, never wrong.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from einsummable import _core
from einsummable.arguments import at_least, flag, machine_name, seconds
from einsummable.endpoint import Endpoint, Proposer, ProposerError, asker, warn_of
from einsummable.errors import ExchangeError, shown
from einsummable.exchange import Program

__all__ = ["Endpoint", "Proposal", "Proposer", "ProposerError", "improve"]


@dataclass(frozen=True)
class Proposal:
    """What came of asking a proposer.

    Attributes
    ----------
    program : Program
        The best program.
    ms : float
        Its simulated time.
    improved : bool
        Whether it came from a reply.
    asked, valid : int
        How many replies there were, and how many held a valid program.
    failures : list of str
        Why replies were not taken.
    """

    program: Program
    ms: float
    improved: bool
    asked: int
    valid: int
    failures: list[str]


def improve(
    program: Program,
    topology: str | os.PathLike[str],
    propose: Proposer | None = None,
    *,
    bound_ms: float = 0.0,
    ideal: bool = False,
    rounds: int = 3,
    candidates: int = 4,
) -> Proposal:
    """Ask a proposer for programs that are faster than this one.

    Parameters
    ----------
    program : Program
        What to begin with, and what must be where; without a body it begins with the naive one.
    topology : str or path
        A machine's name or file.
    propose : callable, optional
        From prompt to text; default the endpoint that the environment names.
    bound_ms : float
        A time that no program can beat, where one is known; asking ends within 1 % of it.
    ideal : bool
        Whether latencies are zero.
    rounds, candidates : int
        How many prompts are made, and how many replies asked for with each.

    Warns
    -----
    UserWarning
        If the proposer fails; what is best so far is given.

    Raises
    ------
    einsummable.ExchangeError, einsummable.TopologyError, einsummable.InputError
        If the program is not valid; if the machine lacks a site; for numbers out of range.
    """
    if not isinstance(program, Program):
        raise ExchangeError(f"what is improved is an exchange program, not {shown(program)}")
    result = _core.propose(
        program._core,
        machine_name(topology),
        asker(propose),
        bound_ms=seconds("bound_ms", bound_ms),
        ideal=flag("ideal", ideal),
        rounds=at_least(0, "rounds", rounds),
        candidates=at_least(1, "candidates", candidates),
    )
    warn_of(result.warning, 3)
    return Proposal(
        program=Program(result.program),
        ms=result.ms,
        improved=result.improved,
        asked=result.asked,
        valid=result.valid,
        failures=result.failures,
    )
