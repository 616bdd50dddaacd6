# SPDX-License-Identifier: Apache-2.0
"""Operators whose Python form is not that of the registry, as methods of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from einsummable import attributes
from einsummable.builder import Builder
from einsummable.errors import GraphError, shown
from einsummable.handle import describe
from einsummable.operands import Operand

if TYPE_CHECKING:
    from einsummable.tensor import Tensor

_ALIASES = {"mul": "multiply"}


class Composites(Builder):
    """Methods that `Graph` has beside those made from the registry."""

    __slots__ = ()

    def einsum(
        self,
        spec: str,
        *xs: Operand,
        combine: str = "multiply",
        aggregate: str = "sum",
        name: str | None = None,
    ) -> Tensor:
        """Combine tensors and aggregate over letters left out: extended Einstein notation.

        A sum of products of three or more factors is contracted in pairs, in the order that
        costs the least arithmetic.

        Parameters
        ----------
        spec : str
            NumPy's notation, as ``"bij,jk->bik"``. Axes under ``...`` are broadcast; the extents
            of one letter must agree. Without ``->`` the result has the letters that occur once.
        *xs : Tensor, number or array
        combine : str, default "multiply"
            A function of two operands, as ``"add"`` or ``"subtract"``; ``"mul"`` is ``"multiply"``.
        aggregate : str, default "sum"
            ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``.
        name : str, optional

        Returns
        -------
        Tensor

        Raises
        ------
        einsummable.GraphError
            If the notation cannot be read or does not fit the shapes; the message names letter
            and extents.

        Examples
        --------
        The largest distance along any axis: ``g.einsum("id,jd->ij", x, y, combine="subtract",
        aggregate="max")``.
        """
        operands = {f"operand {i}": x for i, x in enumerate(xs)}
        tensors = self._resolve("einsum", name, operands)
        texts = {"spec": spec, "combine": combine, "aggregate": aggregate}
        for key, value in texts.items():
            attributes.text(f"einsum: {key}", value)
        numbers = [tensor.id for tensor in tensors]
        combine = _ALIASES.get(combine, combine)
        return self._handle(self._core.einsum(spec, numbers, combine, aggregate, name or ""))

    def split(
        self,
        x: Operand,
        sizes_or_count: int | Sequence[int],
        axis: int = 0,
        *,
        name: str | None = None,
    ) -> tuple[Tensor, ...]:
        """Cut a tensor along an axis into slices.

        Parameters
        ----------
        x : Tensor or array
        sizes_or_count : int or sequence of int
            How many slices of one size, or the size of each; not positions.
        axis : int, default 0
        name : str, optional
            The slices are called ``name.0``, ``name.1``, ...

        Returns
        -------
        tuple of Tensor

        Raises
        ------
        einsummable.GraphError
            If the count does not divide the extent, or the sizes do not add up to it.
        """
        (tensor,) = self._resolve("split", name, {"x": x})
        where = self._call("split", name) + f": x is {describe(tensor)}"
        along = _axis(f"{where}; axis", axis, tensor.ndim)
        sizes = _sizes(f"{where}; ", sizes_or_count, tensor.shape[along])
        stops, starts = list(tensor.shape), [0] * tensor.ndim
        out: list[Tensor] = []
        for i, size in enumerate(sizes):
            stops[along] = starts[along] + size
            piece = None if name is None else f"{name}.{i}"
            bounds = {"starts": list(starts), "stops": list(stops)}
            out += self.apply("slice", [tensor], bounds, name=piece)
            starts[along] += size
        return tuple(out)

    def pad(
        self,
        x: Operand,
        widths: int | Sequence[int] | Sequence[Sequence[int]],
        value: float = 0,
        *,
        name: str | None = None,
    ) -> Tensor:
        """Put a constant around a tensor.

        Parameters
        ----------
        x : Tensor or array
        widths : sequence of (before, after)
            How many elements to add at the two ends of each axis; one pair, or one int, holds
            for every axis and end.
        value : float, default 0
        name : str, optional

        Returns
        -------
        Tensor

        Raises
        ------
        einsummable.GraphError
            If a width is negative or there is not one pair an axis.
        """
        (tensor,) = self._resolve("pad", name, {"x": x})
        where = self._call("pad", name) + f": x is {describe(tensor)}; widths"
        pairs = _pairs(where, widths, tensor.ndim)
        before, after = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        values = {"before": before, "after": after, "value": value}
        return self.apply("pad", [tensor], values, name=name)[0]

    def clip(
        self,
        x: Operand,
        min: Operand | None = None,
        max: Operand | None = None,
        *,
        name: str | None = None,
    ) -> Tensor:
        """Limit every element from below, from above, or both.

        Parameters
        ----------
        x : Tensor or array
        min, max : Tensor, number or array, optional
            Broadcast against `x`; one of them at least.
        name : str, optional

        Returns
        -------
        Tensor

        Raises
        ------
        einsummable.GraphError
            If neither limit is given.
        """
        if min is None:
            if max is None:
                raise GraphError(f"{self._call('clip', name)}: give min, max or both")
            return self.apply("minimum", [x, max], name=name)[0]
        if max is None:
            return self.apply("maximum", [x, min], name=name)[0]
        return self.apply("clip", [x, min, max], name=name)[0]

    def gelu(self, x: Operand, approximate: str = "none", *, name: str | None = None) -> Tensor:
        """Gaussian error linear unit: x times the normal distribution function of x.

        Parameters
        ----------
        x : Tensor, number or array
        approximate : str, default "none"
            ``"none"``, by the error function, or ``"tanh"``, by the hyperbolic tangent.
        name : str, optional

        Returns
        -------
        Tensor

        Raises
        ------
        einsummable.GraphError
            If `approximate` is neither of the two.
        """
        functions = {"none": "gelu", "tanh": "gelu_tanh"}
        if not isinstance(approximate, str) or approximate not in functions:
            raise GraphError(
                f"{self._call('gelu', name)}: approximate must be 'none' or 'tanh', "
                f"not {shown(approximate)}"
            )
        return self.apply(functions[approximate], [x], name=name)[0]


def _axis(what: str, axis: object, rank: int) -> int:
    number = attributes.integer(what, axis)
    if not -rank <= number < rank:
        raise GraphError(f"{what}, {number}, must be at least {-rank} and less than {rank}")
    return number % rank


def _sizes(where: str, sizes_or_count: int | Sequence[int], extent: int) -> list[int]:
    if isinstance(sizes_or_count, Sequence):
        sizes = attributes.integers(f"{where}sizes", sizes_or_count)
        if any(size < 0 for size in sizes) or sum(sizes) != extent:
            raise GraphError(f"{where}sizes, {sizes}, must add up to {extent}, none negative")
        return sizes
    count = attributes.integer(f"{where}the count", sizes_or_count)
    if count < 1 or extent % count:
        raise GraphError(
            f"{where}the count, {count}, must divide {extent}; give a list of sizes for others"
        )
    return [extent // count] * count


def _pairs(what: str, widths: object, rank: int) -> list[list[int]]:
    if not isinstance(widths, Sequence):
        width = attributes.integer(what, widths)
        return [[width, width]] * rank
    if not any(isinstance(pair, Sequence) for pair in widths):
        widths = [widths] * rank
    pairs = [attributes.integers(f"{what}[{i}]", pair) for i, pair in enumerate(widths)]
    if len(pairs) != rank or any(len(pair) != 2 for pair in pairs):
        raise GraphError(f"{what} must be {rank} pairs (before, after), one an axis")
    return pairs
