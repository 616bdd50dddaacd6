# SPDX-License-Identifier: Apache-2.0
"""Packing of token sequences into chunks without padding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CHUNK_TOKENS = 8192
"""Tokens a chunk may have."""

Array = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Chunk:
    """Whole sentences, one behind the other.

    The sentences ``[[7, 8], [9]]`` make the chunk with ``ids = [7, 8, 9]``,
    ``positions = [0, 1, 0]``, ``ends = (2, 3)`` and ``sentences = (0, 1)``.
    """

    ids: Array
    """``[tokens]``, the token ids."""
    positions: Array
    """``[tokens]``, the place of each token in its own sentence."""
    ends: tuple[int, ...]
    """Where each sentence ends in `ids`: strictly increasing, the last the number of tokens."""
    sentences: tuple[int, ...]
    """Which of the given sentences each one is."""


def pack(sentences: Sequence[Sequence[int]], limit: int = CHUNK_TOKENS) -> list[Chunk]:
    """Pack sentences into chunks of at most `limit` tokens.

    Next fit over falling lengths: the sentences, longest first and equal lengths in the given
    order, fill a chunk until the next one does not fit, then the next chunk. A chunk but the
    last thus lacks fewer tokens than its shortest sentence has. Its `ends` depend on the lengths
    alone, not on the order in which the sentences were given, and where many sentences have one
    length, whole chunks have the same `ends`: an executable made for one serves them all.

    Parameters
    ----------
    sentences
        Token ids of each sentence, at least one and at most `limit` each.
    limit
        Most tokens a chunk may have.

    Returns
    -------
    list of Chunk
        Every sentence is in exactly one of them. No sentences give no chunks.

    Raises
    ------
    ValueError
        If a sentence has no tokens or more than `limit`.
    """
    for index, ids in enumerate(sentences):
        if not 1 <= len(ids) <= limit:
            raise ValueError(
                f"sentence {index} has {len(ids)} tokens; a chunk takes sentences of 1 to {limit}"
            )
    chunks: list[list[int]] = []
    free = 0
    for index in sorted(range(len(sentences)), key=lambda i: -len(sentences[i])):
        length = len(sentences[index])
        if length > free or not chunks:
            chunks.append([])
            free = limit
        chunks[-1].append(index)
        free -= length
    return [_chunk(sentences, indices) for indices in chunks]


def unpack(
    chunks: Iterable[Chunk], rows: Iterable[npt.NDArray[np.float32]], width: int
) -> npt.NDArray[np.float32]:
    """Bring results, a row a sentence, back into the order in which the sentences were given.

    Parameters
    ----------
    chunks
        What `pack` gave.
    rows
        For each chunk a result ``[sentences in the chunk, width]``.
    width
        Extent of a row.

    Returns
    -------
    numpy.ndarray
        ``[sentences, width]``.
    """
    pairs = list(zip(chunks, rows, strict=True))
    result = np.empty((sum(len(chunk.sentences) for chunk, _ in pairs), width), dtype=np.float32)
    for chunk, part in pairs:
        result[list(chunk.sentences)] = part
    return result


def _chunk(sentences: Sequence[Sequence[int]], indices: Sequence[int]) -> Chunk:
    chosen = [sentences[index] for index in indices]
    lengths = [len(ids) for ids in chosen]
    return Chunk(
        ids=np.concatenate([np.asarray(ids, dtype=np.int32) for ids in chosen]),
        positions=np.concatenate([np.arange(length, dtype=np.int32) for length in lengths]),
        ends=tuple(int(end) for end in np.cumsum(lengths)),
        sentences=tuple(indices),
    )
