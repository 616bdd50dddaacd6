# SPDX-License-Identifier: Apache-2.0
"""The paper's computations, and the figures of their plans."""

import re

import pytest

import einsummable as es

FFN_1K, FFN_128K = 209_715_200, 5_234_491_392
CHAINS = {
    "A": 2_919_235_584,
    "B": 1_415_577_600,
    "C": 859_832_320,
    "D": 3_296_460_800,
    "E": 5_191_499_776,
}


def test_the_feed_forward_network_costs_what_the_paper_says():
    assert es.plan(es.workloads.ffn(1024, 4096, 14336), devices=8, objective="proxy").cost == FFN_1K
    assert (
        es.plan(es.workloads.ffn(131072, 4096, 14336), devices=8, objective="proxy").cost
        == FFN_128K
    )


@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_costs_what_the_paper_says(name):
    assert es.plan(es.workloads.chain(name), devices=8, objective="proxy").cost == CHAINS[name]


def test_a_block_costs_what_the_paper_says():
    block = es.workloads.llama_block(seq=1024, rope=False)
    assert es.plan(block, devices=8, objective="proxy").cost == 509_673_472
    many = es.workloads.llama(layers=3, seq=64, dtype="bfloat16")
    assert many.inputs["x"].dtype == "bfloat16"
    assert many.inputs["positions"].shape == (64,)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: es.workloads.ffn(1.5, 2, 3), "ffn: tokens must be an integer, not 1.5"),
        (lambda: es.workloads.ffn(-1, 2, 3), "-1"),
        (lambda: es.workloads.ffn(1, 2, 3, "float8"), "there is no dtype 'float8'"),
        (lambda: es.workloads.llama_block(rope=1), "llama: rope must be True or False, not 1"),
        (lambda: es.workloads.chain("Z"), "Z"),
        (lambda: es.workloads.chain("A", scale=0), "scale"),
    ],
)
def test_mistakes_are_graph_errors(make, message):
    with pytest.raises(es.GraphError, match=re.escape(message)):
        make()
