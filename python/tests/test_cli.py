# SPDX-License-Identifier: Apache-2.0
"""The command line: what it prints, its exit status, and what it says of mistakes."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import einsummable as es
from einsummable.cli import main, quantities

FFN = ["ffn", "--tokens", "16", "--d-model", "8", "--d-ff", "24", "--devices", "4"]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(es.__file__).parents[1])}


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "einsummable", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT,
    )


def printed(capsys, *arguments, status=0):
    assert main(arguments) == status
    return capsys.readouterr().out


def test_plan_prints_the_table(capsys):
    out = printed(capsys, "plan", *FFN)
    plan = es.plan(es.workloads.ffn(16, 8, 24), devices=4)
    assert out.startswith(str(plan))
    assert re.search(r"planned in [\d.]+ .s for 4 devices", out)


def test_plan_as_json_and_saved(capsys, tmp_path):
    path = tmp_path / "p.esplan"
    out = json.loads(
        printed(
            capsys,
            "plan",
            *FFN,
            "--objective",
            "proxy",
            "--json",
            "--save",
            str(path),
            "--explain",
            "up",
        )
    )
    plan = es.load_plan(path)
    assert out["cost"] == plan.cost
    assert out["exact"] is True
    assert out["operators"]["up"]["counts"] == plan.specs["up"]
    assert out["operators"]["up"]["cuts"] == plan.cuts["up"]
    assert out["explanation"]["alternatives"][0]["chosen"]


def test_plan_prints_its_exchanges(capsys, tmp_path):
    path = tmp_path / "trace.json"
    machine = ("--topology", "dgx-a100", "--objective", "proxy")
    out = printed(capsys, "plan", *FFN, *machine, "--trace", str(path))
    plan = es.plan(es.workloads.ffn(16, 8, 24), devices=4, topology="dgx-a100", objective="proxy")
    head, *lines = out[out.index("exchange before") :].splitlines()
    assert head.split("  ")[0] == "exchange before"
    assert [field.strip() for field in head.split("  ") if field][1:] == [
        "bytes",
        "ms",
        "bound ms",
        "gap",
    ]
    shown = [line.split() for line in lines[: len(plan.exchanges) + 1]]
    assert [(name, int(moved)) for name, *_, moved, _ms, _bound, _gap, _unit in shown] == [
        *((e.op, e.bytes) for e in plan.exchanges),
        ("total", sum(e.bytes for e in plan.exchanges)),
    ]
    assert json.loads(path.read_text())["traceEvents"]
    described = json.loads(printed(capsys, "plan", *FFN, *machine, "--json"))
    assert described["exchanges"] == [
        {
            field: getattr(e, field)
            for field in ("op", "save", "bytes", "merges", "ms", "bound_ms", "gap", "proof")
        }
        for e in plan.exchanges
    ]


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ([], False),
        (["--objective", "proxy"], False),
        (["--objective", "proxy", "--topology", "cpu"], True),
        (["--objective", "proxy", "--topology", "dgx-a100"], True),
    ],
)
def test_plan_prints_exchanges_where_times_are_asked_for(capsys, asked, shown):
    assert ("exchange before" in printed(capsys, "plan", *FFN, *asked)) == shown


def test_plan_on_one_device_has_no_exchanges(capsys):
    assert "exchange" not in printed(capsys, "plan", "ffn", "--devices", "1", "--tokens", "16")


def test_plan_explains_an_operator(capsys):
    out = printed(capsys, "plan", *FFN, "--objective", "proxy", "--explain", "up")
    assert out.startswith("up: ")
    assert "chosen" in out


def test_run_gives_the_same_digest_at_any_threads_and_sites(capsys):
    digests = set()
    for options in ([], ["--threads", "1"], ["--threads", "4"], ["--private-sites"]):
        out = json.loads(printed(capsys, "run", *FFN, "--json", "--repeat", "1", *options))
        digests.add(out["results"]["y"]["sha256"])
        assert set(out["verified"]) >= {"tiling", "races", "provenance"}
        assert out["peak_bytes"] > 0
    assert len(digests) == 1
    other = json.loads(printed(capsys, "run", *FFN, "--json", "--seed", "1"))
    assert other["results"]["y"]["sha256"] not in digests


def test_run_prints_plan_checks_times_and_profile(capsys):
    out = printed(capsys, "run", *FFN, "--profile", "--repeat", "2", "--memory-limit", "1GB")
    for part in ("operator", "verified", "called 2 times", "y: float32[16, 8] sha256", "matmul"):
        assert part in out
    assert re.search(r"[\d.]+ % of the time in reference kernels", out)


def test_sums_under_way_have_the_dtype_that_is_asked_for(capsys, tmp_path):
    path = tmp_path / "p.esplan"
    printed(capsys, "plan", *FFN, "--partial-dtype", "float64", "--save", str(path))
    assert es.load_plan(path).partial_dtype == "float64"
    digests = set()
    for options in ([], ["--partial-dtype", "bfloat16"], ["--partial-dtype", "float64"]):
        options = [*options, "--objective", "proxy", "--verify", "numeric"]
        out = printed(capsys, "run", *FFN, "--json", *options)
        digests.add(json.loads(out)["results"]["y"]["sha256"])
    assert len(digests) == 3


def test_run_compares_every_call_with_references(capsys):
    out = printed(capsys, "run", *FFN, "--verify", "numeric", "--repeat", "2")
    assert re.search(r"numeric +\d+ .* allowed, in ", out)
    block = ["llama-block", "--tokens", "2x8", "--d-model", "64", "--d-ff", "96", "--devices", "3"]
    for dtype in ("float32", "float16", "bfloat16"):
        options = ["--dtype", dtype, "--verify", "numeric", "--repeat", "1", "--json"]
        assert json.loads(printed(capsys, "run", *block, *options))["verified"]["numeric"] > 0


@pytest.mark.parametrize(
    "workload",
    [
        ["llama-block", "--tokens", "2x8", "--d-model", "64", "--d-ff", "96", "--dtype", "float32"],
        ["llama", "--layers", "2", "--tokens", "8", "--d-model", "64", "--d-ff", "32"],
        ["chain-C", "--scale", "512"],
    ],
)
def test_every_workload_runs(capsys, workload):
    out = json.loads(printed(capsys, "run", *workload, "--devices", "3", "--repeat", "1", "--json"))
    assert out["devices"] == 3
    printed(capsys, "plan", *workload, "--devices", "0,1")


def test_a_graph_file_is_a_workload(capsys, tmp_path):
    path = tmp_path / "small.graph"
    path.write_text(str(es.workloads.ffn(16, 8, 24)))
    out = printed(capsys, "plan", str(path), "--devices", "4")
    assert out.splitlines()[0] == printed(capsys, "plan", *FFN).splitlines()[0]
    json.loads(printed(capsys, "run", str(path), "--devices", "4", "--json"))


def test_doctor_finds_everything_in_order(capsys):
    out = printed(capsys, "doctor")
    assert re.search(r"backend cpu +works", out)
    assert json.loads(printed(capsys, "doctor", "--json"))["ok"] is True


def test_help_teaches(capsys):
    for arguments in (["--help"], ["plan", "--help"], ["run", "--help"], ["demo", "--help"]):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 0
        out = capsys.readouterr().out
        assert "usage: einsummable" in out
        assert len(out.splitlines()) > 10
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"einsummable {es.__version__}\n"


USAGE = {
    "no command": ([], "required: COMMAND"),
    "an unknown command": (["planify"], "invalid choice: 'planify'"),
    "no workload": (["plan"], "required: WORKLOAD"),
    "an unknown workload": (["plan", "bert"], "'bert' is neither a workload (ffn"),
    "a size it does not have": (["plan", "ffn", "--layers", "3"], "ffn takes no --layers"),
    "tokens of text": (["plan", "ffn", "--tokens", "8xK"], "'K' is no positive number"),
    "tokens of three": (["plan", "ffn", "--tokens", "8x1x1"], "is not sequences x tokens"),
    "no devices": (["plan", "ffn", "--devices", "0"], "'0' is neither how many, as 8, nor which"),
    "devices of text": (["run", "ffn", "--devices", "all"], "'all' is neither how many"),
    "a size without a unit": (["run", "ffn", "--memory-limit", "4Q"], "'4Q' is no size, as 40GB"),
    "an unknown dtype": (["run", "ffn", "--dtype", "float8"], "invalid choice: 'float8'"),
    "a seed of text": (["run", "ffn", "--seed", "x"], "invalid int value: 'x'"),
}


@pytest.mark.parametrize("mistake", USAGE)
def test_wrong_usage_exits_with_2(mistake, capsys):
    arguments, message = USAGE[mistake]
    try:
        status = main(arguments)
    except SystemExit as exit:
        status = exit.code
    error = capsys.readouterr().err
    assert status == 2
    assert "usage: einsummable" in error
    assert message in error


FAILURES = {
    "sums of no dtype": (
        ["plan", *FFN, "--partial-dtype", "float8"],
        "PlanError: partial_dtype is 'float32', 'float64', 'float16', 'bfloat16' or None, not ",
    ),
    "another verification": (
        ["run", *FFN, "--verify", "twice"],
        "PlanError: verify is 'static' or 'numeric', not 'twice'",
    ),
    "too little memory": (["run", *FFN, "--memory-limit", "10"], "MemoryLimitError: "),
    "no objective": (["plan", *FFN, "--objective", "speed"], "PlanError: objective is 'proxy' or"),
    "no topology": (["plan", *FFN, "--topology", "dgx-1"], "TopologyError: "),
    "no schedule": (
        ["plan", *FFN, "--schedule-mode", "best"],
        "PlanError: schedule_mode is 'naive'",
    ),
    "no proposer": (
        ["plan", *FFN, "--schedule-mode", "ai"],
        "ProposerError: EINSUMMABLE_AI_URL is not set",
    ),
    "no such operator": (["plan", *FFN, "--explain", "upp"], "PlanError: "),
    "a chain there is not": (["plan", "chain-Z"], "GraphError: "),
    "a trace it cannot write": (["plan", *FFN, "--trace", "/nowhere/t"], "No such file"),
    "a file it cannot write": (["plan", *FFN, "--save", "/nowhere/p"], "No such file"),
}


@pytest.mark.parametrize("mistake", FAILURES)
def test_a_job_that_fails_exits_with_1(mistake, capsys):
    arguments, message = FAILURES[mistake]
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert error.startswith("einsummable: ")
    assert message in error


@pytest.mark.parametrize("content", [b"graph 1\n%0 = what", b"\xff\xfe", b""])
def test_a_file_that_is_no_graph_is_named(content, capsys, tmp_path):
    path = tmp_path / "broken.graph"
    path.write_bytes(content)
    assert main(["plan", str(path)]) == 1
    assert f"GraphError: {path}" in capsys.readouterr().err


def test_the_module_is_a_program():
    done = command("plan", *FFN, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["devices"] == 4
    assert done.stderr == ""
    assert command("plan").returncode == 2


def test_a_reader_that_leaves_early_is_no_error():
    program = f"{sys.executable} -m einsummable plan {' '.join(FFN)} | head -n 1"
    done = subprocess.run(
        program, shell=True, capture_output=True, text=True, check=False, env=ENVIRONMENT
    )
    assert done.stdout.startswith("operator")
    assert done.stderr == ""


def test_ctrl_c_stops_a_run_and_the_terminal_shows_its_progress():
    terminal, side = pty.openpty()
    sizes = ["--tokens", "4K", "--d-model", "1K", "--d-ff", "4K"]
    arguments = ["run", "ffn", *sizes, "--devices", "2", "--repeat", "100"]
    process = subprocess.Popen(
        [sys.executable, "-m", "einsummable", *arguments],
        stdout=subprocess.PIPE,
        stderr=side,
        env=ENVIRONMENT,
    )
    os.close(side)
    shown = b""
    while b"call 1 of 100" not in shown:
        ready, _, _ = select.select([terminal], [], [], 120)
        assert ready, shown
        shown += os.read(terminal, 4096)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    os.close(terminal)
    assert b"compiling" in shown
    assert process.returncode == 130
    assert out == b""


def test_quantities_are_read_as_people_write_them():
    assert quantities.tokens("8x1K") == (8, 1024)
    assert quantities.tokens("4K") == (1, 4096)
    assert quantities.devices("8") == 8
    assert quantities.devices("0,1") == [0, 1]
    assert quantities.devices("3,") == [3]
    assert [quantities.size(s) for s in ("40GB", "1.5 GiB", "7", "2kB")] == [
        40 * 10**9, 3 * 2**29, 7, 2000,
    ]  # fmt: skip
    assert [quantities.show_size(n) for n in (999, 1000, 1_500_000)] == [
        "999 bytes", "1.0 kB", "1.5 MB",
    ]  # fmt: skip
    assert [quantities.show_seconds(s) for s in (2, 0.0123, 1e-5)] == ["2.00 s", "12.3 ms", "10 us"]
