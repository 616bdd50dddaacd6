# SPDX-License-Identifier: Apache-2.0
"""Numbers as people write them on a command line, and back."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from fractions import Fraction

_BYTES = {
    "": 1,
    "B": 1,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}


def count(text: str) -> int:
    """Read ``1024``, or ``1K``, which is the same."""
    found = re.fullmatch(r"(\d+)([Kk]?)", text)
    if not found or int(found[1]) == 0:
        raise ArgumentTypeError(f"{text!r} is no positive number, as 8 or 4K (4096)")
    return int(found[1]) * (1024 if found[2] else 1)


def tokens(text: str) -> tuple[int, int]:
    """Read ``BxS``, sequences and tokens each, as ``8x1K``; ``4K`` is ``1x4K``."""
    parts = text.split("x")
    if len(parts) > 2:
        raise ArgumentTypeError(f"{text!r} is not sequences x tokens, as 8x1K")
    sizes = [count(part) for part in parts]
    return (1, sizes[0]) if len(sizes) == 1 else (sizes[0], sizes[1])


def devices(text: str) -> int | list[int]:
    """Read how many devices, ``8``, or which, ``0,1``."""
    if re.fullmatch(r"\d+", text) and int(text) > 0:
        return int(text)
    if re.fullmatch(r"\d+(,\d+)+,?|\d+,", text):
        return [int(part) for part in text.split(",") if part]
    raise ArgumentTypeError(f"{text!r} is neither how many, as 8, nor which, as 0,1")


def size(text: str) -> int:
    """Read bytes: ``40GB`` (decimal), ``16GiB`` (binary), or a plain number."""
    found = re.fullmatch(r"(\d{1,30}(?:\.\d{1,30})?) ?([kKMGT]?i?B?)", text)
    if not found or found[2] not in _BYTES:
        raise ArgumentTypeError(f"{text!r} is no size, as 40GB, 16GiB or 1000000")
    return int(Fraction(found[1]) * _BYTES[found[2]])


def show_size(number: int) -> str:
    """Write bytes, as ``1.5 GB``."""
    for unit in ("TB", "GB", "MB", "kB"):
        if number >= _BYTES[unit]:
            return f"{number / _BYTES[unit]:.1f} {unit}"
    return f"{number} bytes"


def show_seconds(seconds: float) -> str:
    """Write a time, as ``12.3 ms``."""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} us"
