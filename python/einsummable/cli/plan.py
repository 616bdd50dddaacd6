# SPDX-License-Identifier: Apache-2.0
"""Show how a workload is cut over devices, and why; no device is needed.

The table has one line an operator: its shape, the indices that are cut and into how many
intervals, how many devices that uses, the three parts of its cost in elements (what is moved to
another tiling, what its cells read, what their partial results move), and its share of the total.
With --topology or --objective time a second table has a line an exchange: the bytes that all
devices receive, what its program takes alone when simulated, what no program takes less than, and
the gap between the two.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from einsummable import _core, planning
from einsummable.cli import quantities, report, workload

EPILOG = workload.EPILOG
EXCHANGE_FIELDS = ("op", "save", "bytes", "merges", "ms", "bound_ms", "gap", "proof")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    workload.add_arguments(parser)
    parser.add_argument(
        "--trace", metavar="FILE", help="write a simulated call for Chrome's tracing or Perfetto"
    )


def run(given: argparse.Namespace) -> int:
    """Plan, then print the table, or the explanation, or both as JSON."""
    graph = workload.make_graph(given)
    start = time.perf_counter()
    plan = planning.plan(graph, **workload.plan_options(given))
    seconds = time.perf_counter() - start
    explanation = plan.explain(given.explain) if given.explain else None
    if given.save:
        plan.save(given.save)
    if given.trace:
        plan.trace(given.trace)
    if given.json:
        print(json.dumps(described(plan, seconds, explanation), indent=2))
        return 0
    if explanation is not None:
        print(explanation)
        return 0
    timed = bool(given.topology) or given.objective == "time"
    print(plan)
    if timed and (exchanges := plan.exchanges):
        print(f"\n{report.exchanges(exchanges)}\n")
    print(f"planned in {quantities.show_seconds(seconds)} for {plan.devices} devices")
    if timed:
        planned = quantities.show_seconds(plan.planned_ms / 1000)
        simulated = quantities.show_seconds(plan.predicted_ms / 1000)
        print(
            f"a call takes {simulated} on {given.topology or 'cpu'}, simulated ({planned} planned)"
        )
    return 0


def described(
    plan: planning.Plan, seconds: float, explanation: _core.Explanation | None
) -> dict[str, Any]:
    """Give what JSON says of a plan."""
    cuts = plan.cuts
    out: dict[str, Any] = {
        "devices": plan.devices,
        "cost": plan.cost,
        "exact": plan.exact,
        "seconds": seconds,
        "planned_ms": plan.planned_ms,
        "predicted_ms": plan.predicted_ms,
        "operators": {
            name: {"counts": counts, "cuts": cuts[name]} for name, counts in plan.specs.items()
        },
        "exchanges": [
            {field: getattr(exchange, field) for field in EXCHANGE_FIELDS}
            for exchange in plan.exchanges
        ],
    }
    if explanation is not None:
        out["explanation"] = explained(explanation)
    return out


def explained(explanation: _core.Explanation) -> dict[str, Any]:
    """Give what JSON says of an explanation."""
    fields = ["counts", "cost", "chosen", "delta", "repartition", "join", "aggregation", "lost_by"]
    if explanation.alternatives[0].ms is not None:
        fields += ["ms", "more_ms", "exchange_ms", "kernel_ms"]
    return {
        "operator": explanation.op,
        "reason": explanation.reason,
        "alternatives": [
            {field: getattr(alternative, field) for field in fields}
            for alternative in explanation.alternatives
        ],
    }
