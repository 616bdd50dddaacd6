# SPDX-License-Identifier: Apache-2.0
"""Compiled graphs: arrays in and out, plans, what is proven, threads."""

import itertools
import json
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import error_probe
import ml_dtypes
import numpy as np
import pytest

import einsummable as es
from graphs import DTYPES, ffn, ffn_arrays, ffn_result, numpy_dtype


@pytest.mark.parametrize("devices", [1, 2, 3, 8, [0, 1, 2], [0, 0], (1,)])
def test_a_graph_gives_what_numpy_gives(devices):
    _, (x, _, w2, y), exe = ffn(devices)
    a, b, c = ffn_arrays()
    exe.load({"w1": b, w2: c})
    expected = ffn_result(a, b, c)
    for out in (exe({"x": a}), exe(x=a), exe({x: a}), exe({x: a}, w1=b), exe({x: a, "w1": b})):
        assert np.array_equal(out["y"], expected)
        assert out[y] is out["y"] is out.y
        assert list(out) == ["y"]
    assert exe.plan.devices == (devices if isinstance(devices, int) else len(devices))


def test_outputs_are_new_arrays():
    _, _, exe = ffn()
    a, b, c = ffn_arrays()
    first = exe(x=a, w1=b, w2=c).y
    kept = first.copy()
    second = exe(x=-a).y
    assert np.array_equal(first, kept)
    assert not np.shares_memory(first, second)


@pytest.mark.parametrize("private_sites", [False, True])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_bits_do_not_depend_on_threads_or_sites(threads, private_sites):
    random = np.random.default_rng(1)
    a, b, c = (random.standard_normal(s).astype(np.float32) for s in ((6, 10), (10, 14), (14, 10)))
    _, _, one = ffn(8, threads=1)
    _, _, exe = ffn(8, threads=threads, private_sites=private_sites)
    assert one(x=a, w1=b, w2=c).y.tobytes() == exe(x=a, w1=b, w2=c).y.tobytes()


def identity(shape, dtype):
    g = es.Graph()
    x = g.tensor(shape, dtype, name="x")
    g.save(x, name="same")
    g.save(es.reshape(x, [-1]) if np.prod(shape) else es.transpose(x), name="flat")
    return es.compile(g, devices=3, objective="proxy")


def layouts(dtype):
    base = np.arange(24).reshape(4, 6).astype(numpy_dtype(dtype))
    yield "dense", base
    yield "reversed", base[::-1, ::-1]
    yield "transposed", np.asfortranarray(base)
    yield "stepped", np.repeat(base, 2, axis=1)[:, ::2]
    yield "repeated", np.broadcast_to(base[0], (4, 6))
    frozen = base.copy()
    frozen.flags.writeable = False
    yield "read-only", frozen
    loose = np.zeros(base.nbytes + 1, np.uint8)[1:].view(base.dtype).reshape(4, 6)
    loose[:] = base
    yield "unaligned", loose
    packed = np.zeros((4, 6), np.dtype([("pad", np.uint8), ("value", base.dtype)]))
    packed["value"] = base
    yield "a field of records", packed["value"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_of_any_layout_are_inputs(dtype):
    exe = identity((4, 6), dtype)
    for name, array in layouts(dtype):
        out = exe(x=array)
        assert out.same.dtype == numpy_dtype(dtype), name
        assert out.same.tobytes() == np.ascontiguousarray(array).tobytes(), name
        assert out.flat.tobytes() == out.same.tobytes(), name


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), ()])
def test_empty_arrays_and_scalars_are_inputs(shape):
    exe = identity(shape, "float32")
    given = np.full(shape, 2, np.float32)
    assert exe(x=given).same.shape == shape
    if shape == ():
        for value in (2, 2.0, np.float32(2), given):
            assert exe(x=value).same == 2


class Lent:
    """What PyTorch and JAX give: an array that only DLPack can read."""

    def __init__(self, array, dtype="float32"):
        self.array = array
        self.dtype = dtype

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_arrays_of_dlpack_are_inputs():
    exe = identity((4, 6), "float32")
    array = np.arange(24, dtype=np.float32).reshape(4, 6)
    assert np.array_equal(exe(x=Lent(array)).same, array)
    assert np.array_equal(exe(x=Lent(array[::-1])).same, array[::-1])


def test_bfloat16_comes_by_dlpack_too():
    class Brain(Lent):
        def __dlpack__(self, **options):
            return error_probe.lend_bfloat16(self.array.view(np.uint16))

    values = np.arange(24).reshape(4, 6).astype(ml_dtypes.bfloat16)
    out = identity((4, 6), "bfloat16")(x=Brain(values)).same
    assert out.dtype == ml_dtypes.bfloat16
    assert out.tobytes() == values.tobytes()


def test_arrays_in_a_graph_are_loaded_by_compile():
    g = es.Graph()
    x = g.tensor([3, 40], name="x")
    large = np.arange(120, dtype=np.float32).reshape(3, 40)
    g.save(x * large + np.arange(40, dtype=np.float32)[:, None].T + 0.5, name="y")
    a = np.ones((3, 40), np.float32)
    assert np.array_equal(
        es.compile(g, devices=2, objective="proxy")(x=a).y, a * large + np.arange(40) + 0.5
    )


def test_tensors_that_nothing_reads_need_not_be_fed():
    g = es.Graph()
    x, unused = g.tensor([3], name="x"), g.tensor([3], name="unused")
    g.parameter([3], name="w")
    es.relu(unused)
    g.save(x + 1, name="y")
    exe = es.compile(g, devices=2, objective="proxy")
    ones = np.ones(3, np.float32)
    assert np.array_equal(exe(x=ones).y, ones + 1)
    assert np.array_equal(exe(x=ones, unused=ones).y, ones + 1)


def test_a_tensor_may_be_saved_under_several_names():
    g = es.Graph()
    x = g.tensor([2], name="x")
    g.save(x)
    g.save(x, name="again")
    out = es.compile(g, devices=2, objective="proxy")(x=np.ones(2, np.float32))
    assert np.array_equal(out["x"], out["again"])
    assert out[x] is out["x"]


def test_einsum_of_many_factors_is_numpys():
    random = np.random.default_rng(2)
    arrays = [random.integers(-2, 3, s).astype(np.float32) for s in ((4, 5), (5, 6), (6, 3), (3,))]
    g = es.Graph()
    spec = "ij,jk,kl,l->i"
    g.save(es.einsum(spec, *[g.tensor(a.shape, name=f"t{i}") for i, a in enumerate(arrays)]), "y")
    assert str(g).count("einsum(") == 3
    out = es.compile(g, devices=3, objective="proxy")({f"t{i}": a for i, a in enumerate(arrays)})
    assert np.array_equal(out.y, np.einsum(spec, *arrays))


INDICES = [
    (slice(None, None, -1), slice(1, None, 2)),
    (0,),
    (slice(3, 0, -2), None, -1),
    (..., slice(4, 1, -1)),
    (slice(2, 2),),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_an_index_gives_the_elements_that_numpy_gives(index):
    array = np.arange(24, dtype=np.float32).reshape(4, 6)
    g = es.Graph()
    g.save(g.tensor([4, 6], name="x")[index], name="y")
    assert np.array_equal(es.compile(g, devices=3, objective="proxy")(x=array).y, array[index])


def test_a_plan_tells_what_is_cut_and_why(tmp_path):
    g, (_, _, _, y), exe = ffn()
    plan = es.plan(g, devices=4, objective="proxy")
    assert plan.cost == exe.plan.cost
    assert plan.exact
    counts = plan.specs["up"]
    assert list(counts) == ["i", "j", "k"]
    assert np.prod(list(counts.values())) == 4
    for index, count in counts.items():
        cuts = plan.cuts["up"][index]
        assert len(cuts) == count + 1
        assert cuts[0] == 0
        assert cuts[-1] == {"i": 6, "j": 10, "k": 14}[index]
    explanation = plan.explain("up")
    assert [a.counts for a in explanation.alternatives if a.chosen] == [counts]
    assert explanation.alternatives[0].delta == 0
    assert str(plan.explain(y)).startswith(y.name)
    assert "total" in str(plan)
    assert str(plan) == str(es.plan(g, devices=4, objective="proxy"))
    assert str(es.plan(g, devices=4, specs={"up": {"i": 4}}).specs["up"]["i"]) == "4"
    path = tmp_path / "p.esplan"
    plan.save(path)
    loaded = es.load_plan(path)
    assert str(loaded) == str(plan)
    again = es.compile(g, plan=loaded)
    a, b, c = ffn_arrays()
    assert np.array_equal(again(x=a, w1=b, w2=c).y, exe(x=a, w1=b, w2=c).y)


def test_what_was_proven_is_reported():
    _, _, exe = ffn()
    report = exe.verify()
    assert report
    assert report.ok
    names = ["tiling", "closure", "single_assignment", "races", "provenance", "memory"]
    assert sorted(check.name for check in report.checks) == sorted(names)
    assert all(check.count > 0 and not check.detail for check in report.checks)
    assert exe.peak_bytes == max(device.peak for device in exe.memory)
    assert all(0 < device.least <= device.peak for device in exe.memory)


def test_a_call_is_traced_task_by_task(tmp_path):
    g = es.Graph()
    x = g.tensor([16, 8], name="x")
    g.save(es.relu(g.matmul(x, g.parameter([8, 8], name="w"), name="up")), name="y")
    exe = es.compile(g, devices=3, objective="proxy", private_sites=True)
    exe.load({"w": np.ones((8, 8), np.float32)})
    exe(x=np.ones((16, 8), np.float32))
    path = tmp_path / "call.json"
    exe.trace(path)
    events = json.loads(path.read_text())["traceEvents"]
    assert {e["args"]["name"] for e in events if e["ph"] == "M"} == {
        f"device {i}" for i in range(3)
    }
    tasks = [e for e in events if e["ph"] == "X"]
    assert len(tasks) == exe._core.task_count
    assert {"up", "x"} & {e["name"] for e in tasks}
    assert all(e["ts"] >= 0 and e["dur"] >= 0 and 0 <= e["tid"] < 3 for e in tasks)
    for lane in range(3):
        spans = sorted((e["ts"], e["dur"]) for e in tasks if e["tid"] == lane)
        assert all(a + d <= b + 1e-3 for (a, d), (b, _) in itertools.pairwise(spans))
    with pytest.raises(es.InputError, match="cannot be written"):
        exe.trace(tmp_path)


def test_a_call_is_profiled_by_kind_of_work():
    _, _, exe = ffn(4, private_sites=True)
    a, b, c = ffn_arrays()
    exe(x=a, w1=b, w2=c)
    lines = exe.profile()
    assert {"matmul", "transfer"} <= {line.work for line in lines}
    assert [line.seconds for line in lines] == sorted(line.seconds for line in lines)[::-1]
    assert all(line.tasks > 0 and line.seconds > 0 for line in lines)
    assert not any(line.reference for line in lines)


def test_calls_from_several_threads_are_safe():
    _, _, exe = ffn()
    a, b, c = ffn_arrays()
    exe.load(w1=b, w2=c)
    inputs = [a + i for i in range(16)]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda x: exe(x=x).y, inputs * 4))
    for x, y in zip(inputs * 4, results, strict=True):
        assert np.array_equal(y, ffn_result(x, b, c))


def test_a_call_lets_other_threads_of_python_run_and_ctrl_c_stop_it():
    g = es.Graph()
    x = g.tensor([512, 512], name="x")
    y = x
    for _ in range(400):
        y = es.tanh(y @ y)
    g.save(y, name="y")
    exe = es.compile(g, devices=2, objective="proxy", threads=1)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        exe(x=np.ones((512, 512), np.float32))
    timer.join()


@pytest.mark.parametrize("private_sites", [False, True])
def test_every_call_is_compared_with_references_where_it_is_asked_for(private_sites):
    _, _, exe = ffn(3, verify="numeric", private_sites=private_sites)
    a, b, c = ffn_arrays()
    check = exe.verify().checks[-1]
    assert (check.name, check.count, check.note) == ("numeric", 0, "before the first call")
    assert np.array_equal(exe(x=a, w1=b, w2=c).y, ffn_result(a, b, c))
    # What the two products and the relu make, and y once more.
    one = 6 * 14 + 6 * 14 + 6 * 10 + 6 * 10
    check = exe.verify().checks[-1]
    assert (check.count, check.detail) == (one, "")
    assert check.note.startswith("largest difference 0.0 of ")
    assert check.seconds > 0
    exe(x=-a)
    assert exe.verify()
    assert exe.verify().checks[-1].count == 2 * one
    assert [check.name for check in ffn()[2].verify().checks][-1] == "provenance"


def test_a_plan_that_is_loaded_is_compared_too(tmp_path):
    g, _, exe = ffn(4, selector="random", seed=3)
    exe.plan.save(tmp_path / "p.esplan")
    again = es.compile(g, plan=es.load_plan(tmp_path / "p.esplan"), verify="numeric")
    a, b, c = ffn_arrays()
    assert np.array_equal(again(x=a, w1=b, w2=c).y, ffn_result(a, b, c))
    assert again.verify().checks[-1].count > 0


def test_what_is_printed_ends_without_an_empty_line():
    plan = es.plan(ffn()[0], devices=4)
    assert not str(plan).endswith("\n")
    assert not str(plan.explain("up")).endswith("\n")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", np.float64])
def test_partial_sums_travel_in_the_dtype_asked_for(dtype, tmp_path):
    name = dtype if isinstance(dtype, str) else "float64"
    g, _, exe = ffn(4, specs={"up": {"j": 4}}, partial_dtype=dtype, verify="numeric")
    assert exe.plan.partial_dtype == name
    a, b, c = ffn_arrays()
    assert np.array_equal(exe(x=a, w1=b, w2=c).y, ffn_result(a, b, c))
    exe.plan.save(tmp_path / "p.esplan")
    plan = es.load_plan(tmp_path / "p.esplan")
    assert plan.partial_dtype == name
    assert es.compile(g, plan=plan, partial_dtype=dtype).plan.partial_dtype == name
    with pytest.raises(es.PlanError, match=f"partial_dtype: the plan has {name}, not float32"):
        es.compile(g, plan=plan, partial_dtype="float32")
    assert ffn()[2].plan.partial_dtype is None
