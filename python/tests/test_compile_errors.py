# SPDX-License-Identifier: Apache-2.0
"""Mistakes in calls, options and plans are errors that say what is legal."""

import re

import ml_dtypes
import numpy as np
import pytest

import einsummable as es
from graphs import DTYPES, ffn, ffn_arrays, numpy_dtype

INPUT_MISTAKES = {
    "missing": (lambda exe, a: exe(), '"x" is float32[6, 10], and is missing from the call'),
    "never loaded": (lambda exe, a: exe(x=a), '"w1" is float32[10, 14], and was never loaded'),
    "unknown": (
        lambda exe, a: exe(z=a),
        "there is no input or parameter called 'z'; there are 'x', 'w1', 'w2'",
    ),
    "misshapen": (
        lambda exe, a: exe(x=a[:2]),
        '"x" is float32[6, 10], but the array given is float32[2, 10]',
    ),
    "mistyped": (
        lambda exe, a: exe(x=a.astype("float64")),
        '"x" is float32[6, 10], but the array given is float64[6, 10]; cast it to float32',
    ),
    "of another byte order": (
        lambda exe, a: exe(x=a.astype(">f4")),
        "'x' has the bytes of each element in reverse order (>f4): convert it by "
        '.astype("float32")',
    ),
    "of a dtype there is not": (
        lambda exe, a: exe(x=a.astype("complex64")),
        "'x' has the dtype complex64; there are float32",
    ),
    "a list": (
        lambda exe, a: exe(x=a.tolist()),
        "'x' must be a NumPy array or one with DLPack, not list; it is float32[6, 10]",
    ),
    "none": (lambda exe, a: exe(x=None), "'x' must be a NumPy array"),
    "not by name": (
        lambda exe, a: exe(a),
        'arrays are given by name, as {"x": array} or x=array, not as ndarray',
    ),
    "by number": (lambda exe, a: exe({0: a}), "arrays are given by name or handle, not by 0"),
    "of another graph": (
        lambda exe, a: exe({es.Graph().tensor([6, 10], name="x"): a}),
        "'x' is a tensor of another graph",
    ),
    "twice": (lambda exe, a: exe({"x": a}, x=a), "'x' is given twice"),
    "an input that is loaded": (lambda exe, a: exe.load(x=a), '"x" is an input'),
    "broken": (
        lambda exe, a: exe(x=Broken()),
        "'x': a Broken gives no data to NumPy (it lies elsewhere); convert it to an array in the "
        "memory of the host",
    ),
}


class Broken:
    def __dlpack__(self, **options):
        raise BufferError("it lies elsewhere")

    def __dlpack_device__(self):
        return (2, 0)


@pytest.mark.parametrize("mistake", INPUT_MISTAKES)
def test_a_mistake_in_a_call_is_an_input_error_that_says_what_is_legal(mistake):
    call, message = INPUT_MISTAKES[mistake]
    _, _, exe = ffn()
    with pytest.raises(es.InputError, match=re.escape(message)):
        call(exe, ffn_arrays()[0])


def test_a_result_that_is_not_there_is_an_input_error():
    _, (x, _, _, _), exe = ffn()
    a, b, c = ffn_arrays()
    out = exe(x=a, w1=b, w2=c)
    for key in ("z", x, None, 3, ["y"]):
        with pytest.raises(es.InputError, match=r"no tensor is saved as .*; there are 'y'"):
            out[key]
    with pytest.raises(AttributeError, match="no tensor is saved as 'z'"):
        _ = out.z
    assert "z" not in out
    assert out.get("z") is None


def test_ids_out_of_range_name_position_and_value():
    g = es.Graph()
    ids = g.tensor([4], "int32", name="ids")
    g.save(es.embedding(g.parameter([5, 3], name="table"), ids), name="y")
    exe = es.compile(g, devices=2)
    exe.load(table=np.ones((5, 3), np.float32))
    for wrong in (5, -1, 2**31 - 1):
        with pytest.raises(es.InputError, match=rf"{wrong}"):
            exe(ids=np.array([0, 1, wrong, 2], np.int32))
    assert exe(ids=np.array([0, 4, 1, 2], np.int32)).y.shape == (4, 3)


DEVICES = "devices is how many there are, at least 1, or a list of their numbers"
OPTION_MISTAKES = {
    "no devices": (es.DeviceError, {"devices": 0}, f"{DEVICES}, not 0"),
    "negative": (es.DeviceError, {"devices": -3}, f"{DEVICES}, not -3"),
    "an empty list": (es.DeviceError, {"devices": []}, f"{DEVICES}; the list is empty"),
    "a negative device": (es.DeviceError, {"devices": [0, -1]}, f"{DEVICES}; devices[1] is -1"),
    "a text": (es.DeviceError, {"devices": "8"}, f"devices must be an integer, not '8'; {DEVICES}"),
    "a float": (
        es.DeviceError,
        {"devices": 8.0},
        f"devices must be an integer, not 8.0; {DEVICES}",
    ),
    "a bool": (
        es.DeviceError,
        {"devices": True},
        f"devices must be an integer, not True; {DEVICES}",
    ),
    "a device of text": (es.DeviceError, {"devices": ["0"]}, "devices[0] must be an integer"),
    "too many": (es.Error, {"devices": 10**6}, "4096"),
    "mpi": (es.DeviceError, {"backend": "mpi"}, "backend='mpi' is not there yet"),
    "an unknown backend": (
        es.DeviceError,
        {"backend": "tpu"},
        "backend is 'cpu' or 'cuda', not 'tpu'",
    ),
    "no text for a backend": (
        es.DeviceError,
        {"backend": ""},
        "backend is 'cpu' or 'cuda', not ''",
    ),
    "a backend of zero": (es.DeviceError, {"backend": 0}, "backend is 'cpu' or 'cuda', not 0"),
    "a backend of an array": (
        es.DeviceError,
        {"backend": np.zeros(2)},
        "backend is 'cpu' or 'cuda', not",
    ),
    "an objective of an array": (es.PlanError, {"objective": np.zeros(2)}, "objective is 'proxy'"),
    "time by another selector": (
        es.PlanError,
        {"objective": "time", "selector": "greedy"},
        "objective time is for the selector optimal, not for greedy",
    ),
    "no machine": (es.TopologyError, {"topology": "dgx-1"}, "dgx-1"),
    "a topology of a number": (es.TopologyError, {"topology": 3}, "a topology is the name of"),
    "too many devices": (es.TopologyError, {"topology": "dgx-a100", "devices": 9}, "8"),
    "no schedule": (
        es.PlanError,
        {"schedule_mode": "best"},
        "schedule_mode is 'naive' or 'search' or 'ai', not 'best'",
    ),
    "no endpoint": (es.Error, {"schedule_mode": "ai"}, "EINSUMMABLE_AI_URL is not set"),
    "a proposer of a number": (
        es.PlanError,
        {"schedule_mode": "ai", "proposer": 3},
        "a proposer is called with a prompt; 3 cannot be",
    ),
    "a proposer not asked": (
        es.PlanError,
        {"schedule_mode": "search", "proposer": str},
        "a proposer is for schedule_mode='ai', not for 'search'",
    ),
    "a negative budget": (es.PlanError, {"budget": -1}, "budget must be at least 0 and at most"),
    "a negative time": (es.InputError, {"time_limit": -1}, "time_limit must be a time, at least 0"),
    "a folder of a number": (es.InputError, {"cache_dir": 3}, "cache_dir is the path of a folder"),
    "an unknown selector": (
        es.PlanError,
        {"selector": "best"},
        "selector is 'optimal' or 'paper' or 'greedy' or 'random', not 'best'",
    ),
    "a selector of a list": (es.PlanError, {"selector": []}, "selector is"),
    "pins of a list": (es.PlanError, {"specs": ["up"]}, "specs names operators, indices and"),
    "pins of a number": (es.PlanError, {"specs": {"up": 8}}, "'up' has 8"),
    "a pin of text": (es.PlanError, {"specs": {"up": {"i": "8"}}}, "specs['up']['i'] must be"),
    "a pin of zero": (es.PlanError, {"specs": {"up": {"i": 0}}}, "must be at least 1"),
    "a pin of no operator": (es.PlanError, {"specs": {"upp": {"i": 1}}}, "upp"),
    "a pin of no index": (es.PlanError, {"specs": {"up": {"q": 1}}}, "q"),
    "a seed below zero": (es.PlanError, {"seed": -1}, "seed must be at least 0"),
    "sums of integers": (
        es.PlanError,
        {"partial_dtype": "int32"},
        "partial_dtype is 'float32', 'float64', 'float16', 'bfloat16' or None, not 'int32'",
    ),
    "sums of nothing known": (es.PlanError, {"partial_dtype": "float8"}, "or None, not 'float8'"),
    "sums of a number": (es.PlanError, {"partial_dtype": 32}, "or None, not 32"),
    "another verification": (
        es.PlanError,
        {"verify": "sampled"},
        "verify is 'static' or 'numeric', not 'sampled'",
    ),
    "verification by a flag": (es.PlanError, {"verify": True}, "verify is 'static' or 'numeric'"),
    "a limit of text": (es.PlanError, {"memory_limit": "4G"}, "memory_limit must be an integer"),
    "threads below zero": (es.DeviceError, {"threads": -1}, "threads must be at least 0"),
    "sites of text": (es.InputError, {"private_sites": "no"}, "private_sites must be True or"),
    "a plan of text": (es.PlanError, {"plan": "p"}, "plan must be a Plan, not 'p'"),
    "too little memory": (es.MemoryLimitError, {"memory_limit": 10}, "10"),
}


@pytest.mark.parametrize("mistake", OPTION_MISTAKES)
def test_a_mistake_in_the_options_is_an_error_that_says_what_is_legal(mistake):
    error, options, message = OPTION_MISTAKES[mistake]
    with pytest.raises(error, match=re.escape(message)) as caught:
        ffn(**options)
    assert isinstance(caught.value, es.Error)


def test_options_of_numpy_numbers_are_options():
    assert ffn(np.int64(3), seed=np.uint32(1))[2].plan.devices == 3


def test_graphs_that_cannot_be_compiled_say_why():
    with pytest.raises(es.GraphError, match="save"):
        es.compile(es.Graph(), devices=2)
    with pytest.raises(es.PlanError, match="a Graph is planned, not 3"):
        es.compile(3)


def test_plans_that_do_not_fit_say_why(tmp_path):
    g, _, exe = ffn(devices=4)
    other = es.Graph()
    other.save(other.tensor([2], name="x"))
    with pytest.raises(es.PlanError, match="the plan is for another graph"):
        es.compile(other, plan=exe.plan)
    with pytest.raises(es.DeviceError, match="the plan is for 4 devices, not for 8"):
        es.compile(g, plan=exe.plan, devices=8)
    with pytest.raises(es.PlanError, match="cannot be read"):
        es.load_plan(tmp_path / "none")
    for path in ("a\0b", "\ud800"):
        with pytest.raises(es.PlanError, match="cannot be read"):
            es.load_plan(path)
        with pytest.raises(es.PlanError, match="cannot be written"):
            exe.plan.save(path)
    with pytest.raises(es.PlanError, match="cannot be written"):
        exe.plan.save(tmp_path / "none" / "plan")
    for call in (es.load_plan, exe.plan.save):
        with pytest.raises(
            es.PlanError, match="the path of a plan must be a text or a path, not 3"
        ):
            call(3)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(es.PlanError, match="cannot be read"):
        es.load_plan(tmp_path / "bytes")
    (tmp_path / "text").write_text("graph 1\n")
    with pytest.raises(es.PlanError, match="the first line must be 'einsummable plan 1'"):
        es.load_plan(tmp_path / "text")
    with pytest.raises(es.PlanError, match="nothing"):
        exe.plan.explain("nothing")
    with pytest.raises(es.PlanError, match="explain takes the name of an operator or a tensor"):
        exe.plan.explain(3)


LARGE = [pytest.param(10**400, id="large"), pytest.param(-(10**5000), id="longer")]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "number", [*LARGE, -(10**30), 1e39, float("inf"), float("nan"), 2.5, 3, True]
)
def test_a_number_is_an_input_if_the_dtype_has_it(dtype, number):
    g = es.Graph()
    s = g.tensor([], dtype, name="s")
    g.save(s, name="y")
    run = es.compile(g, devices=1)
    if "float" in dtype:
        largest = float(ml_dtypes.finfo(numpy_dtype(dtype)).max)
        legal = not abs(number) > largest or number == float("inf")
    else:
        legal = number is True or (number == 3 and dtype != "bool")
    if legal:
        rounded = np.array(float(number)).astype(numpy_dtype(dtype)).astype(float)
        np.testing.assert_array_equal(run(s=number)["y"].astype(float), rounded)
        return
    with pytest.raises(es.InputError, match=f"'s', .*, (is out of the range of|is no) {dtype}"):
        run(s=number)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "bool"])
@pytest.mark.parametrize("number", LARGE)
def test_a_constant_out_of_range_is_refused(dtype, number):
    g = es.Graph()
    message = f"an int of [0-9]+ bits, is out of the range of {dtype}"
    with pytest.raises(es.GraphError, match=message):
        g.constant(number, dtype)
    x = g.tensor([2], dtype)
    with pytest.raises(es.GraphError, match=f"is out of the range of {dtype}"):
        _ = x + number
