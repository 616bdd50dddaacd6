# SPDX-License-Identifier: Apache-2.0
"""The sentence encoder in PyTorch: sentences padded to one length, or packed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy.typing as npt
import torch
from torch.nn import functional

from benchmarks.peers.padding import padded, runs_of_one_length

EPS = 1e-12
Arrays = Mapping[str, npt.NDArray[Any]]
Batches = list[tuple[npt.NDArray[Any], npt.NDArray[Any]]]
Attend = Callable[[torch.Tensor], torch.Tensor]


class Encoder:
    """The layers over tokens ``[..., width]``, however they lie; `attend` takes all of q, k, v."""

    def __init__(self, arrays: Arrays, layers: int) -> None:
        own = {n: torch.from_numpy(a) for n, a in arrays.items()}
        self._tables = own["words"], own["positions_table"] + own["token_type"]
        self._norm = own["norm.weight"], own["norm.bias"]
        self._layers = [_layer(own, f"layers.{i}.") for i in range(layers)]

    def __call__(self, ids: torch.Tensor, positions: torch.Tensor, attend: Attend) -> torch.Tensor:
        """Give each token's features."""
        words, places = self._tables
        x = _norm(words[ids] + places[positions], self._norm)
        for layer in self._layers:
            attended = attend(functional.linear(x, *layer["qkv"]))
            x = _norm(x + functional.linear(attended, *layer["out"]), layer["attention_norm"])
            hidden = functional.gelu(functional.linear(x, *layer["up"]))
            x = _norm(x + functional.linear(hidden, *layer["down"]), layer["output_norm"])
        return x


def minilm(
    arrays: Arrays, settings: Mapping[str, Any], variant: str
) -> tuple[Callable[..., torch.Tensor], tuple[Any, ...]]:
    """Give the encoder; variants end in "packed", or in how many sentences are padded at a time."""
    encoder = Encoder(arrays, settings["layers"])
    ends, heads, form = settings["ends"], settings["heads"], variant.split()[-1]
    if form == "packed":
        return _packed(encoder, arrays, ends, heads)
    return _padded(encoder, padded(arrays["ids"], ends, int(form)), heads)


def _padded(
    encoder: Encoder, batches: Batches, heads: int
) -> tuple[Callable[..., torch.Tensor], tuple[Any, ...]]:
    """Mask the padding, unless there is none."""
    full = [bool(there.all()) for _, there in batches]

    def embed(ids: torch.Tensor, there: torch.Tensor, full: bool) -> torch.Tensor:
        mask = None if full else there[:, None, None, :]
        positions = torch.arange(ids.shape[1])
        x = encoder(ids, positions, lambda qkv: _attention(qkv, heads, mask))
        weight = there[:, :, None].float()
        return functional.normalize((x * weight).sum(1) / weight.sum(1), eps=EPS)

    def run(*batches: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        parts = [embed(*batch, full=whole) for batch, whole in zip(batches, full, strict=True)]
        return torch.cat(parts)

    return run, tuple((torch.from_numpy(ids), torch.from_numpy(there)) for ids, there in batches)


def _packed(
    encoder: Encoder, arrays: Arrays, ends: list[int], heads: int
) -> tuple[Callable[..., torch.Tensor], tuple[torch.Tensor, ...]]:
    """Take sentences of one length, which lie behind each other, at once in attention."""
    runs = runs_of_one_length(ends)
    sizes = [count * length for count, length in runs]

    def attend(qkv: torch.Tensor) -> torch.Tensor:
        parts = [
            _attention(part.view(count, length, -1), heads, None).flatten(0, 1)
            for part, (count, length) in zip(qkv.split(sizes), runs, strict=True)
        ]
        return torch.cat(parts)

    def run(ids: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        parts = encoder(ids, positions, attend).split(sizes)
        means = [p.view(*shape, -1).mean(1) for p, shape in zip(parts, runs, strict=True)]
        return functional.normalize(torch.cat(means), eps=EPS)

    return run, (torch.from_numpy(arrays["ids"]), torch.from_numpy(arrays["positions"]))


def _attention(qkv: torch.Tensor, heads: int, mask: torch.Tensor | None) -> torch.Tensor:
    """Attend within ``[sentences, length]``; give ``[sentences, length, width]``."""
    sentences, length, _ = qkv.shape
    q, k, v = qkv.view(sentences, length, 3, heads, -1).permute(2, 0, 3, 1, 4)
    attended = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return attended.transpose(1, 2).reshape(sentences, length, -1)


def _norm(x: torch.Tensor, weight_and_bias: tuple[torch.Tensor, ...]) -> torch.Tensor:
    return functional.layer_norm(x, x.shape[-1:], *weight_and_bias, eps=EPS)


def _layer(own: Mapping[str, torch.Tensor], prefix: str) -> dict[str, tuple[torch.Tensor, ...]]:
    """Give weight and bias of each part; weights lie as `torch.nn.Linear` has them."""

    def pair(name: str) -> tuple[torch.Tensor, torch.Tensor]:
        weight, bias = own[f"{prefix}{name}.weight"], own[f"{prefix}{name}.bias"]
        return (weight.T.contiguous() if weight.ndim == 2 else weight), bias

    pairs = [pair(name) for name in ("query", "key", "value")]
    weights, biases = zip(*pairs, strict=True)
    return {
        "qkv": (torch.cat(weights), torch.cat(biases)),
        "out": pair("attention_output"),
        **{name: pair(name) for name in ("attention_norm", "up", "down", "output_norm")},
    }
