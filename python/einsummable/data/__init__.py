# SPDX-License-Identifier: Apache-2.0
"""Sentences to try the sentence encoder on."""

from __future__ import annotations

from importlib import resources


def sentences() -> list[str]:
    """Give 288 English sentences of 3 to 54 words: 24 subjects, twelve sentences each, in order."""
    return _lines("sentences.txt")


def queries() -> list[str]:
    """Give a few sentences whose nearest ones among `sentences` are worth looking at."""
    return _lines("queries.txt")


def _lines(name: str) -> list[str]:
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8").splitlines()
