# SPDX-License-Identifier: Apache-2.0
"""Packing of token sequences: every sentence whole and once, no chunk over the limit."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from einsummable.models.packing import CHUNK_TOKENS, pack, unpack


@st.composite
def sentences_and_limit(draw: st.DrawFn) -> tuple[list[list[int]], int]:
    limit = draw(st.integers(1, 40))
    sentence = st.lists(st.integers(0, 30521), min_size=1, max_size=limit)
    return draw(st.lists(sentence, max_size=30)), limit


@given(sentences_and_limit())
def test_every_sentence_is_whole_and_in_exactly_one_chunk(
    case: tuple[list[list[int]], int],
) -> None:
    sentences, limit = case
    chunks = pack(sentences, limit)
    placed = [index for chunk in chunks for index in chunk.sentences]
    assert sorted(placed) == list(range(len(sentences)))
    for chunk in chunks:
        assert len(chunk.ends) == len(chunk.sentences) > 0
        starts = (0, *chunk.ends[:-1])
        for index, start, end in zip(chunk.sentences, starts, chunk.ends, strict=True):
            assert chunk.ids[start:end].tolist() == sentences[index]
            assert chunk.positions[start:end].tolist() == list(range(len(sentences[index])))


@given(sentences_and_limit())
def test_limits_and_types_hold(case: tuple[list[list[int]], int]) -> None:
    sentences, limit = case
    for chunk in pack(sentences, limit):
        assert chunk.ends[-1] == len(chunk.ids) == len(chunk.positions) <= limit
        assert all(a < b for a, b in zip((0, *chunk.ends), chunk.ends, strict=False))
        assert chunk.ids.dtype == chunk.positions.dtype == np.int32
        assert all(type(end) is int for end in chunk.ends)


@given(sentences_and_limit())
def test_a_chunk_but_the_last_lacks_fewer_tokens_than_its_shortest_sentence(
    case: tuple[list[list[int]], int],
) -> None:
    sentences, limit = case
    for chunk in pack(sentences, limit)[:-1]:
        assert limit - chunk.ends[-1] < min(len(sentences[index]) for index in chunk.sentences)


@given(sentences_and_limit(), st.integers(0, 2**32))
def test_ends_depend_on_the_lengths_alone(case: tuple[list[list[int]], int], seed: int) -> None:
    sentences, limit = case
    shuffled = random.Random(seed).sample(sentences, len(sentences))
    expected = [chunk.ends for chunk in pack(sentences, limit)]
    assert [chunk.ends for chunk in pack(shuffled, limit)] == expected


@given(sentences_and_limit())
def test_unpack_restores_the_given_order(case: tuple[list[list[int]], int]) -> None:
    sentences, limit = case
    chunks = pack(sentences, limit)
    rows = [np.array(chunk.sentences, dtype=np.float32)[:, None] for chunk in chunks]
    restored = unpack(chunks, rows, width=1)
    assert restored.shape == (len(sentences), 1)
    assert restored[:, 0].tolist() == list(range(len(sentences)))


def test_a_small_packing_by_hand() -> None:
    first, second = pack([[1, 2], [3], [4, 5, 6], [7, 8]], limit=5)
    assert first.ids.tolist() == [4, 5, 6, 1, 2]
    assert first.positions.tolist() == [0, 1, 2, 0, 1]
    assert (first.ends, first.sentences) == ((3, 5), (2, 0))
    assert second.ids.tolist() == [7, 8, 3]
    assert (second.ends, second.sentences) == ((2, 3), (3, 1))


def test_no_sentences_give_no_chunks() -> None:
    assert pack([]) == []
    assert unpack([], [], width=384).shape == (0, 384)


def test_equal_lengths_give_chunks_with_equal_ends() -> None:
    chunks = pack([[0] * 16] * 1024)
    assert [chunk.ends[-1] for chunk in chunks] == [CHUNK_TOKENS, CHUNK_TOKENS]
    assert chunks[0].ends == chunks[1].ends


@pytest.mark.parametrize("length", [0, 6])
def test_a_sentence_that_no_chunk_can_take_is_named(length: int) -> None:
    message = f"sentence 1 has {length} tokens; a chunk takes sentences of 1 to 5"
    with pytest.raises(ValueError, match=message):
        pack([[1], [2] * length], limit=5)
