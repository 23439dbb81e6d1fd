/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests estimators without a simulation: the chain is asked about each job when
 * it is submitted or, if answers about it are on their way then, when the last
 * answer has come. The job starts at that time and ends after its recorded run
 * time. It holds no GPUs. The code is in run.c. */
#ifndef SIM_REHEARSE_H
#define SIM_REHEARSE_H

#include "base/out.h"
#include "sim/run/run.h"

struct guess {
    bool known;        /* true if a layer of the chain gave a run time */
    bool knows_demand; /* true if a layer gave a demand that is not a default */
    /* believed run time and its spread, us; spread -1: unknown */
    sim_span mean, spread;
    double compute; /* believed share of the compute of a GPU, 0..1 */
};

/* Tests the estimators of a prepared run instead of executing the run. Fills in
 * `guesses`, which has one element per job. Returns the error of run_start or
 * of the language model. */
enum status rehearse(struct run *run, struct guess *guesses,
                     struct error *err) MUST_USE;
/* Writes what each layer of the chain learned. Returns false if no layer can
 * do so. */
bool rehearse_explain(struct run *run, struct out *out);

#endif
