# SPDX-License-Identifier: Apache-2.0
"""The programs and commands in README.md run, and print what it says."""

import contextlib
import io
import os
import re
import shlex
from pathlib import Path

from einsummable.cli import main

README = Path(__file__).parents[2] / "README.md"
PROGRAM = re.compile(
    r"(?P<before>```python\n(?P<source>.*?)```\n[^`]*```text\n)(?P<output>.*?)```", re.S
)
COMMAND = re.compile(
    r"(?P<before>```console\n\$ einsummable (?P<arguments>.*?)\n)(?P<output>.*?)```", re.S
)


def printed(program, *arguments) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        program(*arguments)
    return out.getvalue().strip("\n") + "\n"


def run(program: re.Match[str]) -> str:
    return program["before"] + printed(exec, program["source"], {}) + "```"


def call(command: re.Match[str]) -> str:
    return command["before"] + printed(main, shlex.split(command["arguments"])) + "```"


def test_programs_and_commands_print_what_the_page_says():
    text = README.read_text()
    assert len(PROGRAM.findall(text)) == text.count("```python") > 0
    assert len(COMMAND.findall(text)) == text.count("```console") > 0
    written = COMMAND.sub(call, PROGRAM.sub(run, text))
    if os.environ.get("EINSUMMABLE_UPDATE_DOCS"):
        README.write_text(written)
    assert README.read_text() == written, "scripts/docs writes the page anew"


def test_the_example_is_short():
    first = PROGRAM.search(README.read_text())
    assert first is not None
    assert len([line for line in first["source"].splitlines() if line.strip()]) <= 20
