# SPDX-License-Identifier: Apache-2.0
"""Graphs that several tests compile."""

import ml_dtypes
import numpy as np

import einsummable as es

DTYPES = ["float32", "float64", "float16", "bfloat16", "int32", "int64", "bool"]


def numpy_dtype(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def ffn(devices=4, **options):
    g = es.Graph()
    x = g.tensor([6, 10], name="x")
    w1, w2 = g.parameter([10, 14], name="w1"), g.parameter([14, 10], name="w2")
    y = es.relu(g.matmul(x, w1, name="up")) @ w2
    g.save(y, name="y")
    # However small the work is, all devices take part.
    options = {"objective": "proxy", **options}
    return g, (x, w1, w2, y), es.compile(g, devices=devices, **options)


def ffn_arrays():
    random = np.random.default_rng(0)
    return [random.integers(-3, 4, s).astype(np.float32) for s in ((6, 10), (10, 14), (14, 10))]


def ffn_result(a, b, c):
    return np.maximum(a @ b, 0) @ c
