# SPDX-License-Identifier: Apache-2.0
"""The benchmarks of what tasks, calls and memory cost, on small work."""

import argparse

import pytest
from benchmarks import block, memory, overhead

GIVEN = argparse.Namespace(rounds=1, threads=2)


@pytest.fixture
def small(monkeypatch):
    sizes = {"d_model": 32, "heads": 4, "kv_heads": 2, "head_dim": 8, "d_ff": 48}
    monkeypatch.setattr(block, "SIZES", sizes)
    monkeypatch.setattr(overhead, "DEVICES", (1, 2, 3))
    monkeypatch.setattr(overhead, "TOKENS", (2, 8))
    monkeypatch.setattr(overhead, "TASKS", 60)
    monkeypatch.setattr(overhead, "CALLS", 3)


@pytest.mark.usefixtures("small")
def test_overhead_gives_what_a_task_and_a_call_cost():
    same, tiny, calls = overhead.run(GIVEN)
    assert [row[0] for row in same.rows[:3]] == [
        "time, 1 device",
        "time, 2 devices",
        "time, 3 devices",
    ]
    assert same.entries[1]["ratio"] == 1
    assert all(0 <= entry["idle"] < 1 for entry in same.entries)
    assert {entry["name"].split(",")[0] for entry in tiny.entries} == {"apart", "meeting"}
    assert all(entry["overhead"] > 0 and entry["kernel"] > 0 for entry in tiny.entries)
    assert calls.entries[0]["tasks"] == 2
    assert all(
        len(report.head) == len(row) for report in (same, tiny, calls) for row in report.rows
    )


def test_memory_compares_what_is_said_with_what_is_taken(monkeypatch):
    case = memory.Case("chain C", 2, "proxy")
    monkeypatch.setattr(memory, "CASES", (case,))
    (report,) = memory.run(GIVEN)
    (entry,) = report.entries
    assert entry["least"] <= entry["predicted"]
    assert 0.5 < entry["predicted"] / entry["measured"] < 2
    assert len(report.rows[0]) == len(report.head)
