# SPDX-License-Identifier: Apache-2.0
"""Writes the stub of `einsummable.operators`: its names are made when it is imported.

Usage: write_stubs.py FOLDER_OF_THE_MODULE_OF_THE_CORE STUB
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = Path(__file__).resolve().parent / "einsummable"

HEAD = """\
# Written by python/write_stubs.py from the registry of operators.
from collections.abc import Sequence
from typing import Any

from einsummable.composites import Composites
from einsummable.dtypes import DTypeLike
from einsummable.operands import Operand
from einsummable.registry import Method
from einsummable.tensor import Tensor

METHODS: dict[str, Method]
FUNCTIONS: dict[str, Method]
TENSOR_METHODS: dict[str, Method]
"""


def import_operators(core: Path) -> ModuleType:
    """Import `einsummable.operators` around the core in `core`, without the whole package."""
    package = ModuleType("einsummable")
    package.__path__ = [str(PACKAGE), str(core)]
    sys.modules["einsummable"] = package
    import einsummable.operators

    return einsummable.operators


def definition(name: str, function: Any, indent: str = "") -> str:
    """`def name(...) -> ...:` and the docstring."""
    signature = inspect.signature(function)
    parameters = [
        p.replace(annotation=p.annotation if i or p.name != "self" else p.empty)
        for i, p in enumerate(signature.parameters.values())
    ]
    listed = str(signature.replace(parameters=parameters)).replace("'", '"')
    for annotation in {p.annotation for p in parameters} | {signature.return_annotation}:
        if isinstance(annotation, str):
            listed = listed.replace(f'"{annotation}"', annotation)
    doc = textwrap.indent(inspect.cleandoc(function.__doc__), "    ").lstrip()
    if "\n" in doc:
        doc += "\n    "
    body = f'def {name}{listed}:\n    """{doc}"""\n'
    return textwrap.indent(body, indent)


def class_definition(name: str, base: str, methods: dict[str, Any]) -> str:
    """Write a class with the given methods."""
    lines = [definition(key, methods[key], "    ") for key in sorted(methods)]
    return f"class {name}{base}:\n" + "\n".join(lines or ["    pass\n"])


def stub(operators: Any) -> str:
    """Write the text of the stub."""
    generated = {
        name: method
        for name, method in operators.METHODS.items()
        if name not in vars(operators.Composites)
    }
    return "\n".join(
        [
            HEAD,
            f"__all__ = {sorted(operators.FUNCTIONS)!r}\n",
            class_definition("GraphOperators", "(Composites)", generated),
            class_definition("TensorOperators", "", operators.TENSOR_METHODS),
            *(definition(name, f) for name, f in sorted(operators.FUNCTIONS.items())),
        ]
    )


def main() -> None:
    """Write the stub."""
    core, out = map(Path, sys.argv[1:])
    out.write_text(stub(import_operators(core)))


if __name__ == "__main__":
    main()
