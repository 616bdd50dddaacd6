# cmake -DWORDS=words.cuh -DPRELUDE=prelude.cuh -DOUTPUT=device_code.cc -P EmbedDeviceCode.cmake:
# writes what generated kernels begin with into a C++ source.
file(READ ${WORDS} words)
file(READ ${PRELUDE} prelude)
file(WRITE ${OUTPUT} "// SPDX-License-Identifier: Apache-2.0
#include \"einsummable/executor/cuda/device_code.h\"

namespace einsummable::cuda {

std::string_view words_text() { return R\"cuda(${words})cuda\"; }

std::string_view prelude_text() { return R\"cuda(${prelude})cuda\"; }

}  // namespace einsummable::cuda
")
