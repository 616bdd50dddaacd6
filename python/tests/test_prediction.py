# SPDX-License-Identifier: Apache-2.0
"""Plans by predicted time, on machines that need not be there."""

import numpy as np
import pytest

import einsummable as es


@pytest.mark.parametrize("machine", ["dgx-a100", "dgx-v100", "cpu"])
@pytest.mark.parametrize("devices", [3, 8])
def test_the_fastest_plan_is_not_slower_than_the_proxys(machine, devices):
    g = es.workloads.llama_block()
    plans = {
        objective: es.plan(g, devices=devices, topology=machine, objective=objective)
        for objective in ("proxy", "time")
    }
    assert plans["time"].predicted_ms <= plans["proxy"].predicted_ms
    assert plans["proxy"].cost <= plans["time"].cost
    again = es.plan(g, devices=devices, topology=machine, objective="time")
    assert str(again) == str(plans["time"])


def test_a_slower_machine_takes_longer():
    g = es.workloads.llama_block(seq=8192)
    assert (
        es.plan(g, devices=8, topology="dgx-v100").predicted_ms
        > es.plan(g, devices=8, topology="dgx-a100").predicted_ms
        > es.plan(g, devices=8, topology="dgx-h100").predicted_ms
    )


def test_sites_may_share_a_device():
    g = es.workloads.llama_block(seq=8192)
    apart = es.plan(g, devices=[0, 1, 2, 3], topology="dgx-a100", objective="time")
    shared = es.plan(g, devices=[0, 0, 1, 1], topology="dgx-a100", objective="time")
    assert shared.devices == 4
    assert shared.predicted_ms > apart.predicted_ms


def test_what_is_planned_by_time_computes_the_same():
    g = es.workloads.ffn(64, 32, 96)
    rng = np.random.default_rng(0)
    x, w1, w2 = (
        rng.standard_normal(shape).astype("f4") for shape in ((64, 32), (32, 96), (96, 32))
    )
    exe = es.compile(g, devices=4, objective="time", verify="numeric")
    (out,) = exe({"x": x, "w1": w1, "w2": w2}).values()
    assert np.allclose(out, np.maximum(x @ w1, 0) @ w2, atol=1e-3)
    assert exe.predicted_ms > 0


def test_narrower_partial_sums_travel_faster():
    g = es.workloads.ffn(4096, 4096, 4096, dtype="float16")
    cut = {"devices": 8, "topology": "dgx-a100", "specs": {"up": {"j": 8}}}
    wide = es.plan(g, **cut)
    narrow = es.plan(g, partial_dtype="float16", **cut)
    assert narrow.predicted_ms < wide.predicted_ms
    assert narrow.planned_ms < wide.planned_ms


def test_an_explanation_does_not_say_that_pins_are_fastest():
    g = es.workloads.llama_block(seq=8192)
    pins = {"up": {"i": 1, "k": 8}}
    why = es.plan(g, devices=8, topology="dgx-a100", specs=pins).explain("up")
    assert not why.alternatives[0].chosen
    assert str(why).endswith("plans are chosen by simulation, within pins and memory")


def test_a_plan_by_time_is_explained_in_milliseconds():
    g = es.workloads.llama_block(seq=8192)
    plan = es.plan(g, devices=8, topology="dgx-a100")
    for name, counts in plan.specs.items():
        why = plan.explain(name)
        best, *others = why.alternatives
        (chosen,) = [a for a in why.alternatives if a.chosen]
        assert chosen.counts.items() <= counts.items()
        assert best.more_ms == 0
        assert not best.lost_by
        assert all(a.ms >= best.ms and a.lost_by in ("", "exchange", "kernel") for a in others)
        assert best.exchange_ms + best.kernel_ms == pytest.approx(best.ms)
        assert "in planned ms" in str(why)
    by_elements = es.plan(g, devices=8, objective="proxy").explain("up")
    assert by_elements.alternatives[0].ms is None
    assert "in elements" in str(by_elements)
