/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small random jobsets with many ties: times, lengths and sizes have few
 * distinct values, so that most instants have several events, and policies
 * often compare jobs that are equal. */
#ifndef TESTS_SUPPORT_DRAW_H
#define TESTS_SUPPORT_DRAW_H

#include "base/rng.h"
#include "models/elastic/goodput.h"
#include "tests/support/lab.h"

enum { DRAW_JOBS_MAX = 32, DRAW_NODES_MAX = 7, DRAW_GPUS_MAX = 8 };

/* Fills an empty lab: 1 to 7 nodes of up to 8 GPUs, and jobs that ask for up to
 * 16 GPUs and run for whole seconds. In half of the jobsets all nodes have
 * equal width; a third have two virtual clusters (vc0, vc1). */
void draw_lab(gsl_rng *rng, struct lab *lab);
/* Changes three quarters of the jobs: they train the application `even`
 * (tests/applications), and some become elastic. Gives each group of nodes one
 * of two GPU types. */
void draw_elastic(gsl_rng *rng, struct lab *lab);
/* Draws a number of [low, high), 0 < low, evenly in its logarithm. */
double draw_between(gsl_rng *rng, double low, double high);
/* Draws a job with a model of its step times and of its gradient. */
struct goodput draw_goodput(gsl_rng *rng);

/* Returns how many of n jobsets a test takes: all, or a quarter where
 * SCHEDSIM_TESTS is "short", as with the sanitizers. */
uint32_t draw_count(uint32_t n);

/* Returns true if law number `law` holds for a policy on random labs, else
 * prints the jobset that breaks it; sets *name to the name of the law. */
typedef bool (*draw_law)(struct lab *lab, const struct policy_ops *policy,
                         size_t law, const char **name, struct error *err);
/* Checks n laws for each policy that lets jobs share GPUs and prints TAP.
 * Returns the exit status of the test. */
int draw_check_laws(size_t n, draw_law holds);

#endif
