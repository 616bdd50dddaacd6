# SPDX-License-Identifier: Apache-2.0
"""Synthesised exchange programs, from Python and from the command line."""

import json

import pytest

import einsummable as es
from einsummable.cli.main import main

GB = 10**9
OPEN = "PARTITIONS: G {size 2}; H {size 1}\nIN: A @ 0; B @ 1; C @ 2\nOUT: A+B @ G; C @ H\n"


def test_a_program_is_synthesized():
    preamble = es.exchange.collective("all-reduce", 8, GB)
    made = es.exchange.synthesize(preamble, "dgx-a100", ideal=True)
    assert isinstance(made, es.exchange.Program)
    assert made.check()
    assert made.ms == pytest.approx(5.83, rel=0.01)
    assert made.ms == made.simulate("dgx-a100", ideal=True).ms
    assert made.gap == pytest.approx(made.ms / made.bound - 1, abs=1e-9)
    assert made.packing_ms == pytest.approx(made.bound, rel=1e-3)
    assert made.bound * (1 - 1e-9) <= made.ms < made.naive_ms
    assert made.proof
    assert 0 < made.simulations <= 200
    assert str(made).startswith(str(preamble).partition("IN:")[0])
    again = es.exchange.synthesize(preamble, "dgx-a100", ideal=True)
    assert str(again) == str(made)


def test_open_partitions_are_placed():
    made = es.exchange.synthesize(es.exchange.parse(OPEN), "dgx-v100")
    assert made.members == {"G": [0, 1], "H": [2]}
    assert made.check(made.members)
    assert "G {size 2}" in str(made)
    given = es.exchange.synthesize(
        es.exchange.parse(OPEN), "dgx-v100", members={"G": [1, 2], "H": [0]}
    )
    assert given.members == {"G": [1, 2], "H": [0]}
    assert given.check(given.members)


def test_programs_are_kept_in_a_folder(tmp_path):
    preamble = es.exchange.collective("broadcast", 8, 10**7)
    first = es.exchange.synthesize(preamble, "dgx-v100", cache_dir=tmp_path)
    second = es.exchange.synthesize(preamble, "dgx-v100", cache_dir=tmp_path)
    assert not first.from_cache
    assert second.from_cache
    assert str(second) == str(first)


def test_a_search_may_be_cut_short():
    preamble = es.exchange.collective("all-reduce", 8, GB)
    made = es.exchange.synthesize(preamble, "dgx-v100", time_limit=0)
    assert made.cut_short
    assert made.ms == made.naive_ms
    assert es.exchange.synthesize(preamble, "dgx-v100", budget=0).simulations == 0


@pytest.mark.parametrize(
    ("text", "arguments", "error", "message"),
    [
        ("IN: A+B @ 0\nOUT: A @ 1", {}, es.ExchangeError, "A cannot be put together"),
        ("IN: A @ 0\nOUT: A @ 9", {}, es.TopologyError, "dgx-v100"),
        ("IN: A @ 0\nOUT: A @ 1", {"budget": -1}, es.InputError, "budget must be at least 0"),
        ("IN: A @ 0\nOUT: A @ 1", {"seed": "x"}, es.InputError, "seed"),
        ("IN: A @ 0\nOUT: A @ 1", {"time_limit": "x"}, es.InputError, "must be a number"),
        ("IN: A @ 0\nOUT: A @ 1", {"members": {"G": [0]}}, es.ExchangeError, "no partition"),
    ],
)
def test_what_is_not_synthesized(text, arguments, error, message):
    with pytest.raises(error, match=message):
        es.exchange.synthesize(es.exchange.parse(text), "dgx-v100", **arguments)


def test_what_is_synthesized_is_a_program():
    with pytest.raises(es.ExchangeError, match="is an exchange program, not 'A'"):
        es.exchange.synthesize("A", "dgx-v100")


@pytest.fixture
def preamble(tmp_path):
    path = tmp_path / "p.exprog"
    path.write_text(OPEN, encoding="utf-8")
    return str(path)


def test_the_command_prints_a_program(preamble, capsys):
    assert main(["exprog", "synthesize", preamble, "--topology", "dgx-v100"]) == 0
    printed = capsys.readouterr()
    assert es.exchange.parse(printed.out).check({"G": [0, 1], "H": [2]})
    assert "above the bound" in printed.err
    assert "G = [0, 1]" in printed.err


def test_the_command_prints_json(preamble, capsys):
    arguments = ["exprog", "synthesize", preamble, "--topology", "dgx-v100", "--json", "--ideal"]
    assert main(arguments) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["ms"] <= said["naive_ms"]
    assert said["members"] == {"G": [0, 1], "H": [2]}
    assert es.exchange.parse(said["program"]).check(said["members"])
