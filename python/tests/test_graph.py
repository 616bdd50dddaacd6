# SPDX-License-Identifier: Apache-2.0
"""Graphs as Python writes them: names, texts, numbers and arrays as operands, indices."""

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import einsummable as es

DTYPES = ["float32", "float64", "float16", "bfloat16", "int32", "int64", "bool"]


def numpy_dtype(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


@pytest.fixture
def g():
    return es.Graph()


def test_a_graph_prints_and_parses_back(g):
    x = g.tensor([3, 4], "float32", name="größe")
    w = g.parameter([4, 5], "float32", name='w "1"')
    g.save(es.relu(g.matmul(x, w, name="layers.0.wq")), name="y")
    assert str(g) == (
        "graph 1\n"
        '%0 = input f32[3, 4] "größe"\n'
        '%1 = parameter f32[4, 5] "w \\"1\\""\n'
        '%2 = matmul(%0, %1, transpose_x=false, transpose_w=false) "layers.0.wq"\n'
        '%3 = relu(%2, a=0.0) "relu_1"\n'
        'save %3 "y"\n'
    )
    again = es.parse_graph(str(g))
    assert str(again) == str(g) == str(es.Graph.from_text(str(g)))
    assert list(again.inputs) == ["größe"]
    assert list(again.parameters) == ['w "1"']
    assert again.saved["y"].shape == (3, 5)
    assert repr(again) == "<graph: 1 inputs, 1 parameters, 2 operators, 1 saved>"


def test_a_handle_knows_what_it_names(g):
    x = g.tensor((2, 3, 4), np.float16, name="x")
    assert (x.shape, x.dtype, x.ndim, x.size, x.name, x.id) == (
        (2, 3, 4), "float16", 3, 24, "x", 0,
    )  # fmt: skip
    assert x.graph is g
    assert x.T.shape == (4, 3, 2)
    assert len(x) == 2
    assert repr(x) == "<tensor 'x': float16[2, 3, 4]>"
    assert g.tensor(5).shape == (5,)


def test_handles_are_equal_by_identity(g):
    x, y = g.tensor([2], name="x"), g.tensor([2], name="y")
    assert x == x
    assert (x != y) is True
    assert {x: 1, y: 2}[y] == 2
    assert es.equal(x, y).dtype == "bool"
    assert g.tensors[0] is x
    assert g.inputs["x"] is x


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_have_many_spellings(g, dtype):
    assert g.tensor([2], dtype).dtype == dtype
    assert g.tensor([2], numpy_dtype(dtype)).dtype == dtype
    assert g.tensor([2], numpy_dtype(dtype).type).dtype == dtype
    assert g.tensor([2]).astype(dtype).dtype == dtype


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [True, 3, 2.5, np.float64(2.5), np.int64(3), np.bool_(True)])
def test_numbers_are_weak(g, dtype, number):
    x = g.tensor([2, 3], dtype)
    kinds = ["b", "i", "f"]
    number_kind = np.asarray(number).dtype.kind
    kind = "f" if "float" in dtype else numpy_dtype(dtype).kind
    if kinds.index(kind) >= kinds.index(number_kind):
        expected = dtype
    else:
        expected = {"i": "int64", "f": "float32"}[number_kind]
    for y in (x * number, number * x, es.add(x, number), g.maximum(number, x)):
        assert (y.shape, y.dtype) == ((2, 3), expected)


def test_a_number_takes_the_widest_dtype_it_meets(g):
    x, i = g.tensor([2], "float16"), g.tensor([2], "int64")
    condition = g.tensor([2], "bool")
    assert es.where(condition, x, 0.5).dtype == "float16"
    assert es.where(condition, i, 1).dtype == "int64"
    assert es.where(condition, 1.0, 0).dtype == "float32"
    assert es.clip(x, 0, 1).dtype == "float16"


def test_small_arrays_are_constants_and_large_ones_are_parameters_with_data(g):
    x = g.tensor([8, 9], name="x")
    row = np.arange(9, dtype=np.float32)
    assert (x + row).shape == (8, 9)
    assert "constant(shape=[9], values=[0.0, 1.0, 2.0" in str(g)
    full = np.arange(72, dtype=np.float32).reshape(8, 9)
    y = full[::-1] * x
    assert y.shape == (8, 9)
    (name,) = g.parameters
    assert np.array_equal(g.presets[name], full[::-1])
    full[:] = 0
    assert g.presets[name].any()
    assert isinstance(row @ x.T, es.Tensor)
    assert isinstance(np.float32(2) * x, es.Tensor)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_constant_holds_its_values(g, dtype):
    values = np.array([0, 1, 2049, -(2**12)]).astype(numpy_dtype(dtype))
    y = g.constant(values, name="c")
    assert (y.shape, y.dtype, y.name) == ((4,), dtype, "c")
    shown = ", ".join(repr(float(value)) for value in values)
    assert f"values=[{shown}]" in str(g)


def test_an_integer_that_no_float_holds_is_kept_as_data(g):
    values = np.array([2**63 - 1, -(2**63), 2**53 + 1])
    y = g.constant(values)
    assert np.array_equal(g.presets[y.name], values)
    assert g.constant(np.array(2**53)).name not in g.presets


def test_an_array_of_another_library_is_an_operand(g):
    class Lent:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    x = g.tensor([3])
    assert (x + Lent(np.ones(3, np.float64))).dtype == "float64"


def test_pythons_operators_are_the_operators_of_those_names(g):
    x, y = g.tensor([2, 2], name="x"), g.tensor([2, 2], name="y")
    made = [
        x + y, x - y, x * y, x / y, x // y, x % y, x**y, x @ y, x < y, x <= y, x > y, x >= y,
        -x, abs(x), 1 - x, 1 / x, 2**x, x**2, 7 // x, 7 % x,
    ]  # fmt: skip
    names = [tensor.name.rpartition("_")[0] for tensor in made]
    assert names == [
        "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power", "matmul",
        "less", "less_equal", "greater", "greater_equal", "neg", "abs", "subtract", "divide",
        "power", "pow", "floor_divide", "remainder",
    ]  # fmt: skip
    assert +x is x
    a, b = x < y, x > y
    assert [t.dtype for t in (a & b, a | b, a ^ b, ~a, a & True, False | a)] == ["bool"] * 6


def test_a_tensor_unpacks_along_its_first_axis(g):
    first, second = g.tensor([2, 5])
    assert first.shape == second.shape == (5,)


def test_saves_have_names_of_their_own(g):
    x = g.tensor([2], name="x")
    g.save(x)
    g.save(x, name="again")
    g.save(es.relu(x, name="r"))
    assert list(g.saved) == ["x", "again", "r"]
    assert g.saved["again"] is x


def test_a_graph_is_itself_alone(g):
    for make in (copy.deepcopy, pickle.dumps):
        with pytest.raises((TypeError, es.Error)):
            make(g)


def random_index(draw, shape):
    items = []
    for extent in shape:
        kind = draw(st.sampled_from(["int", "slice", "none", "slice"]))
        if kind == "none":
            items.append(None)
            kind = "slice"
        if kind == "int" and extent:
            items.append(draw(st.integers(-extent, extent - 1)))
        else:
            bound = st.none() | st.integers(-extent - 2, extent + 2)
            step = st.none() | st.integers(-3, 3).filter(bool)
            items.append(slice(draw(bound), draw(bound), draw(step)))
    items = items[: draw(st.integers(0, len(items)))]
    if draw(st.booleans()):
        items.insert(draw(st.integers(0, len(items))), Ellipsis)
    return tuple(items) if len(items) != 1 else items[0]


@given(st.data())
def test_an_index_gives_the_shape_that_numpy_gives(data):
    shape = data.draw(st.lists(st.integers(0, 5), max_size=4))
    index = random_index(data.draw, shape)
    array = np.zeros(shape)
    try:
        expected = array[index].shape
    except IndexError:
        with pytest.raises(es.GraphError):
            es.Graph().tensor(shape)[index]
        return
    g = es.Graph()
    assert g.tensor(shape)[index].shape == expected
    assert str(es.parse_graph(str(g))) == str(g)


def test_a_falling_slice_says_where_it_stops(g):
    x = g.tensor([5, 4], name="x")
    assert x[::-1].shape == (5, 4)
    assert "slice(%0, starts=[4, 0], stops=[-6, 4], steps=[-1, 1])" in str(g)


def test_a_whole_index_adds_no_operator(g):
    x = g.tensor([5, 4], name="x")
    assert x[:] is x
    assert x[...] is x
    assert x[:, :, None].name.startswith("reshape")


def test_an_integer_too_long_to_print_is_beyond_64_bits(g):
    x = g.tensor([2, 3])
    for apply in (
        lambda number: g.tensor([number]),
        lambda number: x.reshape([number]),
        lambda number: es.sum(x, axis=number),
        lambda number: g.split(x, number),
        lambda number: g.top_k(x, number),
        lambda number: x[number],
    ):
        with pytest.raises(es.GraphError, match="an int of 16610 bits"):
            apply(10**5000)
    with pytest.raises(es.PlanError, match="seed, an int of 16610 bits, is beyond 64 bits"):
        es.plan(g, devices=2, seed=10**5000)
