# SPDX-License-Identifier: Apache-2.0
"""The matrix products of a graph alone, by OpenBLAS from the package ``scipy-openblas32``.

It is the library that einsummable itself calls, so what is left is what einsummable adds. Products
of activations with activations, as in attention, are not among them: they are part of an operator.
"""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy_openblas32

from benchmarks.products import Product, products_of
from einsummable import Graph

Array = npt.NDArray[np.float32]

_ROW_MAJOR, _PLAIN, _TRANSPOSED = 101, 111, 112


@functools.cache
def library() -> ctypes.CDLL:
    """Load the library, with the types of what is called."""
    folder = Path(scipy_openblas32.__file__).parent / "lib"
    found = ctypes.CDLL(str(folder / "libscipy_openblas.so"))
    integer, number, pointer = ctypes.c_int, ctypes.c_float, ctypes.c_void_p
    found.scipy_cblas_sgemm.restype = None
    found.scipy_cblas_sgemm.argtypes = [
        *(integer,) * 6,
        *(number, pointer, integer, pointer, integer),
        *(number, pointer, integer),
    ]
    found.scipy_openblas_set_num_threads.argtypes = [integer]
    found.scipy_openblas_set_num_threads.restype = None
    found.scipy_openblas_get_corename.restype = ctypes.c_char_p
    return found


def kernels() -> str:
    """Name the processor whose kernels OpenBLAS chose."""
    name: bytes = library().scipy_openblas_get_corename()
    return f"{name.decode()} kernels"


class Gemms:
    """All products of a graph, one call each, with weights of their own as in the graph."""

    def __init__(self, graph: Graph, threads: int) -> None:
        self._threads = threads
        self._products = products_of(graph)
        random = np.random.default_rng(0)
        shared: dict[tuple[int, int, str], Array] = {}

        def matrix(rows: int, columns: int, role: str) -> Array:
            key = (rows, columns, role)
            if key not in shared:
                shared[key] = random.standard_normal((rows, columns), np.float32)
            return shared[key]

        self._arrays = [
            (
                matrix(product.rows, product.inner, "activation"),
                matrix(product.columns, product.inner, f"weight {i}")
                if product.transposed
                else matrix(product.inner, product.columns, f"weight {i}"),
                matrix(product.rows, product.columns, "result"),
            )
            for i, product in enumerate(self._products)
        ]

    @property
    def flops(self) -> float:
        """Multiplications and additions of all of them."""
        return sum(product.flops for product in self._products)

    def __call__(self) -> None:
        """Compute all products once."""
        blas: Any = library()
        blas.scipy_openblas_set_num_threads(self._threads)
        for product, arrays in zip(self._products, self._arrays, strict=True):
            _multiply(blas, product, *arrays)
        # einsummable calls OpenBLAS from threads of its own.
        blas.scipy_openblas_set_num_threads(1)


def _multiply(blas: Any, product: Product, a: Array, b: Array, c: Array) -> None:
    blas.scipy_cblas_sgemm(
        _ROW_MAJOR,
        _PLAIN,
        _TRANSPOSED if product.transposed else _PLAIN,
        *(product.rows, product.columns, product.inner),
        *(1.0, a.ctypes.data, a.shape[1], b.ctypes.data, b.shape[1]),
        *(0.0, c.ctypes.data, c.shape[1]),
    )
