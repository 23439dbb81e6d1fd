/* SPDX-License-Identifier: GPL-3.0-or-later */
/* series.csv: the state of the cluster at regular times. A row shows the state
 * after all events of its time. A row that would repeat the one before it is
 * left out, so the length of the file depends on the number of changes and not
 * on the length of the run. */
#ifndef SIM_SERIES_H
#define SIM_SERIES_H

#include "base/out.h"
#include "sim/results/columns.h"
#include "sim/results/meter.h"

struct series_row {
    sim_time at;
    uint64_t values[8]; /* one value per column after `time` */
};

struct series {
    /* borrowed; attached to the ledger after the series, so that the series
     * still reads the meter's values from before a move */
    const struct meter *meter;
    struct out *out; /* borrowed */
    sim_span interval;
    sim_time next;
    struct series_row last;
};

/* Writes the header. `interval`: time between samples, us, > 0. */
void series_init(struct series *series, const struct meter *meter,
                 struct out *out, sim_span interval);

struct ledger_reader series_reader(struct series *series);

/* Writes the rows up to `end`, `end` included. */
void series_close(struct series *series, sim_time end);

extern const struct column series_columns[]; /* ends with a NULL name */

/* series_vc.csv and series_type.csv: the state of each virtual cluster, or of
 * the nodes of each GPU type, at the times of series.csv. At each of these
 * times the latest rows of all groups add up to the latest row of series.csv. A
 * row that would repeat the last one of its group is left out. */

enum series_split { SERIES_BY_VC, SERIES_BY_TYPE, SERIES_SPLITS };

enum { SERIES_BY_VALUES = 8 };

struct series_group {
    /* counts of jobs now: pending jobs and their GPUs, running, held back,
     * ended */
    uint64_t jobs[SERIES_BY_VALUES];
    uint64_t last[SERIES_BY_VALUES]; /* values of the last row of the group */
    bool has_row;
};

struct series_by {
    enum series_split split;
    const struct meter *meter;     /* borrowed; attached to the ledger after
                                    * this series */
    const struct cluster *cluster; /* borrowed */
    struct out *out;               /* borrowed; NULL: not asked for */
    sim_span interval;
    sim_time next;
    /* by group; in a series by GPU type the last group holds the jobs that name
     * no type and hold no GPUs */
    struct series_group *groups;
    uint32_t n_groups;
    uint8_t *type_of; /* by job: type of the GPUs that it holds; used in a
                       * series by GPU type only */
    uint32_t *held;   /* by job: GPUs that it holds; used in a series by virtual
                         cluster under quotas only */
};

/* Writes the header. `interval`: time between samples, us, > 0. */
void series_by_init(struct series_by *series, enum series_split split,
                    const struct meter *meter, const struct cluster *cluster,
                    struct out *out, sim_span interval);

struct ledger_reader series_by_reader(struct series_by *series);

/* Writes the rows up to `end`, `end` included. */
void series_by_close(struct series_by *series, sim_time end);

void series_by_fini(struct series_by *series); /* accepts all zeroes */

/* The columns; the second one is called gpu_type in series_type.csv. Ends with
 * a NULL name. */
extern const struct column series_by_columns[];

#endif
