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
