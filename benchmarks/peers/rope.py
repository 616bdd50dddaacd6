# SPDX-License-Identifier: Apache-2.0
"""The angles of rotary position embedding."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

THETA = 1e4


def cosines_and_sines(
    seq: int, dim: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Give both, ``[seq, 1, dim / 2]``, of the pairs (i, i + dim / 2) at each position."""
    angles = np.arange(seq)[:, None, None] * THETA ** (-2 * np.arange(dim // 2) / dim)
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
