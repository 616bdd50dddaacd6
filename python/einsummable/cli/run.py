# SPDX-License-Identifier: Apache-2.0
"""Compile a workload for virtual devices of the CPU and run it on random data.

Parameters and inputs are drawn by --seed: floats from a normal distribution, integers from 0
and 1, except that `positions` counts the tokens of each sequence. The digest of a result depends on
the workload, the seed, the devices and the plan, not on --threads or --private-sites.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from einsummable import compiler, dtypes
from einsummable.cli import plan as plan_command
from einsummable.cli import quantities, workload
from einsummable.cli.progress import Progress
from einsummable.cli.report import table, verified
from einsummable.executable import Executable, Results
from einsummable.graph import Graph
from einsummable.tensor import Tensor

EPILOG = workload.EPILOG


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    workload.add_arguments(parser)
    running = parser.add_argument_group("running")
    running.add_argument("--threads", type=int, default=0, metavar="N", help="default one a core")
    running.add_argument(
        "--private-sites",
        action="store_true",
        help="devices share no memory: all that moves is copied",
    )
    running.add_argument(
        "--verify",
        default="static",
        help="numeric: also compare every call with float64 references; default static",
    )
    running.add_argument(
        "--repeat", type=quantities.count, default=3, metavar="N", help="calls; default 3"
    )
    running.add_argument("--profile", action="store_true", help="print what took the time")
    running.add_argument(
        "--trace", metavar="FILE", help="write the last call for Chrome's tracing or Perfetto"
    )


def run(given: argparse.Namespace) -> int:
    """Compile, load, call, and report."""
    graph = workload.make_graph(given)
    with Progress() as progress:
        progress.step("compiling")
        exe = compiler.compile(
            graph,
            **workload.plan_options(given),
            threads=given.threads,
            private_sites=given.private_sites,
            verify=given.verify,
        )
        progress.step("drawing data")
        inputs = _load(exe, graph, given)
        seconds, out = [], Results({}, {})
        for i in range(given.repeat):
            progress.step(f"call {i + 1} of {given.repeat}")
            start = time.perf_counter()
            out = exe(inputs)
            seconds.append(time.perf_counter() - start)
    if given.save:
        exe.plan.save(given.save)
    if given.trace:
        exe.trace(given.trace)
    report = _report(exe, out, seconds)
    if given.explain:
        report["explanation"] = plan_command.explained(exe.plan.explain(given.explain))
    if given.profile:
        report["profile"] = _profile(exe)
    if given.json:
        print(json.dumps(report, indent=2))
    else:
        _print(exe, report, given)
    return 0 if exe.verify() else 1


def _load(exe: Executable, graph: Graph, given: argparse.Namespace) -> dict[str, Any]:
    """Load random parameters; give random inputs."""
    random = np.random.default_rng(given.seed)
    exe.load({name: _draw(random, tensor, None) for name, tensor in graph.parameters.items()})
    seq = given.tokens[1] if given.tokens else 1024
    return {name: _draw(random, tensor, seq) for name, tensor in graph.inputs.items()}


def _draw(random: np.random.Generator, tensor: Tensor, seq: int | None) -> npt.NDArray[Any]:
    dtype = dtypes.NUMPY_DTYPES[tensor.dtype]
    if tensor.name == "positions" and seq is not None and tensor.ndim == 1:
        return (np.arange(tensor.shape[0]) % seq).astype(dtype)
    if dtypes.kind(tensor.dtype) != "float":
        return random.integers(0, 2, tensor.shape).astype(dtype)
    values = random.standard_normal(tensor.shape, np.float32)
    if seq is None and tensor.ndim > 1:
        values /= np.sqrt(np.float32(max(1, tensor.shape[0])))
    return values.astype(dtype)


def _report(exe: Executable, out: Results, seconds: list[float]) -> dict[str, Any]:
    return {
        "devices": exe.plan.devices,
        "cost": exe.plan.cost,
        "exact": exe.plan.exact,
        "peak_bytes": exe.peak_bytes,
        "compile_seconds": exe.compile_seconds,
        "verified": {check.name: check.count for check in exe.verify().checks},
        "seconds": seconds,
        "results": {
            name: {
                "dtype": str(array.dtype),
                "shape": list(array.shape),
                "sha256": hashlib.sha256(
                    np.ascontiguousarray(array).view(np.uint8).data
                ).hexdigest()
                if array.size
                else hashlib.sha256(b"").hexdigest(),
            }
            for name, array in out.items()
        },
    }


def _profile(exe: Executable) -> list[dict[str, Any]]:
    fields = ("work", "reference", "tasks", "seconds")
    return [{field: getattr(line, field) for field in fields} for line in exe.profile()]


def _print(exe: Executable, report: dict[str, Any], given: argparse.Namespace) -> None:
    if given.explain:
        print(exe.plan.explain(given.explain))
    print(exe.plan)
    print(verified(exe), end="\n\n")
    compiling = sum(report["compile_seconds"].values())
    best = min(report["seconds"])
    print(
        f"compiled in {quantities.show_seconds(compiling)}, at most "
        f"{quantities.show_size(exe.peak_bytes)} a device"
    )
    print(f"called {len(report['seconds'])} times, the best in {quantities.show_seconds(best)}")
    for name, result in report["results"].items():
        print(f"{name}: {result['dtype']}{result['shape']} sha256 {result['sha256'][:16]}")
    if given.profile:
        print()
        print(_profile_table(report["profile"]))


def _profile_table(lines: list[dict[str, Any]]) -> str:
    total = sum(line["seconds"] for line in lines) or 1.0
    rows = [
        [
            line["work"],
            "reference" if line["reference"] else "fast",
            str(line["tasks"]),
            quantities.show_seconds(line["seconds"]),
            f"{100 * line['seconds'] / total:.1f} %",
        ]
        for line in lines
    ]
    share = sum(line["seconds"] for line in lines if line["reference"]) / total
    return (
        table(["work", "kernel", "tasks", "time", "share"], rows)
        + f"\n{100 * share:.1f} % of the time in reference kernels"
    )
