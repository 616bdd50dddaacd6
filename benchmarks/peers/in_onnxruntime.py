# SPDX-License-Identifier: Apache-2.0
"""The sentence encoder in onnxruntime, padded.

The model is written with the fused operators that onnxruntime's own optimiser for transformers puts
in place of those an exporter writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from benchmarks.peers.padding import padded

EPS = 1e-12
FUSED = "com.microsoft"

Arrays = Mapping[str, npt.NDArray[Any]]


def prepare(
    workload: str, variant: str, arrays: Arrays, settings: Mapping[str, Any], threads: int
) -> Callable[[], npt.NDArray[Any]]:
    """Give the encoder as a function; there is one workload, "minilm".

    Variants are how many sentences are padded at a time.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    # Its threads would wait awake for the next call, and slow the other peers meanwhile.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    session = onnxruntime.InferenceSession(
        _model(arrays, settings).SerializeToString(), options, ["CPUExecutionProvider"]
    )
    batches = [
        {"ids": ids, "there": there.astype(np.int32)}
        for ids, there in padded(arrays["ids"], settings["ends"], int(variant))
    ]

    def compute() -> npt.NDArray[Any]:
        return np.concatenate([session.run(None, batch)[0] for batch in batches])

    return compute


class _Writer:
    """Nodes and constants of a model, as they are written."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def node(self, op: str, *operands: str, domain: str = "", **attributes: Any) -> str:
        """Write a node with one output, and give its name."""
        name = f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, operands, [name], name, "", domain, **attributes))
        return name

    def constant(self, array: npt.NDArray[Any]) -> str:
        """Write an array, and give its name."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name


def _model(arrays: Arrays, settings: Mapping[str, Any]) -> onnx.ModelProto:
    to = _Writer()
    words = to.node("Gather", to.constant(arrays["words"]), "ids")
    table = to.constant(arrays["positions_table"] + arrays["token_type"])
    zero, one = (to.constant(np.array([number])) for number in (0, 1))
    length = to.node("Slice", to.node("Shape", "ids"), one, to.constant(np.array([2])))
    places = to.node("Slice", table, zero, length, zero)
    norm = [to.constant(arrays[f"norm.{part}"]) for part in ("weight", "bias")]
    summed = to.node("Add", words, places)
    x = to.node("LayerNormalization", summed, *norm, axis=-1, epsilon=EPS)
    for i in range(settings["layers"]):
        x = _layer(to, arrays, f"layers.{i}.", x, settings["heads"])
    _embedding(to, x)
    graph = helper.make_graph(
        to.nodes,
        "minilm",
        [_value("ids", TensorProto.INT32, 2), _value("there", TensorProto.INT32, 2)],
        [_value("embedding", TensorProto.FLOAT, 2)],
        to.constants,
    )
    domains = [helper.make_opsetid("", 20), helper.make_opsetid(FUSED, 1)]
    return helper.make_model(graph, opset_imports=domains, ir_version=10)


def _layer(to: _Writer, arrays: Arrays, prefix: str, x: str, heads: int) -> str:
    def given(name: str) -> tuple[str, str]:
        weight, bias = (arrays[f"{prefix}{name}.{part}"] for part in ("weight", "bias"))
        return to.constant(weight), to.constant(bias)

    def norm(name: str, x: str, skipped: str, bias: str) -> str:
        operands = (x, skipped, *given(name), bias)
        return to.node("SkipLayerNormalization", *operands, domain=FUSED, epsilon=EPS)

    def joined(part: str) -> str:
        names = [f"{prefix}{name}.{part}" for name in ("query", "key", "value")]
        return to.constant(np.concatenate([arrays[name] for name in names], -1))

    operands = (x, joined("weight"), joined("bias"), "there")
    attended = to.node("Attention", *operands, domain=FUSED, num_heads=heads)
    weight, bias = given("attention_output")
    x = norm("attention_norm", to.node("MatMul", attended, weight), x, bias)
    weight, bias = given("up")
    hidden = to.node("BiasGelu", to.node("MatMul", x, weight), bias, domain=FUSED)
    weight, bias = given("down")
    return norm("output_norm", to.node("MatMul", hidden, weight), x, bias)


def _embedding(to: _Writer, x: str) -> None:
    """Write the mean over the tokens that are there, of length 1."""
    float_there = to.node("Cast", "there", to=TensorProto.FLOAT)
    last, middle = to.constant(np.array([-1])), to.constant(np.array([1]))
    weights = to.node("Unsqueeze", float_there, last)
    total = to.node("ReduceSum", to.node("Mul", x, weights), middle, keepdims=0)
    mean = to.node("Div", total, to.node("ReduceSum", float_there, last, keepdims=1))
    norm = to.node("ReduceL2", mean, last, keepdims=1)
    least = to.constant(np.array(EPS, np.float32))
    to.nodes.append(helper.make_node("Div", [mean, to.node("Max", norm, least)], ["embedding"]))


def _value(name: str, dtype: int, rank: int) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, dtype, [None] * rank)
