/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/scenarios/own_advice.h"

#include <string.h>

#include "sim/run/run_internal.h"

/* Returns the number of the job with this name; JOB_NONE if no job has it. */
static job_id number_of(const struct jobset *jobs, const char *name)
{
    for (job_id i = 0; i < jobs->n_jobs; i++) {
        if (strcmp(jobset_string(jobs, jobs->jobs[i].name), name) == 0)
            return i;
    }
    return JOB_NONE;
}

enum status own_advice_put(struct own_advice *own,
                           const struct scenario *scenario, struct run *run,
                           struct error *err)
{
    const struct jobset *jobs = &run->result.jobset;
    *own = (struct own_advice){0};
    for (size_t i = 0; i < scenario->n_advice; i++) {
        const struct scenario_advice *a = &scenario->advice[i];
        job_id job = number_of(jobs, a->job);
        job_id donor = a->donor[0] ? number_of(jobs, a->donor) : JOB_NONE;
        if (job == JOB_NONE || (a->donor[0] && donor == JOB_NONE))
            return error_set(err, STATUS_BROKEN, "line %d: no job %s or %s",
                             a->line, a->job, a->donor);
        own->rows[job] = a->advice;
        own->rows[job].donor = donor;
    }
    if (scenario->n_advice == 0)
        return STATUS_OK;
    advice_put(&own->layer, own->rows, &run->parts);
    return STATUS_OK;
}
