// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_twin/library.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "einsummable/tensor/dtype.h"

namespace einsummable::cuda_twin {
namespace {

using cuda::Element;

DType dtype_of(Element element) { return static_cast<DType>(element); }

// Elements of one device, each checked as it is read and written.
class Elements {
 public:
  Elements(const DeviceMemories& memories, int32_t device, std::string& fault)
      : memories_(memories), device_(device), fault_(fault) {}

  double read(Address address, DType dtype, int64_t offset) const {
    const auto size = static_cast<uint64_t>(size_of(dtype));
    const Address at = address + static_cast<uint64_t>(offset) * size;
    const unsigned char* data = span(at, size);
    if (!data) return 0;
    const unsigned char* state = memories_.state(at);
    for (uint64_t b = 0; b < size; ++b) {
      if (state[b] == kUndefined) fault_ = "a library call reads what nobody wrote";
    }
    return load_element(dtype, data);
  }

  void write(Address address, DType dtype, int64_t offset, double value) const {
    const auto size = static_cast<uint64_t>(size_of(dtype));
    const Address at = address + static_cast<uint64_t>(offset) * size;
    unsigned char* data = span(at, size);
    if (!data) return;
    store_element(dtype, data, value);
    std::memset(memories_.state(at), kByNode, size);
  }

 private:
  unsigned char* span(Address at, uint64_t size) const {
    std::string fault;
    unsigned char* data = memories_.span(at, size, device_, fault);
    if (!data && fault_.empty()) fault_ = "a library call: " + fault;
    return data;
  }

  const DeviceMemories& memories_;
  int32_t device_;
  std::string& fault_;
};

// A matrix that cuBLASLt can address: rows or columns one after another, none in another.
std::string fault_of(const cuda::Matrix& x, int64_t rows, int64_t columns, const char* name) {
  const bool legal =
      x.column_stride == 1 ? x.row_stride >= columns : x.row_stride == 1 && x.column_stride >= rows;
  if (!legal) return std::string("cuBLASLt has no layout for ") + name;
  const auto size = static_cast<uint64_t>(size_of(dtype_of(x.element)));
  if (x.address % size != 0) return std::string("an element is not aligned in ") + name;
  return "";
}

std::string fault_of(const cuda::Product& p) {
  if (p.m < 1 || p.n < 1 || p.k < 1 || p.batch < 1) return "cuBLASLt takes no empty matrix";
  for (const std::string& fault :
       {fault_of(p.a, p.m, p.k, "a"), fault_of(p.b, p.k, p.n, "b"), fault_of(p.c, p.m, p.n, "c")}) {
    if (!fault.empty()) return fault;
  }
  if (p.a.element != p.b.element) return "cuBLASLt takes operands of one type";
  if (p.workspace % 256 != 0) return "cuBLASLt takes a workspace that 256 divides";
  const bool wide = p.c.element == Element::f32 && p.a.element != Element::f64;
  if (p.c.element != p.a.element && !wide) return "cuBLASLt does not make that type of these";
  if (!serves(p)) return "cuBLASLt has no such epilogue";
  const auto size = static_cast<uint64_t>(size_of(dtype_of(p.c.element)));
  if ((p.residual | p.bias) % size != 0) return "an element is not aligned in a residual or a bias";
  return "";
}

double activated(double x, cuda::Activation activation, OfNan relu) {
  switch (activation) {
    case cuda::Activation::none:
      return x;
    case cuda::Activation::relu:
      return x > 0 || (std::isnan(x) && relu == OfNan::kept) ? x : 0;
    case cuda::Activation::gelu_tanh:
      return 0.5 * x *
             (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  }
  return x;
}

// Tensors as cuDNN's front end promises them: of 16 bytes' alignment, row for row.
std::string fault_of(const cuda::Attention& x) {
  if (x.width % 8 != 0 || x.value_width % 8 != 0) return "cuDNN takes widths that 8 divides";
  if (x.kv_heads < 1 || x.heads % x.kv_heads != 0) return "cuDNN takes no such heads";
  for (Address address : {x.q, x.k, x.v, x.out, x.lse, x.workspace}) {
    if (address % 16 != 0) return "cuDNN takes addresses that 16 divides";
  }
  for (const int64_t* strides : {x.q_strides, x.k_strides, x.v_strides, x.out_strides}) {
    for (int i = 0; i < 3; ++i) {
      if (strides[i] <= 0 || strides[i] % 8 != 0) return "cuDNN takes strides of 16 bytes";
    }
  }
  return "";
}

// With 10 bits after the point, which a float32 number of 23 is rounded to.
double in_tf32(double x) {
  if (!std::isfinite(x)) return x;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11);
}

}  // namespace

bool serves(const cuda::Product& p) {
  return p.c.element != Element::f64 || (!p.bias && p.activation == cuda::Activation::none);
}

std::string run_product(const DeviceMemories& memories, const cuda::Product& p, OfNan relu) {
  std::string fault = fault_of(p);
  if (!fault.empty()) return fault;
  if (p.workspace_bytes > 0) memories.span(p.workspace, p.workspace_bytes, p.device, fault);
  const Elements elements(memories, p.device, fault);
  const DType a = dtype_of(p.a.element), b = dtype_of(p.b.element), c = dtype_of(p.c.element);
  const bool tf32 = p.tf32 && a == DType::f32;
  for (int64_t batch = 0; batch < p.batch && fault.empty(); ++batch) {
    for (int64_t i = 0; i < p.m && fault.empty(); ++i) {
      for (int64_t j = 0; j < p.n; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < p.k; ++k) {
          const double x =
              elements.read(p.a.address, a,
                            batch * p.a.batch_stride + i * p.a.row_stride + k * p.a.column_stride);
          const double y =
              elements.read(p.b.address, b,
                            batch * p.b.batch_stride + k * p.b.row_stride + j * p.b.column_stride);
          sum += tf32 ? in_tf32(x) * in_tf32(y) : x * y;
        }
        const int64_t at = batch * p.c.batch_stride + i * p.c.row_stride + j * p.c.column_stride;
        if (p.residual) sum += elements.read(p.residual, c, at);
        if (p.bias) sum += elements.read(p.bias, c, p.c.column_stride == 1 ? j : i);
        elements.write(p.c.address, c, at, activated(sum, p.activation, relu));
      }
    }
  }
  return fault;
}

std::string run_attention(const DeviceMemories& memories, const cuda::Attention& x) {
  std::string fault = fault_of(x);
  if (!fault.empty()) return fault;
  const Elements elements(memories, x.device, fault);
  const DType dtype = dtype_of(x.element);
  const auto offset = [](const int64_t* strides, int64_t batch, int64_t head, int64_t row) {
    return batch * strides[0] + head * strides[1] + row * strides[2];
  };
  for (int64_t batch = 0; batch < x.batch; ++batch) {
    for (int64_t head = 0; head < x.heads; ++head) {
      const int64_t kv_head = head / (x.heads / x.kv_heads);
      for (int64_t row = 0; row < x.queries && fault.empty(); ++row) {
        const int64_t last = x.causal ? std::min(x.keys, row + x.keys - x.queries + 1) : x.keys;
        const int64_t q = offset(x.q_strides, batch, head, row);
        std::vector<double> scores;
        double most = -std::numeric_limits<double>::infinity(), sum = 0;
        for (int64_t key = 0; key < last; ++key) {
          const int64_t k = offset(x.k_strides, batch, kv_head, key);
          double score = 0;
          for (int64_t d = 0; d < x.width; ++d) {
            score += elements.read(x.q, dtype, q + d) * elements.read(x.k, dtype, k + d);
          }
          scores.push_back(score * x.scale);
          most = std::max(most, scores.back());
        }
        for (double& score : scores) sum += score = std::exp(score - most);
        const int64_t query = (batch * x.heads + head) * x.queries + row;
        if (x.lse) elements.write(x.lse, DType::f32, query, most + std::log(sum));
        const int64_t out = offset(x.out_strides, batch, head, row);
        for (int64_t d = 0; d < x.value_width; ++d) {
          double value = 0;
          for (size_t key = 0; key < scores.size(); ++key) {
            const int64_t v = offset(x.v_strides, batch, kv_head, static_cast<int64_t>(key));
            value += scores[key] * elements.read(x.v, dtype, v + d);
          }
          elements.write(x.out, dtype, out + d, scores.empty() ? 0 : value / sum);
        }
      }
    }
  }
  return fault;
}

}  // namespace einsummable::cuda_twin
