// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>

#include "einsummable/workloads/chain.h"
#include "einsummable/workloads/ffn.h"
#include "einsummable/workloads/llama.h"
#include "python/bindings/attributes.h"
#include "python/bindings/bindings.h"
#include "python/bindings/signals.h"

namespace nb = nanobind;

namespace einsummable {

void bind_workloads(nb::module_& module) {
  module.def(
      "ffn",
      [](int64_t tokens, int64_t d_model, int64_t d_ff, const std::string& dtype) {
        return workloads::ffn(tokens, d_model, d_ff, dtype_named(dtype));
      },
      nb::kw_only(), nb::arg("tokens"), nb::arg("d_model"), nb::arg("d_ff"), nb::arg("dtype"));
  module.def(
      "llama",
      [](int64_t layers, int64_t batch, int64_t seq, int64_t d_model, int64_t heads,
         int64_t kv_heads, int64_t head_dim, int64_t d_ff, const std::string& dtype, bool rope) {
        return interruptible([&](const Interruption& interruption) {
          const nb::gil_scoped_release release;
          return workloads::llama({.layers = layers,
                                   .batch = batch,
                                   .seq = seq,
                                   .d_model = d_model,
                                   .heads = heads,
                                   .kv_heads = kv_heads,
                                   .head_dim = head_dim,
                                   .d_ff = d_ff,
                                   .dtype = dtype_named(dtype),
                                   .rope = rope,
                                   .interruption = interruption});
        });
      },
      nb::kw_only(), nb::arg("layers"), nb::arg("batch"), nb::arg("seq"), nb::arg("d_model"),
      nb::arg("heads"), nb::arg("kv_heads"), nb::arg("head_dim"), nb::arg("d_ff"), nb::arg("dtype"),
      nb::arg("rope"));
  module.def(
      "chain",
      [](const std::string& name, int64_t scale, const std::string& dtype) {
        return workloads::chain(name, scale, dtype_named(dtype));
      },
      nb::kw_only(), nb::arg("name"), nb::arg("scale"), nb::arg("dtype"));
}

}  // namespace einsummable
