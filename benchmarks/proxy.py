# SPDX-License-Identifier: Apache-2.0
"""The paper's experiments 3 and 5 on this machine: what plans chosen in several ways take.

The workloads are the paper's, scaled down, on eight virtual devices with private sites, so that all
that moves is copied. The machine that times are predicted for is the shipped `cpu`, but for that.
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import einsummable as es
from benchmarks import paper
from benchmarks.cases import BLOCKS, CHAINS, correlation, show_ms
from benchmarks.measure import Series, alternate, timed
from benchmarks.report import Report, Scatter

DEVICES = 8
RANDOM_PLANS = 20
ROUNDS = 10
WARM_UP = 2
STUDENT = 2.262
"""95 % of what is drawn ten times lies within so many standard errors of its mean."""

BLOCK_SCALE, CHAIN_SCALE = 32, 16
SIZES: dict[str, int] = {"d_model": 256, "heads": 8, "kv_heads": 2, "head_dim": 32, "d_ff": 896}
"""A block of the paper's proportions, a sixteenth as wide."""


@dataclass(frozen=True)
class Way:
    """A way to choose a plan."""

    objective: str = "proxy"
    selector: str = "optimal"
    seed: int = 0


CHOSEN = {
    "optimal": Way(),
    "paper": Way(selector="paper"),
    "greedy": Way(selector="greedy"),
    "least time": Way(objective="time"),
}
RANDOM = {f"random {seed}": Way(selector="random", seed=seed) for seed in range(RANDOM_PLANS)}


@dataclass(frozen=True)
class Run:
    """A plan, and what calls took."""

    cost: int
    predicted_ms: float
    seconds: tuple[float, ...]

    @property
    def ms(self) -> float:
        """The mean."""
        return 1e3 * statistics.fmean(self.seconds)

    @property
    def interval(self) -> float:
        """Half of the 95 % interval of the mean of ten, in ms.

        >>> round(Run(0, 0, (0.001, 0.003) * 5).interval, 3)
        0.754
        """
        return 1e3 * STUDENT * statistics.stdev(self.seconds) / math.sqrt(len(self.seconds))


def run(given: argparse.Namespace) -> Iterator[Report]:
    """Give the times of each way to choose a plan, and how well costs foretell them."""
    with tempfile.TemporaryDirectory() as folder:
        machine = Path(folder, "copying.toml")
        machine.write_text(copying(given.threads), encoding="utf-8")
        found = {n: _measured(make(), given.threads, machine) for n, make in _workloads().items()}
    yield _selectors(found)
    yield _correlations(found)


def copying(workers: int) -> str:
    r"""Describe the shipped `cpu`, with so many workers and a copy for each transfer.

    >>> print(*copying(3).splitlines()[-5:], sep="\n")
    [[bus]]
    name = "copies"
    pairs = "unlinked"
    gbps = 10.0
    source = "a copy reads and writes memory"
    """
    machine = es.topology.load("cpu")
    described = tomllib.loads(str(machine))
    lines = str(machine).splitlines()
    lines[lines.index(f"workers = {described['compute']['workers']}")] = f"workers = {workers}"
    return "\n".join(
        [
            *(line for line in lines if not line.startswith("handover")),
            "[[bus]]",
            'name = "copies"',
            'pairs = "unlinked"',
            f"gbps = {described['sites']['hbm'] / 2}",
            'source = "a copy reads and writes memory"',
        ]
    )


def _workloads() -> dict[str, Callable[[], es.Graph]]:
    blocks = {
        name: partial(
            es.workloads.llama_block,
            *_scaled(*tokens),
            dtype="float32",
            rope=True,
            **SIZES,
        )
        for name, tokens in BLOCKS.items()
    }
    chains = {
        name: partial(es.workloads.chain, letter, scale=CHAIN_SCALE)
        for name, letter in CHAINS.items()
    }
    return {**blocks, **chains}


def _scaled(batch: int, seq: int) -> tuple[int, int]:
    return batch, seq // BLOCK_SCALE


def _measured(graph: es.Graph, threads: int, machine: Path) -> dict[str, Run]:
    executables = {
        name: es.compile(
            graph,
            devices=DEVICES,
            threads=threads,
            private_sites=True,
            topology=machine,
            objective=way.objective,
            selector=way.selector,
            seed=way.seed,
        )
        for name, way in {**CHOSEN, **RANDOM}.items()
    }
    inputs = _numbers(graph.inputs)
    weights = _numbers(graph.parameters)
    for executable in executables.values():
        executable.load(weights)
    calls = {
        name: partial(timed, partial(executable, inputs))
        for name, executable in executables.items()
    }
    for call in list(calls.values()) * (WARM_UP - 1):
        call()
    taken = alternate(calls, ROUNDS, pause=0)
    return {name: _run(executables[name], series) for name, series in taken.items()}


def _numbers(tensors: Mapping[str, es.Tensor]) -> dict[str, np.ndarray]:
    """Give integers below 8 for integers, else numbers that products neither grow nor shrink."""
    random = np.random.default_rng(0)
    out = {}
    for name, tensor in tensors.items():
        if tensor.dtype == "int32":
            out[name] = random.integers(0, 8, tensor.shape, np.int32)
            continue
        numbers = random.standard_normal(tensor.shape, np.float32)
        out[name] = numbers / np.sqrt(np.float32(tensor.shape[0]))
    return out


def _run(executable: es.Executable, series: Series) -> Run:
    plan = executable.plan
    return Run(plan.cost, plan.predicted_ms, series.seconds)


def _selectors(found: Mapping[str, Mapping[str, Run]]) -> Report:
    report = Report(
        f"proxy, {DEVICES} devices with private sites: ms a call and its 95 % interval",
        [
            "",
            *CHOSEN,
            f"best of {RANDOM_PLANS}",
            f"median of {RANDOM_PLANS}",
            "faster than optimal",
        ],
    )
    for workload, runs in found.items():
        random = sorted((runs[name] for name in RANDOM), key=lambda r: r.ms)
        shown = [*(runs[name] for name in CHOSEN), random[0], random[len(random) // 2]]
        beaten_by = sum(r.ms < runs["optimal"].ms for r in random)
        report.rows.append(
            [
                workload,
                *(f"{show_ms(r.ms)} ± {show_ms(r.interval)}" for r in shown),
                str(beaten_by),
            ]
        )
        report.entries.append(
            {
                "workload": workload,
                "plans": {
                    name: {"cost": r.cost, "predicted_ms": r.predicted_ms, "seconds": r.seconds}
                    for name, r in runs.items()
                },
            }
        )
    report.notes.append(
        "beat optimal: random plans that take less time. "
        f"Blocks: the paper's sequences over {BLOCK_SCALE}, d_model {SIZES['d_model']}; chains: "
        f"extents over {CHAIN_SCALE}; {WARM_UP} calls to warm up, {ROUNDS} timed."
    )
    return report


def _correlations(found: Mapping[str, Mapping[str, Run]]) -> Report:
    report = Report(
        f"proxy, {RANDOM_PLANS} random plans: Pearson correlation with the time of a call",
        ["", "paper: cost", "cost", "simulated time"],
    )
    for workload, runs in found.items():
        random = [runs[name] for name in RANDOM]
        times = [r.ms for r in random]
        values = (
            paper.CORRELATION.get(workload),
            correlation([r.cost for r in random], times),
            correlation([r.predicted_ms for r in random], times),
        )
        report.rows.append([workload, *("" if v is None else f"{v:.2f}" for v in values)])
        report.entries.append(
            {
                "workload": workload,
                **dict(zip(("paper", "cost", "simulated_time"), values, strict=True)),
            }
        )
    for title, across, of in (
        ("Cost and time of random plans", "elements that move", lambda r: r.cost),
        ("Simulated and measured time of random plans", "simulated ms", lambda r: r.predicted_ms),
    ):
        report.charts.append(_scatter(title, across, of, found))
    return report


def _scatter(
    title: str,
    across: str,
    of: Callable[[Run], float],
    found: Mapping[str, Mapping[str, Run]],
) -> Scatter:
    panels: dict[str, Sequence[tuple[float, float]]] = {
        workload: [(of(runs[name]), runs[name].ms) for name in RANDOM]
        for workload, runs in found.items()
    }
    return Scatter(f"{title}, {DEVICES} virtual devices", panels, across, "ms a call")
