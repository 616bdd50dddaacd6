# SPDX-License-Identifier: Apache-2.0
"""The ratios of several comparisons in one table, and in charts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.compare import kind_of, shown
from benchmarks.report import Bars, Report

Ratios = dict[str, list[float | None]]


def summary(title: str, reports: Mapping[str, Report]) -> Report:
    """Put ours over others, and ours on more devices over ours, case by case, in one table."""
    over, again = _ratios(reports, "ours_over_it"), _ratios(reports, "over_ours")
    found = Report(f"{title}, ratios of minima", ["", *reports])
    for name, ratios in over.items():
        found.rows.append([f"ours / {name}", *map(_written, ratios)])
    for name, ratios in again.items():
        found.rows.append([f"{name} / ours", *map(_written, ratios)])
    found.entries = [{"ours_over": over, "over_ours": again}]
    groups = list(reports)
    for name, series in (
        ("ours over others", over),
        ("over the matrix products alone", _ratios(reports, "ratio")),
    ):
        found.charts.append(Bars(f"{title}, {name}", groups, series, "ratio of minima"))
    return found


def _ratios(reports: Mapping[str, Report], field: str) -> Ratios:
    """Give a field of the rows that have it, by what they are about, in every report."""
    found: Ratios = {}
    for i, report in enumerate(reports.values()):
        for entry in shown(report):
            if entry[field] is not None:
                found.setdefault(kind_of(entry), [None] * len(reports))[i] = _least(entry[field])
    return found


def _least(ratio: float | Mapping[str, Any]) -> float:
    return float(ratio if isinstance(ratio, float) else ratio["minimum"])


def _written(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"
