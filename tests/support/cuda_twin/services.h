// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a unit of kernels and the tests that run them share. Includes nothing.
namespace einsummable::cuda_twin {

// What is known of a byte of memory.
inline constexpr unsigned char kUndefined = 0;
inline constexpr unsigned char kByHost = 1;  // copied there by the host
inline constexpr unsigned char kByNode = 2;  // written by a node of a graph

// The memory around an address, as bytes before it (not positive) and after it.
struct Reach {
  unsigned char* data = nullptr;
  unsigned char* state = nullptr;
  long long before = 0, after = 0;
};

// The thread of a kernel that is running.
struct Thread {
  int index = 0, count = 1;
  long long block = 0, blocks = 1;
};

// What kernels ask for. A failure is kept, and the kernel goes on.
struct Services {
  const Thread* thread;
  Reach (*reach)(unsigned long long address);
  void (*fail)(const char* what, long long element);
  // Called by every thread of a block for an array that they share.
  void (*share)(void* array, unsigned long long bytes);
  void (*barrier)();
  long long (*time)();  // of the host's clock, in nanoseconds
};

template <unsigned long long... is>
struct Positions {};
template <unsigned long long n, unsigned long long... is>
struct MakePositions : MakePositions<n - 1, n - 1, is...> {};
template <unsigned long long... is>
struct MakePositions<0, is...> {
  using Type = Positions<is...>;
};

}  // namespace einsummable::cuda_twin
