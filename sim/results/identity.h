/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The identity of a result: the values of identity_columns, such as its trace,
 * its cluster and its policy. A run is compared with an earlier result only if
 * their identities are equal, or with --any-baseline. In summary.json the
 * identity is the object "identity". */
#ifndef SIM_IDENTITY_H
#define SIM_IDENTITY_H

#include "base/json_stream.h"
#include "sim/results/columns.h"
#include "sim/run/run.h"

/* The last column is left out of summary.json if all jobs count. */
enum { IDENTITY_COUNTED = 6, IDENTITY_N };
extern const struct column identity_columns[]; /* ends with a NULL name */

struct identity {
    const char *values[IDENTITY_N]; /* by column: its text */
    const char *cluster_name;       /* for messages; not compared */
};

/* Fills the identity of a run. The texts live in the arena. */
void identity_of(const struct run_result *run, struct arena *arena,
                 struct identity *out);
void identity_write(struct json_stream *js, const struct run_result *run);

#endif
