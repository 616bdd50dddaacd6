// SPDX-License-Identifier: Apache-2.0
#include "einsummable/executor/cpu/kernels/gemm.h"

#include <array>
#include <numeric>

namespace einsummable::cpu {
namespace {

struct GemmLabels {
  static constexpr size_t kMaxRank = kMaxAxes - 1;
  std::array<int32_t, kMaxRank> a{}, b{}, c{};
  size_t rank = 0;

  explicit GemmLabels(const StridedView& out) : rank(out.shape.size()) {
    ensure(rank >= 2 && rank <= kMaxRank, "a matrix product of two to 63 axes");
    std::iota(a.begin(), a.end(), 0);
    b = c = a;
    const auto contracted = static_cast<int32_t>(rank);
    a[rank - 1] = contracted;
    b[rank - 2] = contracted;
  }

  ContractionLabels labels() const {
    return {std::span(a).first(rank), std::span(b).first(rank), std::span(c).first(rank)};
  }
};

}  // namespace

int64_t gemm_workspace_bytes(const StridedView& a, const StridedView& b, const StridedView& c) {
  return contraction_workspace_bytes(GemmLabels(c).labels(), a, b, c);
}

void gemm(const StridedView& a, const StridedView& b, const StridedView& c, Accumulate accumulate,
          std::span<std::byte> workspace) {
  contract(GemmLabels(c).labels(), a, b, c, accumulate, workspace);
}

}  // namespace einsummable::cpu
