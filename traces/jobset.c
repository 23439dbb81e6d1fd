/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/state/truth.h"

const char *load_reason_words(enum load_reason reason)
{
    static const char *const words[] = {
#define LOAD_WORDS(name, words) words,
        LOAD_REASONS(LOAD_WORDS)
#undef LOAD_WORDS
    };
    return words[reason];
}

const char *jobset_source_id(const struct jobset *jobset, const struct job *job,
                             char buf[SOURCE_ID_MAX])
{
    uint32_t number = job->id;
    if (job->source_id & SOURCE_ID_NUMBER)
        number = job->source_id & ~SOURCE_ID_NUMBER;
    else if (job->source_id)
        return interner_string(&jobset->strings, job->source_id);
    snprintf(buf, SOURCE_ID_MAX, "%" PRIu32, number);
    return buf;
}

sim_span jobset_duration(const struct jobset *jobset, job_id job)
{
    return jobset->truths[job].work;
}

bool jobset_recorded(const struct jobset *jobset, job_id job)
{
    return !jobset->truths[job].derived;
}

unsigned jobset_end(const struct jobset *jobset, job_id job)
{
    return jobset->truths[job].end;
}

void jobset_move(struct jobset *jobset, job_id from, job_id to)
{
    if (from == to)
        return;
    jobset->jobs[to] = jobset->jobs[from];
    jobset->jobs[to].id = to;
    jobset->truths[to] = jobset->truths[from];
    if (jobset->names)
        jobset->names[to] = jobset->names[from];
}

void jobset_drop_names(struct jobset *jobset)
{
    free(jobset->names);
    jobset->names = NULL;
}

void jobset_fini(struct jobset *jobset)
{
    free(jobset->jobs);
    free(jobset->truths);
    free(jobset->names);
    free(jobset->failures);
    interner_fini(&jobset->strings);
    interner_fini(&jobset->vcs);
    interner_fini(&jobset->types);
    interner_fini(&jobset->datasets);
    interner_fini(&jobset->named_vcs);
    *jobset = (struct jobset){0};
}

const char *jobset_string(const struct jobset *jobset, uint32_t symbol)
{
    return interner_string(&jobset->strings, symbol);
}
