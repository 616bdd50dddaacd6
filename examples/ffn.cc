// SPDX-License-Identifier: Apache-2.0
// The paper's program (Section 2): a two-layer feed-forward network, y = relu(x w1) w2, on as many
// virtual devices as the command line says. Prints the plan, what was verified, and a checksum,
// which is computed a second time without the library; exits with 1 if the two differ.
//
//   build/release/examples/ffn_example 8

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "einsummable/einsummable.h"

namespace es = einsummable;

namespace {

constexpr int64_t kTokens = 96, kModel = 64, kFeedForward = 256;

// A dense float32 matrix.
struct Matrix {
  es::Shape shape;
  std::vector<int64_t> strides;
  std::vector<float> values;

  Matrix(int64_t rows, int64_t columns)
      : shape{rows, columns},
        strides{columns, 1},
        values(static_cast<size_t>(rows) * static_cast<size_t>(columns)) {}

  float& at(int64_t i, int64_t j) { return values[static_cast<size_t>(i * strides[0] + j)]; }
  es::StridedView view() {
    return {reinterpret_cast<std::byte*>(values.data()), es::DType::f32, shape, strides};
  }
};

// Small integers, so that sums are exact in any order.
Matrix integers(int64_t rows, int64_t columns, int64_t seed) {
  Matrix out(rows, columns);
  for (float& value : out.values) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    value = static_cast<float>(seed / 65536 % 7 - 3);
  }
  return out;
}

es::Graph network() {
  es::Graph g;
  const es::TensorId x = g.input(es::DType::f32, {kTokens, kModel}, "x");
  const es::TensorId w1 = g.parameter(es::DType::f32, {kModel, kFeedForward}, "w1");
  const es::TensorId w2 = g.parameter(es::DType::f32, {kFeedForward, kModel}, "w2");
  const es::TensorId act = g.apply("matmul", {x, w1}, {}, "up")[0];
  const es::TensorId hidden = g.apply("relu", {act}, {}, "hidden")[0];
  g.save(g.apply("matmul", {hidden, w2}, {}, "down")[0], "y");
  return g;
}

Matrix product(Matrix& a, Matrix& b) {
  Matrix out(a.shape[0], b.shape[1]);
  for (int64_t i = 0; i < a.shape[0]; ++i) {
    for (int64_t j = 0; j < a.shape[1]; ++j) {
      for (int64_t k = 0; k < b.shape[1]; ++k) out.at(i, k) += a.at(i, j) * b.at(j, k);
    }
  }
  return out;
}

double checksum(const Matrix& matrix) {
  double sum = 0;
  for (size_t i = 0; i < matrix.values.size(); ++i) {
    sum += matrix.values[i] * static_cast<double>(i % 11 + 1);
  }
  return sum;
}

int run(int64_t devices) {
  const es::Graph g = network();
  const auto executable = es::compile(g, {.devices = devices});
  std::fputs(es::table(executable->plan().logical, executable->graph()).c_str(), stdout);
  for (const es::Check& check : executable->report().checks) {
    std::printf("%-18s %lld\n", check.name.c_str(), static_cast<long long>(check.count));
  }

  Matrix x = integers(kTokens, kModel, 1);
  Matrix w1 = integers(kModel, kFeedForward, 2), w2 = integers(kFeedForward, kModel, 3);
  Matrix y(kTokens, kModel);
  executable->load("w1", w1.view());
  executable->load("w2", w2.view());
  const es::Executable::Argument input{"x", x.view()}, output{"y", y.view()};
  executable->call({&input, 1}, {&output, 1});

  Matrix hidden = product(x, w1);
  for (float& value : hidden.values) value = std::max(value, 0.0F);
  const Matrix expected = product(hidden, w2);
  std::printf("checksum %.0f, expected %.0f\n", checksum(y), checksum(expected));
  return y.values == expected.values ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int64_t devices = 8;
  if (argc > 1) {
    const char* end = argv[1] + std::strlen(argv[1]);
    const auto [stop, fault] = std::from_chars(argv[1], end, devices);
    if (argc > 2 || fault != std::errc() || stop != end) {
      std::fprintf(stderr, "usage: ffn_example [DEVICES]\n");
      return 2;
    }
  }
  try {
    return run(devices);
  } catch (const es::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
