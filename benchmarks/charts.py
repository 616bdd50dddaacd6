# SPDX-License-Identifier: Apache-2.0
"""Draws the charts of reports as PNG files."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.report import Bars, Report, Scatter

COLOURS = (
    *("#3b3b3b", "#9ecae1", "#2171b5", "#fdae6b", "#d94801", "#74c476"),
    *("#238b45", "#bcbddc", "#6a51a3", "#e7ba52", "#8c564b", "#969696"),
)
PANELS_ABREAST = 4
LEGEND_LETTERS = 100


def write(folder: Path, reports: Iterable[Report]) -> list[Path]:
    """Draw every chart of the reports to a file each, named by its title."""
    files = []
    for report in reports:
        for chart in report.charts:
            figure = _bars(chart) if isinstance(chart, Bars) else _scatter(chart)
            file = folder / f"{file_stem(chart.title)}.png"
            figure.savefig(file, dpi=120)
            pyplot.close(figure)
            files.append(file)
    return files


def file_stem(title: str) -> str:
    """Give letters and digits of a title, the rest as dashes.

    >>> file_stem("Workloads on 8 GPUs of dgx-a100")
    'workloads-on-8-gpus-of-dgx-a100'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _bars(chart: Bars) -> Figure:
    """Draw a bar a series in each group; one that is None is left out."""
    series = {n: values for n, values in chart.series.items() if any(v is not None for v in values)}
    figure, axes = pyplot.subplots(
        figsize=(max(8.0, 0.22 * len(chart.groups) * (len(series) + 1)), 4.5), layout="constrained"
    )
    width = 0.85 / len(series)
    for k, (name, values) in enumerate(series.items()):
        places = [
            i + (k - (len(series) - 1) / 2) * width for i, v in enumerate(values) if v is not None
        ]
        heights = [v for v in values if v is not None]
        axes.bar(places, heights, width, label=name, color=COLOURS[k % len(COLOURS)])
    axes.set_xticks(range(len(chart.groups)), chart.groups, rotation=30, ha="right")
    axes.set_ylabel(chart.unit)
    if chart.logarithmic:
        axes.set_yscale("log")
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    abreast = max(1, LEGEND_LETTERS // max(map(len, series)))
    figure.legend(fontsize="small", ncols=min(len(series), abreast), loc="outside lower center")
    axes.set_title(chart.title)
    return figure


def _scatter(chart: Scatter) -> Figure:
    """Draw a panel of points each."""
    across = min(PANELS_ABREAST, len(chart.panels))
    down = math.ceil(len(chart.panels) / across)
    figure, grid = pyplot.subplots(
        down, across, figsize=(3.2 * across, 2.6 * down), layout="constrained", squeeze=False
    )
    panels = list(chart.panels.items())
    for i, axes in enumerate(grid.flat):
        if i < len(panels):
            name, points = panels[i]
            _panel(axes, name, points)
        else:
            axes.set_axis_off()
    figure.suptitle(chart.title)
    figure.supxlabel(chart.across)
    figure.supylabel(chart.up)
    return figure


def _panel(axes: Axes, name: str, points: Sequence[tuple[float, float]]) -> None:
    across, up = zip(*points, strict=True)
    axes.scatter(across, up, s=12, color=COLOURS[2], alpha=0.7)
    axes.set_title(name, fontsize="medium")
    axes.tick_params(labelsize="small")
    axes.grid(alpha=0.3)
