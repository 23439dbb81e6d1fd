/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds jobs of jobs.csv by their job_id. Several jobs may have one job_id. */
#ifndef SIM_VERIFY_IDS_H
#define SIM_VERIFY_IDS_H

#include "sim/verify/verify.h"

struct verify_ids {
    const struct verify_data *data;
    uint32_t *sorted; /* rows of jobs.csv, sorted by job_id, then by row */
};

void verify_ids_init(struct verify_ids *ids, const struct verify_data *data);
void verify_ids_fini(struct verify_ids *ids); /* accepts all zeroes */
/* Returns the rows of the jobs with this id and their number, which may be
 * 0. */
const uint32_t *verify_ids_find(const struct verify_ids *ids, struct text id,
                                size_t *n);

#endif
