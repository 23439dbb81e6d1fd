/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the cause of a failure that the trace recorded without its cause: from
 * a table of causes, given how long the job had run and how many GPUs it held.
 *
 * The table is that of Acme (NSDI'24, Table 3): 29 reasons with their counts,
 * mean number of GPUs and mean time to failure. The probability of a cause is
 * proportional to its count times the densities of the run time and of the
 * number of GPUs, both assumed to be exponential with the published means,
 * because only the means are published. */
#ifndef MODELS_CAUSES_H
#define MODELS_CAUSES_H

#include "base/failure_kind.h"
#include "base/units.h"

struct failure_cause {
    const char *name;
    enum failure_kind kind;
    double count;   /* number of failures in the table */
    double gpus;    /* mean number of GPUs of the failed jobs */
    double minutes; /* mean time from the start to the failure, minutes */
};

/* Returns the cause at the quantile `u`, 0 < u < 1, of the distribution,
 * given the run time and the number of GPUs. */
const struct failure_cause *cause_draw(double u, sim_span ran, uint32_t gpus);

/* Returns the word for a kind of simulated failure, as results have it:
 * "infrastructure", "framework", "script". */
const char *failure_kind_name(enum failure_kind kind);

#endif
