# SPDX-License-Identifier: Apache-2.0
"""Adds operators to a graph: the ground that all methods of a graph stand on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from einsummable import _core, arrays, dtypes
from einsummable.attributes import name_or_default, to_attribute
from einsummable.errors import GraphError, InputError, shown
from einsummable.operands import LARGEST_CONSTANT, Operand, is_number, number_dtype, resolve, scalar
from einsummable.registry import OPERATORS

if TYPE_CHECKING:
    from einsummable.tensor import Tensor


class Builder:
    """A graph of the core, the handles of its tensors, and the data of its constants."""

    __slots__ = ("_core", "_presets", "_tensors")

    def __init__(self, core: _core.Graph | None = None) -> None:
        self._core = _core.Graph() if core is None else core
        self._tensors: list[Tensor] = []
        self._presets: dict[str, npt.NDArray[Any]] = {}

    def apply(
        self,
        op: str,
        inputs: Sequence[Operand],
        attributes: Mapping[str, Any] | None = None,
        *,
        name: str | None = None,
    ) -> tuple[Tensor, ...]:
        """Apply an operator of the registry.

        Parameters
        ----------
        op : str
        inputs : sequence of Tensor, number or array
            A number takes the dtype of the tensors it meets.
        attributes : mapping, optional
            Those left out have their defaults.
        name : str, optional
            Default `<op>_<id>`.

        Returns
        -------
        tuple of Tensor
            The outputs.

        Raises
        ------
        einsummable.GraphError
            If there is no such operator, or types or attributes do not fit.
        """
        where = self._call(op, name)
        info = OPERATORS.get(op) if isinstance(op, str) else None
        if info is None:
            raise GraphError(f"there is no operator {shown(op)}")
        # The last input stands for all that follow; the core counts them.
        known = [(item.name, item.promoted) for item in info.inputs] or [("input", False)]
        described = [known[min(i, len(known) - 1)] for i in range(len(inputs))]
        resolved = resolve(
            self, where, inputs, [name for name, _ in described], [weak for _, weak in described]
        )
        given = _attributes(where, info, attributes or {})
        numbers = self._core.apply(op, [t.id for t in resolved], given, name or "")
        return tuple(self._handle(number) for number in numbers)

    def constant(
        self, value: Operand, dtype: dtypes.DTypeLike | None = None, *, name: str | None = None
    ) -> Tensor:
        """Make a tensor of known values.

        Up to 64 elements become an operator of the graph. A larger array becomes a parameter
        whose data, copied now, is loaded by `compile`.

        Parameters
        ----------
        value : number or array
        dtype : dtype, optional
            Default: that of the array; float32, int64 or bool of a number.
        name : str, optional

        Returns
        -------
        Tensor

        Raises
        ------
        einsummable.GraphError
            If the values are no array of a dtype there is, or do not fit `dtype`.
        """
        where = self._call("constant", name)
        array = _array(where, value, dtype)
        named = dtypes.name_of_numpy(array.dtype)
        exact = named != "int64" or bool(np.all((array >= -(2**53)) & (array <= 2**53)))
        if array.size > LARGEST_CONSTANT or not exact:
            return self._preset(array, name)
        values = array.astype(np.float64).ravel().tolist()
        given = {"shape": list(array.shape), "values": values, "dtype": named}
        return self.apply("constant", [], given, name=name)[0]

    def _call(self, op: str, name: object) -> str:
        """Begin a message on an operator: ``matmul "up"``. Checks the name."""
        called = op if isinstance(op, str) else shown(op)
        checked = name_or_default(f"{called}: name", name)
        return f'{called} "{checked}"' if checked else called

    def _resolve(
        self, op: str, name: object, operands: Mapping[str, Operand]
    ) -> tuple[Tensor, ...]:
        """Turn the operands of an operator, by the names it has for them, into tensors."""
        weak = [True] * len(operands)
        where = self._call(op, name)
        return tuple(resolve(self, where, list(operands.values()), list(operands), weak))

    def _sequence(self, op: str, what: str, value: object) -> Sequence[Operand]:
        """Check that `value` is the sequence of tensors that an operator takes."""
        if isinstance(value, (list, tuple)):
            return value
        raise GraphError(f"{op}: {what} must be a list of tensors, not {shown(value)}")

    def _handle(self, number: int) -> Tensor:
        """Give the one handle of a tensor of the core."""
        while len(self._tensors) <= number:
            self._tensors.append(self._make_handle(len(self._tensors)))
        return self._tensors[number]

    def _make_handle(self, number: int) -> Tensor:
        raise NotImplementedError

    def _preset(self, array: npt.NDArray[Any], name: str | None) -> Tensor:
        """Make a parameter that has its data."""
        dtype = dtypes.name_of_numpy(array.dtype)
        assert dtype is not None
        number = self._core.parameter(dtype, list(array.shape), name or "")
        tensor = self._handle(number)
        self._presets[tensor.name] = array
        return tensor


def _attributes(where: str, info: _core.OperatorInfo, given: Mapping[str, Any]) -> dict[str, Any]:
    kinds = {item.name: item.kind for item in info.attributes}
    for key in given:
        if key not in kinds:
            legal = f"it has {', '.join(kinds)}" if kinds else "it has none"
            raise GraphError(f"{where}: there is no attribute {shown(key)}; {legal}")
    # None is the default, whatever that is; the core fills it in.
    return {
        key: to_attribute(f"{where}: {key}", kinds[key], value)
        for key, value in given.items()
        if value is not None
    }


def _array(where: str, value: Any, dtype: object) -> npt.NDArray[Any]:
    """Copy the values, in a dtype there is."""
    named = None if dtype is None else dtypes.dtype_name(dtype)
    if is_number(value):
        return scalar(f"{where}: the number", value, named or number_dtype(value, []))
    if not arrays.is_array(value):
        raise GraphError(f"{where}: the value must be a number or an array, not {shown(value)}")
    try:
        array = arrays.as_numpy(f"{where}: the array", value)
    except InputError as error:
        raise GraphError(str(error)) from None
    wanted = array.dtype if named is None else dtypes.NUMPY_DTYPES[named]
    with np.errstate(over="ignore", invalid="ignore"):
        out = np.array(array, dtype=wanted, order="C")
    lost = np.argwhere(_is_lost(array, out))
    if lost.size:
        at = tuple(int(i) for i in lost[0])
        raise GraphError(
            f"{where}: the value {array[at]} at {list(at)} is out of the range of {named}"
        )
    return out


def _is_lost(given: npt.NDArray[Any], cast: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Find the elements that the dtype of `cast` has no value near."""
    kinds = [dtypes.kind(str(dtypes.name_of_numpy(array.dtype))) for array in (given, cast)]
    lost: npt.NDArray[np.bool_] = np.zeros(given.shape, np.bool_)
    if kinds[1] == "float":
        lost = np.isfinite(given) & ~np.isfinite(cast)
    elif kinds == ["float", "int"]:
        wide, limit = given.astype(np.float64), 2.0 ** (8 * cast.itemsize - 1)
        lost = ~((wide >= -limit) & (wide < limit))
    elif kinds == ["int", "int"]:
        lost = given != cast
    return lost
