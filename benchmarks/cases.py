# SPDX-License-Identifier: Apache-2.0
"""The paper's workloads, and what a plan of one takes on a machine, simulated."""

from __future__ import annotations

import multiprocessing
import statistics
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache

import einsummable as es
from einsummable import workloads

K = 1024
TOKENS = ((1, K), (1, 8 * K), (1, 128 * K), (8, K), (128, K))
BLOCKS = {f"block {batch}x{seq // K}K": (batch, seq) for batch, seq in TOKENS}
CHAINS = {f"chain {letter}": letter for letter in "ABCDE"}
DTYPE = "float16"
MODES = ("naive", "search")
OBJECTIVES = ("proxy", "time")


def _block(batch: int, seq: int) -> Callable[[], es.Graph]:
    return lambda: workloads.llama_block(batch, seq, dtype=DTYPE)


def _chain(letter: str) -> Callable[[], es.Graph]:
    return lambda: workloads.chain(letter, dtype=DTYPE)


WORKLOADS: dict[str, Callable[[], es.Graph]] = {
    **{name: _block(*tokens) for name, tokens in BLOCKS.items()},
    **{name: _chain(letter) for name, letter in CHAINS.items()},
    "ffn": lambda: workloads.ffn(K, 4096, 14336, dtype=DTYPE),
}
"""The block of Section 6 on five token workloads, chains A to E, and the network of Section 2."""


MACHINES = ("dgx-a100", "dgx-v100")
"""What the paper measured on, in its order."""

GPUS = 8
WAYS = tuple((objective, mode) for objective in OBJECTIVES for mode in MODES)
PAPERS_WAY = ("proxy", "search")
"""The paper plans by elements that move, and then optimises exchange programs."""


@dataclass(frozen=True)
class Case:
    """A workload, planned in one way for so many devices of a machine."""

    workload: str
    machine: str
    devices: int
    objective: str = "proxy"
    mode: str = "naive"
    selector: str = "optimal"
    seed: int = 0


@dataclass(frozen=True)
class Outcome:
    """What a plan costs: simulated ms, planned ms, and elements that move."""

    ms: float
    planned_ms: float
    cost: int


_known: dict[Case, Outcome] = {}


def outcome(case: Case) -> Outcome:
    """Plan and simulate, unless that is done."""
    if case not in _known:
        _known[case] = _planned(case)
    return _known[case]


def prepare(cases: Iterable[Case], threads: int) -> None:
    """Bring outcomes about in processes of their own; `outcome` then finds them."""
    missing = [case for case in dict.fromkeys(cases) if case not in _known]
    if threads < 2 or len(missing) < 2:
        return
    spawning = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(threads, len(missing)), spawning) as pool:
        _known.update(zip(missing, pool.map(_planned, missing), strict=True))


def _planned(case: Case) -> Outcome:
    plan = es.plan(
        _graph(case.workload),
        devices=case.devices,
        topology=case.machine,
        objective=case.objective,
        schedule_mode=case.mode,
        selector=case.selector,
        seed=case.seed,
    )
    return Outcome(plan.predicted_ms, plan.planned_ms, plan.cost)


@cache
def _graph(workload: str) -> es.Graph:
    return WORKLOADS[workload]()


def family(workload: str) -> str:
    """Give the first word of its name: ``"block"``, ``"chain"`` or ``"ffn"``."""
    return workload.split()[0]


def members(group: str) -> list[str]:
    """Give the workloads of a family."""
    return [name for name in WORKLOADS if family(name) == group]


def mean_of(values: Iterable[float]) -> float:
    """Give the geometric mean."""
    return statistics.geometric_mean(values)


def correlation(first: Iterable[float], second: Iterable[float]) -> float | None:
    """Give Pearson's correlation; None where one of both does not vary.

    >>> correlation([1, 2, 3], [2, 4, 6])
    1.0
    """
    a, b = list(first), list(second)
    if min(a) == max(a) or min(b) == max(b):
        return None
    return statistics.correlation(a, b)


def show_ms(ms: float | None) -> str:
    """Write milliseconds with three digits or more; nothing for None.

    >>> show_ms(0.4256), show_ms(143.2), show_ms(5036.4), show_ms(None)
    ('0.426', '143', '5,036', '')
    """
    if ms is None:
        return ""
    digits = 0 if ms >= 100 else 1 if ms >= 10 else 2 if ms >= 1 else 3
    return f"{ms:,.{digits}f}"


def show_ratio(ratio: float | None, paper: float | None = None) -> str:
    """Write a ratio, and the paper's in parentheses.

    >>> show_ratio(1.0561), show_ratio(2.1, 2.54), show_ratio(None)
    ('1.056', '2.100 (2.540)', '')
    """
    if ratio is None:
        return ""
    return f"{ratio:.3f}" + (f" ({paper:.3f})" if paper is not None else "")
