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

#endif
