/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks the few loops that are worth compiling two or three times: also for
 * x86-64 processors with AVX-512 or AVX2, on which they handle several values
 * at once. Only loops whose lanes are independent of each other may be marked,
 * so that the results are the same bits (-ffp-contract=off fuses nothing, and
 * no sum changes its order). */
#ifndef SIM_BASE_WIDE_H
#define SIM_BASE_WIDE_H

#include <stdbool.h>

#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>

#define WIDE __attribute__((target("avx2,avx512f,avx512dq,avx512vl")))
#define HALF_WIDE __attribute__((target("avx2")))

/* Asks the C library, which has the answer stored: asking the processor is slow
 * on a virtual one. CPU_FEATURE_ACTIVE is not used, because it shifts a one
 * into the sign. */
static inline bool wide_feature(unsigned feature)
{
    const struct cpuid_feature *leaf =
        __x86_get_cpuid_feature_leaf(feature / 128);
    return leaf->active_array[feature / 32 % 4] >> feature % 32 & 1;
}

static inline bool has_wide(void)
{
    return wide_feature(x86_cpu_AVX2) && wide_feature(x86_cpu_AVX512F) &&
           wide_feature(x86_cpu_AVX512DQ) && wide_feature(x86_cpu_AVX512VL);
}

static inline bool has_half_wide(void)
{
    return wide_feature(x86_cpu_AVX2);
}
#else
#define WIDE
#define HALF_WIDE
static inline bool has_half_wide(void)
{
    return false;
}
static inline bool has_wide(void)
{
    return false;
}
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))

#endif
