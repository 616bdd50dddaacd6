# SPDX-License-Identifier: Apache-2.0
"""Prepares computations of one library and times them, as it is asked over pipes.

    python -m benchmarks.peers.worker MODULE THREADS

`MODULE` has ``prepare(workload, variant, arrays, settings, threads)``, which gives a function that
computes once and gives the result when it is there. A request is a line of JSON on the standard
input, its answer one on the standard output:

    {"do": "prepare", "name": ..., "workload": ..., "variant": ..., "arrays": FILE, "settings": ...}
        {}
    {"do": "result", "name": ..., "file": FILE}
        {}, and the result is in the file
    {"do": "call", "name": ...}
        {"seconds": what the call took, "resting": CPU seconds used since the call before}

Where one fails the answer is ``{"error": ...}``. The end of the input ends the process.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, TextIO

import numpy as np

Computation = Callable[[], Any]


class Worker:
    """The computations of a library, by name."""

    def __init__(self, module: Any, threads: int) -> None:
        self._module = module
        self._threads = threads
        self._computations: dict[str, Computation] = {}
        self._used: float | None = None

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Do what is asked."""
        do, name = request["do"], request["name"]
        if do == "prepare":
            with np.load(request["arrays"]) as file:
                arrays = dict(file)
            self._computations[name] = self._module.prepare(
                request["workload"], request["variant"], arrays, request["settings"], self._threads
            )
            return {}
        if do == "result":
            np.save(request["file"], np.asarray(self._computations[name]()))
            return {}
        return self._call(self._computations[name])

    def _call(self, computation: Computation) -> dict[str, Any]:
        used = time.process_time()
        resting = 0.0 if self._used is None else used - self._used
        start = time.perf_counter()
        computation()
        seconds = time.perf_counter() - start
        self._used = time.process_time()
        return {"seconds": seconds, "resting": resting}


def serve(worker: Worker, requests: TextIO, answers: TextIO) -> None:
    """Answer each request until there are no more."""
    for line in requests:
        try:
            answer = worker.answer(json.loads(line))
        except Exception as error:
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def main() -> None:
    """Serve; what libraries print goes to the standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    threads = int(sys.argv[2])
    here = sorted(os.sched_getaffinity(0))
    # Not every library can be told how many threads to use.
    os.sched_setaffinity(0, here[: max(1, threads)])
    serve(Worker(importlib.import_module(sys.argv[1]), threads), sys.stdin, answers)


if __name__ == "__main__":
    main()
