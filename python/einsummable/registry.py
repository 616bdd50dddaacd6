# SPDX-License-Identifier: Apache-2.0
"""Methods of a graph, made from what the registry of operators knows."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from einsummable import _core
from einsummable.attributes import ANNOTATIONS

Method = Callable[..., Any]

OPERATORS = {info.name: info for info in _core.operators()}
"""What the registry knows of each operator, by name."""

_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_EITHER = inspect.Parameter.POSITIONAL_OR_KEYWORD
_EMPTY = inspect.Parameter.empty


def make_method(info: _core.OperatorInfo) -> Method:
    """Make the method of a graph that applies an operator.

    Its parameters are the operator's inputs, then its attributes, then ``name``. The attributes
    of an operator of one tensor may be given by position, those of others by name only.
    """
    parameters = _parameters(info)
    signature = inspect.Signature(
        [inspect.Parameter("self", _EITHER), *parameters], return_annotation=_returns(info)
    )

    def method(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        graph, values = bound.arguments["self"], bound.arguments
        inputs: list[Any] = []
        for item in info.inputs:
            value = values[item.name]
            if item.arity == "variadic":
                inputs.extend(graph._sequence(info.name, item.name, value))
            elif item.arity == "one" or value is not None:
                inputs.append(value)
        attributes = {item.name: values[item.name] for item in info.attributes}
        out = graph.apply(info.name, inputs, attributes, name=values["name"])
        return out[0] if len(out) == 1 else out

    method.__name__ = info.name
    method.__qualname__ = f"Graph.{info.name}"
    method.__module__ = "einsummable"
    method.__doc__ = document(info)
    method.__signature__ = signature  # type: ignore[attr-defined]
    return method


def _parameters(info: _core.OperatorInfo) -> list[inspect.Parameter]:
    place = _EITHER if len(info.inputs) <= 1 else _KEYWORD
    out = []
    for item in info.inputs:
        annotation = {
            "one": "Operand",
            "optional": "Operand | None",
            "variadic": "Sequence[Operand]",
        }[item.arity]
        optional = item.arity == "optional"
        out.append(
            inspect.Parameter(
                item.name,
                _KEYWORD if optional else _EITHER,
                annotation=annotation,
                default=None if optional else _EMPTY,
            )
        )
    for attribute in info.attributes:
        annotation = ANNOTATIONS[attribute.kind]
        if not attribute.required and attribute.default is None:
            annotation += " | None"
        default = _EMPTY if attribute.required else attribute.default
        out.append(inspect.Parameter(attribute.name, place, annotation=annotation, default=default))
    out.append(inspect.Parameter("name", _KEYWORD, annotation="str | None", default=None))
    return sorted(out, key=lambda parameter: parameter.kind)


def _returns(info: _core.OperatorInfo) -> str:
    # An operator with more than one output may leave the later ones out, by an attribute.
    if len(info.outputs) == 1:
        return "Tensor"
    if any(attribute.name.startswith("return_") for attribute in info.attributes):
        return "Any"
    return f"tuple[{', '.join(['Tensor'] * len(info.outputs))}]"


def document(info: _core.OperatorInfo) -> str:
    """Write the NumPy-style docstring of an operator."""
    lines = [textwrap.fill(sentence(info.doc), 88), "", "Parameters", "----------"]
    for item in info.inputs:
        lines.append(
            {
                "one": f"{item.name} : Tensor, number or array",
                "optional": f"{item.name} : Tensor, number or array, optional",
                "variadic": f"{item.name} : sequence of Tensor, number or array",
            }[item.arity]
        )
    for attribute in info.attributes:
        kind = ANNOTATIONS[attribute.kind].replace("DTypeLike", "dtype")
        suffix = "" if attribute.required else f", default {attribute.default!r}"
        lines.append(f"{attribute.name} : {kind}{suffix}")
    lines.append("name : str, optional")
    lines.append(f"    The name of the operator, unique in the graph; default `{info.name}_<id>`.")
    lines += ["", "Returns", "-------"]
    lines += ["Tensor"] if len(info.outputs) == 1 else [f"{o} : Tensor" for o in info.outputs]
    lines += ["", "Raises", "------", "einsummable.GraphError"]
    lines.append("    If shapes, dtypes or attributes do not fit; the message says what would.")
    return "\n".join(lines) + "\n"


def sentence(doc: str) -> str:
    """Give a phrase its capital, unless it begins with a symbol, and its full stop."""
    first = doc.split(" ", 1)[0]
    capital = doc[:1].upper() + doc[1:] if first.isalpha() and len(first) > 1 else doc
    return capital if capital.endswith(".") else capital + "."
