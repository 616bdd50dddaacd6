# SPDX-License-Identifier: Apache-2.0
"""Packed sentences in the forms that others take."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def padded(
    ids: npt.NDArray[np.int32], ends: Sequence[int], most: int
) -> list[tuple[npt.NDArray[np.int32], npt.NDArray[Any]]]:
    """Pad batches of at most so many sentences.

    Gives of each the ids, ``[sentences, longest]``, zeros behind each sentence, and where there are
    tokens.

    >>> [batch[0].tolist() for batch in padded(np.array([7, 8, 9, 5], np.int32), [2, 3, 4], 2)]
    [[[7, 8], [9, 0]], [[5]]]
    """
    batches = []
    for start in range(0, len(ends), most):
        begin = ends[start - 1] if start else 0
        lengths = np.diff(ends[start : start + most], prepend=begin)
        there = np.arange(lengths.max()) < lengths[:, None]
        filled = np.zeros(there.shape, np.int32)
        filled[there] = ids[begin : begin + lengths.sum()]
        batches.append((filled, there))
    return batches


def runs_of_one_length(ends: Sequence[int]) -> list[tuple[int, int]]:
    """Give how many sentences in a row have a length, and the length.

    >>> runs_of_one_length([3, 6, 8])
    [(2, 3), (1, 2)]
    """
    lengths = [int(n) for n in np.diff(ends, prepend=0)]
    return [(len(list(run)), length) for length, run in itertools.groupby(lengths)]
