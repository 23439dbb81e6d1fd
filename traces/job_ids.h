/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a job by its identifier in the trace, for side-cars and other files
 * that have one row per job. */
#ifndef TRACES_JOB_IDS_H
#define TRACES_JOB_IDS_H

#include <stdbool.h>

#include "base/state/plugin.h"
#include "base/text.h"

/* A table of identifiers. If several jobs have the same identifier, the table
 * gives the first of them. */
struct job_ids {
    struct interner texts;
    job_id *job; /* by symbol of the identifier */
    size_t cap;
};

/* Fills the table with the jobs of a run. Jobs without an identifier are left
 * out. The texts are copied. */
void job_ids_init(struct job_ids *ids, const struct run_env *env);
void job_ids_fini(struct job_ids *ids);

/* Returns the job with this identifier; JOB_NONE if there is none. */
job_id job_ids_find(const struct job_ids *ids, struct text id);

#endif
