# SPDX-License-Identifier: Apache-2.0
"""Graphs of matrix products and ReLU as data that every library can follow."""

from __future__ import annotations

import re
from typing import Any

from einsummable import Graph

_GIVEN = re.compile(r'(?P<to>%\d+) = (input|parameter) .* "(?P<name>.*)"')
_STEP = re.compile(r"(?P<to>%\d+) = (?P<op>\w+)\((?P<rest>.*)\)")
_SAVED = re.compile(r"save (?P<of>%\d+) ")
# Attributes change nothing: the products of these graphs transpose nothing, and their relu is one.
OPERATORS = ("matmul", "relu")


def steps_of(graph: Graph) -> dict[str, Any]:
    """Give the inputs by name, what is computed of them in turn, and which of that is the result.

    Raises
    ------
    ValueError
        For another operator.

    Examples
    --------
    >>> import einsummable as es
    >>> steps_of(es.workloads.ffn(2, 3, 4))["steps"][0]
    {'op': 'matmul', 'to': '%3', 'of': ['x', 'w1']}
    """
    names: dict[str, str] = {}
    steps: list[dict[str, Any]] = []
    saved = ""
    for line in str(graph).splitlines():
        if given := _GIVEN.match(line):
            names[given["to"]] = given["name"]
        elif step := _STEP.match(line):
            if step["op"] not in OPERATORS:
                raise ValueError(f"{step['op']} is none of {', '.join(OPERATORS)}")
            operands = re.findall(r"%\d+", step["rest"])
            steps.append(
                {
                    "op": step["op"],
                    "to": step["to"],
                    "of": [names.get(operand, operand) for operand in operands],
                }
            )
        elif save := _SAVED.match(line):
            saved = save["of"]
    return {"inputs": list(names.values()), "steps": steps, "saved": saved}
