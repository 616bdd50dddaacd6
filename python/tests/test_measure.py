# SPDX-License-Identifier: Apache-2.0
"""``einsummable doctor --measure`` writes a machine that plans can be timed on."""

import json

import pytest

import einsummable as es
from einsummable.cli import main, measure


@pytest.fixture
def quick(monkeypatch, tmp_path):
    monkeypatch.setattr(measure, "_SECONDS", 0.01)
    monkeypatch.setattr(measure, "_ELEMENTS", 10_000)
    monkeypatch.setattr(measure, "_STEPS", (4, 24))
    monkeypatch.setattr(measure, "CUBES", (16, 24))
    monkeypatch.setattr(measure, "WIDTHS", ((16, 8), (32, 32)))
    monkeypatch.setattr(measure, "FEW_WIDTHS", ((8, 8),))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "einsummable" / "measured.toml"


def test_doctor_measures(quick, capsys):
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["measured"].startswith("no")
    assert main(["doctor", "--measure", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["measured"] == str(quick)
    machine = es.topology.load("measured")
    figures = machine.figures
    assert machine.sites is None
    assert set(figures["sites"]["flops"]) == {"float32", "float64", "float16", "bfloat16"}
    assert figures["compute"]["handover"] is True
    assert figures["bus"][0]["name"] == "copies"
    shapes = {(entry["dtype"], *entry["shape"]) for entry in figures["efficiency"]}
    assert ("float32", 128, 32, 32) in shapes
    assert ("bfloat16", 24, 24, 24) in shapes
    assert max(entry["fraction"] for entry in figures["efficiency"]) == 1
    assert [path.name for path in quick.parent.iterdir()] == ["measured.toml"]
    assert main(["topology", "show", "measured"]) == 0
    assert "workers" in capsys.readouterr().out


def test_without_a_place_for_it(quick, monkeypatch, capsys):
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("HOME", raising=False)
    assert main(["doctor", "--measure"]) == 1
    assert "there is no cache directory" in capsys.readouterr().err
    assert main(["doctor"]) == 0
    assert "doctor --measure" in capsys.readouterr().out


def test_any_figures_make_a_machine():
    found = measure.Figures(workers=3, flops={"float32": 1e12})
    found.rates["float32", 1, 2, 3] = 1e-30
    text = measure.machine_text(found, 'a "processor" \\ of some kind')
    machine = es.topology.parse(text, "measured")
    assert machine.figures["source"] == "a 'processor' / of some kind"
