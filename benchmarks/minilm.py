# SPDX-License-Identifier: Apache-2.0
"""The sentence encoder all-MiniLM-L6-v2, beside its matrix products alone."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import numpy as np

import einsummable as es
from benchmarks.peers import peers_of
from benchmarks.report import Report, compare, profile_note
from einsummable import data
from einsummable.models import MiniLM
from einsummable.models.packing import Chunk, pack

DEVICES = (2, 8)
VOCABULARY = 30522


def run(given: argparse.Namespace) -> Iterator[Report]:
    """Give a report for sentences of equal length, of any length, and for real ones."""
    model = MiniLM.load()
    real = model.chunks(data.sentences())
    assert len(real) == 1, "the shipped sentences fit one chunk"
    cases = {
        "64 sentences of 32 tokens": _random_chunk([32] * 64),
        "64 sentences of 16 to 48 tokens": _random_chunk(_lengths()),
        f"{len(data.sentences())} real sentences": real[0],
    }
    for name, chunk in cases.items():
        yield _report(model, f"minilm, {name}, {chunk.ends[-1]} tokens", chunk, given)


def _report(model: MiniLM, title: str, chunk: Chunk, given: argparse.Namespace) -> Report:
    graph = model.graph(chunk.ends)
    executables = {p: _executable(model, graph, p, given.threads) for p in DEVICES}
    inputs = {"ids": chunk.ids, "positions": chunk.positions}
    peers = peers_of(graph, executables, inputs, given.threads)
    report = compare(title, peers, given.rounds)
    if given.profile:
        report.notes += [profile_note(f"{p} devices", e) for p, e in executables.items()]
    return report


def _executable(model: MiniLM, graph: es.Graph, devices: int, threads: int) -> es.Executable:
    exe = es.compile(graph, devices=devices, threads=min(devices, threads))
    exe.load(model.parameters())
    return exe


def _lengths() -> list[int]:
    """Give 64 lengths of 16 to 48 tokens, the same at every run."""
    return [int(n) for n in np.random.default_rng(0).integers(16, 49, 64)]


def _random_chunk(lengths: Sequence[int]) -> Chunk:
    random = np.random.default_rng(0)
    return pack([random.integers(1000, VOCABULARY, n).tolist() for n in lengths])[0]
