// SPDX-License-Identifier: Apache-2.0
// What the words of kernels mean to CUDA.
#define ES_DEVICE __device__ __forceinline__
// Pointers to elements of a block of memory. A kernel reads and writes them by ES_GET and ES_SET.
#define ES_READ(T) const T*
#define ES_WRITE(T) T*
#define ES_GET(pointer, i) ((pointer)[i])
#define ES_SET(pointer, i, element) ((pointer)[i] = (element))
// Elements side by side at a multiple of what they take, at most 16 bytes: read and written at once.
template <class T, int count>
struct alignas(sizeof(T) * count) Group {
  T at[count];
};
#define ES_GET_GROUP(T, count, pointer, i) \
  (*reinterpret_cast<const Group<T, count>*>((pointer) + (i)))
#define ES_SET_GROUP(T, count, pointer, i, group) \
  (*reinterpret_cast<Group<T, count>*>((pointer) + (i)) = (group))
// Where a kernel that checks ids says which is out of range.
#define ES_FAULT Fault*
#define ES_SET_FAULT(fault, at, id) (*(fault) = Fault{1, at, id})
// Numbers known when the kernel is generated: ES_TABLE(long long, ends) = {2, 5};
#define ES_TABLE(T, name) static const __device__ T name[]
// An array that the threads of a block share.
#define ES_SHARED(T, name, count) __shared__ T name[count]
#define ES_KERNEL(name, threads, ...) \
  extern "C" __global__ void __launch_bounds__(threads) name(__VA_ARGS__)

ES_DEVICE int thread_index() { return threadIdx.x; }
ES_DEVICE int thread_count() { return blockDim.x; }
ES_DEVICE long long block_index() { return blockIdx.x; }
ES_DEVICE long long block_count() { return gridDim.x; }
// Waits until all threads of the block are here. All of them must come.
ES_DEVICE void barrier() { __syncthreads(); }

// Of the device's clock, in nanoseconds.
ES_DEVICE long long device_time() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return static_cast<long long>(now);
}

ES_DEVICE unsigned bits_of(float x) { return __float_as_uint(x); }
ES_DEVICE float float_of(unsigned bits) { return __uint_as_float(bits); }
ES_DEVICE unsigned long long bits_of(double x) {
  return static_cast<unsigned long long>(__double_as_longlong(x));
}
ES_DEVICE double double_of(unsigned long long bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}
