// SPDX-License-Identifier: Apache-2.0
// The part of cuBLASLt that the plugin calls, as its header documents it: matrices by columns, in
// memory of the driver beside it. What the real library does not serve, or is not told, fails.
#include <cublasLt.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "einsummable/tensor/dtype.h"
#include "tests/support/cuda_fakes/fakes.h"

namespace einsummable::cuda_fakes {
namespace {

// The most matrices of a batch that every algorithm of the real one takes.
constexpr int32_t kMostBatch = 65535;

struct Layout {
  cudaDataType type = CUDA_R_32F;
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0, stride = 0;
  int32_t batch = 1;
};
struct Description {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType scale = CUDA_R_32F;
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;
};
struct Preference {
  uint64_t workspace = 0;
  uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
  uint32_t alignments[4] = {256, 256, 256, 256};
};

Layout& of(cublasLtMatrixLayout_t x) { return *reinterpret_cast<Layout*>(x); }
Description& of(cublasLtMatmulDesc_t x) { return *reinterpret_cast<Description*>(x); }
Preference& of(cublasLtMatmulPreference_t x) { return *reinterpret_cast<Preference*>(x); }

template <class T>
cublasStatus_t set(T& to, const void* from, size_t bytes) {
  if (!from || bytes != sizeof to) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&to, from, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

DType dtype_of(cudaDataType type) {
  return type == CUDA_R_64F    ? DType::f64
         : type == CUDA_R_16F  ? DType::f16
         : type == CUDA_R_16BF ? DType::bf16
                               : DType::f32;
}

bool has_bias(cublasLtEpilogue_t epilogue) {
  return epilogue == CUBLASLT_EPILOGUE_BIAS || epilogue == CUBLASLT_EPILOGUE_RELU_BIAS ||
         epilogue == CUBLASLT_EPILOGUE_GELU_BIAS;
}

double activated(double x, cublasLtEpilogue_t epilogue) {
  switch (epilogue) {
    case CUBLASLT_EPILOGUE_RELU:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
      return std::max(x, 0.0);
    case CUBLASLT_EPILOGUE_GELU:
    case CUBLASLT_EPILOGUE_GELU_BIAS:
      return 0.5 * x *
             (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    default:
      return x;
  }
}

// op(a) op(b) + beta c to d, of one set of layouts.
struct Product {
  Description how;
  Layout a, b, c, d;

  uint64_t k() const { return how.a == CUBLAS_OP_N ? a.columns : a.rows; }

  cublasStatus_t fault() const {
    for (const Layout* x : {&a, &b, &c, &d}) {
      if (x->rows == 0 || x->columns == 0 || x->leading < static_cast<int64_t>(x->rows) ||
          x->batch != d.batch) {
        return CUBLAS_STATUS_INVALID_VALUE;
      }
    }
    const uint64_t m = how.a == CUBLAS_OP_N ? a.rows : a.columns;
    const uint64_t n = how.b == CUBLAS_OP_N ? b.columns : b.rows;
    const bool fits = k() == (how.b == CUBLAS_OP_N ? b.rows : b.columns) && d.rows == m &&
                      d.columns == n && c.rows == m && c.columns == n;
    if (!fits) return CUBLAS_STATUS_INVALID_VALUE;
    const bool wide = a.type == CUDA_R_64F;
    const bool types = a.type == b.type && c.type == d.type &&
                       (d.type == a.type || (!wide && d.type == CUDA_R_32F)) &&
                       how.scale == (wide ? CUDA_R_64F : CUDA_R_32F) &&
                       (how.compute == CUBLAS_COMPUTE_64F) == wide;
    const bool plain = how.epilogue == CUBLASLT_EPILOGUE_DEFAULT;
    if (!types || (wide && !plain) || d.batch > kMostBatch) return CUBLAS_STATUS_NOT_SUPPORTED;
    return has_bias(how.epilogue) != (how.bias != nullptr) ? CUBLAS_STATUS_INVALID_VALUE
                                                           : CUBLAS_STATUS_SUCCESS;
  }
};

// Element (i, j) of one matrix of a batch, whose first lies at `base`.
char* at(const Layout& x, const void* base, int32_t batch, uint64_t i, uint64_t j) {
  const int64_t element =
      batch * x.stride + static_cast<int64_t>(j) * x.leading + static_cast<int64_t>(i);
  return const_cast<char*>(static_cast<const char*>(base)) + element * size_of(dtype_of(x.type));
}

double value(const Layout& x, const void* base, int32_t batch, uint64_t i, uint64_t j,
             bool transposed) {
  if (transposed) std::swap(i, j);
  return load_element(dtype_of(x.type), at(x, base, batch, i, j));
}

struct Operands {
  const void *a, *b, *c;
  void* d;
  double alpha, beta;
};

CUresult multiply(const Product& p, const Operands& x) {
  const DType out = dtype_of(p.d.type);
  for (int32_t batch = 0; batch < p.d.batch; ++batch) {
    for (uint64_t i = 0; i < p.d.rows; ++i) {
      for (uint64_t j = 0; j < p.d.columns; ++j) {
        double sum = 0;
        for (uint64_t k = 0; k < p.k(); ++k) {
          sum += value(p.a, x.a, batch, i, k, p.how.a == CUBLAS_OP_T) *
                 value(p.b, x.b, batch, k, j, p.how.b == CUBLAS_OP_T);
        }
        sum *= x.alpha;
        if (x.beta != 0) sum += x.beta * value(p.c, x.c, batch, i, j, false);
        if (p.how.bias) {
          sum += load_element(
              out, static_cast<const char*>(p.how.bias) + static_cast<int64_t>(i) * size_of(out));
        }
        store_element(out, at(p.d, x.d, batch, i, j), activated(sum, p.how.epilogue));
      }
    }
  }
  return CUDA_SUCCESS;
}

double scalar(cudaDataType type, const void* address) {
  return load_element(type == CUDA_R_64F ? DType::f64 : DType::f32, address);
}

}  // namespace
}  // namespace einsummable::cuda_fakes

using namespace einsummable::cuda_fakes;

#define FAKE extern "C" __attribute__((visibility("default"))) cublasStatus_t CUBLASWINAPI

extern "C" __attribute__((visibility("default"))) const char* CUBLASWINAPI
cublasLtGetStatusString(cublasStatus_t) {
  return "the fake library refuses it";
}
extern "C" __attribute__((visibility("default"))) size_t CUBLASWINAPI cublasLtGetVersion() {
  return 130002;
}
FAKE cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(current());
  return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
FAKE cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type, uint64_t rows,
                                uint64_t columns, int64_t leading) {
  *made = reinterpret_cast<cublasLtMatrixLayout_t>(new Layout{type, rows, columns, leading});
  return CUBLAS_STATUS_SUCCESS;
}
FAKE cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t x) {
  delete &of(x);
  return CUBLAS_STATUS_SUCCESS;
}
FAKE cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t x,
                                      cublasLtMatrixLayoutAttribute_t which, const void* from,
                                      size_t bytes) {
  switch (which) {
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return set(of(x).batch, from, bytes);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return set(of(x).stride, from, bytes);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}
FAKE cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                              cudaDataType_t scale) {
  *made =
      reinterpret_cast<cublasLtMatmulDesc_t>(new Description{.compute = compute, .scale = scale});
  return CUBLAS_STATUS_SUCCESS;
}
FAKE cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t x) {
  delete &of(x);
  return CUBLAS_STATUS_SUCCESS;
}
FAKE cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t x, cublasLtMatmulDescAttributes_t which,
                                    const void* from, size_t bytes) {
  switch (which) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return set(of(x).a, from, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return set(of(x).b, from, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return set(of(x).epilogue, from, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return set(of(x).bias, from, bytes);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}
FAKE cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
  *made = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
  return CUBLAS_STATUS_SUCCESS;
}
FAKE cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t x) {
  delete &of(x);
  return CUBLAS_STATUS_SUCCESS;
}
FAKE cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t x,
                                          cublasLtMatmulPreferenceAttributes_t which,
                                          const void* from, size_t bytes) {
  const auto number = static_cast<int>(which) - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
  if (0 <= number && number < 4) return set(of(x).alignments[number], from, bytes);
  switch (which) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return set(of(x).workspace, from, bytes);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return set(of(x).reductions, from, bytes);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}
// The algorithm holds what it may count on: alignments, and the workspace.
FAKE cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t how,
                                    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                    cublasLtMatmulPreference_t preference, int wanted,
                                    cublasLtMatmulHeuristicResult_t results[], int* found) {
  *found = 0;
  if (reinterpret_cast<CUcontext>(handle) != current() || wanted < 1) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const cublasStatus_t fault = Product{of(how), of(a), of(b), of(c), of(d)}.fault();
  if (fault != CUBLAS_STATUS_SUCCESS) return fault;
  const Preference& wish = of(preference);
  if (of(d).type != CUDA_R_64F && wish.reductions & CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  *found = 1;
  results[0] = {};
  std::copy_n(wish.alignments, 4, results[0].algo.data);
  results[0].algo.data[4] = results[0].workspaceSize = wish.workspace;
  return CUBLAS_STATUS_SUCCESS;
}
FAKE cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t how, const void* alpha,
                    const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                    cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                    cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,
                    const cublasLtMatmulAlgo_t* algorithm, void* workspace, size_t bytes,
                    cudaStream_t stream) {
  const std::lock_guard guard(lock());
  const Product product{of(how), of(a_layout), of(b_layout), of(c_layout), of(d_layout)};
  if (const cublasStatus_t fault = product.fault(); fault != CUBLAS_STATUS_SUCCESS) return fault;
  const void* addresses[] = {a, b, c, d};
  const Layout* layouts[] = {&product.a, &product.b, &product.c, &product.d};
  const CUcontext context = current();
  for (int i = 0; i < 4; ++i) {
    const auto address = reinterpret_cast<CUdeviceptr>(addresses[i]);
    const Layout& x = *layouts[i];
    const char* end = at(x, addresses[i], x.batch - 1, x.rows - 1, x.columns - 1);
    const auto covered = static_cast<size_t>(end - static_cast<const char*>(addresses[i])) + 1;
    if (address % algorithm->data[i] != 0 || !is_reachable(context, address, covered)) {
      return CUBLAS_STATUS_INVALID_VALUE;
    }
  }
  const auto space = reinterpret_cast<CUdeviceptr>(workspace);
  const bool enough = bytes >= algorithm->data[4] && space % 256 == 0 &&
                      (bytes == 0 || is_reachable(context, space, bytes));
  if (reinterpret_cast<CUcontext>(handle) != context || !enough) return CUBLAS_STATUS_INVALID_VALUE;
  const Operands operands{
      a, b, c, d, scalar(product.how.scale, alpha), scalar(product.how.scale, beta)};
  const CUresult result = enqueue(reinterpret_cast<CUstream>(stream),
                                  [product, operands] { return multiply(product, operands); });
  return result == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
