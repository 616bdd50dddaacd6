// SPDX-License-Identifier: Apache-2.0
//
// The instruction sets that kernels are compiled for beside the least one: each costs compile time,
// and those left out gain little over the next lower one. Included before foreach_target.h.

#if defined(__x86_64__) && !defined(HWY_DISABLED_TARGETS)
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
#if defined(__aarch64__) && !defined(HWY_DISABLED_TARGETS)
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#endif
