/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An estimator layer for tests, whose answer about a job comes a given time
 * after the job was submitted. The answers are a table of the test. The time of
 * an answer is fixed when the job is first submitted; later submissions do not
 * change it. */
#ifndef TESTS_SUPPORT_ADVICE_H
#define TESTS_SUPPORT_ADVICE_H

#include "base/rng.h"
#include "models/estimators/estimator.h"
#include "sim/engine/engine.h"

/* Value of advice.after: the layer answers from the start of the run, without a
 * wake-up. */
#define ADVICE_INSTANT (-1)
/* Value of advice.util: the utilisation is unknown, and so is the memory. */
#define ADVICE_NO_DEMAND (-1.0)

struct test_advice {
    bool asks;      /* false: the layer says nothing about the job */
    bool secret;    /* true: `due` does not tell the policy that an answer
                     * will come */
    sim_span after; /* time from submission to answer, us, or ADVICE_INSTANT */
    sim_span runs;  /* believed run time, us; 0: unknown */
    double util;    /* believed utilisation, percent, or ADVICE_NO_DEMAND */
    double mem_mib; /* believed memory on each GPU, MiB */
    job_id donor;   /* job of the same model; JOB_NONE: none is known */
};

/* The layer. Its config is an array of struct test_advice, one for each job. */
extern const struct estimator_ops estimator_advice;

/* Puts the layer on top of the chain. `layer` and `rows` must outlive the
 * run. */
void advice_put(struct estimator *layer, const struct test_advice *rows,
                struct engine_parts *parts);
/* Draws advice for n jobs, which comes 0 to 9 s after the submission: a run
 * time of 1 to 20 s, and a utilisation. Each is missing for a quarter of the
 * jobs. An eighth of the jobs get no advice; another eighth get it unannounced
 * (`secret`). */
void advice_draw(gsl_rng *rng, size_t n, struct test_advice *rows);

#endif
