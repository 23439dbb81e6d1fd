/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/deadline/promises.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "policies/gangs.h"
#include "policies/rounds.h"

void promises_init(struct promises *book, const struct view *view,
                   sim_span slot)
{
    book->n_jobs = view_n_jobs(view);
    book->jobs = mem_zalloc(book->n_jobs + (size_t)1, sizeof *book->jobs);
    book->slots.length = slot;
}

void promises_fini(struct promises *book)
{
    for (uint32_t i = 0; book->jobs && i < book->n_jobs; i++)
        promise_free(&book->jobs[i].promise);
    free(book->jobs);
    free(book->rows);
    slots_free(&book->slots);
}

void promises_observe(struct promises *book, const struct event *event)
{
    if (!event->job || !job_is_terminal(event->job))
        return;
    struct promises_job *mine = promises_job(book, event->job);
    promise_free(&mine->promise);
    mine->standing = STANDING_SPARE;
}

/* Adds the job to the rows of a pool, unless it cannot run there and does
 * not. */
static void promises_add(struct promises *book, const struct view *view,
                         const struct job *job, const struct pool *pool,
                         sim_time from)
{
    book->rows =
        mem_grow(book->rows, &book->cap, book->n + 1, sizeof *book->rows);
    struct promises_row *row = &book->rows[book->n];
    *row = (struct promises_row){.job = job};
    book->describe(book->config, view, pool, from, row);
    book->n += row->levels.n > 0 || job->state == JOB_RUNNING;
}

/* Fills the rows with the jobs that have a promise in the pool. */
static void promises_gather(struct promises *book, const struct view *view,
                            uint32_t pool, sim_time from)
{
    const struct pool *p = &view_cluster(view)->pools[pool];
    const struct job *job;
    book->n = 0;
    for (int runs = 0; runs < 2; runs++) {
        for (job = runs ? view_first_running(view, p->vc)
                        : view_first_pending(view, p->vc);
             job; job = runs ? view_next_running(view, job)
                             : view_next_pending(view, job)) {
            const struct promises_job *mine = promises_job(book, job);
            if (mine->standing == STANDING_PROMISED && mine->pool == pool)
                promises_add(book, view, job, p, from);
        }
    }
}

/* Promises GPUs anew to all rows. Returns false, and leaves the promises as
 * they were, if one of the jobs gets none. */
static bool promises_make(struct promises *book, sim_time from, uint32_t gpus)
{
    struct promise *fresh = mem_zalloc(book->n + 1, sizeof *fresh);
    bool all = true;
    if (book->n)
        qsort(book->rows, book->n, sizeof *book->rows, book->order);
    slots_begin(&book->slots, from / book->slots.length, gpus);
    for (size_t i = 0; i < book->n && all; i++) {
        const struct promises_row *row = &book->rows[i];
        all = row->done || slots_fill(&book->slots, &row->levels, row->left,
                                      row->due, &fresh[i]);
    }
    for (size_t i = 0; i < book->n; i++) {
        struct promise *held = &promises_job(book, book->rows[i].job)->promise;
        promise_free(all ? held : &fresh[i]);
        if (all)
            *held = fresh[i];
    }
    free(fresh);
    return all;
}

/* Tries to promise the job its deadline on GPUs of a pool. */
static bool promises_admit_to(struct promises *book, const struct view *view,
                              const struct job *job, uint32_t pool)
{
    const struct pool *p = &view_cluster(view)->pools[pool];
    sim_time from = promises_begin(book, view_now(view));
    struct promise alone = {0};
    book->n = 0;
    promises_add(book, view, job, p, from);
    slots_begin(&book->slots, from / book->slots.length, p->n_gpus);
    bool fits =
        book->n && slots_fill(&book->slots, &book->rows[0].levels,
                              book->rows[0].left, book->rows[0].due, &alone);
    promise_free(&alone);
    if (!fits)
        return false;
    promises_gather(book, view, pool, from);
    promises_add(book, view, job, p, from);
    return promises_make(book, from, p->n_gpus);
}

bool promises_admit(struct promises *book, const struct view *view,
                    const struct job *job)
{
    const struct cluster *c = view_cluster(view);
    struct promises_job *mine = promises_job(book, job);
    struct belief belief;
    if (!view_remaining(view, job, &belief)) {
        book->unknown++;
        return false;
    }
    for (uint32_t p = c->vc_pools[job->vc].first; p < c->vc_pools[job->vc].end;
         p++) {
        if (!promises_admit_to(book, view, job, p))
            continue;
        mine->standing = STANDING_PROMISED;
        mine->pool = p;
        book->admitted++;
        return true;
    }
    book->declined++;
    return false;
}

/* Each job keeps what it was promised; if that is not there any more or does
 * not suffice, it gets what is free, or its promise is broken. */
static void promises_keep(struct promises *book, sim_time now, uint32_t gpus)
{
    size_t n = 0;
    slots_begin(&book->slots, now / book->slots.length, gpus);
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < book->n; i++) {
            const struct promises_row *row = &book->rows[i];
            struct promises_job *mine = promises_job(book, row->job);
            bool kept =
                again ? mine->standing == STANDING_PROMISED ||
                            slots_fill(&book->slots, &row->levels, row->left,
                                       row->due, &mine->promise)
                      : slots_keep(&book->slots, &row->levels, row->left,
                                   row->due, &mine->promise);
            book->broken += again && !kept;
            mine->standing = kept ? STANDING_PROMISED : STANDING_BROKEN;
        }
    }
    for (size_t i = 0; i < book->n; i++) {
        if (promises_job(book, book->rows[i].job)->standing ==
            STANDING_PROMISED)
            book->rows[n++] = book->rows[i];
    }
    book->n = n;
}

uint32_t promises_renew(struct promises *book, const struct view *view,
                        uint32_t pool)
{
    uint32_t gpus = view_cluster(view)->pools[pool].n_gpus;
    sim_time now = view_now(view);
    promises_gather(book, view, pool, now);
    if (!promises_make(book, now, gpus))
        promises_keep(book, now, gpus);
    for (size_t i = 0; i < book->n; i++) {
        struct promises_row *row = &book->rows[i];
        row->have = promise_at(&promises_job(book, row->job)->promise,
                               book->slots.first);
        gpus -= row->have;
    }
    book->n_promised = book->n;
    return gpus;
}

void promises_add_rest(struct promises *book, const struct view *view,
                       struct plan *plan, uint32_t pool)
{
    const struct cluster *c = view_cluster(view);
    const struct pool *p = &c->pools[pool];
    uint32_t n;
    const struct job **jobs = rounds_jobs(view, plan, p->vc, &n);
    for (uint32_t i = 0; i < n; i++) {
        const struct job *job = jobs[i];
        if (promises_job(book, job)->standing == STANDING_PROMISED ||
            plan_is_started(plan, job))
            continue;
        if (job->state == JOB_RUNNING &&
            c->nodes[view_where(view, job).at[0].node].pool != pool)
            continue;
        promises_add(book, view, job, p, view_now(view));
    }
}

void promises_place(struct promises *book, const struct view *view,
                    struct plan *plan, uint32_t pool)
{
    const struct cluster *c = view_cluster(view);
    const struct pool *p = &c->pools[pool];
    struct gang *gangs = plan_scratch(plan, (book->n + 1) * sizeof *gangs);
    size_t n = 0;
    for (size_t i = 0; i < book->n; i++) {
        const struct promises_row *row = &book->rows[i];
        bool runs = row->job->state == JOB_RUNNING;
        if (row->have == 0 && !runs)
            continue;
        struct gpu_set where =
            runs ? view_where(view, row->job) : (struct gpu_set){0};
        gangs[n++] = (struct gang){
            .job = row->job,
            .pool = row->have ? p : NULL,
            .gpus = row->have,
            .stays = runs && c->nodes[where.at[0].node].pool == pool &&
                     gpu_set_size(where) == row->have,
        };
    }
    gangs_place(plan, gangs, n);
    for (size_t i = 0; i < book->n_promised; i++)
        book->unplaced += book->rows[i].have &&
                          plan_where(plan, book->rows[i].job).count == 0;
}

sim_time promises_next_rise(const struct promises *book)
{
    int64_t first = book->slots.first, rise = INT64_MAX;
    for (size_t i = 0; i < book->n_promised; i++) {
        const struct promises_row *row = &book->rows[i];
        const struct promise *p = &promises_job(book, row->job)->promise;
        int64_t end = p->first + (int64_t)p->n;
        int64_t slot = p->first > first ? p->first : first + 1;
        while (slot < end && slot < rise && promise_at(p, slot) <= row->have)
            slot++;
        if (slot < end && slot < rise)
            rise = slot;
    }
    return rise == INT64_MAX ? TIME_NEVER : rise * book->slots.length;
}

size_t promises_count(const struct promises *book, struct policy_count *out)
{
    const struct policy_count all[] = {
        {.name = "admitted",
         .help = "jobs that were promised their deadline",
         .value = book->admitted},
        {.name = "declined",
         .help = "jobs whose deadline could not be promised",
         .value = book->declined},
        {.name = "broken",
         .help = "promises that could not be kept, because a job needs longer "
                 "than believed, stops cost time, or GPUs were lost",
         .value = book->broken},
        {.name = "unplaced",
         .help = "starts with promised GPUs for which no placement was found",
         .value = book->unplaced},
    };
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

void promises_remark(const struct promises *book, const char *name,
                     struct remarks *remarks)
{
    if (book->admitted + book->declined + book->unknown == 0)
        remarks_add(remarks, REMARK_CONCLUSION,
                    "no job has a deadline, so %s promises nothing; a column "
                    "deadline_s gives deadlines",
                    name);
    if (book->unknown)
        remarks_add(remarks, REMARK_NUMBERS,
                    "no estimator could tell how long %" PRIu64
                    " jobs with a deadline run; %s promised them nothing",
                    book->unknown, name);
    if (book->broken)
        remarks_add(remarks, REMARK_NUMBERS,
                    "%s broke %" PRIu64 " of %" PRIu64
                    " promises: jobs need longer than believed, stops cost "
                    "time, or GPUs were lost",
                    name, book->broken, book->admitted);
}
