# SPDX-License-Identifier: Apache-2.0
"""docs/operators.md gives the signatures that Python has."""

import inspect
import re
from pathlib import Path

from einsummable.composites import Composites
from einsummable.operators import METHODS

PAGE = Path(__file__).parents[2] / "docs" / "operators.md"
SECTION = re.compile(r"^## (\w+)\n.*?```python\n(.*?)\n```", re.M | re.S)


def bare(signature: inspect.Signature) -> inspect.Signature:
    """Leave out annotations, the graph, and the name."""
    kept = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for name, parameter in signature.parameters.items()
        if name not in ("self", "name")
    ]
    return inspect.Signature(kept)


def test_signatures_are_those_of_the_methods():
    own = {name for name, value in vars(Composites).items() if inspect.isfunction(value)}
    sections = SECTION.findall(PAGE.read_text())
    compared = 0
    for name, shown in sections:
        if name in own or name not in METHODS:
            continue
        expected = name + str(bare(inspect.signature(METHODS[name])))
        assert shown.replace('"', "'") == expected
        compared += 1
    assert compared > 20


def test_the_page_names_what_python_writes_otherwise():
    own = {name for name, value in vars(Composites).items() if inspect.isfunction(value)}
    head = PAGE.read_text().split("\n## ", 1)[0]
    listed = head[head.index("but for") : head.index("which are written")]
    assert set(re.findall(r"`(\w+)`", listed)) == own
