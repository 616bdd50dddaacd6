// SPDX-License-Identifier: Apache-2.0
//
// Loops that apply the functions of functions.def, for the target that is being compiled.

#if defined(EINSUMMABLE_APPLY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EINSUMMABLE_APPLY_INL_H_
#undef EINSUMMABLE_APPLY_INL_H_
#else
#define EINSUMMABLE_APPLY_INL_H_
#endif

#include <array>
#include <cstring>

#include "einsummable/executor/cpu/kernels/apply.h"
#include "einsummable/executor/cpu/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace einsummable::cpu::HWY_NAMESPACE {

// As FunctionBody, compiled for this target.
template <FunctionId id>
struct Body;

#define ES_FUNCTION_WITH(name, arity, operands, result_rule, default_value, expression, doc)    \
  template <>                                                                                   \
  struct Body<FunctionId::name> {                                                               \
    static constexpr Result kResult = Result::result_rule;                                      \
    static constexpr int kArity = arity;                                                        \
    template <class T>                                                                          \
    static HWY_INLINE auto evaluate([[maybe_unused]] const T& x, [[maybe_unused]] const T& y,   \
                                    [[maybe_unused]] const T& z, [[maybe_unused]] const T& a) { \
      return (expression);                                                                      \
    }                                                                                           \
  };
#define ES_FUNCTION(name, arity, operands, result_rule, expression, doc) \
  ES_FUNCTION_WITH(name, arity, operands, result_rule, 0, expression, doc)
#include "einsummable/ops/functions.def"
#undef ES_FUNCTION
#undef ES_FUNCTION_WITH

template <FunctionId id, class T>
HWY_INLINE void apply_vector(const T* x, const T* y, const T* z, T* out, Lanes<T> a) {
  const Tag<T> d;
  const Lanes<T> vx = hn::LoadU(d, x);
  const Lanes<T> vy = Body<id>::kArity > 1 ? Lanes<T>(hn::LoadU(d, y)) : vx;
  const Lanes<T> vz = Body<id>::kArity > 2 ? Lanes<T>(hn::LoadU(d, z)) : vx;
  const Lanes<T> result = Body<id>::evaluate(vx, vy, vz, a);
  hn::StoreU(result.v, d, out);
}

// A float function. The last, incomplete vector goes through a buffer, so that nothing beyond the
// operands is read and each element is computed in the one way.
template <FunctionId id, class T>
void apply_lanes(const void* x, const void* y, const void* z, void* out, size_t count, double a) {
  constexpr int arity = Body<id>::kArity;
  const T *xs = static_cast<const T*>(x), *ys = static_cast<const T*>(y),
          *zs = static_cast<const T*>(z);
  T* to = static_cast<T*>(out);
  const size_t lanes = hn::Lanes(Tag<T>());
  const Lanes<T> parameter = a;
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    apply_vector<id, T>(xs + i, arity > 1 ? ys + i : xs, arity > 2 ? zs + i : xs, to + i,
                        parameter);
  }
  if (i == count) return;
  constexpr size_t kMost = HWY_MAX_BYTES / sizeof(T);
  const size_t bytes = (count - i) * sizeof(T);
  T rest[3][kMost] = {}, result[kMost];
  std::memcpy(rest[0], xs + i, bytes);
  if (arity > 1) std::memcpy(rest[1], ys + i, bytes);
  if (arity > 2) std::memcpy(rest[2], zs + i, bytes);
  apply_vector<id, T>(rest[0], rest[1], rest[2], result, parameter);
  std::memcpy(to + i, result, bytes);
}

HWY_INLINE uint8_t result_of(bool truth, uint8_t*) { return truth ? 1 : 0; }
template <class I>
HWY_INLINE uint8_t result_of(Integer<I> value, uint8_t*) {
  return value.value != 0 ? 1 : 0;
}
template <class I>
HWY_INLINE I result_of(Integer<I> value, I*) {
  return value.value;
}

template <class T>
HWY_INLINE T element(const void* data, size_t i) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + i * sizeof(T), sizeof(T));
  return value;
}

// A function one element at a time, in a loop the compiler vectorises. Operands of type S are
// evaluated as T, a Real or an Integer, and R is stored.
template <FunctionId id, class S, class T, class R>
void apply_each(const void* x, const void* y, const void* z, void* out, size_t count, double a) {
  constexpr int arity = Body<id>::kArity;
  const T parameter = a;
  for (size_t i = 0; i < count; ++i) {
    const T vx = element<S>(x, i);
    const T vy = arity > 1 ? T(element<S>(y, i)) : vx;
    const T vz = arity > 2 ? T(element<S>(z, i)) : vx;
    const R result = result_of(Body<id>::evaluate(vx, vy, vz, parameter), static_cast<R*>(nullptr));
    std::memcpy(static_cast<std::byte*>(out) + i * sizeof(R), &result, sizeof(R));
  }
}

template <FunctionId id, class T>
constexpr ApplyKernel float_kernel() {
  if constexpr (Body<id>::kResult == Result::boolean) {
    return apply_each<id, T, Real<T>, uint8_t>;
  } else {
    return apply_lanes<id, T>;
  }
}

template <FunctionId id, class S>
constexpr ApplyKernel integer_kernel() {
  if constexpr (Body<id>::kResult == Result::floating) {
    return nullptr;
  } else if constexpr (std::is_same_v<S, uint8_t>) {
    return apply_each<id, uint8_t, Integer<int32_t>, uint8_t>;
  } else if constexpr (Body<id>::kResult == Result::boolean) {
    return apply_each<id, S, Integer<S>, uint8_t>;
  } else {
    return apply_each<id, S, Integer<S>, S>;
  }
}

template <class T, FunctionId id>
constexpr ApplyKernel kernel_of() {
  if constexpr (std::is_floating_point_v<T>) {
    return float_kernel<id, T>();
  } else {
    return integer_kernel<id, T>();
  }
}

// The kernels of all functions over operands of type T, by FunctionId.
template <class T>
ApplyKernel kernel_for(FunctionId id) {
  static constexpr ApplyKernel kKernels[] = {
#define ES_FUNCTION(name, ...) kernel_of<T, FunctionId::name>(),
#define ES_FUNCTION_WITH(name, ...) kernel_of<T, FunctionId::name>(),
#include "einsummable/ops/functions.def"
#undef ES_FUNCTION
#undef ES_FUNCTION_WITH
  };
  return kKernels[static_cast<size_t>(id)];
}

}  // namespace einsummable::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
