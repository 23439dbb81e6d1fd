/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The few loops that are worth compiling twice: also for x86-64 processors
 * with AVX-512, on which they handle several values at once. Only loops whose
 * lanes are independent of each other, so that the results are the same bits
 * (nothing is fused: -ffp-contract=off, and no sum changes its order). */
#ifndef SIM_BASE_WIDE_H
#define SIM_BASE_WIDE_H

#include <stdbool.h>

#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>

#define WIDE __attribute__((target("avx2,avx512f,avx512dq,avx512vl")))

/* Asks the C library, which knows: to ask the processor is slow where it is a
 * virtual one. */
static inline bool has_wide(void)
{
    return CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(AVX512F) &&
           CPU_FEATURE_ACTIVE(AVX512DQ) && CPU_FEATURE_ACTIVE(AVX512VL);
}
#else
#define WIDE
static inline bool has_wide(void)
{
    return false;
}
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))

#endif
