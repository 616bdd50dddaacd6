# SPDX-License-Identifier: Apache-2.0
"""How a plan's exchange programs are made: naive, searched for, or proposed."""

import os
import time

import numpy as np
import pytest

import einsummable as es
from einsummable.proposer import ProposerError

MACHINE = {"topology": "dgx-v100", "objective": "proxy", "specs": {"up": {"j": 8}}}


def ffn():
    return es.workloads.ffn(512, 256, 512)


def values():
    """Small whole numbers, whose sums are exact in any order."""
    rng = np.random.default_rng(0)
    shapes = {"x": (512, 256), "w1": (256, 512), "w2": (512, 256)}
    return {name: rng.integers(-2, 3, shape).astype("f4") for name, shape in shapes.items()}


@pytest.mark.parametrize("devices", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("private_sites", [False, True])
@pytest.mark.parametrize("topology", ["cpu", "dgx-v100", "dgx-a100"])
def test_searched_programs_compute_the_same(devices, private_sites, topology):
    given = values()
    exe = es.compile(
        ffn(),
        devices=devices,
        topology=topology,
        schedule_mode="search",
        specs={"up": {"j": devices}},
        private_sites=private_sites,
    )
    (out,) = exe(given).values()
    assert np.array_equal(out, np.maximum(given["x"] @ given["w1"], 0) @ given["w2"])
    assert exe.verify().ok


def test_searched_programs_are_faster_and_say_so():
    naive = es.plan(ffn(), devices=8, schedule_mode="naive", **MACHINE)
    searched = es.plan(ffn(), devices=8, schedule_mode="search", **MACHINE)
    assert searched.predicted_ms < naive.predicted_ms
    assert searched.planned_ms == naive.planned_ms
    assert searched.cost == naive.cost


def test_the_same_arguments_give_the_same_plan(tmp_path):
    texts = []
    for i, kept in enumerate([None, tmp_path / "kept", tmp_path / "kept"]):
        plan = es.plan(ffn(), devices=8, schedule_mode="search", cache_dir=kept, **MACHINE)
        plan.save(tmp_path / str(i))
        texts.append((tmp_path / str(i)).read_text())
    assert "SPLIT" in texts[0]
    assert texts[0] == texts[1] == texts[2]
    assert list((tmp_path / "kept").glob("*.exprog"))


def test_a_saved_plan_needs_no_search(tmp_path):
    plan = es.plan(ffn(), devices=8, schedule_mode="search", **MACHINE)
    plan.save(tmp_path / "p")
    loaded = es.load_plan(tmp_path / "p")
    given = values()
    assert loaded.predicted_ms == plan.predicted_ms
    assert str(loaded.explain("up")) == str(plan.explain("up"))
    exe = es.compile(ffn(), plan=loaded, private_sites=True)
    (out,) = exe(given).values()
    assert np.array_equal(out, np.maximum(given["x"] @ given["w1"], 0) @ given["w2"])
    assert exe.predicted_ms == plan.predicted_ms


def test_a_time_limit_cuts_the_search_short_and_the_plan_says_so():
    plan = es.plan(ffn(), devices=8, schedule_mode="search", time_limit=0, **MACHINE)
    assert plan.cut_short
    assert str(plan).endswith("cut short by the time limit")
    assert not es.plan(ffn(), devices=8, schedule_mode="search", **MACHINE).cut_short


def test_a_budget_bounds_the_search():
    best = es.plan(ffn(), devices=8, schedule_mode="search", **MACHINE).predicted_ms
    none = es.plan(ffn(), devices=8, schedule_mode="search", budget=0, **MACHINE).predicted_ms
    naive = es.plan(ffn(), devices=8, schedule_mode="naive", **MACHINE).predicted_ms
    assert best <= none <= naive


def test_a_better_proposal_wins_and_is_used():
    prompts = []

    def propose(prompt):
        prompts.append(prompt)
        return best

    large = es.workloads.ffn(4096, 4096, 4096)
    best = body_of(es.plan(large, devices=8, schedule_mode="search", **MACHINE))
    options = {"devices": 8, "schedule_mode": "ai", "budget": 0, "proposer": propose, **MACHINE}
    plan = es.plan(large, **options)
    assert "dgx-v100" in prompts[0]
    assert (
        plan.predicted_ms < es.plan(large, devices=8, schedule_mode="naive", **MACHINE).predicted_ms
    )
    assert body_of(plan) == best
    best = body_of(es.plan(ffn(), devices=8, schedule_mode="search", **MACHINE))
    given = values()
    (out,) = es.compile(ffn(), private_sites=True, **options)(given).values()
    assert np.array_equal(out, np.maximum(given["x"] @ given["w1"], 0) @ given["w2"])


def body_of(plan):
    """The first program with pieces of a plan, as a proposer would give it."""
    program = []
    for line in plan._core.text().splitlines():
        if line.startswith("| "):
            program.append(line[2:])
        elif program:
            if any(row.startswith("SPLIT") for row in program):
                return "\n".join(program)
            program = []
    raise AssertionError("no program is split")


def test_a_proposer_that_fails_costs_a_warning():
    def fail(prompt):
        raise ProposerError("no one is there")

    with pytest.warns(UserWarning, match="proposals ended early: no one is there"):
        plan = es.plan(ffn(), devices=8, schedule_mode="ai", proposer=fail, **MACHINE)
    assert (
        plan.predicted_ms
        == es.plan(ffn(), devices=8, schedule_mode="search", **MACHINE).predicted_ms
    )
    with pytest.warns(UserWarning, match="proposals ended early: no one is there"):
        es.compile(ffn(), devices=8, schedule_mode="ai", proposer=fail, **MACHINE)


def test_a_program_alone_may_be_proposed_too():
    preamble = es.exchange.collective("all-reduce", 8, 10**9)
    good = es.exchange.synthesize(preamble, "dgx-v100")
    made = es.exchange.synthesize(preamble, "dgx-v100", budget=0, proposer=lambda _: str(good))
    assert made.proposed
    assert made.ms == pytest.approx(good.ms)
    with pytest.warns(UserWarning, match="a proposer gives a str, not int"):
        made = es.exchange.synthesize(preamble, "dgx-v100", budget=0, proposer=lambda _: 3)
    assert not made.proposed


def test_a_time_limit_bounds_a_slow_proposer_too():
    asked = []

    def slow(prompt):
        asked.append(prompt)
        time.sleep(0.05)
        return "no program"

    with pytest.warns(UserWarning, match="the time limit was reached"):
        es.plan(ffn(), devices=8, schedule_mode="ai", proposer=slow, time_limit=0.1, **MACHINE)
    assert len(asked) <= 4


def test_a_cache_file_that_is_no_file_is_passed_over(tmp_path):
    made = es.plan(ffn(), devices=8, cache_dir=tmp_path, **MACHINE)
    for file in tmp_path.iterdir():
        file.unlink()
        os.mkfifo(file)
    again = es.plan(ffn(), devices=8, cache_dir=tmp_path, **MACHINE)
    assert str(again) == str(made)
    assert all(file.suffix == ".exprog" for file in tmp_path.iterdir())
