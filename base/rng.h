/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named random streams from one seed. Each user of randomness opens a stream
 * under its own name, so that adding one user does not change what another
 * draws. rng_open uses GSL's generator taus2 (L'Ecuyer 1999), whose output does
 * not depend on the machine; distributions come from GSL too. */
#ifndef SIM_BASE_RNG_H
#define SIM_BASE_RNG_H

#include <gsl/gsl_rng.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the stream of this name. The caller owns it and frees it with rng_free,
 * which accepts NULL. */
gsl_rng *rng_open(uint64_t seed, const char *name);
void rng_free(gsl_rng *rng);

/* Returns one of 0 .. n-1 with equal probability. n > 0. */
uint32_t rng_below(gsl_rng *rng, uint32_t n);

/* The generator of rng_open without a call for each draw: the same seed and
 * name give the same numbers. */
struct rng_inline {
    uint32_t s1, s2, s3;
};
struct rng_inline rng_inline_open(uint64_t seed, const char *name);

/* Returns the next number, 0 .. 2^32 - 1, as gsl_rng_get. */
static inline uint32_t rng_inline_get(struct rng_inline *rng)
{
    uint32_t a = rng->s1, b = rng->s2, c = rng->s3;
    rng->s1 = (a & 0xfffffffeu) << 12 ^ (a << 13 ^ a) >> 19;
    rng->s2 = (b & 0xfffffff8u) << 4 ^ (b << 2 ^ b) >> 25;
    rng->s3 = (c & 0xfffffff0u) << 17 ^ (c << 3 ^ c) >> 11;
    return rng->s1 ^ rng->s2 ^ rng->s3;
}

/* Returns one of 0 .. n-1 with equal probability, as rng_below. n > 0. */
static inline uint32_t rng_inline_below(struct rng_inline *rng, uint32_t n)
{
    uint32_t scale = UINT32_MAX / n, k;
    do
        k = rng_inline_get(rng) / scale;
    while (k >= n);
    return k;
}

/* Fills `out` with n uniformly distributed numbers below 2^32, by splitmix64
 * (Steele, Lea, Flood 2014), at a fifth of the cost of a GSL generator. */
void rng_fill(uint64_t seed, const char *name, uint32_t *out, size_t n);

/* Returns the stream of keyed draws for one purpose, derived from a seed. */
uint64_t rng_stream(uint64_t seed, const char *name);

/* Keyed draws: the result depends on stream, key and number of the draw alone,
 * never on what was drawn before. The key says what the draw is about, such as
 * a job or a node. `stream`: rng_stream of the seed and the purpose. */
/* Returns a uniformly distributed number x, 0 < x <= 1; 1 comes only from
 * rounding. `k`: number of the draw. */
double keyed_uniform(uint64_t stream, uint64_t key, uint32_t k);
/* Returns a standard normal number: the inverse of the normal distribution
 * function at keyed_uniform; infinite if that is 1. */
double keyed_normal(uint64_t stream, uint64_t key, uint32_t k);

#endif
