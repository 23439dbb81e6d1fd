/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators without a simulation: every job starts when it is submitted and
 * ends after its recorded run time, and the chain is asked about each at its
 * submission. */
#ifndef SIM_REHEARSE_H
#define SIM_REHEARSE_H

#include "sim/base/out.h"
#include "sim/run.h"

struct guess {
    bool known; /* somebody answered */
    sim_span mean, spread;
};

/* Of a prepared run, instead of run_execute. `guesses` has an element a job. */
enum status rehearse(struct run *run, struct guess *guesses,
                     struct error *err) MUST_USE;
/* What the layers of the chain learned, one after the other; false if none of
 * them can say. */
bool rehearse_explain(struct run *run, struct out *out);

#endif
