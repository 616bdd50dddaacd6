# SPDX-License-Identifier: Apache-2.0
"""A transformer block on virtual devices, beside its matrix products alone."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

import einsummable as es
from benchmarks.peers import peers_of
from benchmarks.report import Report, compare, profile_note

SIZES = {"d_model": 1024, "heads": 16, "kv_heads": 8, "head_dim": 64, "d_ff": 3584}
TOKENS = ((8, 128), (1, 1024))
DEVICES = (1, 2, 8)


def run(given: argparse.Namespace) -> Iterator[Report]:
    """Give a report for each shape of the input."""
    for batch, seq in TOKENS:
        graph = es.workloads.llama_block(batch, seq, dtype="float32", **SIZES)
        positions = np.arange(batch * seq, dtype=np.int32) % seq
        random = np.random.default_rng(0)
        inputs = {
            "x": random.standard_normal((batch * seq, SIZES["d_model"]), np.float32),
            "positions": positions,
        }
        executables = {p: _executable(graph, p, given.threads) for p in DEVICES}
        peers = peers_of(graph, executables, inputs, given.threads)
        title = f"block, {batch} x {seq} tokens, {_sizes()}, float32"
        report = compare(title, peers, given.rounds)
        if given.profile:
            report.notes += [profile_note(f"{p} devices", e) for p, e in executables.items()]
        yield report


def _executable(graph: es.Graph, devices: int, threads: int) -> es.Executable:
    exe = es.compile(graph, devices=devices, threads=min(devices, threads))
    random = np.random.default_rng(devices)
    for name, tensor in graph.parameters.items():
        weight = random.standard_normal(tensor.shape, np.float32)
        exe.load({name: weight / np.sqrt(np.float32(tensor.shape[0]))})
    return exe


def _sizes() -> str:
    return ", ".join(f"{name} {value}" for name, value in SIZES.items())
