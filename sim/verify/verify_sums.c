/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds up the columns of jobs by group while jobs.csv is read, so that they
 * need not be kept. */
#include <math.h>
#include <string.h>

#include "sim/verify/verify_internal.h"

const char *const verify_sizes[] = {"1",     "2",     "3-4",    "5-8", "9-16",
                                    "17-32", "33-64", "65-128", "129+"};

uint32_t verify_key_of(const struct verify_data *data,
                       const struct verify_job *job, enum verify_group by)
{
    static const uint32_t most[] = {1, 2, 4, 8, 16, 32, 64, 128};
    uint32_t i = 0;
    switch ((int)by) {
    case VERIFY_BY_VC:
        return job->vc;
    case VERIFY_BY_SIZE:
        while (i < sizeof most / sizeof *most && job->gpus > most[i])
            i++;
        return i;
    case VERIFY_BY_OUTCOME:
        return job->outcome;
    case VERIFY_BY_TYPE:
        return verify_type_of(data, job);
    case VERIFY_BY_USER:
        return job->user;
    default: /* VERIFY_ALL_JOBS */
        return 0;
    }
}

/* Returns the place of a key: UINT32_MAX comes first. */
static size_t sums_place(uint32_t key)
{
    return key == UINT32_MAX ? 0 : (size_t)key + 1;
}

const struct verify_sums *verify_sums_of(const struct verify_data *data,
                                         enum verify_group by, uint32_t key)
{
    static const struct verify_sums none;
    const size_t at = sums_place(key);
    return at < data->n_sums[by] ? &data->sums[by][at] : &none;
}

/* Returns the GPU time that produced work which was kept, in whole
 * GPU-microseconds; 0 for a job that was given up or rejected. */
static double useful_time(const struct verify_data *data,
                          const struct verify_job *job)
{
    const char *outcome = verify_outcomes[job->outcome];
    double time = 0, done = 0, undone = 0;
    for (uint32_t k = 0; k < job->n_attempts; k++) {
        const struct verify_attempt *a =
            &data->attempts[job->first_attempt + k];
        const struct verify_attempt_more *m = verify_more_of_attempt(data, a);
        time += (double)(a->end - a->start - m->idle) * a->gpus;
        done += (double)m->work;
        undone += (double)(m->lost + m->resume);
    }
    if (strcmp(outcome, "given-up") == 0 || strcmp(outcome, "rejected") == 0)
        return 0;
    return time > 0 && done > undone ? floor(time * ((done - undone) / done))
                                     : 0;
}

static struct verify_sums sums_of_job(struct verify_data *data,
                                      const struct verify_job *job,
                                      const struct verify_job_row *row)
{
    struct verify_sums s = {.jobs = 1,
                            .attempts = job->attempts,
                            .preemptions = row->preemptions,
                            .useful = useful_time(data, job),
                            .work = (double)row->work * job->gpus,
                            .overhead = (double)row->overhead * job->gpus,
                            .lost = (double)row->lost * job->gpus};
    for (uint32_t k = 0; k < job->n_attempts; k++) {
        const struct verify_attempt *a =
            &data->attempts[job->first_attempt + k];
        const double time = (double)(a->end - a->start) * a->gpus;
        s.held += time;
        s.profiling += a->profiling ? time : 0;
        data->idle += (double)verify_more_of_attempt(data, a)->idle * a->gpus;
    }
    return s;
}

void verify_sums_add(struct verify_data *data, const struct verify_job *job,
                     const struct verify_job_row *row)
{
    const struct verify_sums one = sums_of_job(data, job, row);
    data->n_shared += row->shared;
    for (enum verify_group by = 0; by < VERIFY_GROUPS; by++) {
        const size_t at = sums_place(verify_key_of(data, job, by));
        size_t cap = data->n_sums[by];
        if (at >= cap) {
            data->sums[by] = mem_grow(data->sums[by], &cap, at + 1, sizeof one);
            memset(&data->sums[by][data->n_sums[by]], 0,
                   (cap - data->n_sums[by]) * sizeof one);
            data->n_sums[by] = cap;
        }
        struct verify_sums *s = &data->sums[by][at];
        s->jobs += one.jobs;
        s->attempts += one.attempts;
        s->preemptions += one.preemptions;
        s->held += one.held;
        s->useful += one.useful;
        s->work += one.work;
        s->overhead += one.overhead;
        s->lost += one.lost;
        s->profiling += one.profiling;
    }
}
