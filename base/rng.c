/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/rng.h"

#include <gsl/gsl_cdf.h>

#include "base/check.h"
#include "base/text.h"

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* splitmix64 (Steele, Lea, Flood 2014): spreads out seeds that differ in one
 * bit */
static uint64_t rng_mix(uint64_t x)
{
    x += GOLDEN;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t rng_stream(uint64_t seed, const char *name)
{
    return rng_mix(seed ^ rng_mix(text_hash(text_from(name))));
}

gsl_rng *rng_open(uint64_t seed, const char *name)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    CHECK(rng);
    uint64_t start = rng_stream(seed, name);
    gsl_rng_set(rng, (unsigned long)(start & UINT32_MAX));
    return rng;
}

/* Returns x times 69069 modulo 2^32, at least `least`: how taus2 makes its
 * state from a seed (GSL, rng/taus.c). */
static uint32_t next_state(uint32_t x, uint32_t least)
{
    x *= 69069u;
    return x < least ? x + least : x;
}

struct rng_inline rng_inline_open(uint64_t seed, const char *name)
{
    struct rng_inline rng;
    uint32_t start = (uint32_t)(rng_stream(seed, name) & UINT32_MAX);
    rng.s1 = next_state(start ? start : 1, 2);
    rng.s2 = next_state(rng.s1, 8);
    rng.s3 = next_state(rng.s2, 16);
    for (int i = 0; i < 6; i++)
        rng_inline_get(&rng);
    return rng;
}

void rng_free(gsl_rng *rng)
{
    if (rng)
        gsl_rng_free(rng);
}

uint32_t rng_below(gsl_rng *rng, uint32_t n)
{
    return (uint32_t)gsl_rng_uniform_int(rng, n);
}

void rng_fill(uint64_t seed, const char *name, uint32_t *out, size_t n)
{
    uint64_t state = rng_stream(seed, name);
    for (size_t i = 0; i < n; i++)
        out[i] = (uint32_t)(rng_mix(state + i * GOLDEN) >> 32);
}

double keyed_uniform(uint64_t stream, uint64_t key, uint32_t k)
{
    uint64_t bits = rng_mix(rng_mix(stream ^ rng_mix(key)) + k * GOLDEN);
    return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

double keyed_normal(uint64_t stream, uint64_t key, uint32_t k)
{
    return gsl_cdf_ugaussian_Pinv(keyed_uniform(stream, key, k));
}
