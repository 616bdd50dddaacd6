# SPDX-License-Identifier: Apache-2.0
"""MiniLM in float64 NumPy, one sentence at a time: what the distributed result is held against.

It shares the weights with the model and nothing else: no operator of this library and no float32
arithmetic. Only linear maps, which treat every token alike, take all sentences at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from einsummable.models._minilm_weights import (
    HEAD_DIM,
    HEADS,
    LAYER_NORM_EPS,
    WIDTH,
    EncoderLayer,
    LayerNorm,
    Linear,
    MiniLMWeights,
)

Array = npt.NDArray[np.float64]

_GRID = 64
_SATURATED = 6
_ERF_ON_GRID = np.array(
    [math.erf(i / _GRID) for i in range(-_SATURATED * _GRID, _SATURATED * _GRID + 1)]
)


def erf(x: npt.ArrayLike) -> Array:
    """Error function of every element, within 1e-15; the elements may be infinite, not NaN.

    The Taylor series around the nearest multiple ``a`` of 1/64, where the standard library gives
    the value. With ``t = x - a`` and the Hermite polynomials ``H``::

        erf(a + t) = erf(a) + 2 / sqrt(pi) exp(-a^2) sum over k of (-1)^k H_k(a) t^(k+1) / (k+1)!

    As ``|t| <= 1/128``, eight terms are enough. From 6 on, erf is 1 to the last bit.
    """
    x = np.clip(np.asarray(x, dtype=np.float64), -_SATURATED, _SATURATED)
    point = np.rint(x * _GRID)
    a = point / _GRID
    t = x - a
    # term = (-1)^k H_k(a) t^k / k!, by H_(k+1)(a) = 2 a H_k(a) - 2 k H_(k-1)(a).
    previous, term, series = np.zeros_like(t), np.ones_like(t), np.ones_like(t)
    for k in range(1, 8):
        previous, term = term, (-2.0 * t / k) * (a * term + t * previous)
        series += term / (k + 1)
    slope = 2.0 / math.sqrt(math.pi) * np.exp(-a * a)
    values = _ERF_ON_GRID[point.astype(np.int64) + _SATURATED * _GRID]
    return np.asarray(values + slope * t * series)


def gelu(x: Array) -> Array:
    """Exact GELU, ``x * (1 + erf(x / sqrt(2))) / 2``."""
    return np.asarray(x * (1.0 + erf(x / math.sqrt(2.0))) / 2.0)


def embed(weights: MiniLMWeights, sentences: Sequence[Sequence[int]]) -> Array:
    """Give unit embeddings ``[n, 384]`` of `n` sentences of token ids, in the given order."""
    states = [_embedded(weights, ids) for ids in sentences]
    for layer in weights.layers if states else ():
        states = _encoded(layer, states)
    result = np.empty((len(states), WIDTH))
    for row, state in zip(result, states, strict=True):
        mean = state.mean(axis=0)
        row[:] = mean / max(math.sqrt(mean @ mean), 1e-12)
    return result


def _embedded(weights: MiniLMWeights, ids: Sequence[int]) -> Array:
    rows = np.asarray(ids, dtype=np.int64)
    x = weights.words[rows].astype(np.float64)
    x += weights.positions[: len(rows)]
    x += weights.token_type
    return _layer_norm(x, weights.norm)


def _encoded(layer: EncoderLayer, states: Sequence[Array]) -> list[Array]:
    """One layer, applied to each of the sentences `states`."""
    query, key, value = (_linear(part, states) for part in (layer.query, layer.key, layer.value))
    attended = [_attention(q, k, v) for q, k, v in zip(query, key, value, strict=True)]
    states = _added(states, _linear(layer.attention_output, attended), layer.attention_norm)
    hidden = [gelu(x) for x in _linear(layer.up, states)]
    return _added(states, _linear(layer.down, hidden), layer.output_norm)


def _added(states: Sequence[Array], other: Sequence[Array], norm: LayerNorm) -> list[Array]:
    return [_layer_norm(x + y, norm) for x, y in zip(states, other, strict=True)]


def _attention(query: Array, key: Array, value: Array) -> Array:
    """Head by head, every token attends to every token; all are ``[tokens, 384]``."""
    result = np.empty_like(query)
    for head in range(HEADS):
        columns = slice(head * HEAD_DIM, (head + 1) * HEAD_DIM)
        scores = query[:, columns] @ key[:, columns].T / math.sqrt(HEAD_DIM)
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        result[:, columns] = scores / scores.sum(axis=1, keepdims=True) @ value[:, columns]
    return result


def _linear(part: Linear, states: Sequence[Array]) -> list[Array]:
    rows = np.concatenate(states) @ part.weight.astype(np.float64)
    rows += part.bias
    return np.split(rows, np.cumsum([len(x) for x in states])[:-1])


def _layer_norm(x: Array, norm: LayerNorm) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt(variance + LAYER_NORM_EPS) * norm.weight + norm.bias)
