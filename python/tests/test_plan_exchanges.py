# SPDX-License-Identifier: Apache-2.0
"""What each exchange of a plan moves and takes, and the trace of a simulated call."""

import json

import pytest

import einsummable as es


def llama(layers=1):
    return es.workloads.llama(layers=layers, seq=64, d_model=64, head_dim=2, d_ff=96)


def spans_of(plan, path):
    """Give the tasks of the plan's trace, and the name of each lane."""
    plan.trace(path)
    events = json.loads(path.read_text())["traceEvents"]
    lanes = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    return [e for e in events if e["ph"] == "X"], lanes


@pytest.mark.parametrize("devices", [1, 2, 3, 8])
@pytest.mark.parametrize("schedule_mode", ["naive", "search"])
@pytest.mark.parametrize("topology", ["dgx-v100", "dgx-a100"])
def test_exchanges_are_what_is_transferred_in_no_less_than_the_bound(
    devices, schedule_mode, topology, tmp_path
):
    plan = es.plan(
        llama(),
        devices=devices,
        schedule_mode=schedule_mode,
        topology=topology,
        objective="proxy",
    )
    spans, lanes = spans_of(plan, tmp_path / "trace.json")
    transfers = [span for span in spans if span["cat"] == "transfer"]
    exchanges = plan.exchanges
    assert sum(e.bytes for e in exchanges) == sum(span["args"]["bytes"] for span in transfers)
    assert bool(exchanges) == (devices > 1)
    for exchange in exchanges:
        assert exchange.save or exchange.op in plan.specs
        assert exchange.ms >= exchange.bound_ms * (1 - 1e-9) > 0
        assert exchange.gap == pytest.approx(exchange.ms / exchange.bound_ms - 1)
        assert exchange.proof
    assert any(e.merges for e in exchanges) == (devices == 8)  # where a sum is cut
    ends = max(span["ts"] + span["dur"] for span in spans)
    assert ends / 1e3 == pytest.approx(plan.predicted_ms)
    assert {lanes[0, site] for site in range(devices)} == {f"site {s}" for s in range(devices)}
    assert all(
        ("->" in lanes[span["pid"], span["tid"]]) == (span["cat"] == "transfer") for span in spans
    )


def test_where_memory_is_shared_bytes_are_counted_and_nothing_is_copied():
    for devices in (2, 3):
        plan = es.plan(llama(), devices=devices, objective="proxy", topology="cpu")
        apart = es.plan(
            llama(), devices=devices, objective="proxy", topology="dgx-a100", schedule_mode="naive"
        )
        assert sum(e.bytes for e in plan.exchanges) == sum(e.bytes for e in apart.exchanges) > 0
        assert all(e.ms >= e.bound_ms * (1 - 1e-9) for e in plan.exchanges)


@pytest.mark.parametrize("schedule_mode", ["naive", "search"])
def test_layers_have_the_exchanges_of_one(schedule_mode):
    of = {}
    for exchange in es.plan(
        llama(5),
        devices=4,
        topology="dgx-a100",
        objective="proxy",
        schedule_mode=schedule_mode,
    ).exchanges:
        if exchange.op.startswith("layers."):
            _, layer, name = exchange.op.split(".")
            of.setdefault(int(layer), []).append(
                (name, exchange.bytes, exchange.ms, exchange.bound_ms, exchange.proof)
            )
    assert len(of) == 5
    assert of[1] == of[2] == of[3]
    assert len(of[1]) > 2


def test_a_loaded_plan_and_a_compiled_one_have_their_exchanges(tmp_path):
    plan = es.plan(llama(), devices=4, topology="dgx-a100")
    plan.save(tmp_path / "p.esplan")
    again = es.load_plan(tmp_path / "p.esplan")

    def figures(of):
        return [(e.op, e.save, e.bytes, e.ms, e.bound_ms, e.gap, e.proof) for e in of.exchanges]

    assert figures(again) == figures(plan)
    exe = es.compile(llama(), devices=4, topology="dgx-a100")
    assert figures(exe.plan) == figures(plan)


def test_a_trace_that_cannot_be_written(tmp_path):
    plan = es.plan(es.workloads.ffn(8, 8, 8), devices=2)
    with pytest.raises(es.InputError, match="cannot be written"):
        plan.trace(tmp_path / "nowhere" / "trace.json")
    with pytest.raises(es.InputError, match="cannot be written"):
        plan.trace(3)


def test_a_machine_without_a_way_between_two_devices(tmp_path):
    source = """\
version = 1
name = "apart"
[sites]
count = 4
hbm = 900
flops.float32 = 1e13
source = "made up"
[[link]]
sites = [0, 1]
gbps = 25
both = true
source = "made up"
"""
    (tmp_path / "apart.toml").write_text(source)
    plan = es.plan(
        llama(),
        devices=4,
        objective="proxy",
        schedule_mode="naive",
        topology=tmp_path / "apart.toml",
    )
    with pytest.raises(es.TopologyError, match=r'the exchange before "\w+": there is no way from'):
        _ = plan.exchanges
    with pytest.raises(es.TopologyError, match="no way from site"):
        plan.trace(tmp_path / "trace.json")
