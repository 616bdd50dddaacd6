# SPDX-License-Identifier: Apache-2.0
"""The sentence encoder all-MiniLM-L6-v2, beside PyTorch, onnxruntime, and its products alone."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.ours import Case, run_case
from benchmarks.peers import beside
from benchmarks.report import Report
from benchmarks.summary import summary
from einsummable import data
from einsummable.models import MiniLM
from einsummable.models._minilm_weights import HEADS, LAYERS
from einsummable.models.packing import Chunk, pack

DEVICES = (2, 8)
VOCABULARY = 30522


def run(given: argparse.Namespace) -> Iterator[Report]:
    """Give a report for sentences of equal length, of any length, for real ones, and one of all."""
    model = MiniLM.load()
    real = model.chunks(data.sentences())
    assert len(real) == 1, "the shipped sentences fit one chunk"
    chunks = {
        "64 sentences of 32 tokens": _random_chunk([32] * 64),
        "64 sentences of 16 to 48 tokens": _random_chunk(_lengths()),
        f"{len(data.sentences())} real sentences": real[0],
    }
    reports = {}
    for name, chunk in chunks.items():
        case = _case(model, f"minilm, {name}, {chunk.ends[-1]} tokens", chunk)
        variants = beside.minilm(len(chunk.ends))
        with beside.beside(given) as others:
            reports[name] = run_case(case, DEVICES, variants, others, given)
        yield reports[name]
    yield summary("minilm", reports)


def _case(model: MiniLM, title: str, chunk: Chunk) -> Case:
    return Case(
        title=title,
        graph=model.graph(chunk.ends),
        parameters=model.parameters(),
        inputs={"ids": chunk.ids, "positions": chunk.positions},
        workload="minilm",
        settings={"ends": list(chunk.ends), "heads": HEADS, "layers": LAYERS},
    )


def _lengths() -> list[int]:
    """Give 64 lengths of 16 to 48 tokens, the same at every run."""
    return [int(n) for n in np.random.default_rng(0).integers(16, 49, 64)]


def _random_chunk(lengths: Sequence[int]) -> Chunk:
    random = np.random.default_rng(0)
    return pack([random.integers(1000, VOCABULARY, n).tolist() for n in lengths])[0]
