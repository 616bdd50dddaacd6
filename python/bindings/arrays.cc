// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>

#include <vector>

#include "python/bindings/bindings.h"

namespace nb = nanobind;

namespace einsummable {
namespace {

using Bits = nb::ndarray<nb::numpy, const uint16_t>;

// The elements of an array of bfloat16 as integers of 16 bits, in the same memory.
Bits bits_of_bfloat16(const nb::ndarray<nb::ro, nb::device::cpu>& array) {
  const nb::dlpack::dtype dtype = array.dtype();
  if (dtype.code != static_cast<uint8_t>(nb::dlpack::dtype_code::Bfloat) || dtype.bits != 16)
    throw nb::type_error("it is not bfloat16");
  std::vector<size_t> shape;
  std::vector<int64_t> strides;
  for (size_t axis = 0; axis < array.ndim(); ++axis) {
    shape.push_back(array.shape(axis));
    strides.push_back(array.stride(axis));
  }
  return Bits(array.data(), array.ndim(), shape.data(), nb::cast(array), strides.data());
}

}  // namespace

void bind_arrays(nb::module_& module) {
  module.def("bits_of_bfloat16", &bits_of_bfloat16, nb::arg("array"),
             nb::sig("def bits_of_bfloat16(array: object) -> numpy.typing.NDArray[numpy.uint16]"),
             "The elements of a bfloat16 array, given by DLPack, as uint16 in the same memory.");
}

}  // namespace einsummable
