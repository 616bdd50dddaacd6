# SPDX-License-Identifier: Apache-2.0
"""GPUs from Python: on the host twin, behind the symbol of a plugin; and where there are none."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import einsummable as es
from einsummable import _core, cuda, topology
from einsummable.cli import main

TWIN = Path(__file__).parent / "cuda_twin.so"


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("EINSUMMABLE_CUDA_PLUGIN", raising=False)
    find = cuda.find
    find.cache_clear()
    cuda._warn_of.cache_clear()
    yield tmp_path
    find.cache_clear()


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where machines are kept that tests need not measure again."""
    return tmp_path_factory.mktemp("measured")


@pytest.fixture(scope="module")
def found() -> cuda.Found:
    return cuda.Found(_core.CudaBackend(str(TWIN), ""))


@pytest.fixture
def twin(cache: Path, measured: Path, found: cuda.Found, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cuda, "find", lambda: found)
    monkeypatch.setenv("XDG_CACHE_HOME", str(measured))
    return measured


def test_a_plugin_is_found_by_its_path(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EINSUMMABLE_CUDA_PLUGIN", str(TWIN))
    backend = cuda.find().backend
    assert backend is not None
    assert [gpu.name for gpu in backend.devices] == ["twin", "twin"]


def network() -> tuple[es.Graph, dict[str, np.ndarray], np.ndarray]:
    random = np.random.default_rng(0)
    shapes = {"x": (24, 8), "w1": (8, 20), "w2": (20, 8)}
    given = {
        name: random.integers(-3, 4, shape).astype(np.float32) for name, shape in shapes.items()
    }
    hidden = np.maximum(given["x"] @ given["w1"], 0)
    return es.workloads.ffn(24, 8, 20), given, hidden @ given["w2"]


@pytest.mark.parametrize("devices", [None, 1, 2, [1], [0, 1, 0], [0] * 8])
def test_graphs_run_on_gpus(twin: Path, devices: int | list[int] | None) -> None:
    graph, given, wanted = network()
    executable = es.compile(graph, devices=devices)
    count = devices if isinstance(devices, int) else len(devices or [0, 1])
    assert executable.plan.devices == count
    assert (executable(given)["y"] == wanted).all()
    assert executable.verify()
    assert executable.plan.predicted_ms > 0


def test_calls_are_compared_with_references_too(twin: Path) -> None:
    graph, given, wanted = network()
    executable = es.compile(graph, devices=2, verify="numeric")
    assert (executable(given)["y"] == wanted).all()
    assert executable.verify()


def test_fewer_gpus_than_devices(twin: Path) -> None:
    graph, given, wanted = network()
    with pytest.raises(es.DeviceError) as caught:
        es.compile(graph, devices=8)
    assert str(caught.value) == (
        "there are 2 GPUs, not 8: devices=[0] * 8 puts 8 sites on GPU 0, and "
        'backend="cpu" has as many virtual devices as asked for'
    )
    assert (es.compile(graph, devices=8, backend="cpu")(given)["y"] == wanted).all()
    with pytest.raises(es.DeviceError, match="there is no GPU 2: they are 0 to 1"):
        es.compile(graph, devices=[0, 2])


def test_options_of_the_cpu_are_refused(twin: Path) -> None:
    with pytest.raises(es.DeviceError, match='private_sites is for backend="cpu"'):
        es.compile(network()[0], devices=2, backend="cuda", private_sites=True)


def test_ids_out_of_range_are_named(twin: Path) -> None:
    graph = es.Graph()
    table, ids = graph.tensor([4, 3], name="table"), graph.tensor([2, 2], "int32", name="ids")
    graph.save(es.embedding(table, ids, name="look"), name="y")
    executable = es.compile(graph, devices=2)
    given = {"table": np.ones((4, 3), np.float32), "ids": np.array([[0, 1], [4, -1]], np.int32)}
    with pytest.raises(es.InputError, match=r"\"look\".*the id 4 at position \[1, 0\]"):
        executable(given)
    given["ids"][:] = 3
    assert (executable(given)["y"] == 1).all()


def test_plans_for_gpus_repeat(twin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = twin / "fresh"
    monkeypatch.setenv("XDG_CACHE_HOME", str(fresh))
    graph = network()[0]
    first = es.plan(graph, devices=2)
    files = list(fresh.glob("einsummable/cuda-*.toml"))
    assert len(files) == 1
    machine = topology.load(files[0])
    assert machine.sites == 2
    assert machine.way(0, 1) is not None
    again = es.plan(graph, devices=2)
    assert again.predicted_ms == first.predicted_ms
    assert str(again) == str(first)
    files[0].write_text("version = [", encoding="utf-8")
    assert es.plan(graph, devices=2).predicted_ms > 0
    assert topology.load(files[0]).sites == 2, "a damaged file is made anew"
    # A plan needs no device: of more than there are, it is for the CPU, or for what it names.
    assert es.plan(graph, devices=16).devices == 16
    assert es.plan(graph, devices=2, topology="dgx-a100").devices == 2


def test_a_machine_is_measured_where_nothing_can_be_kept(
    twin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(in_the_way))
    backend = cuda.find().backend
    assert backend is not None
    path = cuda.machine_file(backend, [0])
    assert not path.is_relative_to(in_the_way)
    assert topology.load(path).sites == 1
    assert cuda.machine_file(backend, [0]) == path
    assert es.compile(es.workloads.ffn(2, 3, 4), devices=[0, 0], backend="cuda").peak_bytes


def test_sites_on_one_gpu_share_its_memory(twin: Path) -> None:
    backend = cuda.find().backend
    assert backend is not None
    alone = topology.parse(cuda.machine_text(backend, [0, 0, 0]))
    assert alone.figures["compute"] == {"workers": 1, "handover": True}
    stated = {(each["op"], each["dtype"]) for each in alone.figures["efficiency"]}
    assert {("matmul", "float64"), ("attention", "float16"), ("attention", "bfloat16")} <= stated
    mixed = topology.parse(cuda.machine_text(backend, [0, 1, 0]))
    assert mixed.sites == 3
    assert len(mixed.figures["link"]) == 1
    assert mixed.way(0, 2) is not None
    assert mixed.way(0, 1).gbps == mixed.figures["bus"][0]["gbps"]


def test_products_round_to_tf32_where_asked(twin: Path) -> None:
    graph = es.Graph()
    x, y = graph.tensor([8, 64], name="x"), graph.tensor([64, 8], name="y")
    graph.save(x @ y, name="z")
    random = np.random.default_rng(3)
    given = {n: random.standard_normal(t.shape).astype(np.float32) for n, t in graph.inputs.items()}
    exact = given["x"].astype(np.float64) @ given["y"]
    errors = [
        np.abs(es.compile(graph, devices=1, tf32=tf32)(given)["z"] - exact).max()
        for tf32 in (False, True)
    ]
    assert errors[0] < 1e-5
    assert 1e-5 < errors[1] < 2e-2
    with pytest.raises(es.PlanError, match="tf32 rounds more than"):
        es.compile(graph, devices=1, tf32=True, verify="numeric")


def test_tasks_are_timed_where_asked(twin: Path, tmp_path: Path) -> None:
    graph, given, _ = network()
    plain = es.compile(graph, devices=2)
    plain(given)
    for ask in (plain.profile, lambda: plain.trace(tmp_path / "trace.json")):
        with pytest.raises(es.DeviceError, match="timed=True"):
            ask()
    timed = es.compile(graph, devices=2, timed=True)
    timed(given)
    lines = timed.profile()
    assert sum(line.tasks for line in lines) > 0
    timed.trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    tasks = [event for event in events if event["ph"] == "X"]
    assert len(tasks) == sum(line.tasks for line in lines)
    assert all(event["ts"] >= 0 and event["dur"] >= 0 for event in tasks)


def test_doctor_describes_gpus(twin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["backend cuda"] == "works"
    assert found["GPU 1"].startswith("twin, sm_90, 1 processors, ")
    assert found["host twin"] == "1 in "
    assert found["copies 0 to 1"].endswith("direct")
    assert found["copies 1 to 0"].endswith("through the host: the driver allows no peer access")
    assert Path(found["machine of the GPUs"]).exists()


def test_without_the_plugin_the_cpu_runs_it(cache: Path) -> None:
    graph, given, wanted = network()
    assert (es.compile(graph, devices=2)(given)["y"] == wanted).all()
    with pytest.raises(es.DeviceError) as caught:
        es.compile(graph, devices=2, backend="cuda")
    assert str(caught.value) == (
        "there is no GPU to run on: the CUDA plugin is not installed: "
        "pip install einsummable[cuda13]"
    )


def test_a_plugin_that_does_not_work_is_said_once(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EINSUMMABLE_CUDA_PLUGIN", str(cache / "none.so"))
    graph, given, wanted = network()
    said = "virtual CPU devices run this: the CUDA plugin cannot"
    with pytest.warns(RuntimeWarning, match=said) as warned:
        executable = es.compile(graph, devices=2)
    assert [each.filename for each in warned] == [__file__], "the line that compiles"
    assert (executable(given)["y"] == wanted).all()
    es.compile(graph, devices=2)
    with pytest.raises(es.DeviceError, match="the CUDA plugin cannot be opened"):
        es.compile(graph, devices=2, backend="cuda")
