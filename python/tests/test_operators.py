# SPDX-License-Identifier: Apache-2.0
"""Operators give the shapes and dtypes that NumPy gives, under their names and signatures."""

import inspect
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import einsummable as es
from einsummable import _core, operators

FUNCTIONS = {f.name: f for f in _core.scalar_functions()}
NUMPY = {name: getattr(np, {"neg": "negative"}.get(name, name), None) for name in FUNCTIONS}
PREDICATES = {"isfinite", "isinf", "isnan"}
OURS = {"pow", "where", "clip", "reciprocal"}
ELEMENTWISE = sorted(name for name, function in NUMPY.items() if function and name not in OURS)
DTYPES = ["float32", "float64", "float16", "int32", "int64", "bool"]
shapes = st.lists(st.integers(0, 4), max_size=4)


def promoted(dtypes):
    """The dtype in which dtypes meet: the array API's, and of ints and floats the float."""
    floats = [dtype for dtype in dtypes if "float" in dtype]
    return np.result_type(*(floats or dtypes)).name


def expected_dtype(name, dtype):
    """NumPy's dtype for operands of one dtype; a float of an int is float32 here."""
    zero = np.zeros(1, dtype)
    with np.errstate(all="ignore"):
        out = NUMPY[name](*[zero] * FUNCTIONS[name].arity).dtype
    if out.kind == "f" and "float" not in dtype:
        return "float32"
    return out.name


@pytest.mark.parametrize("name", ELEMENTWISE)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_scalar_function_gives_numpys_dtype(name, dtype):
    g = es.Graph()
    operands = [g.tensor([3], dtype) for _ in range(FUNCTIONS[name].arity)]
    try:
        expected = expected_dtype(name, dtype)
    except TypeError:  # arithmetic on bools
        with pytest.raises(es.GraphError, match="bool"):
            getattr(es, name)(*operands)
        return
    if dtype == "bool" and expected == "int8":  # floor_divide and remainder of bools
        with pytest.raises(es.GraphError, match="bool"):
            getattr(es, name)(*operands)
        return
    if name in ("abs",) or FUNCTIONS[name].arity == 2 or dtype != "bool":
        assert getattr(es, name)(*operands).dtype == expected


@pytest.mark.parametrize("x", DTYPES)
@pytest.mark.parametrize("y", DTYPES)
def test_two_dtypes_meet_as_in_the_array_api(x, y):
    g = es.Graph()
    met = (g.tensor([2], x) + g.tensor([2], y)).dtype
    assert met == promoted([x, y])
    assert es.concat([g.tensor([2], x), g.tensor([3], y)]).dtype == met


def test_the_two_halves_meet_in_float32():
    g = es.Graph()
    assert (g.tensor([2], "float16") + g.tensor([2], ml_dtypes.bfloat16)).dtype == "float32"


@given(shapes, shapes)
def test_operands_broadcast_as_in_numpy(x, y):
    g = es.Graph()
    a, b = g.tensor(x), g.tensor(y)
    try:
        expected = np.broadcast_shapes(x, y)
    except ValueError:
        with pytest.raises(es.GraphError, match="add"):
            a + b
        return
    assert (a + b).shape == expected
    assert es.where(a > 0, b, 1.0).shape == expected


@given(shapes, shapes)
def test_broadcast_to_is_numpys(x, y):
    tensor = es.Graph().tensor(x)
    try:
        expected = np.broadcast_to(np.zeros(x), y).shape
    except ValueError:
        with pytest.raises(es.GraphError, match="broadcast_to"):
            es.broadcast_to(tensor, y)
        return
    assert es.broadcast_to(tensor, y).shape == expected


@given(shapes, st.lists(st.integers(-1, 12), max_size=4))
def test_reshape_is_numpys(x, y):
    tensor = es.Graph().tensor(x)
    try:
        expected = np.zeros(x).reshape(y).shape
    except ValueError:
        with pytest.raises(es.GraphError, match="reshape"):
            es.reshape(tensor, y)
        return
    assert es.reshape(tensor, y).shape == expected
    assert tensor.reshape(y).shape == expected


@given(st.data())
def test_transpose_is_numpys(data):
    x = data.draw(shapes)
    axes = data.draw(st.none() | st.permutations(range(len(x))))
    assert es.transpose(es.Graph().tensor(x), axes).shape == np.zeros(x).transpose(axes).shape


@given(st.data())
def test_concat_and_split_are_inverse_in_shape(data):
    x = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    axis = data.draw(st.integers(-len(x), len(x) - 1))
    sizes = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
    x[axis] = sum(sizes)
    tensor = es.Graph().tensor(x)
    pieces = es.split(tensor, sizes, axis, name="piece")
    assert [piece.shape[axis] for piece in pieces] == sizes
    assert [piece.name for piece in pieces] == [f"piece.{i}" for i in range(len(sizes))]
    assert es.concat(pieces, axis=axis).shape == tensor.shape


def test_split_by_count_gives_equal_slices():
    x = es.Graph().tensor([6, 4])
    assert [piece.shape for piece in es.split(x, 2, axis=1)] == [(6, 2), (6, 2)]


@given(st.data())
def test_pad_is_numpys(data):
    x = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=3))
    pair = st.tuples(st.integers(0, 3), st.integers(0, 3))
    one_each = st.lists(pair, min_size=len(x), max_size=len(x))
    widths = data.draw(one_each | pair | st.integers(0, 3))
    tensor = es.Graph().tensor(x)
    assert es.pad(tensor, widths, value=-1.5).shape == np.pad(np.zeros(x), widths).shape


@given(st.data())
def test_matmul_is_numpys(data):
    x, y = data.draw(shapes), data.draw(shapes)
    if len(x) >= 1 and len(y) >= 1 and data.draw(st.booleans()):
        y[-2 if len(y) > 1 else -1] = x[-1]
    g = es.Graph()
    a, b = g.tensor(x), g.tensor(y)
    try:
        expected = (np.zeros(x) @ np.zeros(y)).shape
    except ValueError:
        with pytest.raises(es.GraphError):
            a @ b
        return
    assert (a @ b).shape == expected
    if len(y) > 1:
        assert es.matmul(a, es.transpose(b, [*range(len(y) - 2), -1, -2]), transpose_w=True).shape


SPECS = [
    "ij,jk->ik",
    "ij,jk",
    "ii->i",
    "ii->",
    "ij->ji",
    "...ij,...jk->...ik",
    "i,j,k->",
    "ij,ij->",
]


@pytest.mark.parametrize("spec", SPECS)
def test_einsum_is_numpys(spec):
    g = es.Graph()
    arrays = [
        np.zeros([3] * len(part.replace("...", "xy"))) for part in spec.split("->")[0].split(",")
    ]
    out = es.einsum(spec, *[g.tensor(array.shape) for array in arrays], name="e")
    assert out.shape == np.einsum(spec, *arrays).shape
    assert out.name == "e"


def test_einsum_takes_any_function_and_aggregate():
    g = es.Graph()
    x, y = g.tensor([3, 4]), g.tensor([5, 4])
    assert es.einsum("id,jd->ij", x, y, combine="subtract", aggregate="max").shape == (3, 5)
    es.einsum("id,jd->ij", x, y, combine="mul")
    assert 'combine="multiply"' in str(g)


def test_gelu_and_clip_choose_their_operator():
    x = es.Graph().tensor([3])
    chosen = [es.gelu(x), es.gelu(x, "tanh"), es.clip(x, 0), es.clip(x, max=1), es.clip(x, 0, 1)]
    assert [y.name.rpartition("_")[0] for y in chosen] == [
        "gelu", "gelu_tanh", "maximum", "minimum", "clip",
    ]  # fmt: skip


def test_operators_of_two_outputs_give_pairs():
    g = es.Graph()
    values, indices = es.top_k(g.tensor([5, 7]), 3)
    assert (values.shape, indices.shape, indices.dtype) == ((5, 3), (5, 3), "int64")
    q, k = g.tensor([8, 6, 4]), g.tensor([2, 6, 4])
    value, lse = es.attention(q, k, k, ends=[2, 6], causal=True, return_lse=True)
    assert (value.shape, lse.shape) == ((8, 6, 4), (8, 6))
    assert es.attention(q, k, k).shape == (8, 6, 4)
    assert es.attention(q, k, k, mask=g.tensor([6, 6])).shape == (8, 6, 4)


def test_every_operator_is_a_method_a_function_and_documented():
    reached = set(operators.METHODS) | {"constant", "gelu_tanh", "slice"}
    assert {info.name for info in _core.operators()} <= reached
    assert set(operators.FUNCTIONS) <= set(es.__all__)
    for name, method in operators.METHODS.items():
        assert getattr(es.Graph, name) is method
        assert list(inspect.signature(method).parameters)[-1] == "name"
        for part in ("Parameters\n----------", "Returns\n-------", "Raises\n------"):
            assert part in inspect.getdoc(method), name
        if name in operators.FUNCTIONS:
            parameters = list(inspect.signature(getattr(es, name)).parameters)
            assert parameters == list(inspect.signature(method).parameters)[1:]


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (es.attention, "(q, k, v, *, mask=None, ends=None, causal=False, scale=None, "
                       "return_lse=False, name=None)"),
        (es.rms_norm, "(x, weight, *, eps, name=None)"),
        (es.segment_mean, "(x, ends, axis=0, *, name=None)"),
        (es.concat, "(tensors, axis=0, *, name=None)"),
        (es.reshape, "(x, shape, *, name=None)"),
        (es.transpose, "(x, axes=None, *, name=None)"),
        (es.where, "(condition, x, y, *, name=None)"),
        (es.embedding, "(table, ids, *, name=None)"),
    ],
)  # fmt: skip
def test_signatures_are_those_of_numpy_and_pytorch(function, signature):
    shown = inspect.signature(function)
    bare = [p.replace(annotation=p.empty) for p in shown.parameters.values()]
    assert str(inspect.Signature(bare)) == signature


def test_the_stub_is_that_of_this_build(tmp_path):
    package = Path(es.__file__).parent
    script = package.parent / "write_stubs.py"
    out = tmp_path / "operators.pyi"
    subprocess.run([sys.executable, script, package, out], check=True)
    assert out.read_text() == (package / "operators.pyi").read_text()
