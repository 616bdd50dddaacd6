# SPDX-License-Identifier: Apache-2.0
"""A transformer block on virtual devices, beside PyTorch, JAX, and its matrix products alone."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

import einsummable as es
from benchmarks.ours import Case, run_case
from benchmarks.peers.beside import JAX, TORCH, beside
from benchmarks.report import Report
from benchmarks.summary import summary

SIZES: dict[str, Any] = {"d_model": 1024, "heads": 16, "kv_heads": 8, "head_dim": 64, "d_ff": 3584}
TOKENS = ((8, 128), (1, 1024), (1, 4096))
DEVICES = (1, 2, 8, 16, 72)


def run(given: argparse.Namespace) -> Iterator[Report]:
    """Give a report for each shape of the input, and one of all."""
    reports = {}
    for batch, seq in TOKENS:
        with beside(given) as others:
            report = run_case(_case(batch, seq), DEVICES, (*TORCH, *JAX), others, given)
        reports[f"{batch} x {seq}"] = report
        yield report
    yield summary("block", reports)


def _case(batch: int, seq: int) -> Case:
    graph = es.workloads.llama_block(batch, seq, dtype="float32", **SIZES)
    random = np.random.default_rng(0)
    sizes = ", ".join(f"{name} {value}" for name, value in SIZES.items())
    return Case(
        title=f"block, {batch} x {seq} tokens, {sizes}, float32",
        graph=graph,
        parameters={n: _weight(n, t.shape, random) for n, t in graph.parameters.items()},
        inputs={
            "x": random.standard_normal((batch * seq, SIZES["d_model"]), np.float32),
            "positions": np.arange(batch * seq, dtype=np.int32) % seq,
        },
        workload="block",
        settings={"batch": batch, "seq": seq, **SIZES},
    )


def _weight(name: str, shape: tuple[int, ...], random: np.random.Generator) -> npt.NDArray[Any]:
    """Give one that keeps the size of what it is multiplied with."""
    values = random.standard_normal(shape, np.float32)
    if len(shape) == 1:
        return 1 + values / 10
    inner = math.prod(shape[:-1]) if name == "w_out" else shape[0]
    return values / np.float32(math.sqrt(inner))
