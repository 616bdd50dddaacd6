# SPDX-License-Identifier: Apache-2.0
"""Run real sentences through a real model over virtual devices, and check every number.

288 sentences, packed without padding, go through the sentence encoder all-MiniLM-L6-v2. The result
is held against a forward pass in float64 NumPy that shares nothing with it but the weights.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from einsummable import data
from einsummable.cli import quantities
from einsummable.cli.progress import Progress
from einsummable.cli.report import verified
from einsummable.executable import Executable
from einsummable.models import MiniLM
from einsummable.models._minilm_weights import load_weights
from einsummable.models._reference import embed as embed_reference

EPILOG = ""
LARGEST_DIFFERENCE = 2e-6
"""Of float32 embeddings of length 1 from those in float64."""
NEAREST = 3

Array = npt.NDArray[np.float32]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "--devices",
        type=quantities.devices,
        default=8,
        metavar="N|0,1",
        help="how many virtual devices, or which; default 8",
    )


@dataclass
class Outcome:
    """What came of it."""

    executables: list[Executable]
    tokens: int
    seconds: float
    difference: float
    neighbours: dict[str, list[tuple[float, str]]]

    @property
    def ok(self) -> bool:
        """Whether the results are right, and proven."""
        return self.difference <= LARGEST_DIFFERENCE and all(e.verify() for e in self.executables)


def run(given: argparse.Namespace) -> int:
    """Embed the sentences, check, and print; 1 if the numbers are not those of the reference."""
    sentences, queries = data.sentences(), data.queries()
    with Progress() as progress:
        outcome = _outcome(progress, sentences, queries, given.devices)
    if given.json:
        print(json.dumps(_described(outcome, len(sentences)), indent=2))
    else:
        _print(outcome, len(sentences))
    return 0 if outcome.ok else 1


def _outcome(
    progress: Progress, sentences: list[str], queries: list[str], devices: int | list[int]
) -> Outcome:
    progress.step("loading the weights")
    model = MiniLM.load(objective="proxy")  # so that all devices take part
    chunks = model.chunks(sentences)
    executables = []
    for i, chunk in enumerate(chunks):
        progress.step(f"compiling chunk {i + 1} of {len(chunks)}")
        executables.append(model.executable(chunk.ends, devices))
    progress.step(f"embedding {len(sentences)} sentences")
    model.embed(sentences, devices)
    start = time.perf_counter()
    embedded = model.embed(sentences, devices)
    seconds = time.perf_counter() - start
    progress.step("computing all of it again in float64 NumPy")
    expected = embed_reference(load_weights(), model.tokenize(sentences))
    progress.step("embedding the queries")
    asked = model.embed(queries, devices)
    return Outcome(
        executables=executables,
        tokens=sum(chunk.ends[-1] for chunk in chunks),
        seconds=seconds,
        difference=float(np.abs(embedded - expected).max()),
        neighbours=_neighbours(queries, asked, sentences, embedded),
    )


def _neighbours(
    queries: list[str], asked: Array, sentences: list[str], embedded: Array
) -> dict[str, list[tuple[float, str]]]:
    similarity = asked @ embedded.T
    nearest = np.argsort(-similarity, axis=1)[:, :NEAREST]
    return {
        query: [(float(row[i]), sentences[i]) for i in best]
        for query, row, best in zip(queries, similarity, nearest, strict=True)
    }


def _described(outcome: Outcome, sentences: int) -> dict[str, Any]:
    return {
        "ok": outcome.ok,
        "sentences": sentences,
        "tokens": outcome.tokens,
        "devices": outcome.executables[0].plan.devices,
        "largest_difference": outcome.difference,
        "seconds": outcome.seconds,
        "plans": [{"cost": e.plan.cost, "exact": e.plan.exact} for e in outcome.executables],
        "verified": [{c.name: c.count for c in e.verify().checks} for e in outcome.executables],
        "nearest": outcome.neighbours,
    }


def _print(outcome: Outcome, sentences: int) -> None:
    for exe in outcome.executables:
        print(exe.plan)
        print(verified(exe), end="\n\n")
    devices = outcome.executables[0].plan.devices
    verdict = "within" if outcome.difference <= LARGEST_DIFFERENCE else "BEYOND"
    print(
        f"{sentences} sentences, {outcome.tokens} tokens, packed without padding, over {devices} "
        f"virtual devices in {quantities.show_seconds(outcome.seconds)}"
    )
    print(
        f"largest difference from float64 NumPy: {outcome.difference:.2e}, {verdict} "
        f"{LARGEST_DIFFERENCE:.0e}\n"
    )
    for query, nearest in outcome.neighbours.items():
        print(query)
        for similarity, sentence in nearest:
            print(f"  {similarity:.2f}  {sentence}")
