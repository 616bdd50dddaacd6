// SPDX-License-Identifier: Apache-2.0
// Matrix products by cuBLASLt, recorded into a graph.
#include <cublasLt.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "einsummable/executor/cuda/plugin/functions.h"

namespace einsummable::cuda::plugin {
namespace {

constexpr SharedLibrary::Name kName = {"cuBLASLt", "libcublasLt.so.13", "nvidia/cu13/lib",
                                       "nvidia-cublas"};

#define ES_PRODUCT_FUNCTIONS(use)                                                              \
  use(cublasLtCreate) use(cublasLtGetStatusString) use(cublasLtGetVersion) use(cublasLtMatmul) \
      use(cublasLtMatmulAlgoGetHeuristic) use(cublasLtMatmulDescCreate)                        \
          use(cublasLtMatmulDescDestroy) use(cublasLtMatmulDescSetAttribute)                   \
              use(cublasLtMatmulPreferenceCreate) use(cublasLtMatmulPreferenceDestroy)         \
                  use(cublasLtMatmulPreferenceSetAttribute) use(cublasLtMatrixLayoutCreate)    \
                      use(cublasLtMatrixLayoutDestroy) use(cublasLtMatrixLayoutSetAttribute)

class Blas {
 public:
  static Blas& get() {
    static Blas blas;
    return blas;
  }

#define ES_MEMBER(function) decltype(&::function) function = nullptr;
  ES_PRODUCT_FUNCTIONS(ES_MEMBER)
#undef ES_MEMBER

  Status usable() const { return missing_.empty() ? Status::ok : fail(Status::missing, missing_); }
  LibraryInfo info() const {
    LibraryInfo info = library_.info();
    if (cublasLtGetVersion) {
      const size_t version = cublasLtGetVersion();
      copy_text(info.version, sizeof info.version,
                std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
                    std::to_string(version % 100));
    }
    return info;
  }
  Status check(cublasStatus_t status, const char* what) const {
    if (status == CUBLAS_STATUS_SUCCESS) return Status::ok;
    const bool unsupported =
        status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_ARCH_MISMATCH;
    return fail(unsupported ? Status::unsupported : Status::failed,
                std::string("cuBLASLt, ") + what + ": " + cublasLtGetStatusString(status));
  }
  // The handle of the current device; made once for each.
  cublasLtHandle_t handle(int32_t device) {
    auto& made = handles_[static_cast<size_t>(device)];
    if (!made && cublasLtCreate(&made) != CUBLAS_STATUS_SUCCESS) made = nullptr;
    return made;
  }

 private:
  Blas() : library_(kName), handles_(static_cast<size_t>(Driver::get().devices())) {
    missing_ = load();
  }
  std::string load() {
#define ES_FIND(function)                                                    \
  function = reinterpret_cast<decltype(function)>(library_.find(#function)); \
  if (!function) return library_.missing();
    ES_PRODUCT_FUNCTIONS(ES_FIND)
#undef ES_FIND
    return "";
  }

  SharedLibrary library_;
  std::string missing_;
  std::vector<cublasLtHandle_t> handles_;
};

// Things that the library makes and destroys.
template <class T>
using Made = std::unique_ptr<std::remove_pointer_t<T>, cublasStatus_t (*)(T)>;

cudaDataType_t type_of(Element element) {
  switch (element) {
    case Element::f32:
      return CUDA_R_32F;
    case Element::f64:
      return CUDA_R_64F;
    case Element::f16:
      return CUDA_R_16F;
    case Element::bf16:
      return CUDA_R_16BF;
  }
  return CUDA_R_32F;
}

int64_t size_of(Element element) {
  return element == Element::f64 ? 8 : element == Element::f32 ? 4 : 2;
}

bool by_rows(const Matrix& x) { return x.column_stride == 1; }
int64_t leading(const Matrix& x) { return by_rows(x) ? x.row_stride : x.column_stride; }

// The most, up to 256, that the address of every column of every matrix is a multiple of.
uint32_t alignment_of(const Matrix& x) {
  const auto size = static_cast<uint64_t>(size_of(x.element));
  const uint64_t all = x.address | static_cast<uint64_t>(leading(x)) * size |
                       static_cast<uint64_t>(x.batch_stride) * size | 256;
  return static_cast<uint32_t>(all & (~all + 1));
}

// The library knows matrices by columns. A c by rows is the transpose of one by columns, and that
// is the product of the transposes of b and a.
struct Call {
  Matrix first, second, third;
  int64_t m, n, k;
  bool first_transposed, second_transposed;
  Address residual;

  explicit Call(const Product& p) {
    const bool swaps = by_rows(p.c);
    first = swaps ? p.b : p.a;
    second = swaps ? p.a : p.b;
    third = p.c;
    m = swaps ? p.n : p.m;
    n = swaps ? p.m : p.n;
    k = p.k;
    residual = p.residual;
    // In memory a matrix by rows is its own transpose by columns, which is what is wanted if the
    // operands swap.
    first_transposed = by_rows(first) != swaps;
    second_transposed = by_rows(second) != swaps;
  }

  // What the library calls C: the residual, or, where nothing is added, the output itself.
  Matrix added() const {
    Matrix c = third;
    if (residual) c.address = residual;
    return c;
  }
};

// What the library does to sums. Its GELU is the approximation by tanh.
cublasLtEpilogue_t epilogue_of(const Product& product) {
  switch (product.activation) {
    case Activation::none:
      return product.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    case Activation::relu:
      return product.bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case Activation::gelu_tanh:
      return product.bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

// What describes a product to the library.
class Description {
 public:
  Description(const Product& product, const Call& call) : product_(product), call_(call) {}

  Status make() {
    Blas& blas = Blas::get();
    const bool wide = product_.a.element == Element::f64;
    const cublasComputeType_t compute = wide ? CUBLAS_COMPUTE_64F
                                        : product_.tf32 && product_.a.element == Element::f32
                                            ? CUBLAS_COMPUTE_32F_FAST_TF32
                                            : CUBLAS_COMPUTE_32F;
    cublasLtMatmulDesc_t raw = nullptr;
    add(blas.cublasLtMatmulDescCreate(&raw, compute, wide ? CUDA_R_64F : CUDA_R_32F));
    operation_.reset(raw);
    transpose(CUBLASLT_MATMUL_DESC_TRANSA, call_.first_transposed);
    transpose(CUBLASLT_MATMUL_DESC_TRANSB, call_.second_transposed);
    if (const auto epilogue = epilogue_of(product_); epilogue != CUBLASLT_EPILOGUE_DEFAULT) {
      describe(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    }
    // Its type is c's, and all matrices of a batch have the same one, unless said otherwise.
    if (product_.bias) {
      describe(CUBLASLT_MATMUL_DESC_BIAS_POINTER, reinterpret_cast<void*>(product_.bias));
    }
    layout(a_, call_.first, call_.m, call_.k, call_.first_transposed);
    layout(b_, call_.second, call_.k, call_.n, call_.second_transposed);
    layout(c_, call_.third, call_.m, call_.n, false);
    return blas.check(status_, "describing a product");
  }

  // Always the first of the heuristic's answers, so that the same product has the same bits.
  Status choose(cublasLtHandle_t handle) {
    Blas& blas = Blas::get();
    cublasLtMatmulPreference_t raw = nullptr;
    add(blas.cublasLtMatmulPreferenceCreate(&raw));
    const Made<cublasLtMatmulPreference_t> preference(raw, blas.cublasLtMatmulPreferenceDestroy);
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t which, auto value) {
      add(blas.cublasLtMatmulPreferenceSetAttribute(preference.get(), which, &value, sizeof value));
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t{product_.workspace_bytes});
    // Partial sums in the output's type would round more than once.
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
           uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(call_.first));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(call_.second));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(call_.added()));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(call_.third));
    int found = 0;
    add(blas.cublasLtMatmulAlgoGetHeuristic(handle, operation_.get(), a_.get(), b_.get(), c_.get(),
                                            c_.get(), preference.get(), 1, &chosen_, &found));
    add(found == 0 ? CUBLAS_STATUS_NOT_SUPPORTED : chosen_.state);
    return blas.check(status_, "choosing an algorithm");
  }

  Status run(cublasLtHandle_t handle, CUstream stream) const {
    const float one = 1, kept = product_.residual ? 1 : 0;
    const double wide_one = one, wide_kept = kept;
    const bool wide = product_.a.element == Element::f64;
    const auto pointer = [](Address address) { return reinterpret_cast<void*>(address); };
    const auto scale = [wide](const float& narrow, const double& of_wide) {
      return wide ? static_cast<const void*>(&of_wide) : &narrow;
    };
    Blas& blas = Blas::get();
    return blas.check(
        blas.cublasLtMatmul(handle, operation_.get(), scale(one, wide_one),
                            pointer(call_.first.address), a_.get(), pointer(call_.second.address),
                            b_.get(), scale(kept, wide_kept), pointer(call_.added().address),
                            c_.get(), pointer(call_.third.address), c_.get(), &chosen_.algo,
                            pointer(product_.workspace), product_.workspace_bytes,
                            reinterpret_cast<cudaStream_t>(stream)),
        "multiplying");
  }

 private:
  using Layout = Made<cublasLtMatrixLayout_t>;

  // The first failure stays.
  void add(cublasStatus_t status) {
    if (status_ == CUBLAS_STATUS_SUCCESS) status_ = status;
  }
  void transpose(cublasLtMatmulDescAttributes_t which, bool transposed) {
    describe(which, transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  }
  template <class T>
  void describe(cublasLtMatmulDescAttributes_t which, const T& value) {
    add(Blas::get().cublasLtMatmulDescSetAttribute(operation_.get(), which, &value, sizeof value));
  }
  void layout(Layout& layout, const Matrix& x, int64_t rows, int64_t columns, bool transposed) {
    Blas& blas = Blas::get();
    if (transposed) std::swap(rows, columns);
    cublasLtMatrixLayout_t raw = nullptr;
    add(blas.cublasLtMatrixLayoutCreate(&raw, type_of(x.element), static_cast<uint64_t>(rows),
                                        static_cast<uint64_t>(columns), leading(x)));
    layout.reset(raw);
    const auto batch = static_cast<int32_t>(product_.batch);
    const int64_t stride = x.batch_stride;
    add(blas.cublasLtMatrixLayoutSetAttribute(raw, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                              sizeof batch));
    add(blas.cublasLtMatrixLayoutSetAttribute(raw, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                              &stride, sizeof stride));
  }

  const Product& product_;
  const Call& call_;
  cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
  Made<cublasLtMatmulDesc_t> operation_{nullptr, Blas::get().cublasLtMatmulDescDestroy};
  Layout a_{nullptr, Blas::get().cublasLtMatrixLayoutDestroy};
  Layout b_{nullptr, Blas::get().cublasLtMatrixLayoutDestroy};
  Layout c_{nullptr, Blas::get().cublasLtMatrixLayoutDestroy};
  cublasLtMatmulHeuristicResult_t chosen_ = {};
};

// Describes a product and chooses an algorithm for it. Under Driver::recording, on its device.
struct Chosen {
  Call call;
  Description description;
  cublasLtHandle_t handle = nullptr;
  Status status = Status::ok;

  explicit Chosen(const Product& product) : call(product), description(product, call) {
    Blas& blas = Blas::get();
    status = blas.usable();
    if (status != Status::ok) return;
    handle = blas.handle(product.device);
    status = handle ? description.make() : fail(Status::failed, "cuBLASLt does not start");
    if (status == Status::ok) status = description.choose(handle);
  }
  Chosen(const Chosen&) = delete;
  Chosen& operator=(const Chosen&) = delete;
};

// The library does not serve all batches of more matrices, so it is given this many at a time.
constexpr int64_t kMostBatch = int64_t{1} << 15;

std::vector<Product> parts_of(const Product& product) {
  std::vector<Product> parts;
  for (int64_t begin = 0; begin < product.batch; begin += kMostBatch) {
    Product& part = parts.emplace_back(product);
    part.batch = std::min(product.batch - begin, kMostBatch);
    const auto skipped = [begin](const Matrix& x) {
      return static_cast<Address>(begin * x.batch_stride * size_of(x.element));
    };
    part.a.address += skipped(part.a);
    part.b.address += skipped(part.b);
    part.c.address += skipped(part.c);
    if (part.residual) part.residual += skipped(part.c);
  }
  return parts;
}

}  // namespace

Status has_product(const Product* product) {
  const Entered entered(product->device);
  if (entered.status() != Status::ok) return entered.status();
  const std::lock_guard lock(Driver::get().recording());
  for (const Product& part : parts_of(*product)) {
    if (const Status status = Chosen(part).status; status != Status::ok) return status;
  }
  return Status::ok;
}

Status add_product(GraphHandle graph, const Node* after, uint64_t count, const Product* product,
                   Node* node) {
  const Entered entered(product->device);
  if (entered.status() != Status::ok) return entered.status();
  const std::lock_guard lock(Driver::get().recording());
  const std::vector<Product> parts = parts_of(*product);
  std::deque<Chosen> chosen;
  for (const Product& part : parts) {
    const Status status = chosen.emplace_back(part).status;
    if (status != Status::ok) return status;
  }
  Capture capture(graph, after, count, product->device);
  if (capture.status() != Status::ok) return capture.status();
  Status status = Status::ok;
  for (const Chosen& one : chosen) {
    if (status == Status::ok) status = one.description.run(one.handle, capture.stream());
  }
  return capture.end(status, node);
}

LibraryInfo product_info() { return Blas::get().info(); }

}  // namespace einsummable::cuda::plugin
