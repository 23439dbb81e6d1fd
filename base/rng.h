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
