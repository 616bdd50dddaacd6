# SPDX-License-Identifier: Apache-2.0
"""Exchange programs from Python: read, print, check."""

import pytest

import einsummable as es

SUM = "IN: A @ 0; B @ 1\nOUT: A+B @ 0\nB @ 1 -> 0\nA+B @ 0"


def test_a_valid_program_is_checked_and_prints_back():
    program = es.exchange.parse(SUM)
    verdict = program.check()
    assert verdict
    assert (verdict.ok, verdict.reason, verdict.uniform) == (True, "", True)
    assert "A+B @ 0" in verdict.derivations
    assert str(es.exchange.parse(str(program))) == str(program)


def test_an_invalid_program_says_why():
    verdict = es.exchange.parse("IN: A @ 0\nOUT: A @ 1").check()
    assert not verdict
    assert verdict.reason == "OUT is not met: A is never at 1"


OPEN = "GPUS: 0, 1, 2\nPARTITIONS: G1 {size 2}; G2 {size 1}\nIN: A @ 0\nOUT: A @ G1\nA @ 0 -> G1"


def test_members_of_partitions_are_given_or_found():
    program = es.exchange.parse(OPEN)
    assert len(program.check().members["G1"]) == 2
    assert program.check(members={"G1": [0, 2], "G2": [1]}).members["G1"] == [0, 2]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"G9": [0]}, 'there is no partition "G9"; there are G1, G2'),
        ({"G1": "01"}, "members of G1 must be a list of integers, not '01'"),
        ([0, 1], "members are given as"),
        ({"G1": [2**70]}, "beyond 64 bits"),
    ],
)
def test_wrong_members_are_exchange_errors(members, message):
    with pytest.raises(es.ExchangeError, match=message):
        es.exchange.parse(OPEN).check(members=members)


def test_what_is_no_program_names_the_line():
    with pytest.raises(es.ExchangeError, match="line 2: "):
        es.exchange.parse("IN: A @ 0\nOUT: A at 1")
    with pytest.raises(es.ExchangeError, match="must be a text, not 3"):
        es.exchange.parse(3)


def test_a_valid_program_of_pieces_says_how_they_come_about():
    text = "IN: A @ 0\nOUT: A @ 1\nSPLIT: A into 2\nBODY:\nA @ 0 -> 1\n"
    verdict = es.exchange.parse(text).check()
    assert verdict.ok
    assert "A.0 @ 1 <- 0" in verdict.derivations


def test_a_bound_says_what_proves_it():
    program = es.exchange.parse("IN: A @ 0; B @ 1\nOUT: A+B @ 0, 1")
    bound = es.exchange.bound(program, "dgx-a100", ideal=True)
    assert bound.ms == pytest.approx(1e3 / 300)
    assert bound.proof == "cut {0}: 1 GB leave over 300 GB/s"
    assert es.exchange.bound(program, "dgx-a100").ms > bound.ms


def test_a_bound_of_open_partitions_is_the_least():
    program = es.exchange.parse(OPEN)
    assert es.exchange.bound(program, "dgx-v100", ideal=True).members["G1"] == [0, 1]
    given = es.exchange.bound(program, "dgx-v100", members={"G1": [1, 2], "G2": [0]})
    assert given.members == {"G1": [1, 2], "G2": [0]}


@pytest.mark.parametrize(
    ("text", "topology", "error", "message"),
    [
        ("IN: A+B @ 0; B @ 0\nOUT: A @ 1", "dgx-a100", es.ExchangeError, "OUT asks for A, but"),
        ("IN: A @ 0\nOUT: A @ 9", "dgx-a100", es.TopologyError, "8"),
        ("IN: A @ 0\nOUT: A @ 1", "no-such-machine", es.TopologyError, "no-such-machine"),
        ("IN: A @ 0\nOUT: A @ 1", 3, es.TopologyError, "path of its file, not 3"),
    ],
)
def test_what_has_no_bound(text, topology, error, message):
    with pytest.raises(error, match=message):
        es.exchange.bound(es.exchange.parse(text), topology)


def test_a_bound_is_of_a_program():
    with pytest.raises(es.ExchangeError, match="a bound is of an exchange program, not of 'A'"):
        es.exchange.bound("A", "dgx-a100")


SWAP = "IN: A @ 0; B @ 1\nOUT: A+B @ 0, 1\nA @ 0 -> 1; B @ 1 -> 0\nA+B @ 0, 1"


def test_a_simulation_says_what_happens():
    r = es.exchange.parse(SWAP).simulate("dgx-h100", ideal=True)
    assert r.ms == pytest.approx(1e3 / 450 + 3e3 / 3350)
    assert [str(step) for step in r.timeline][2] == "A+B @ 0 of A, B"
    first = r.timeline[0]
    assert (first.aggregate, first.site, first.destination) == ("A", 0, 1)
    assert (first.start_ms, first.bytes) == (0, 10**9)
    assert r.timeline[2].destination is None
    assert r.timeline[2].parts == ["A", "B"]
    assert r.critical_path.startswith("3.1177 ms; egress 0 busy 71 %")
    assert r.critical_steps[-1].end_ms == r.ms
    busy = {load.name: load.share for load in r.load}
    assert busy["egress 0"] == pytest.approx(1e3 / 450 / r.ms)
    assert busy["memory of 1"] == pytest.approx(3e3 / 3350 / r.ms)
    assert (r.skipped, r.members) == (0, {})
    assert "memory of 0" in str(r)
    assert "4 steps" in repr(r)
    assert es.exchange.parse(SWAP).simulate("dgx-h100").ms > r.ms


def test_a_simulation_takes_members():
    given = es.exchange.parse(OPEN).simulate("dgx-v100", members={"G1": [0, 2], "G2": [1]})
    assert given.members == {"G1": [0, 2], "G2": [1]}


def test_mistakes_in_a_simulation_are_typed(tmp_path):
    program = es.exchange.parse(SWAP)
    with pytest.raises(es.TopologyError, match="no-such-machine"):
        program.simulate("no-such-machine")
    with pytest.raises(es.TopologyError, match="the name of a machine or the path"):
        program.simulate(3)
    with pytest.raises(es.ExchangeError, match="members are given as"):
        program.simulate("dgx-v100", members=[0])
    with pytest.raises(es.ExchangeError, match="OUT is not met"):
        es.exchange.parse("IN: A @ 0\nOUT: A @ 1").simulate("dgx-v100")
    with pytest.raises(es.TopologyError, match="up to site 4095"):
        es.exchange.parse("IN: A @ 5000\nOUT: A @ 5000").simulate("cpu")
    with pytest.raises(es.InputError, match="cannot be written"):
        program.simulate("dgx-v100").trace(tmp_path / "none" / "x.json")


def test_collectives_are_made_by_name():
    made = es.exchange.collective("all-gather", 2, 1_000_000)
    assert "A0 @ 0, 1" in str(made)
    with pytest.raises(es.ExchangeError, match="there is no collective"):
        es.exchange.collective("gather", 2, 1)
    with pytest.raises(es.ExchangeError, match="sites must be an integer"):
        es.exchange.collective("reduce", "2", 1)
