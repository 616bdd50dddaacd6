# SPDX-License-Identifier: Apache-2.0
"""The paper's experiments in simulation: its figures, the tables, what a run writes."""

import doctest
import json

import pytest
from benchmarks import cases, experiment_3, main, objectives, paper
from benchmarks.cases import Case, mean_of, members, outcome

SMALL = ("block 1x1K", "chain C", "ffn")
A100, V100 = cases.MACHINES


def measured(machine: str, group: str) -> list[float]:
    return [paper.EINSUMMABLE[machine, name, cases.GPUS][0] for name in members(group)]


@pytest.fixture
def few_workloads(monkeypatch):
    for name in set(cases.WORKLOADS) - set(SMALL):
        monkeypatch.delitem(cases.WORKLOADS, name)
    monkeypatch.setattr(cases, "_known", {})
    monkeypatch.setattr(experiment_3, "RANDOM_PLANS", 3)
    monkeypatch.setattr(experiment_3, "BLOCK_PLANS", 4)


@pytest.mark.parametrize(
    ("figures", "mean", "digits"),
    [
        (measured(A100, "block"), 8.97, 2),
        ([paper.RANDOM_BEST[name] for name in members("block")], 17.6, 1),
        ([paper.RANDOM_MEDIAN[name] for name in members("block")], 22.8, 1),
        (
            [
                paper.NAIVE_V100[name] / ms
                for name, ms in zip(members("block"), measured(V100, "block"), strict=True)
            ],
            1.056,
            3,
        ),
        (
            [
                paper.RANDOM_MEDIAN[name] / ms
                for name, ms in zip(members("chain"), measured(A100, "chain"), strict=True)
            ],
            paper.SELECTORS["chain", "median"],
            2,
        ),
    ],
)
def test_the_paper_figures_give_its_geometric_means(figures, mean, digits):
    assert round(mean_of(figures), digits) == mean


def test_the_paper_figures_give_its_gains_on_v100():
    def gain(name: str) -> float:
        return paper.NAIVE_V100[name] / paper.EINSUMMABLE[V100, name, cases.GPUS][0]

    assert round(max(gain(name) for name in members("block")), 2) == 1.11
    assert [round(gain(f"chain {name}"), 2) for name in "AB"] == [1.41, 1.32]


def test_every_figure_is_of_a_workload():
    of_paper = {name for _, name, _ in paper.EINSUMMABLE}
    tables = (paper.NAIVE_V100, paper.RANDOM_BEST, paper.RANDOM_MEDIAN, paper.CORRELATION)
    assert of_paper.union(*tables) == set(members("block") + members("chain"))


def test_the_paper_prefers_its_own_plans():
    assert all(gain >= 1 for gain in paper.SELECTORS.values())
    assert all(paper.RANDOM_MEDIAN[name] >= best for name, best in paper.RANDOM_BEST.items())


def test_examples_of_docstrings():
    assert doctest.testmod(cases) == doctest.TestResults(failed=0, attempted=3)


def test_processes_find_what_one_alone_finds(monkeypatch):
    asked = [Case("chain C", V100, 3, "proxy", mode, "random", 5) for mode in cases.MODES]
    monkeypatch.setattr(cases, "_known", {})
    alone = [outcome(case) for case in asked]
    monkeypatch.setattr(cases, "_known", {})
    cases.prepare(asked, threads=2)
    assert cases._known == dict(zip(asked, alone, strict=True))


@pytest.mark.parametrize("machine", cases.MACHINES)
def test_least_time_is_never_slower_than_least_cost(machine):
    report = objectives.report_on([(machine, 3)], SMALL, cases.MODES, threads=1)
    for entry in report.entries:
        assert set(entry["ratios"]) == set(SMALL)
        assert all(0 < ratio <= 1 for ratio in entry["ratios"].values())
    assert "SLOWER" not in report.text()


def test_a_run_prints_tables_and_writes_results(few_workloads, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    parts = [f"--part={part}" for part in ("workloads", "selectors", "schedules")]
    assert main.main(["simulated", *parts, "--threads=1", f"--results={tmp_path / 'new'}"]) == 0
    printed = capsys.readouterr().out
    assert "every workload on dgx-v100" in printed
    assert "blocks, geometric mean" in printed
    reports = json.loads((tmp_path / "new" / "results.json").read_text())["reports"]
    assert [len(report["entries"]) for report in reports] == [9, 9, 3, 4, 1, 3, 3]
    first = reports[0]["entries"][2]
    assert (first["workload"], first["devices"], first["paper_ms"]) == ("block 1x1K", 8, 1.21)
    assert set(first["simulated"]) == {", ".join(way) for way in cases.WAYS}
    charts = sorted(file.name for file in (tmp_path / "new").glob("*.png"))
    assert len(charts) == 11
    assert "workloads-on-8-gpus-of-dgx-a100.png" in charts
    for name in charts:
        assert (tmp_path / "new" / name).read_bytes().startswith(b"\x89PNG")
