# SPDX-License-Identifier: Apache-2.0
"""The commands on exchange programs: what they print, and their exit status."""

import io
import json
import re

import pytest

import einsummable as es
from einsummable.cli import main

SWAP = "IN: A @ 0; B @ 1\nOUT: A+B @ 0, 1\nA @ 0 -> 1; B @ 1 -> 0\nA+B @ 0, 1\n"
OPEN = "GPUS: 0, 1, 2\nPARTITIONS: G1 {size 2}; G2 {size 1}\nIN: A @ 0\nOUT: A @ G1\nA @ 0 -> G1"


@pytest.fixture
def write(tmp_path):
    def written(text):
        path = tmp_path / "a.exprog"
        path.write_text(text)
        return str(path)

    return written


def printed(capsys, *arguments, status=0):
    assert main(["exprog", *arguments]) == status
    return capsys.readouterr().out


def test_check_says_valid_or_why_not(capsys, write):
    assert printed(capsys, "check", write(SWAP)) == "valid\n"
    bad = write("IN: A @ 0\nOUT: A @ 1")
    out = printed(capsys, "check", bad, status=1)
    assert out == "not valid: OUT is not met: A is never at 1\n"
    assert json.loads(printed(capsys, "check", bad, "--json", status=1))["ok"] is False
    assert json.loads(printed(capsys, "--json", "check", bad, status=1))["ok"] is False


def test_check_with_members_and_derivations(capsys, write):
    file = write(OPEN)
    assert printed(capsys, "check", file) == "valid; G1 = [0, 1]; G2 = [2]\n"
    members = ["--members", "G1=0,2", "--members", "G2=1"]
    out = printed(capsys, "check", file, *members, "--derivations")
    assert out == "0: A @ 0\n1: A @ 2 <- 0\nvalid; G1 = [0, 2]; G2 = [1]\n"


def test_bound_says_what_proves_it(capsys, write):
    out = printed(capsys, "bound", write(SWAP), "--topology", "dgx-h100", "--ideal")
    assert out == "at least 2.2222 ms; cut {0}: 1 GB leave over 450 GB/s\n"
    arguments = ["bound", write(OPEN), "--topology", "dgx-v100"]
    assert printed(capsys, *arguments).endswith("\nG1 = [0, 1]\n")
    said = json.loads(printed(capsys, *arguments, "--members", "G1=1,2", "--json"))
    assert said["members"]["G1"] == [1, 2]
    assert said["ms"] > 0


def test_simulate_says_what_happens_and_what_bounds_it(capsys, write, tmp_path):
    trace = tmp_path / "trace.json"
    out = printed(
        capsys, "simulate", write(SWAP), "--topology", "dgx-h100", "--ideal", "--trace", str(trace)
    )
    assert "3.1177 ms; egress 0 busy 71 %" in out
    assert re.search(r"2.2222 +3.1177  A\+B @ 0 of A, B", out)
    events = json.loads(trace.read_text())["traceEvents"]
    lanes = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    spans = [(lanes[e["pid"], e["tid"]], e["name"]) for e in events if e["ph"] == "X"]
    assert ("link 0->1", "A @ 0 -> 1") in spans
    assert ("site 1", "A+B @ 1 of A, B") in spans
    assert len(spans) == 4


def test_simulate_as_json(capsys, write):
    said = json.loads(printed(capsys, "simulate", write(SWAP), "--topology", "dgx-h100", "--json"))
    assert said["ms"] > 3.1177
    assert said["timeline"][0]["destination"] == 1
    assert said["critical_path"][-1]["parts"] == ["A", "B"]
    assert {"name", "bytes", "busy_ms", "share"} == set(said["load"][0])


def test_programs_that_cannot_run_there_exit_with_1(capsys, write):
    bad = write("IN: A @ 0\nOUT: A @ 9\nA @ 0 -> 9")
    assert main(["exprog", "simulate", bad, "--topology", "dgx-h100"]) == 1
    assert "TopologyError" in capsys.readouterr().err
    bad = write("IN: A @ 0\nOUT: A @ 1")
    assert main(["exprog", "simulate", bad, "--topology", "dgx-h100"]) == 1
    assert "ExchangeError: OUT is not met" in capsys.readouterr().err


def test_what_cannot_be_read_exits_with_2(capsys, write, tmp_path):
    assert main(["exprog", "check", write("IN: A @ 0\nOUT A @ 1")]) == 2
    assert "a.exprog, line 2: " in capsys.readouterr().err
    assert main(["exprog", "check", str(tmp_path / "none")]) == 2
    assert "cannot be read" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main(["exprog", "check", write(SWAP), "--members", "0,1"])
    assert stopped.value.code == 2
    assert "'0,1' is not a partition and its sites, as G1=0,1" in capsys.readouterr().err


def test_make_print_and_standard_input(capsys, monkeypatch):
    out = printed(capsys, "make", "all-reduce", "--sites", "3", "--size", "1MB")
    assert out.endswith("OUT: A0+A1+A2 @ 0, 1, 2\n")
    assert out == str(es.exchange.collective("all-reduce", 3, 10**6))
    monkeypatch.setattr("sys.stdin", io.StringIO(out.replace("; ", ";  # all\n  ")))
    assert printed(capsys, "print", "-") == out
    said = json.loads(printed(capsys, "make", "reduce", "--sites", "2", "--json"))
    assert said["program"] == str(es.exchange.collective("reduce", 2, 10**9))
