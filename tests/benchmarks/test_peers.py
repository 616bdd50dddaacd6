# SPDX-License-Identifier: Apache-2.0
"""The benchmarks beside peers, with made-up ones: what they are asked, and how they fail."""

import argparse
import doctest
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks import block, chains, compare, main, measure, minilm, ours, summary
from benchmarks.compare import Peer
from benchmarks.measure import Series
from benchmarks.peers import beside, environment, padding, process, rope, steps, worker
from benchmarks.peers.beside import Beside, Task, Variant, difference
from benchmarks.peers.process import PeerError, Process, Processes, Setting

import einsummable as es

MODULE = """
import os, signal, sys
import numpy as np

def prepare(workload, variant, arrays, settings, threads):
    print("libraries may print what they like")
    if variant == "unable":
        raise RuntimeError("there is no such kernel")
    if variant == "dies early":
        sys.exit("no memory")
    def compute():
        if variant == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        values = dict(arrays)
        for step in settings["steps"]:
            first, *others = (values[name] for name in step["of"])
            values[step["to"]] = first @ others[0] if others else np.maximum(first, 0)
        return values[settings["saved"]] * (2 if variant == "wrong" else 1)
    return compute
"""


@pytest.fixture
def made_up(tmp_path) -> dict[str, str]:
    """Give the variables with which a process finds the module above."""
    (tmp_path / "made_up.py").write_text(MODULE)
    return {"PYTHONPATH": os.pathsep.join([str(process.ROOT), str(tmp_path)])}


@pytest.fixture
def started(made_up):
    """Give a process of it."""
    found = Process(Path(sys.executable), Setting("Made up", "made_up", 1, made_up))
    yield found
    found.close()


@pytest.fixture
def others(tmp_path):
    with Processes(Path(sys.executable)) as processes:
        yield Beside(processes, 1, tmp_path)


def variants(made_up, *names: str) -> list[Variant]:
    return [Variant(name, "Made up", "made_up", name, "", made_up) for name in names]


def ffn_case() -> ours.Case:
    graph = es.workloads.ffn(4, 6, 8)
    random = np.random.default_rng(0)
    given = {
        name: random.standard_normal(tensor.shape, np.float32)
        for name, tensor in {**graph.inputs, **graph.parameters}.items()
    }
    x = {"x": given.pop("x")}
    return ours.Case("small", graph, given, x, "steps", steps.steps_of(graph))


def arguments(**more) -> argparse.Namespace:
    return argparse.Namespace(**{"threads": 1, "rounds": 2, "profile": False, **more})


def test_a_peer_is_timed_beside_ours_and_compared_with_it(made_up, others):
    report = ours.run_case(ffn_case(), (1, 3), variants(made_up, "right"), others, arguments())
    entries = {entry["name"]: entry for entry in report.entries}
    assert list(entries) == [
        "matrix products alone, 1 thread",
        "einsummable, 1 device, 1 thread",
        "einsummable, 3 devices, 1 thread",
        "right",
    ]
    right = entries["right"]
    assert right["difference"] < 1e-6
    assert len(right["seconds"]) == 2
    default = min(entries["einsummable, 1 device, 1 thread"]["seconds"])
    assert right["ours_over_it"]["minimum"] == default / min(right["seconds"])
    assert entries["einsummable, 1 device, 1 thread"]["over_ours"] is None
    assert entries["einsummable, 3 devices, 1 thread"]["over_ours"]["minimum"] > 0


def test_what_a_library_prints_is_no_answer(started, tmp_path):
    np.savez(tmp_path / "arrays.npz", x=np.array([-1.0, 2.0]))
    program = {"steps": [{"op": "relu", "to": "y", "of": ["x"]}], "saved": "y"}
    arrays = str(tmp_path / "arrays.npz")
    asked = {"workload": "steps", "variant": "right", "arrays": arrays, "settings": program}
    assert started.ask("prepare", "right", **asked) == {}
    started.ask("result", "right", file=str(tmp_path / "result.npy"))
    assert np.load(tmp_path / "result.npy").tolist() == [0.0, 2.0]
    assert 0 < started.call("right") < 10
    assert 0 < started.call("right") < 10
    assert started.resting[0] == 0 <= started.resting[1]


@pytest.mark.parametrize(
    ("variant", "said"),
    [
        ("unable", "Made up could not prepare 'unable': RuntimeError: there is no such kernel"),
        (
            "dies early",
            "Made up ended while it should prepare 'dies early': exit status 1, no memory",
        ),
        ("dies", r"Made up ended while it should result 'dies': signal 9, .*"),
        ("wrong", r"wrong computes something else: its result is off by 1.0e\+00"),
    ],
)
def test_a_peer_that_fails_ends_the_benchmark(made_up, others, variant, said):
    with pytest.raises(PeerError, match=said):
        ours.run_case(ffn_case(), (1,), variants(made_up, variant), others, arguments())


def test_a_process_that_is_gone_is_no_broken_pipe(started):
    started._process.kill()
    started._process.wait()
    with pytest.raises(PeerError, match="Made up ended while it should call 'x': signal 9"):
        started.call("x")


def test_a_module_that_is_not_there(tmp_path):
    gone = Process(Path(sys.executable), Setting("Gone", "no_such_module", 1))
    with pytest.raises(PeerError, match=r"Gone ended .* No module named 'no_such_module'"):
        gone.call("x")
    gone.close()


@pytest.mark.parametrize(
    "result", [np.array([1.0, np.nan]), np.array([1.0, 2.01]), np.array([[1.0, 2.0, 3.0]])]
)
def test_a_wrong_result_is_told(result):
    with pytest.raises(PeerError, match=r"it (computes something else|gives)"):
        difference("it", result, np.array([1.0, 2.0]))


def test_a_right_result_may_be_of_another_shape():
    assert difference("it", np.array([[1.0], [2.0]]), np.array([1.0, 2.002])) < 1e-3


def test_a_library_that_works_on_after_its_calls_is_told(others):
    restless = Process(Path(sys.executable), Setting("Restless", "none", 1))
    restless.resting = [0.0, 0.2, 0.3]
    others._processes._started["it"] = restless
    note = "note: Restless uses 200.0 ms of CPU after a call, more than the pause"
    assert others.notes() == [note]


def test_of_one_kind_a_table_has_the_fastest():
    peers = [
        Peer("products", lambda: 1.0),
        Peer("ours", lambda: 2.0, "products"),
        Peer("JAX by rows", lambda: 5.0, "products", kind="JAX"),
        Peer("JAX by columns", lambda: 4.0, "products", kind="JAX"),
    ]
    report = compare.compare("title", peers, 2, peers[1])
    assert [row[0] for row in report.rows] == ["products", "ours", "JAX by columns"]
    assert [entry["name"] for entry in report.entries] == [peer.name for peer in peers]
    found = summary.summary("all", {"first": report, "second": report})
    assert found.rows == [
        ["ours / products", "2.00", "2.00"],
        ["ours / ours", "1.00", "1.00"],
        ["ours / JAX", "0.50", "0.50"],
    ]
    assert list(found.charts[1].series) == ["ours", "JAX"]


def test_every_other_round_goes_backwards():
    called = []
    peers = {name: lambda name=name: called.append(name) or 1.0 for name in "abc"}
    assert measure.alternate(peers, 2, 0.0) == dict.fromkeys("abc", Series((1.0, 1.0)))
    assert "".join(called) == "cbaabccba"


def test_a_given_environment_must_be_one(tmp_path):
    with pytest.raises(PeerError, match=r"is no environment: there is no .*/bin/python"):
        environment.python_of(tmp_path)


def test_without_packages_there_is_no_environment(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(PeerError, match="could not be installed: ERROR: No matching distribution"):
        environment.made(tmp_path / "made", ["no-such-package"])
    assert [path.name for path in tmp_path.iterdir()] == ["made.log"]


def test_an_environment_is_made_once(tmp_path, capsys):
    python = environment.made(tmp_path / "made", ["pip"])
    assert python.exists()
    assert "made.log" in capsys.readouterr().out
    assert environment.made(tmp_path / "made", ["pip"]) == python
    assert capsys.readouterr().out == ""


def test_a_run_goes_on_without_an_environment(tmp_path, capsys):
    with beside.beside(arguments(peers=str(tmp_path))) as none:
        task = Task("block", {}, {}, np.zeros(1))
        assert none.peers(beside.TORCH, task, "products") == []
        assert none.notes() == []
    assert "without PyTorch, JAX and onnxruntime: " in capsys.readouterr().err


def test_blocks_and_chains_are_written_with_their_charts(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(block, "TOKENS", ((2, 3), (1, 6)))
    monkeypatch.setattr(block, "DEVICES", (1, 3))
    sizes = {"d_model": 8, "heads": 2, "kv_heads": 1, "head_dim": 4, "d_ff": 12}
    monkeypatch.setattr(block, "SIZES", sizes)
    monkeypatch.setattr(chains, "SCALE", 256)
    monkeypatch.setattr(chains, "FFN", (2, 3, 4))
    given = ["block", "chains", "--rounds=1", "--threads=1", "--peers=none"]
    assert main.main([*given, "--results", str(tmp_path)]) == 0
    written = json.loads((tmp_path / "results.json").read_text())
    titles = [report["title"].split(",")[0] for report in written["reports"]]
    assert titles == ["block"] * 3 + [f"chain {letter}" for letter in "ABCDE"] + ["ffn", "chains"]
    assert "einsummable, 3 devices, 1 thread / ours" in capsys.readouterr().out
    if "benchmarks.charts" in sys.modules:
        assert (tmp_path / "block-ours-over-others.png").exists()


def test_a_peer_that_fails_leaves_what_was_measured(tmp_path, monkeypatch, capsys):
    def fails(given):
        yield compare.compare("fine", [Peer("a", lambda: 1.0)], 1, Peer("a", lambda: 1.0))
        raise PeerError("it computes something else")

    monkeypatch.setattr(main, "BENCHMARKS", {"fails": fails})
    assert main.main(["--results", str(tmp_path)]) == 1
    assert "benchmarks/run: it computes something else" in capsys.readouterr().err
    assert len(json.loads((tmp_path / "results.json").read_text())["reports"]) == 1


@pytest.mark.parametrize(("names", "run"), [([], "ab"), (["b"], "b"), (["b", "a", "b"], "ba")])
def test_without_names_every_benchmark_runs(monkeypatch, names, run):
    called = []
    both = {name: lambda given, name=name: called.append(name) or () for name in "ab"}
    monkeypatch.setattr(main, "BENCHMARKS", both)
    assert main.main(names) == 0
    assert "".join(called) == run


def test_an_unknown_benchmark_is_told(capsys):
    with pytest.raises(SystemExit):
        main.main(["blok"])
    assert "'blok' is none of plan, block, minilm, chains, " in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--rounds", "--threads"])
@pytest.mark.parametrize("given", ["0", "-3", "1.5", "two", "\u0663"])
def test_counts_are_at_least_1(option, given, capsys):
    with pytest.raises(SystemExit) as stopped:
        main.main(["plan", f"{option}={given}"])
    assert stopped.value.code == 2
    assert f"{given!r} is no number from 1 on" in capsys.readouterr().err


def test_steps_follow_every_chain():
    for letter in "ABCDE":
        graph = es.workloads.chain(letter, scale=512)
        program = steps.steps_of(graph)
        random = np.random.default_rng(0)
        values = {
            name: random.standard_normal(graph.inputs[name].shape).astype(np.float32)
            for name in program["inputs"]
        }
        (expected,) = es.compile(graph, devices=2)(values).values()
        for step in program["steps"]:
            a, b = (values[name] for name in step["of"])
            values[step["to"]] = a @ b
        np.testing.assert_allclose(values[program["saved"]], expected, rtol=1e-3, atol=1e-3)


def test_other_operators_are_no_steps():
    g = es.Graph()
    x = g.tensor([2], name="x")
    g.save(x + x, name="y")
    with pytest.raises(ValueError, match="add is none of matmul, relu"):
        steps.steps_of(g)


def test_peers_turn_pairs_as_the_operator_does():
    g = es.Graph()
    x = g.tensor([5, 8], name="x")
    g.save(g.rope(x, g.tensor([5], "int32", name="positions")), name="y")
    values = np.random.default_rng(0).standard_normal((5, 8), np.float32)
    (expected,) = es.compile(g)(x=values, positions=np.arange(5, dtype=np.int32)).values()
    cosines, sines = (table[:, 0] for table in rope.cosines_and_sines(5, 8))
    a, b = values[:, :4], values[:, 4:]
    turned = np.concatenate([a * cosines - b * sines, b * cosines + a * sines], 1)
    np.testing.assert_allclose(turned, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("module", [compare, measure, minilm, padding, steps, worker])
def test_examples(module):
    assert doctest.testmod(module).failed == 0
