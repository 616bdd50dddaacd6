# SPDX-License-Identifier: Apache-2.0
"""Chains of matrix products and a feed-forward network, beside PyTorch, JAX, and the products."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator

import numpy as np

import einsummable as es
from benchmarks.ours import Case, run_case
from benchmarks.peers.beside import JAX, TORCH, beside
from benchmarks.peers.steps import steps_of
from benchmarks.report import Report
from benchmarks.summary import summary

SCALE = 8
"""What the extents of the paper's chains are divided by: a product is then near 1024 cubed."""
FFN = (1024, 1024, 3584)
"""Tokens, width, and inner width."""
DEVICES = (2, 8)
ROWS, COLUMNS = "rows", "columns"
FFN_CUTS = {"x": (ROWS, None), "w1": (None, COLUMNS), "w2": (COLUMNS, None)}


def run(given: argparse.Namespace) -> Iterator[Report]:
    """Give a report for each chain and for the network, and one of all."""
    reports = {}
    for case in _cases():
        with beside(given) as others:
            reports[case.title.split(",")[0]] = run_case(
                case, DEVICES, (*TORCH, *JAX), others, given
            )
        yield list(reports.values())[-1]
    yield summary("chains", reports)


def _cases() -> Iterator[Case]:
    for letter in "ABCDE":
        graph = es.workloads.chain(letter, SCALE)
        yield _case(f"chain {letter}, extents divided by {SCALE}, float32", graph)
    yield _case("ffn, {} tokens, {} to {} and back, float32".format(*FFN), es.workloads.ffn(*FFN))


def _case(title: str, graph: es.Graph) -> Case:
    """Give one whose numbers stay of one size from product to product.

    JAX on several devices gets every matrix of a chain cut as the mesh is, and those of the network
    as networks are cut: tokens by rows, the inner width by columns.
    """
    random = np.random.default_rng(0)
    given = {
        name: random.standard_normal(t.shape, np.float32) / np.float32(math.sqrt(t.shape[0]))
        for name, t in {**graph.inputs, **graph.parameters}.items()
    }
    cuts = FFN_CUTS if "w1" in given else dict.fromkeys(given, (ROWS, COLUMNS))
    return Case(
        title=title,
        graph=graph,
        parameters={name: given[name] for name in graph.parameters},
        inputs={name: given[name] for name in graph.inputs},
        workload="steps",
        settings={**steps_of(graph), "cuts": cuts},
    )
