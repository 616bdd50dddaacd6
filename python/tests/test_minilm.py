# SPDX-License-Identifier: Apache-2.0
"""The compiled sentence encoder gives what the independent float64 forward gives."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import einsummable as es
from einsummable import data
from einsummable.cli import main
from einsummable.models._minilm_weights import load_weights
from einsummable.models._reference import embed as embed_reference

SENTENCES = data.sentences()[::12]


@pytest.fixture(scope="module")
def model():
    return es.models.MiniLM.load()


@pytest.fixture(scope="module")
def expected(model):
    return embed_reference(load_weights(), model.tokenize(SENTENCES))


@pytest.mark.parametrize("devices", [1, 3, 8, [0, 1, 2, 3, 4]])
def test_embeddings_are_those_of_the_reference(model, expected, devices):
    embedded = model.embed(SENTENCES, devices=devices)
    assert (embedded.shape, embedded.dtype) == ((len(SENTENCES), 384), np.float32)
    assert np.abs(embedded - expected).max() <= 2e-6


def test_rows_come_in_the_given_order(model, expected):
    assert np.abs(model.embed(SENTENCES[::-1], devices=2)[::-1] - expected).max() <= 2e-6


def test_equal_lengths_share_an_executable(model):
    (chunk,) = model.chunks(SENTENCES[:4])
    exe = model.executable(chunk.ends, devices=2)
    (other,) = model.chunks(SENTENCES[3::-1])
    assert model.executable(other.ends, devices=2) is exe
    assert exe.verify()


def test_a_model_may_be_used_from_several_threads(model, expected):
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda n: model.embed(SENTENCES[:n], devices=2), [3, 5, 3, 5] * 2))
    for rows in results:
        assert np.abs(rows - expected[: len(rows)]).max() <= 2e-6


def test_no_sentences_give_no_rows(model):
    assert model.embed([]).shape == (0, 384)


@pytest.mark.parametrize("wrong", ["one", [1], [b"x"], 3, ["\ud800"]])
def test_what_are_no_sentences_is_an_input_error(model, wrong):
    with pytest.raises(es.InputError):
        model.embed(wrong)


def test_the_demo_passes(capsys):
    assert main(["demo", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["ok"] is True
    assert out["sentences"] >= 200
    assert out["devices"] == 8
    assert out["largest_difference"] <= 2e-6
    assert all(plan["exact"] for plan in out["plans"])
    for verified in out["verified"]:
        assert {"tiling", "closure", "races", "provenance", "memory"} <= set(verified)
    assert all(len(nearest) == 3 for nearest in out["nearest"].values())
