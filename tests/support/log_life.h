/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random jobs with attempts, from which logs are generated. */
#ifndef TESTS_SUPPORT_LOG_LIFE_H
#define TESTS_SUPPORT_LOG_LIFE_H

#include "base/rng.h"
#include "schedmate/simulated/evidence/log.h"

/* A random job with one or two attempts. */
struct log_life {
    struct log_source source;
    struct log_attempt attempts[2];
    struct log_segment segments[2][4];
    node_id hosts[16];
};

/* Draws a job of any style, with any speeds, ends and failures. `life` must not
 * be moved or copied, because the source points into it. */
void log_life_draw(gsl_rng *rng, struct log_life *life);

#endif
