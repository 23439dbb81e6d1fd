/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/state/truth.h"
#include "traces/footprint.h"

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
    if (jobset->terms)
        jobset->terms[to] = jobset->terms[from];
}

void jobset_drop_names(struct jobset *jobset)
{
    free(jobset->names);
    jobset->names = NULL;
}

void jobset_name_cluster(struct jobset *jobset, const char *recorded_on,
                         struct footprint *footprint)
{
    struct footprint_fit fit;
    if (recorded_on) {
        jobset->recorded_on =
            interner_add(&jobset->strings, text_from(recorded_on));
    } else if (footprint) {
        footprint_end(footprint, &fit);
        jobset->proposed =
            interner_add(&jobset->strings, text_from(fit.cluster));
        jobset->proposed_why =
            interner_add(&jobset->strings, text_from(fit.why));
    }
}

void jobset_fini(struct jobset *jobset)
{
    free(jobset->jobs);
    free(jobset->truths);
    free(jobset->names);
    free(jobset->terms);
    free(jobset->failures);
    interner_fini(&jobset->strings);
    interner_fini(&jobset->vcs);
    interner_fini(&jobset->types);
    interner_fini(&jobset->datasets);
    interner_fini(&jobset->named_vcs);
    *jobset = (struct jobset){0};
}

/* Returns a copy of an array; NULL for NULL. The caller frees it. */
static void *copy_array(const void *from, size_t n, size_t element)
{
    if (!from)
        return NULL;
    void *to = mem_alloc((n ? n : 1) * element);
    memcpy(to, from, n * element);
    return to;
}

void jobset_copy(const struct jobset *from, struct jobset *out)
{
    const size_t n = from->n_jobs;
    *out = *from;
    out->jobs = copy_array(from->jobs, n, sizeof *out->jobs);
    out->truths = copy_array(from->truths, n, sizeof *out->truths);
    out->names = copy_array(from->names, n, sizeof *out->names);
    out->terms = copy_array(from->terms, n, sizeof *out->terms);
    out->failures =
        copy_array(from->failures, from->n_failures, sizeof *out->failures);
    out->cap_failures = from->failures ? from->n_failures : 0;
    interner_copy(&from->strings, &out->strings);
    interner_copy(&from->vcs, &out->vcs);
    interner_copy(&from->types, &out->types);
    interner_copy(&from->datasets, &out->datasets);
    interner_copy(&from->named_vcs, &out->named_vcs);
}

size_t jobset_bytes(const struct jobset *jobset)
{
    const size_t job = sizeof *jobset->jobs + sizeof *jobset->truths +
                       sizeof *jobset->names +
                       (jobset->terms ? sizeof *jobset->terms : 0);
    return jobset->n_jobs * job +
           jobset->n_failures * sizeof *jobset->failures +
           interner_bytes(&jobset->strings) + interner_bytes(&jobset->vcs) +
           interner_bytes(&jobset->types) + interner_bytes(&jobset->datasets) +
           interner_bytes(&jobset->named_vcs);
}

const char *jobset_string(const struct jobset *jobset, uint32_t symbol)
{
    return interner_string(&jobset->strings, symbol);
}
