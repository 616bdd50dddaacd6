# SPDX-License-Identifier: Apache-2.0
"""Integers are exact: operators against arithmetic on Python's own ints, wrapped as NumPy does."""

import itertools
import operator
from functools import reduce

import numpy as np
import pytest

import einsummable as es
from einsummable import _core
from einsummable.registry import OPERATORS

FUNCTIONS = {f.name: f for f in _core.scalar_functions()}
BITS = {"int64": 64, "int32": 32}
LARGE = 2**60


def wrapped(values, dtype):
    """Python ints in a dtype: modulo a power of two, or whether they are nonzero."""
    values = np.frompyfunc(int, 1, 1)(np.asarray(values, object))
    if dtype == "bool":
        return np.asarray(values != 0, bool)
    half = 2 ** (BITS[dtype] - 1)
    return np.asarray((values + half) % (2 * half) - half, dtype)


def random_ints(random, shape, dtype="int64"):
    """Values around plus and minus 2^60, small ones, and the ends of the range."""
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    half = 2 ** (BITS[dtype] - 1)
    near = random.choice([-half // 8, half // 8, 0, 0], shape) + random.integers(-9, 10, shape)
    ends = random.choice(np.array([-half, half - 1], dtype), shape)
    return np.where(random.random(shape) < 0.05, ends, near).astype(dtype)


def computed(build, arrays, devices):
    """What a graph of one operator gives for the arrays."""
    g = es.Graph()
    inputs = [g.tensor(a.shape, a.dtype, name=f"x{i}") for i, a in enumerate(arrays)]
    made = build(g, *inputs)
    for i, tensor in enumerate(made if isinstance(made, tuple) else (made,)):
        g.save(tensor, name=f"y{i}")
    return list(es.compile(g, devices=devices)({f"x{i}": a for i, a in enumerate(arrays)}).values())


def check(build, oracle, arrays):
    wide = oracle(*(a.astype(object) for a in arrays))
    wide = wide if isinstance(wide, tuple) else (wide,)
    for devices in (1, 3):
        results = computed(build, arrays, devices)
        assert len(results) == len(wide)
        for result, exact in zip(results, wide, strict=True):
            assert result.dtype.kind in "ib"
            np.testing.assert_array_equal(result, wrapped(exact, result.dtype.name), strict=True)


def divided(x, y):
    return x // y if y else 0


def powered(x, y):
    if y < 0:
        return {1: 1, -1: 1 if y % 2 == 0 else -1}.get(x, 0)
    return pow(int(x), int(y), 2**64)


def sign(x):
    return (x > 0) - (x < 0)


def same(x):
    return x


SCALAR = {
    "abs": abs,
    "ceil": same,
    "floor": same,
    "isfinite": lambda x: True,
    "isinf": lambda x: False,
    "isnan": lambda x: False,
    "logical_not": lambda x: not x,
    "neg": operator.neg,
    "pow": lambda x: x**2,
    "relu": lambda x: max(x, 0),
    "round": same,
    "sign": sign,
    "square": lambda x: x * x,
    "trunc": same,
    "add": operator.add,
    "equal": operator.eq,
    "floor_divide": divided,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "less": operator.lt,
    "less_equal": operator.le,
    "logical_and": lambda x, y: bool(x) and bool(y),
    "logical_or": lambda x, y: bool(x) or bool(y),
    "logical_xor": lambda x, y: bool(x) != bool(y),
    "maximum": max,
    "minimum": min,
    "multiply": operator.mul,
    "not_equal": operator.ne,
    "power": powered,
    "remainder": lambda x, y: x % y if y else 0,
    "subtract": operator.sub,
    "clip": lambda x, low, high: min(max(x, low), high),
    "where": lambda c, x, y: x if c else y,
}
"""The functions that give ints or bools of ints, on Python's ints."""


def reduced(function, start=None):
    """A reduction over axis 1."""
    return lambda x: np.frompyfunc(function, 2, 1).reduce(x, axis=1, initial=start)


def top_k(x):
    order = np.argsort(-x, axis=1, kind="stable")[:, :2]
    return np.take_along_axis(x, order, 1), order.astype(object)


IDS = np.array([1, 0, 3, 3])
STRUCTURED = {
    "all": (lambda g, x: g.all(x, axis=1), reduced(lambda a, b: bool(a and b), True)),
    "any": (lambda g, x: g.any(x, axis=1), reduced(lambda a, b: bool(a or b), False)),
    "argmax": (lambda g, x: g.argmax(x, axis=1), lambda x: np.argmax(x, axis=1).astype(object)),
    "broadcast_to": (
        lambda g, x: g.broadcast_to(x, [2, *x.shape]),
        lambda x: np.broadcast_to(x, (2, *x.shape)),
    ),
    "cast": (lambda g, x: g.cast(x, "int32"), same),
    "concat": (lambda g, x: g.concat([x, x], axis=1), lambda x: np.concatenate([x, x], axis=1)),
    "constant": (
        lambda g, x: g.constant(np.array([LARGE + 1, -LARGE - 1])),
        lambda x: np.array([LARGE + 1, -LARGE - 1], object),
    ),
    "cumsum": (
        lambda g, x: g.cumsum(x, axis=1),
        lambda x: np.frompyfunc(operator.add, 2, 1).accumulate(x, axis=1, dtype=object),
    ),
    "einsum": (
        lambda g, x: g.einsum("ij,kj->ik", x, x, combine="maximum", aggregate="min"),
        lambda x: np.min(np.maximum(x[:, None, :], x[None, :, :]), axis=2),
    ),
    "embedding": (lambda g, x: g.embedding(x, IDS), lambda x: x[IDS]),
    "iota": (lambda g, x: g.iota([3, 4]), lambda x: np.indices((3, 4))[1].astype(object)),
    "matmul": (lambda g, x: g.matmul(x, x, transpose_w=True), lambda x: x.dot(x.T)),
    "max": (lambda g, x: g.max(x, axis=1), reduced(max)),
    "min": (lambda g, x: g.min(x, axis=1), reduced(min)),
    "pad": (
        lambda g, x: g.pad(x, 1, value=LARGE),
        lambda x: np.pad(x, 1, constant_values=LARGE),
    ),
    "prod": (lambda g, x: g.prod(x, axis=1), reduced(operator.mul, 1)),
    "reshape": (lambda g, x: g.reshape(x, [-1]), lambda x: x.reshape(-1)),
    "slice": (lambda g, x: x[::-1, 1:], lambda x: x[::-1, 1:]),
    "sum": (lambda g, x: g.sum(x, axis=1), reduced(operator.add, 0)),
    "top_k": (lambda g, x: g.top_k(x, k=2), top_k),
    "transpose": (lambda g, x: g.transpose(x), lambda x: x.T),
}
"""The other operators that give ints or bools of ints: how to apply each to x[7, 5]; its oracle."""

FLOAT = {
    "attention": lambda g, x: g.attention(*[g.reshape(x, [1, 7, 5])] * 3),
    "layer_norm": lambda g, x: g.layer_norm(x, x[0], x[0], eps=1e-5),
    "log_softmax": lambda g, x: g.log_softmax(x),
    "logsumexp": lambda g, x: g.logsumexp(x),
    "mean": lambda g, x: g.mean(x),
    "rms_norm": lambda g, x: g.rms_norm(x, x[0], eps=1e-5),
    "rope": lambda g, x: g.rope(x[:, :4], x[:, 0]),
    "segment_mean": lambda g, x: g.segment_mean(x, ends=[3, 7]),
    "softmax": lambda g, x: g.softmax(x),
}
"""The operators that make floats of ints."""


def test_every_operator_of_the_registry_is_here():
    functions = {name for name in FUNCTIONS if name in OPERATORS}
    floats = functions - set(SCALAR)
    assert {*SCALAR, *STRUCTURED, *FLOAT, *floats} == set(OPERATORS)
    for name in floats:
        g = es.Graph()
        operands = [g.tensor([3], "int64") for _ in range(FUNCTIONS[name].arity)]
        assert g.apply(name, operands)[0].dtype == "float32"
    for build in FLOAT.values():
        g = es.Graph()
        assert build(g, g.tensor([7, 5], "int64")).dtype == "float32"


@pytest.mark.parametrize("dtype", ["int64", "int32"])
@pytest.mark.parametrize("name", sorted(SCALAR))
def test_a_scalar_function_is_exact(name, dtype):
    random = np.random.default_rng(1)
    arity = FUNCTIONS[name].arity
    arrays = [random_ints(random, (40,), dtype) for _ in range(arity)]
    if name == "where":
        arrays[0] = arrays[0] > 0
    oracle = np.frompyfunc(SCALAR[name], arity, 1)
    check(lambda g, *xs: g.apply(name, xs)[0], oracle, arrays)


@pytest.mark.parametrize("dtype", ["int64", "int32"])
@pytest.mark.parametrize("name", sorted(STRUCTURED))
def test_an_operator_is_exact(name, dtype):
    build, oracle = STRUCTURED[name]
    if dtype == "int32" and name == "pad":
        build, oracle = (lambda g, x: g.pad(x, 1)), lambda x: np.pad(x, 1)
    check(build, oracle, [random_ints(np.random.default_rng(2), (7, 5), dtype)])


def einsum_oracle(spec, combine, aggregate, dtype):
    """Loop over the values of all letters; what is combined wraps."""
    left, output = spec.split("->")
    terms = left.split(",")
    aggregate = {"sum": operator.add, "prod": operator.mul, "max": max, "min": min}[aggregate]

    def combined(a, b):
        return wrapped(SCALAR[combine](a, b), dtype).item()

    def oracle(*xs):
        sizes = {
            c: n for t, x in zip(terms, xs, strict=True) for c, n in zip(t, x.shape, strict=True)
        }
        values = {}
        for point in itertools.product(*(range(n) for n in sizes.values())):
            at = dict(zip(sizes, point, strict=True))
            items = [x[tuple(at[c] for c in t)] for t, x in zip(terms, xs, strict=True)]
            values.setdefault(tuple(at[c] for c in output), []).append(reduce(combined, items))
        out = np.empty([sizes[c] for c in output], object)
        for at, items in values.items():
            out[at] = reduce(aggregate, items)
        return out

    return oracle


@pytest.mark.parametrize("dtype", ["int64", "int32", "bool"])
@pytest.mark.parametrize("aggregate", ["sum", "prod", "max", "min"])
@pytest.mark.parametrize("combine", ["multiply", "add", "subtract", "maximum", "minimum"])
@pytest.mark.parametrize("spec", ["ij->i", "ij,jk->ik", "ij,j,jk->ki", "ii,ij->j"])
def test_an_einsum_is_exact(spec, combine, aggregate, dtype):
    if dtype == "bool" and combine == "subtract":
        pytest.skip("there is no difference of bools")
    random = np.random.default_rng(3)
    sizes = dict.fromkeys("ijk", 4)
    terms = spec.split("->")[0].split(",")
    arrays = [random_ints(random, [sizes[c] for c in term], dtype) for term in terms]
    check(
        lambda g, *xs: g.einsum(spec, *xs, combine=combine, aggregate=aggregate),
        einsum_oracle(spec, combine, aggregate, dtype),
        arrays,
    )


@pytest.mark.parametrize("name", ["cumsum", "sum", "prod"])
def test_totals_of_small_dtypes_are_int64(name):
    x = np.array([[2**31 - 1] * 3, [True] * 3], np.int32)
    build, oracle = STRUCTURED[name]
    (result,) = computed(build, [x], 2)
    assert result.dtype == np.int64
    np.testing.assert_array_equal(result, wrapped(oracle(x.astype(object)), "int64"))


def test_a_number_that_float64_does_not_have_is_refused():
    g = es.Graph()
    x = g.tensor([3], "int64", name="x")
    for value in (2**60 + 1, -(2**53) - 1):
        with pytest.raises(es.GraphError, match=f"{value}, is too large for a number"):
            x + value
        with pytest.raises(es.GraphError, match=f"pad: value, {value}, is too large"):
            g.pad(x, 1, value=value)
    (result,) = computed(lambda g, x: x + 2**60, [np.array([1])], 1)
    assert result[0] == 2**60 + 1
