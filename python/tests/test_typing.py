# SPDX-License-Identifier: Apache-2.0
"""Type checkers know every operator, and what is wrong with a program."""

import subprocess
import sys
from pathlib import Path

import einsummable as es

PROGRAM = """\
import numpy as np
import einsummable as es

g = es.Graph()
x = g.tensor([4, 8], "float32", name="x")
w: es.Tensor = g.parameter([8, 2], np.float32)
y = es.relu(g.matmul(x, w, name="up")).sum(axis=0, keepdims=True)
values, indices = es.top_k(2 * y[:, ::-1] + np.ones(2), 1)
g.save(es.where(values > 0, values, 0.0), name="y")
exe = es.compile(g, devices=[0, 1])
exe.load({w: np.ones((8, 2))}, w=np.ones(2))
exe.load({"w": np.ones((8, 2))})
array = exe({x: np.ones((4, 8))}, x=3)["y"] + exe(x=1)[y] + exe().y
cost: int = es.plan(g, devices=8, specs={"up": {"i": 2}}).cost
"""
MISTAKES = """\
es.softmax(x, axis="0")
es.matmul(x)
g.matmul(x, w, transposed=True)
es.compile(g, devices="8")
es.nothing(x)
"""


def test_a_program_is_typed_and_mistakes_are_found(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + MISTAKES)
    python = Path(es.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", path.name],
        cwd=tmp_path,
        env={"MYPYPATH": str(python), "MYPY_CACHE_DIR": str(python.parent / ".mypy_cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    first = PROGRAM.count("\n") + 1
    lines = [line.split(": ", 2) for line in done.stdout.splitlines() if ": error: " in line]
    found = [int(place.rpartition(":")[2]) for place, *_ in lines]
    assert sorted(set(found)) == list(range(first, first + MISTAKES.count("\n"))), done.stdout
