# SPDX-License-Identifier: Apache-2.0
"""The Python examples run and end well."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
ARGUMENTS = {
    "ffn": ["--devices", "5", "--tokens", "60", "--d-model", "32", "--d-ff", "48"],
    "llama_block": ["--devices", "1", "3", "8", "--sequences", "17", "5", "10"],
}


def test_every_example_is_run():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(ARGUMENTS)


@pytest.mark.parametrize("example", ARGUMENTS)
def test_ends_well(example, monkeypatch, capsys):
    path = EXAMPLES / f"{example}.py"
    monkeypatch.setattr(sys, "argv", [str(path), *ARGUMENTS[example]])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(path), run_name="__main__")
    assert end.value.code == 0
    assert "largest difference" in capsys.readouterr().out
