/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who held the GPUs that a job could have used while it waited, and which jobs
 * in front kept it waiting. */
#include "commands/explain_internal.h"

#include <stdlib.h>

/* Offers a share to a list of the largest. Of equal ones the first stays in
 * front. */
static void offer(struct explain_top *top, struct explain_share share)
{
    uint32_t i = top->n;
    if (share.amount == 0)
        return;
    top->n_more += top->n == EXPLAIN_TOP;
    for (; i > 0 && top->at[i - 1].amount < share.amount; i--) {
        if (i < EXPLAIN_TOP)
            top->at[i] = top->at[i - 1];
    }
    if (i < EXPLAIN_TOP)
        top->at[i] = share;
    top->n += top->n < EXPLAIN_TOP;
}

/* Returns the GPU time that a job held on GPUs of a type during a wait. */
static uint64_t held_by(const struct verify_data *d,
                        const struct verify_job *job, uint32_t type,
                        const struct waiting *wait)
{
    uint64_t held = 0;
    for (uint32_t i = 0; i < job->n_attempts; i++) {
        const struct verify_attempt *a = &d->attempts[job->first_attempt + i];
        sim_time from = a->start > wait->from ? a->start : wait->from,
                 to = a->end < wait->to ? a->end : wait->to;
        if (a->profiling || to <= from || a->n_ranges == 0)
            continue;
        uint32_t node = d->node_of[d->ranges[a->first_gpu_range].first];
        if (type == UINT32_MAX || d->nodes[node].type == type)
            held += a->gpus * (uint64_t)(to - from);
    }
    return held;
}

static int by_front(const void *a, const void *b)
{
    const struct explain_block *x = *(const struct explain_block *const *)a,
                               *y = *(const struct explain_block *const *)b;
    return (x->job > y->job) - (x->job < y->job);
}

/* Lists the jobs that blocked the waits `first` to `first` + n - 1. */
static struct explain_top blocks_of(const struct explain_waits *waits,
                                    const struct waiting *first, uint32_t n)
{
    struct explain_top top = {0};
    const struct explain_block **list =
        mem_alloc((waits->n_blocks + 1) * sizeof(struct explain_block *));
    size_t n_list = 0;
    for (size_t i = 0; i < waits->n_blocks; i++) {
        const struct waiting *w = waits->blocks[i].wait;
        if (w >= first && w < first + n)
            list[n_list++] = &waits->blocks[i];
    }
    if (n_list)
        qsort(list, n_list, sizeof(struct explain_block *), by_front);
    for (size_t i = 0; i < n_list;) {
        struct explain_share share = {.who = list[i]->job};
        for (; i < n_list && list[i]->job == share.who; i++)
            share.amount += (uint64_t)list[i]->span;
        offer(&top, share);
    }
    free(list);
    return top;
}

void explain_who_of(const struct verify_data *d,
                    const struct explain_waits *waits,
                    const struct waiting *wait, const struct verify_job *job,
                    struct explain_who *out)
{
    struct explain_share *users =
        mem_zalloc(d->users.n_strings + 1, sizeof *users);
    *out = (struct explain_who){.blocks = blocks_of(waits, wait, 1)};
    for (size_t i = 0; i < d->n_jobs; i++) {
        const struct verify_job *other = &d->jobs[i];
        if (other->submitted >= wait->to)
            break; /* all further jobs were submitted later */
        if (other->vc != job->vc || other == job)
            continue;
        uint64_t held = held_by(d, other, job->type, wait);
        out->held += held;
        out->later_jobs += held && other > job;
        users[other->user].n_jobs += held > 0;
        users[other->user].amount += held;
        offer(&out->jobs, (struct explain_share){(uint32_t)i, 1, held});
    }
    for (uint32_t u = 1; u < d->users.n_strings; u++) {
        users[u].who = u;
        offer(&out->users, users[u]);
    }
    free(users);
}

const struct verify_job *explain_who_blocked(const struct verify_data *d,
                                             const struct explain_waits *waits,
                                             const struct verify_job *job)
{
    struct explain_top top =
        blocks_of(waits, explain_waits_job(waits, d, job), job->n_attempts + 1);
    return top.n ? &d->jobs[top.at[0].who] : NULL;
}
