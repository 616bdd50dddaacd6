# SPDX-License-Identifier: Apache-2.0
"""What ``plan`` and ``run`` work on, and the options they share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from einsummable import workloads
from einsummable.cli import quantities
from einsummable.dtypes import NUMPY_DTYPES
from einsummable.errors import GraphError
from einsummable.graph import Graph, parse_graph

EPILOG = """\
workloads:
  ffn            relu(x w1) w2                        --tokens --d-model --d-ff --dtype
  llama-block    one block of Llama-3-8B              --tokens --d-model --d-ff --dtype --no-rope
  llama          --layers of them                     --layers and those of llama-block
  chain-A .. E   a chain of matrix products           --scale --dtype
  FILE.graph     a graph as `print(graph)` writes it  none of these

numbers: 4K is 4096; --tokens 8x1K is 8 sequences of 1024 tokens; --memory-limit 40GB, 16GiB

"""

_TAKES = {
    "ffn": {"tokens", "d_model", "d_ff", "dtype"},
    "llama-block": {"tokens", "d_model", "d_ff", "dtype", "no_rope"},
    "llama": {"layers", "tokens", "d_model", "d_ff", "dtype", "no_rope"},
    "chain": {"scale", "dtype"},
    "file": set(),
}
_SIZES = ("layers", "tokens", "d_model", "d_ff", "dtype", "no_rope", "scale")


class UsageError(Exception):
    """Arguments that do not go together."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the workload, its sizes, and how it is planned."""
    parser.add_argument("workload", metavar="WORKLOAD", help="a name or a file, see below")
    sizes = parser.add_argument_group("sizes of the workload")
    sizes.add_argument("--tokens", type=quantities.tokens, metavar="BxS", help="default 1x1K")
    sizes.add_argument("--layers", type=quantities.count, metavar="N", help="default 32")
    sizes.add_argument("--d-model", type=quantities.count, metavar="N", help="default 4096")
    sizes.add_argument("--d-ff", type=quantities.count, metavar="N", help="default 14336")
    sizes.add_argument(
        "--dtype", choices=list(NUMPY_DTYPES), help="default float16 of llama, else float32"
    )
    sizes.add_argument("--no-rope", action="store_true", help="queries and keys are not turned")
    sizes.add_argument(
        "--scale", type=quantities.count, metavar="N", help="divides the extents of a chain"
    )
    planning = parser.add_argument_group("planning")
    planning.add_argument(
        "--devices", type=quantities.devices, metavar="N|0,1", help="default one a core"
    )
    planning.add_argument("--selector", default="optimal", help="optimal, paper, greedy or random")
    planning.add_argument(
        "--objective",
        help="time (default of optimal), or proxy: elements that move (of other selectors)",
    )
    planning.add_argument(
        "--topology",
        metavar="NAME|FILE",
        help="what times are predicted on; default cpu, a worker a core",
    )
    planning.add_argument(
        "--schedule-mode",
        default="search",
        help="of exchange programs: search, for fast ones; naive; ai, which asks a proposer too",
    )
    planning.add_argument(
        "--budget", type=int, metavar="N", help="simulations a program; default 200"
    )
    planning.add_argument(
        "--time-limit", type=float, metavar="S", help="seconds after which search is cut short"
    )
    planning.add_argument("--cache-dir", metavar="DIR", help="where programs are kept")
    planning.add_argument(
        "--partial-dtype",
        metavar="DTYPE",
        help="of sums until they are complete: float64 is more exact, bfloat16 half of float32",
    )
    planning.add_argument(
        "--memory-limit",
        type=quantities.size,
        metavar="SIZE",
        help="bytes a device that a plan may need, as 40GB",
    )
    planning.add_argument("--seed", type=int, default=0, help="of what is random; default 0")
    planning.add_argument("--explain", metavar="OP", help="print why an operator is cut as it is")
    planning.add_argument("--save", metavar="FILE", help="write the plan to a file")


def plan_options(given: argparse.Namespace) -> dict[str, Any]:
    """Give the options of `plan` that the command line holds."""
    return {
        "devices": given.devices,
        "selector": given.selector,
        "objective": given.objective,
        "schedule_mode": given.schedule_mode,
        "partial_dtype": given.partial_dtype,
        "memory_limit": given.memory_limit,
        "topology": given.topology,
        "seed": given.seed,
        "budget": given.budget,
        "time_limit": given.time_limit,
        "cache_dir": given.cache_dir,
    }


def make_graph(given: argparse.Namespace) -> Graph:
    """Make the graph that the command line names.

    Raises
    ------
    UsageError
        For a name that is neither a workload nor a file, or a size that it does not have.
    """
    name: str = given.workload
    kind = "chain" if name.startswith("chain-") else name
    if kind not in _TAKES:
        kind = "file"
        if not Path(name).is_file():
            known = ", ".join(["ffn", "llama-block", "llama", "chain-A", "...", "chain-E"])
            raise UsageError(f"{name!r} is neither a workload ({known}) nor a file")
    sizes = {size: getattr(given, size) for size in _SIZES if getattr(given, size)}
    for size in sizes.keys() - _TAKES[kind]:
        raise UsageError(f"{name} takes no --{size.replace('_', '-')}")
    return _read(Path(name)) if kind == "file" else _make(kind, name, sizes)


def _make(kind: str, name: str, sizes: dict[str, Any]) -> Graph:
    batch, seq = sizes.pop("tokens", (1, 1024))
    if kind == "chain":
        return workloads.chain(name.removeprefix("chain-"), **sizes)
    if kind == "ffn":
        return workloads.ffn(**{"tokens": batch * seq, "d_model": 4096, "d_ff": 14336, **sizes})
    rope = not sizes.pop("no_rope", False)
    if kind == "llama":
        return workloads.llama(batch=batch, seq=seq, rope=rope, **sizes)
    return workloads.llama_block(batch=batch, seq=seq, rope=rope, **sizes)


def _read(path: Path) -> Graph:
    try:
        return parse_graph(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise GraphError(f"{path} is no graph: it holds bytes that are no text") from None
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from None
