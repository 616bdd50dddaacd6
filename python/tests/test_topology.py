# SPDX-License-Identifier: Apache-2.0
"""Machines from Python and on the command line."""

import json
import math
import re
import tomllib
from pathlib import Path

import pytest

import einsummable as es
from einsummable import dtypes
from einsummable.cli import main

ROOT = Path(__file__).parents[2]
BOX = """
version = 1
name = "box"
[sites]
count = 3
hbm = 900
[[link]]
sites = [0, 1]
gbps = 25
latency_us = 2
"""


def printed(capsys, *arguments, status=0):
    assert main(["topology", *arguments]) == status
    return capsys.readouterr().out


def page_block(first):
    page = (ROOT / "docs" / "topology.md").read_text()
    start = page.index(f"    {first}\n")
    lines = []
    for line in page[start:].splitlines():
        if line and not line.startswith("    "):
            break
        lines.append(line[4:])
    return "\n".join(lines).rstrip() + "\n"


def test_names_are_the_files():
    assert es.topology.names() == sorted(path.stem for path in (ROOT / "topologies").glob("*.toml"))


@pytest.mark.parametrize("name", es.topology.names())
def test_every_shipped_machine(name, capsys):
    machine = es.topology.load(name)
    assert machine.name == name
    written = tomllib.loads((ROOT / "topologies" / f"{name}.toml").read_text())
    assert machine.figures == written
    assert str(es.topology.parse(str(machine))) == str(machine)
    for dtype in machine.figures["sites"]["flops"]:
        assert dtype in dtypes.NUMPY_DTYPES
    out = printed(capsys, "show", name)
    assert out.startswith(f"{name}: {machine.sites or 'any number of'} sites\n")
    assert len(out.splitlines()) < 40
    shown = json.loads(printed(capsys, "show", name, "--json"))
    assert shown["name"] == name
    count = machine.sites or 4
    assert len(shown["ways"]) == count * (count - 1)


def test_ways():
    v100 = es.topology.load("dgx-v100")
    way = v100.way(0, 3)
    assert (way.through, way.gbps, way.latency_us) == (["link 0->3"], 50, 2)
    assert v100.way(0, 5).through == ["bus pcie"]
    cpu = es.topology.load("cpu")
    assert cpu.sites is None
    assert cpu.way(0, 4000).through == []
    assert math.isinf(cpu.way(0, 1).gbps)
    assert es.topology.parse(BOX).way(0, 2) is None
    assert repr(v100) == "<machine 'dgx-v100' of 8 sites>"


def test_errors(tmp_path, monkeypatch):
    def error(call, *arguments):
        with pytest.raises(es.TopologyError) as caught:
            call(*arguments)
        return str(caught.value)

    assert "neither a file nor one of cpu, " in error(es.topology.load, "dgx-v101")
    assert (
        error(es.topology.load, 3) == "a topology is a name or a path, which must be a text, not 3"
    )
    error(es.topology.load, None)
    error(es.topology.load, b"cpu")
    error(es.topology.load, "\ud800")
    error(es.topology.load, "cpu\0")
    assert error(es.topology.load, tmp_path) == f"{tmp_path} is not a file"
    assert error(es.topology.parse, "version = 2", "a.toml").startswith(
        "a.toml:1: version is not 1"
    )
    error(es.topology.parse, b"version = 1")
    error(es.topology.parse, "\udfff")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert "run `einsummable doctor --measure`" in error(es.topology.load, "measured")
    v100 = es.topology.load("dgx-v100")
    assert "has no device 8" in error(v100.way, 0, 8)
    error(v100.way, 0, -1)
    error(v100.way, 1, 1)
    error(v100.way, 0, 1.5)
    error(v100.way, 0, 2**80)


def test_list(capsys):
    out = printed(capsys, "list")
    assert re.search(r"^dgx-v100 +8 +32\.0 GB +900  Eight V100", out, re.M)
    assert re.search(r"^cpu +any +- +", out, re.M)
    assert [entry["name"] for entry in json.loads(printed(capsys, "list", "--json"))] == (
        es.topology.names()
    )
    assert json.loads(printed(capsys, "--json", "list"))


def test_the_box_of_the_docs(capsys, tmp_path):
    path = tmp_path / "my-box.toml"
    path.write_text(page_block("# my-box.toml"))
    assert printed(capsys, "show", str(path)) == page_block("my-box: 4 sites")
    out = printed(capsys, "check", str(path))
    assert out.startswith(f"{path}: my-box, 4 sites; it is right\n")
    assert "without source (it may be left out): [[link]], [[switch]], [[bus]], [[route]]" in out


def test_the_docs_name_every_field():
    from_error = set()
    for table, text in {
        "": "x = 1",
        "[sites]": "[sites]\ncount = 1\nhbm = 1\nx = 1",
        "[compute]": "[compute]\nx = 1",
        "[[link]]": "[[link]]\nsites = [0, 1]\ngbps = 1\nx = 1",
        "[[switch]]": "[[switch]]\nsites = [0]\negress = 1\ningress = 1\nx = 1",
        "[[bus]]": "[[bus]]\nname = 'a'\ngbps = 1\nx = 1",
        "[[node]]": "[[node]]\nsites = [0]\nx = 1",
        "[[nic]]": "[[nic]]\nsite = 0\negress = 1\ningress = 1\nx = 1",
        "[[route]]": "[[route]]\nfrom = 0\nto = 1\nvia = ['a']\nx = 1",
        "[[efficiency]]": "[[efficiency]]\nop = 'a'\ndtype = 'a'\nshape = [1]\nfraction = 1\nx = 1",
    }.items():
        sites = "" if table == "[sites]" else "[sites]\ncount = 2\nhbm = 1\n"
        head = "version = 1\nname = 'a'\n"
        whole = f"{head}x = 1\n{sites}" if not table else f"{head}{sites}{text}"
        with pytest.raises(es.TopologyError) as caught:
            es.topology.parse(whole)
        listed = str(caught.value).partition("there are ")[2].split(", ")
        assert len(listed) > 1, caught.value
        from_error |= {(table, field) for field in listed}
    documented, table = set(), ""
    for row in re.findall(r"^\|(.*)\|$", (ROOT / "docs" / "topology.md").read_text(), re.M)[2:]:
        first, fields, *_ = (cell.strip() for cell in row.split("|"))
        table = first.strip("`") or table
        documented |= {(table, field) for field in re.findall(r"`([\w.]+)", fields)}
    tables = {"sites", "compute", "link", "switch", "bus", "node", "nic", "route", "efficiency"}
    expected = {
        (table, "flops." if field == "flops" else field)
        for table, field in from_error
        if field != "source" and not (table == "" and field in tables)
    }
    assert documented == expected


def test_check_says_what_is_missing(capsys, tmp_path):
    path = tmp_path / "box.toml"
    path.write_text(BOX)
    out = printed(capsys, "check", str(path))
    assert "note: 4 pairs have no way, so nothing can be sent there directly: 0->2, 1->2" in out
    report = json.loads(printed(capsys, "check", str(path), "--json"))
    assert report["pairs_without_a_way"] == ["0->2", "1->2", "2->0", "2->1"]
    assert report["tables_without_source"] == ["[sites]", "[[link]]"]
    assert printed(capsys, "show", str(path)).count(".") > 3
    path.write_text(BOX.replace("gbps = 25", "gbps = -25"))
    assert main(["topology", "check", str(path)]) == 1
    error = capsys.readouterr().err
    assert f"TopologyError: {path}:9: [[link]] gbps = -25 is not from 1e-06 to 1e+09" in error


def test_usage(capsys):
    for arguments in ([], ["draw"], ["show"], ["list", "dgx-v100"]):
        with pytest.raises(SystemExit) as caught:
            main(["topology", *arguments])
        assert caught.value.code == 2
    capsys.readouterr()
