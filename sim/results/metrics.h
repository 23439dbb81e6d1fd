/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a run, computed from the ledger only. Each is one row of a
 * table: name, unit and meaning. The summary and the reference page are written
 * from these tables. */
#ifndef SIM_METRICS_H
#define SIM_METRICS_H

#include "sim/results/columns.h"
#include "sim/results/facts.h"

/* A metric with one value per job (facts.metric). Results report the
 * distribution of these values. */
struct metric {
    struct column column;
    bool grouped; /* true: also reported by group of jobs */
    /* true: depends only on the JCT and the recorded running time, so that its
     * values need not be kept */
    bool follows;
};
extern const struct metric metrics[METRICS + 1]; /* ends with a NULL name */

/* The columns that describe a distribution, and the groupings of jobs; both
 * lists end with a NULL name. */
extern const struct column distribution_columns[], grouping_columns[];
/* Columns of metrics that exist only on request: with --by user, and with
 * --wait-over. */
extern const struct column jain_columns[], over_column;

struct totals;
struct summary;
/* A single number of the whole run or of a group of jobs. */
struct scalar {
    struct column column;
    double (*of)(const struct totals *totals, const struct summary *summary);
};
/* `scalars` are reported for the run and for groups, `run_scalars` for the run
 * only. Both end with a NULL function. */
extern const struct scalar scalars[], run_scalars[];

enum { GPU_CLASSES = 9 };
/* Returns the number of the size class of a job with this many GPUs: 0 for at
 * most 1 GPU, 1 for 2 GPUs, 2 for 3-4 GPUs, and so on; GPU_CLASSES - 1 for more
 * than 128 GPUs. */
static inline unsigned gpu_class(uint32_t gpus)
{
    if (gpus <= 1)
        return 0;
    unsigned class = 32 - (unsigned)__builtin_clz(gpus - 1);
    return class < GPU_CLASSES ? class : GPU_CLASSES - 1;
}

#endif
