# SPDX-License-Identifier: Apache-2.0
"""Arguments on exchange programs that are wrong: an error of the library says what is legal."""

from fractions import Fraction

import numpy as np
import pytest

import einsummable as es
from einsummable.cli import quantities

ONE = "GPUS: 0, 1, 2\nPARTITIONS: G {size 2}; H {size 1}\nIN: A @ 0\nOUT: A @ G\nA @ 0 -> 1"
WRONG = {
    "a flag of an array": ({"ideal": np.array([1, 2])}, "ideal must be True or False"),
    "a flag of a text": ({"ideal": "no"}, "ideal must be True or False, not 'no'"),
    "a folder of a number": ({"cache_dir": 3}, "cache_dir is the path of a folder, not 3"),
    "a folder of bytes": ({"cache_dir": b"/tmp"}, "cache_dir is the path of a folder"),
    "half a surrogate pair": ({"cache_dir": "\ud800"}, "cache_dir is the path of a folder"),
    "too long a time": ({"time_limit": 10**400}, "time_limit is beyond the range of float64"),
    "a negative time": ({"time_limit": -1}, "time_limit must be a time, at least 0"),
    "a site twice": ({"members": {"G": [0, 0]}}, "name site 0 twice"),
    "a site of two": ({"members": {"G": [0, 1], "H": [1]}}, "name site 1 twice"),
    "a site that is none": ({"members": {"H": [7]}}, "name site 7, which is not declared"),
    "a site beyond all": ({"members": {"G": [0, 2**32]}}, "there is no site 4294967296"),
    "a negative site": ({"members": {"G": [0, -1]}}, "there is no site -1"),
}


@pytest.mark.parametrize("wrong", WRONG, ids=list(WRONG))
def test_synthesis_says_what_is_legal(wrong):
    arguments, message = WRONG[wrong]
    with pytest.raises(es.Error, match=message):
        es.exchange.synthesize(es.exchange.parse(ONE), "dgx-v100", budget=5, **arguments)


def test_a_budget_of_any_size_is_no_less_than_a_small_one():
    p = es.exchange.parse("IN: A @ 0; B @ 1\nOUT: A+B @ 0, 1")
    few, most = (
        es.exchange.synthesize(p, "dgx-a100", ideal=True, budget=b) for b in (50, 2**63 - 1)
    )
    assert most.ms <= few.ms


def test_what_is_synthesized_reads_back_as_the_same_program():
    p = es.exchange.parse(
        "GPUS: 0, 1, 2, 3\nIN: A0 @ 0, 2 (size: 1000 B); A1 @ 1 (size: 1000 B)\n"
        "OUT: A0+A1 @ 2; A1 @ 0, 1, 2, 3; A0+A1 @ 0, 1"
    )
    text = str(es.exchange.synthesize(p, "dgx-v100", ideal=True, budget=30, seed=1))
    assert str(es.exchange.parse(text)) == text


@pytest.mark.parametrize("size", ["9007199254740993", "9223372036854775807", "1.1GB", "0.5KiB"])
def test_sizes_are_exact(size):
    number, unit = (size[:-2], 10**9) if size.endswith("GB") else (size, 1)
    if size.endswith("KiB"):
        number, unit = size[:-3], 1024
    assert quantities.size(size) == Fraction(number) * unit


def test_a_size_too_long_to_read_is_refused():
    with pytest.raises(quantities.ArgumentTypeError, match="is no size"):
        quantities.size("9" * 5000 + "GB")


@pytest.mark.parametrize("topology", ["\ud800", 3, b"dgx-a100", [1]])
def test_a_topology_is_a_name_or_a_path(topology):
    with pytest.raises(es.TopologyError, match="a topology is the name of a machine or the path"):
        es.plan(es.workloads.ffn(8, 8, 8), devices=2, topology=topology)


def test_a_plan_is_timed_on_the_topology_it_is_compiled_for():
    g = es.workloads.ffn(1024, 512, 512)
    plan = es.plan(g, devices=4, topology="dgx-a100")
    exe = es.compile(g, plan=plan, topology="dgx-v100")
    assert exe.predicted_ms == es.plan(g, devices=4, topology="dgx-v100").predicted_ms
    assert es.compile(g, plan=plan).predicted_ms == plan.predicted_ms


IMPROVING = {
    "no program": (lambda p: ("A @ 0", "unit"), {}, "what is improved is an exchange program"),
    "no machine": (lambda p: (p, 3), {}, "a topology is the name of a machine or the path"),
    "a time of text": (lambda p: (p, "unit"), {"bound_ms": "1"}, "bound_ms must be a number"),
    "no candidates": (lambda p: (p, "unit"), {"candidates": 0}, "candidates must be at least 1"),
    "rounds of text": (lambda p: (p, "unit"), {"rounds": "3"}, "rounds must be an integer"),
    "a flag of text": (lambda p: (p, "unit"), {"ideal": "no"}, "ideal must be True or False"),
}


@pytest.mark.parametrize("wrong", IMPROVING, ids=list(IMPROVING))
def test_improving_says_what_is_legal(wrong):
    positional, named, message = IMPROVING[wrong]
    p = es.exchange.parse("IN: A @ 0\nOUT: A @ 1")
    with pytest.raises(es.Error, match=message):
        es.proposer.improve(*positional(p), lambda prompt: "", **named)


def test_a_machine_may_be_a_path(tmp_path):
    path = tmp_path / "box.toml"
    path.write_text(str(es.topology.load("dgx-a100")))
    p = es.exchange.parse("IN: A @ 0\nOUT: A @ 1")
    assert es.proposer.improve(p, path, lambda prompt: "A @ 0 -> 1").ms > 0
