// SPDX-License-Identifier: Apache-2.0
//
// What the words of kernels mean on the host: in the place of words.cuh, before the prelude, in
// units that the host's compiler builds. Pointers check every access. It includes nothing but
// what kernels and the tests must agree on, as thousands of kernels are compiled behind it.
#pragma once

#include "tests/support/cuda_twin/services.h"

extern "C" {
double exp(double);
float expf(float);
double expm1(double);
float expm1f(float);
double log(double);
float logf(float);
double log1p(double);
float log1pf(float);
double log2(double);
float log2f(float);
double sqrt(double);
float sqrtf(float);
double sin(double);
float sinf(float);
double cos(double);
float cosf(float);
double tanh(double);
float tanhf(float);
double erf(double);
float erff(float);
double floor(double);
float floorf(float);
double ceil(double);
float ceilf(float);
double rint(double);
float rintf(float);
double trunc(double);
float truncf(float);
double fabs(double);
float fabsf(float);
double pow(double, double);
float powf(float, float);
double atan2(double, double);
float atan2f(float, float);
double fmod(double, double);
float fmodf(float, float);
double copysign(double, double);
float copysignf(float, float);
double fma(double, double, double);
float fmaf(float, float, float);
}
inline float exp(float x) { return expf(x); }
inline float expm1(float x) { return expm1f(x); }
inline float log(float x) { return logf(x); }
inline float log1p(float x) { return log1pf(x); }
inline float log2(float x) { return log2f(x); }
inline float sqrt(float x) { return sqrtf(x); }
inline float sin(float x) { return sinf(x); }
inline float cos(float x) { return cosf(x); }
inline float tanh(float x) { return tanhf(x); }
inline float erf(float x) { return erff(x); }
inline float floor(float x) { return floorf(x); }
inline float ceil(float x) { return ceilf(x); }
inline float rint(float x) { return rintf(x); }
inline float trunc(float x) { return truncf(x); }
inline float fabs(float x) { return fabsf(x); }
inline float pow(float x, float y) { return powf(x, y); }
inline float atan2(float x, float y) { return atan2f(x, y); }
inline float fmod(float x, float y) { return fmodf(x, y); }
inline float copysign(float x, float y) { return copysignf(x, y); }
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }

static const einsummable::cuda_twin::Services* services = nullptr;
extern "C" void attach_services(const einsummable::cuda_twin::Services* given) { services = given; }

// A pointer that a kernel was given: each access lies in the memory around it, in whole elements,
// and what is read was written.
template <class T, int count>
struct Group {
  T at[count];
};

template <class T>
struct CheckedPointer {
  einsummable::cuda_twin::Reach reach;
  unsigned long long address;

  explicit CheckedPointer(unsigned long long given)
      : reach(services->reach(given)), address(given) {}

  // The bytes from the pointer to element i, if the element is within the memory.
  bool find(long long i, long long& offset) const {
    constexpr long long size = sizeof(T);
    offset = i * size;
    return reach.before <= offset && offset + size <= reach.after;
  }

  T get(long long i) const {
    T value{};
    long long offset;
    if (!find(i, offset)) {
      services->fail("reads outside of its memory", i);
      return value;
    }
    for (unsigned long long b = 0; b < sizeof(T); ++b) {
      if (reach.state[offset + static_cast<long long>(b)] == einsummable::cuda_twin::kUndefined) {
        services->fail("reads what nobody wrote", i);
        break;
      }
    }
    __builtin_memcpy(&value, reach.data + offset, sizeof(T));
    return value;
  }

  void set(long long i, T value) const {
    long long offset;
    if (!find(i, offset)) {
      services->fail("writes outside of its memory", i);
      return;
    }
    __builtin_memcpy(reach.data + offset, &value, sizeof(T));
    __builtin_memset(reach.state + offset, einsummable::cuda_twin::kByNode, sizeof(T));
  }

  template <int count>
  void check_group(long long i) const {
    static_assert(sizeof(T) * count <= 16, "a group that devices do not read at once");
    const unsigned long long at = address + static_cast<unsigned long long>(i) * sizeof(T);
    if (at % (sizeof(T) * count) != 0) services->fail("has a group that is not aligned", i);
  }
  template <int count>
  Group<T, count> get_group(long long i) const {
    check_group<count>(i);
    Group<T, count> group;
    for (int e = 0; e < count; ++e) group.at[e] = get(i + e);
    return group;
  }
  template <int count>
  void set_group(long long i, const Group<T, count>& group) const {
    check_group<count>(i);
    for (int e = 0; e < count; ++e) set(i + e, group.at[e]);
  }
};

// Runs one thread of a kernel.
template <class... Pointers, unsigned long long... is>
static void call_with(void (*kernel)(Pointers...), const unsigned long long* arguments,
                      einsummable::cuda_twin::Positions<is...>) {
  kernel(Pointers(arguments[is])...);
}
template <class... Pointers>
static void call(void (*kernel)(Pointers...), const unsigned long long* arguments) {
  call_with(kernel, arguments,
            typename einsummable::cuda_twin::MakePositions<sizeof...(Pointers)>::Type{});
}

#define ES_DEVICE inline
#define ES_READ(T) CheckedPointer<T>
#define ES_WRITE(T) CheckedPointer<T>
#define ES_GET(pointer, i) ((pointer).get(i))
#define ES_SET(pointer, i, element) ((pointer).set(i, element))
#define ES_GET_GROUP(T, count, pointer, i) ((pointer).template get_group<count>(i))
#define ES_SET_GROUP(T, count, pointer, i, group) ((pointer).template set_group<count>(i, group))
#define ES_FAULT CheckedPointer<Fault>
#define ES_SET_FAULT(fault, position, value) ((fault).set(0, Fault{1, position, value}))
#define ES_TABLE(T, name) static const T name[]
// Blocks run one after another, so what a block's threads share is one array.
#define ES_SHARED(T, name, count) \
  static T name[count];           \
  services->share(name, sizeof(name))
#define ES_KERNEL(name, threads, ...)                                                            \
  static void name##_thread(__VA_ARGS__);                                                        \
  extern "C" void name(const unsigned long long* arguments) { call(&name##_thread, arguments); } \
  static void name##_thread(__VA_ARGS__)

inline int thread_index() { return services->thread->index; }
inline int thread_count() { return services->thread->count; }
inline long long block_index() { return services->thread->block; }
inline long long block_count() { return services->thread->blocks; }
inline void barrier() { services->barrier(); }
inline long long device_time() { return services->time(); }

inline unsigned bits_of(float x) { return __builtin_bit_cast(unsigned, x); }
inline float float_of(unsigned bits) { return __builtin_bit_cast(float, bits); }
inline unsigned long long bits_of(double x) { return __builtin_bit_cast(unsigned long long, x); }
inline double double_of(unsigned long long bits) { return __builtin_bit_cast(double, bits); }
