/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small random jobsets in which ties are made on purpose: few distinct times,
 * lengths and sizes, so that most instants have several events and most keys
 * several jobs. */
#ifndef TESTS_SUPPORT_DRAW_H
#define TESTS_SUPPORT_DRAW_H

#include "sim/base/rng.h"
#include "tests/support/lab.h"

enum { DRAW_JOBS_MAX = 32, DRAW_NODES_MAX = 7, DRAW_GPUS_MAX = 8 };

/* Fills an empty lab: up to 7 nodes of up to 8 GPUs. In one of two jobsets all
 * nodes have equal width; in one of three there are two virtual clusters (vc0,
 * vc1). Jobs ask for up to 16 GPUs and run for whole seconds. */
void draw_lab(gsl_rng *rng, struct lab *lab);
/* Makes three of four jobs train the application `even` (tests/applications),
 * some of them elastic, and gives the cluster a second GPU type. */
void draw_elastic(gsl_rng *rng, struct lab *lab);

#endif
