# SPDX-License-Identifier: Apache-2.0
"""The errors of the core reach Python as classes of the same names."""

import pickle
import re
from pathlib import Path

import error_probe
import numpy as np
import pytest

import einsummable as es
from einsummable.registry import OPERATORS

ERRORS = [
    es.DeviceError,
    es.Error,
    es.ExchangeError,
    es.GraphError,
    es.InputError,
    es.MemoryLimitError,
    es.PlanError,
    es.TopologyError,
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_core_error_is_raised_as_the_class_of_its_name(error):
    message = 'matmul "up": 6 must be 5, for a name such as "größe"'
    with pytest.raises(es.Error) as caught:
        getattr(error_probe, error.__name__)(message)
    assert type(caught.value) is error
    assert isinstance(caught.value, ValueError)
    assert str(caught.value) == message


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_error_is_known_by_its_public_name(error):
    assert error.__module__ == "einsummable"
    assert error.__doc__
    again = pickle.loads(pickle.dumps(error("no")))
    assert type(again) is error
    assert again.args == ("no",)


def test_a_bug_of_ours_is_no_mistake_of_the_user():
    with pytest.raises(RuntimeError, match=r"internal error: the probe holds") as caught:
        error_probe.ensure_fails()
    assert not isinstance(caught.value, ValueError)


def test_version_is_the_one_of_the_build():
    project = (Path(__file__).parents[2] / "CMakeLists.txt").read_text()
    assert re.search(r"project\(einsummable VERSION (\S+)", project)[1] == es.__version__


def setup_graph():
    g = es.Graph()
    return g, g.tensor([3, 4], "float32", name="x"), g.parameter([5, 6], "float32", name="w1")


def attend(g, dtype):
    q, m = g.tensor([1, 3, 4], name="q"), g.tensor([3, 3], dtype, name="m")
    return g.attention(q, q, q, mask=m, name="a")


GRAPH_MISTAKES = {
    "shapes": (
        lambda g, x, w: g.matmul(x, w, name="up"),
        'matmul "up": x is float32[3, 4] and w1 is float32[5, 6]; the last extent of x (4) must '
        "equal the first of w1 (5)",
    ),
    "another graph": (
        lambda g, x, w: x + es.Graph().tensor([3], name="z"),
        "add: y, 'z', is a tensor of another graph",
    ),
    "save of another graph": (
        lambda g, x, w: g.save(es.Graph().tensor([3], name="z")),
        "save: 'z' is a tensor of another graph",
    ),
    "save of an array": (
        lambda g, x, w: g.save(np.ones(1)),
        "save: a tensor of a graph is saved, not array([1.])",
    ),
    "an operand of a wrong type": (
        lambda g, x, w: x + "1",
        "add: y must be a tensor, a number or an array, not a str",
    ),
    "a list as an operand": (
        lambda g, x, w: x + [1.0],  # noqa: RUF005
        "add: y must be a tensor, a number or an array, not a list",
    ),
    "a complex number": (
        lambda g, x, w: x * 1j,
        "multiply: y must be a tensor, a number or an array, not a complex",
    ),
    "no tensor": (
        lambda g, x, w: es.add(1, np.ones(3)),
        "add: no operand is a tensor of a graph; make one by Graph.tensor or Graph.parameter, or "
        "call add as a method of a graph",
    ),
    "an array of a dtype there is not": (
        lambda g, x, w: x + np.ones(3, np.uint8),
        "constant: the array has the dtype uint8; there are float32, float64, float16, bfloat16, "
        "int32, int64, bool: convert it by .astype",
    ),
    "a number out of range": (
        lambda g, x, w: g.tensor([2], "int32", name="i") + 2**31,
        "add: y, 2147483648, is out of the range of int32",
    ),
    "a float out of range": (
        lambda g, x, w: g.tensor([2], "float16") * 1e6,
        "multiply: y, 1e+06, is out of the range of float16",
    ),
    "a number beyond float64": (
        lambda g, x, w: x * 10**400,
        "multiply: y is out of the range of float32",
    ),
    "an unknown dtype": (
        lambda g, x, w: g.tensor([2], "float8", name="z"),
        "tensor \"z\": there is no dtype 'float8'; there are float32, float64, float16, bfloat16, "
        "int32, int64, bool",
    ),
    "no dtype": (
        lambda g, x, w: es.cast(x, object()),
        "cast: dtype: there is no dtype <object",
    ),
    "a negative extent": (
        lambda g, x, w: g.tensor([2, -1], name="z"),
        'tensor "z": ',
    ),
    "an overflowing extent": (
        lambda g, x, w: g.tensor([2**62, 2**62], name="z"),
        'tensor "z": ',
    ),
    "an extent beyond 64 bits": (
        lambda g, x, w: g.tensor([2**64], name="z"),
        'tensor "z": shape[0], 18446744073709551616, is beyond 64 bits',
    ),
    "an extent that is no integer": (
        lambda g, x, w: g.parameter([2, 1.5], name="z"),
        'tensor "z": shape[1] must be an integer, not 1.5',
    ),
    "a shape that is no list": (
        lambda g, x, w: g.tensor("33"),
        "tensor: shape must be a list of integers, not '33'",
    ),
    "a tensor's name twice": (
        lambda g, x, w: g.tensor([1], name="x"),
        'there is already a tensor called "x"',
    ),
    "an operator's name twice": (
        lambda g, x, w: (es.relu(x, name="r"), es.relu(x, name="r")),
        'relu "r": x is float32[3, 4]; there is already an operator called "r"',
    ),
    "a name that is no text": (
        lambda g, x, w: es.relu(x, name=3),
        "relu: name must be a text, not 3",
    ),
    "an empty name": (
        lambda g, x, w: es.relu(x, name=""),
        "relu: name must not be empty; leave it out to have one made",
    ),
    "half a surrogate": (
        lambda g, x, w: g.tensor([1], name="\ud800"),
        "name holds half a surrogate pair: '\\ud800'",
    ),
    "an attribute of a wrong kind": (
        lambda g, x, w: es.top_k(x, "3"),
        "top_k: k must be an integer, not '3'",
    ),
    "a flag that is no bool": (
        lambda g, x, w: es.matmul(x, w, transpose_x=1),
        "matmul: transpose_x must be True or False, not 1",
    ),
    "a number that is none": (
        lambda g, x, w: es.leaky_relu(x, "0.1", name="l"),
        "leaky_relu \"l\": a must be a number, not '0.1'",
    ),
    "an unknown operator": (
        lambda g, x, w: g.apply("relv", [x]),
        "there is no operator 'relv'",
    ),
    "an unknown attribute": (
        lambda g, x, w: g.apply("top_k", [x], {"n": 3}),
        "top_k: there is no attribute 'n'; it has k, axis",
    ),
    "a missing attribute": (
        lambda g, x, w: g.apply("top_k", [x]),
        "top_k: x is float32[3, 4]; needs the attribute 'k'",
    ),
    "too few inputs": (
        lambda g, x, w: g.apply("add", [x]),
        "add: x is float32[3, 4]; takes 2 inputs, not 1",
    ),
    "too many inputs": (
        lambda g, x, w: g.apply("relu", [x, x]),
        "relu: x is float32[3, 4] and x is float32[3, 4]; takes 1 input, not 2",
    ),
    "inputs of an operator of none": (
        lambda g, x, w: g.apply("iota", [x], {"shape": [2]}),
        "takes 0 inputs, not 1",
    ),
    "tensors that are no list": (
        lambda g, x, w: g.concat(x),
        "concat: tensors must be a list of tensors, not <tensor 'x': float32[3, 4]>",
    ),
    "a position out of range": (
        lambda g, x, w: x[1, 4],
        "x[1, 4]: x is float32[3, 4]; axis 1 has 4 positions, and 4 is none",
    ),
    "too many positions": (
        lambda g, x, w: x[0, ..., 0, 0],
        "x[0, ..., 0, 0]: x is float32[3, 4]; there are 2 axes and 3 positions",
    ),
    "two ellipses": (
        lambda g, x, w: x[..., ...],
        "x[..., ...]: x is float32[3, 4]; '...' may stand once",
    ),
    "a step of zero": (
        lambda g, x, w: x[::0],
        "x[::0]: x is float32[3, 4]; slice step cannot be zero",
    ),
    "an array as an index": (
        lambda g, x, w: x[[0, 1]],
        "x[[0, 1]]: x is float32[3, 4]; a position is an int, a slice, None or '...'; rows by "
        "number are taken by `embedding`",
    ),
    "a bool as an index": (
        lambda g, x, w: x[True],
        "x[True]: x is float32[3, 4]; a bool is no position",
    ),
    "a truth value": (
        lambda g, x, w: bool(x > 0),
        "greater_1 is a tensor of a graph: it has values only in a call, so it cannot decide an "
        "`if`; use where()",
    ),
    "a tensor as an array": (
        lambda g, x, w: np.asarray(x),
        "x is a tensor of a graph: it has values only in a call",
    ),
    "the length of no axes": (
        lambda g, x, w: len(g.tensor([], name="s")),
        "s is a tensor without axes: it has no length",
    ),
    "bits": (
        lambda g, x, w: x & 1,
        "& is of bools: x is float32, and there are no operators on bits",
    ),
    "a split that does not add up": (
        lambda g, x, w: es.split(x, [1, 2], axis=1, name="s"),
        'split "s": x is float32[3, 4]; sizes, [1, 2], must add up to 4, none negative',
    ),
    "a split that does not divide": (
        lambda g, x, w: es.split(x, 2),
        "split: x is float32[3, 4]; the count, 2, must divide 3; give a list of sizes for others",
    ),
    "an axis out of range": (
        lambda g, x, w: es.split(x, 2, axis=2),
        "split: x is float32[3, 4]; axis, 2, must be at least -2 and less than 2",
    ),
    "widths for too few axes": (
        lambda g, x, w: es.pad(x, [(1, 1)]),
        "pad: x is float32[3, 4]; widths must be 2 pairs (before, after), one an axis",
    ),
    "no limit": (lambda g, x, w: es.clip(x), "clip: give min, max or both"),
    "an unknown approximation": (
        lambda g, x, w: es.gelu(x, "fast"),
        "gelu: approximate must be 'none' or 'tanh', not 'fast'",
    ),
    "a gelu of an array": (
        lambda g, x, w: es.gelu(x, np.zeros(2)),
        "gelu: approximate must be 'none' or 'tanh', not array",
    ),
    "a date": (
        lambda g, x, w: g.add(x, np.datetime64(0, "s")),
        "add: y must be a tensor, a number or an array, not a datetime64",
    ),
    "a span of time": (
        lambda g, x, w: g.add(x, np.timedelta64(1, "s")),
        "add: y must be a tensor, a number or an array, not a timedelta64",
    ),
    "an attribute of time": (
        lambda g, x, w: g.leaky_relu(x, np.timedelta64(1, "s")),
        "leaky_relu: a must be a number, not",
    ),
    "a dtype that is a tensor": (
        lambda g, x, w: g.cast(x, w),
        "cast: dtype: there is no dtype",
    ),
    "a dtype that is a tuple": (
        lambda g, x, w: g.cast(x, (None, ...)),
        "cast: dtype: there is no dtype (None, Ellipsis)",
    ),
    "no value for an attribute without a default": (
        lambda g, x, w: g.cast(x, None),
        "needs the attribute 'dtype'",
    ),
    "an einsum of letters that disagree": (
        lambda g, x, w: es.einsum("ij,jk->ik", x, w, name="e"),
        'einsum "e": x is float32[3, 4] and w1 is float32[5, 6]; ',
    ),
    "a notation that is no text": (
        lambda g, x, w: es.einsum(3, x),
        "einsum: spec must be a text, not 3",
    ),
    "a mask of bools": (
        lambda g, x, w: attend(g, "bool"),
        'attention "a": q is float32[1, 3, 4], q is float32[1, 3, 4], q is float32[1, 3, 4] and m '
        "is bool[3, 3]; m must be a float, as it is added to the scores; of a mask that says what "
        "is seen give where(m, 0.0, -inf)",
    ),
    "a mask of ints": (
        lambda g, x, w: attend(g, "int64"),
        "m must be a float, as it is added to the scores; of a mask that says what is seen give "
        "where(m != 0, 0.0, -inf)",
    ),
    "an array out of range": (
        lambda g, x, w: g.constant(np.array([[0, 1e300]]), "float32"),
        "constant: the value 1e+300 at [0, 1] is out of the range of float32",
    ),
    "an array of ints out of range": (
        lambda g, x, w: g.constant(np.array([5, 2**31]), "int32"),
        "constant: the value 2147483648 at [1] is out of the range of int32",
    ),
    "an array of what is no int": (
        lambda g, x, w: g.constant(np.array([0.5, np.nan]), "int64"),
        "constant: the value nan at [1] is out of the range of int64",
    ),
    "a large array out of range": (
        lambda g, x, w: g.constant(np.full(100, -1e6), "float16"),
        "constant: the value -1000000.0 at [0] is out of the range of float16",
    ),
    "a name of other bytes than text": (
        lambda g, x, w: es.parse_graph('graph 1\n%0 = input f32[3] "a\\xff"'),
        'graph text, line 2, column 1: the name "a\\xff" is no text: names are UTF-8',
    ),
    "a notation of other bytes than text": (
        lambda g, x, w: es.parse_graph(
            'graph 1\n%0 = input f32[3] "a"\n%1 = einsum(%0, spec="\\xffi") "e"'
        ),
        "graph text, line 3",
    ),
    "a graph of text": (
        lambda g, x, w: es.parse_graph("graph 1\n%0 = input f32[3] x"),
        "graph text, line 2",
    ),
    "a graph of bytes": (
        lambda g, x, w: es.parse_graph(b"graph 1"),
        "the text of a graph must be a text, not b'graph 1'",
    ),
}


@pytest.mark.parametrize("mistake", GRAPH_MISTAKES)
def test_a_mistake_in_a_graph_is_a_graph_error_that_says_what_is_legal(mistake):
    make, message = GRAPH_MISTAKES[mistake]
    with pytest.raises(es.GraphError, match=re.escape(message)):
        make(*setup_graph())


def test_a_mistake_leaves_the_graph_as_it_was():
    for make, _ in GRAPH_MISTAKES.values():
        g, x, w = setup_graph()
        with pytest.raises(es.GraphError):
            make(g, x, w)
        assert str(es.parse_graph(str(g))) == str(g)


def test_none_for_an_attribute_is_its_default():
    for info in OPERATORS.values():
        given = {item.name: None for item in info.attributes if not item.required}
        unary = len(info.inputs) == 1 and info.inputs[0].arity == "one"
        if not unary or len(given) < max(1, len(info.attributes)):
            continue
        texts = set()
        for attributes in ({}, given):
            g = es.Graph()
            x = g.tensor([2, 3], name="x")
            g.apply(info.name, [x], attributes)
            assert str(es.parse_graph(str(g))) == str(g)
            texts.add(str(g))
        assert len(texts) == 1, info.name
