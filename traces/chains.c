/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/chains.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/state/truth.h"

#define CHAINS_NOBODY UINT32_MAX
/* Largest number of failures of one chain: the largest value of
 * truth.n_failures. */
#define FAILURES_MAX UINT16_MAX

/* The fields that must be equal in two rows if one continues the other. */
struct likeness {
    uint32_t user, what, gpus, vc_and_type;
};

struct chains_row {
    struct likeness like;
    sim_time end; /* submission + wait (0 if unknown) + run time, us since
                   * 1970 */
};

/* The rows of a trace, and one list for each likeness, linked by `next`. A list
 * holds the failed jobs that a later job may still continue. */
struct chains {
    sim_span link;
    struct chains_row *rows; /* in the order in which chains_add added them */
    size_t n, cap;
    /* Hash table from likenesses to lists. A slot holds the first job of a
     * likeness, whose number also identifies the list; CHAINS_NOBODY: free. */
    uint32_t *slots;
    size_t n_slots;
    /* By job: the next job in its list, which is sorted by recorded end. The
     * heads of the lists come after the jobs; see find. */
    uint32_t *next;
    uint32_t
        *previous; /* by job: the job that it continues; CHAINS_NOBODY: none */
    /* rows by number of job, which chains_order fills; NULL: the jobs are still
     * in the order of `rows` */
    struct chains_row *sorted;
};

struct chains *chains_new(sim_span link)
{
    struct chains *c = mem_zalloc(1, sizeof *c);
    c->link = link;
    return c;
}

void chains_free(struct chains *c)
{
    free(c->rows);
    free(c->sorted);
    free(c->slots);
    free(c->next);
    free(c->previous);
    free(c);
}

static uint32_t chains_symbol(struct interner *in, struct text text)
{
    return text.len ? interner_add(in, text) : 0;
}

void chains_add(struct chains *c, struct jobset *jobset,
                const struct trace_row *row)
{
    const struct job *job = &jobset->jobs[jobset->n_jobs - 1];
    const struct job_names *names = &jobset->names[jobset->n_jobs - 1];
    sim_span waited = row->queue == TRACE_NO_TIME ? 0 : row->queue;
    uint32_t what = job->name;
    if (!what)
        what = chains_symbol(&jobset->strings, row->kind);
    if (!what)
        what = job->model;
    c->rows = mem_grow(c->rows, &c->cap, c->n + 1, sizeof *c->rows);
    c->rows[c->n++] = (struct chains_row){
        .like = {.user = job->user,
                 .what = what,
                 .gpus = job->gpus,
                 .vc_and_type = (uint32_t)names->vc << 8 | names->gpu_type},
        .end = job->submitted + waited + jobset->truths[job->id].work};
}

static uint64_t hash(const struct likeness *like)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t h = (uint64_t)like->user << 32 | like->what;
    h = (h ^ h >> 29) * odd;
    h ^= (uint64_t)like->gpus << 32 | like->vc_and_type;
    h = (h ^ h >> 32) * odd;
    return h ^ h >> 29;
}

static const struct chains_row *chains_row_of(const struct chains *c,
                                              uint32_t job)
{
    return c->sorted ? &c->sorted[job] : &c->rows[job];
}

/* Returns the slot of the job's likeness in the hash table. The slot is
 * CHAINS_NOBODY if no job with this likeness has been entered. */
static uint32_t *chains_slot_of(const struct chains *c, uint32_t job)
{
    const struct likeness *like = &chains_row_of(c, job)->like;
    size_t i = hash(like) & (c->n_slots - 1);
    while (c->slots[i] != CHAINS_NOBODY &&
           memcmp(&chains_row_of(c, c->slots[i])->like, like, sizeof *like) !=
               0)
        i = (i + 1) & (c->n_slots - 1);
    return &c->slots[i];
}

/* Returns the job that a job submitted at `submitted` continues, and removes it
 * from the list of `head`; CHAINS_NOBODY if there is none. Also removes jobs
 * that ended more than `link` before, since no later job can continue them.
 * `head` stands for the beginning of the list and stays. */
static uint32_t take_predecessor(const struct chains *c, uint32_t head,
                                 sim_time submitted)
{
    for (uint32_t before = head, i; (i = c->next[before]) != CHAINS_NOBODY;) {
        sim_time end = chains_row_of(c, i)->end;
        if (end > submitted)
            return CHAINS_NOBODY; /* the list is sorted by end */
        c->next[before] = c->next[i];
        if (submitted - end <= c->link)
            return i;
    }
    return CHAINS_NOBODY;
}

/* Inserts a failed job into the list of `head`, which is sorted by end. */
static void chains_wait(const struct chains *c, uint32_t head, uint32_t job)
{
    sim_time end = chains_row_of(c, job)->end;
    uint32_t before = head;
    while (c->next[before] != CHAINS_NOBODY &&
           chains_row_of(c, c->next[before])->end <= end)
        before = c->next[before];
    c->next[job] = c->next[before];
    c->next[before] = job;
}

/* Sets `previous` of all jobs, and returns the number of jobs that continue
 * another. The head of a list is not a job: its index in `next` is n_jobs + the
 * number of the first job of the likeness. */
static uint32_t chains_find(struct chains *c, const struct jobset *jobset)
{
    uint32_t n = jobset->n_jobs, n_linked = 0;
    uint32_t *length = mem_zalloc(n ? n : 1, sizeof *length);
    for (uint32_t i = 0; i < n; i++) {
        c->previous[i] = CHAINS_NOBODY;
        if (!chains_row_of(c, i)->like.user)
            continue;
        uint32_t *slot = chains_slot_of(c, i);
        if (*slot == CHAINS_NOBODY)
            *slot = i;
        uint32_t head = n + *slot;
        uint32_t p = take_predecessor(c, head, jobset->jobs[i].submitted);
        if (p != CHAINS_NOBODY && length[p] < FAILURES_MAX) {
            c->previous[i] = p;
            length[i] = length[p] + 1;
            n_linked++;
        }
        if (jobset->truths[i].end == TRACE_END_FAILED)
            chains_wait(c, head, i);
    }
    free(length);
    return n_linked;
}

/* Merges the chain whose last job is `last` into its first job. The first job
 * gets the work of all jobs, the end of the last one, and a failure for each
 * end before that. Returns the first job. */
static uint32_t chains_merge(const struct chains *c, struct jobset *jobset,
                             uint32_t last)
{
    struct truth *truths = jobset->truths;
    uint32_t first = last, n = 0;
    sim_span work = 0;
    for (; c->previous[first] != CHAINS_NOBODY; first = c->previous[first])
        n++;
    size_t at = jobset->n_failures + n;
    jobset->failures = mem_grow(jobset->failures, &jobset->cap_failures, at,
                                sizeof *jobset->failures);
    for (uint32_t i = last; i != first; i = c->previous[i]) {
        uint32_t p = c->previous[i];
        work += truths[i].work;
        jobset->failures[--at] = (struct own_failure){
            .left = work,
            .gap = jobset->jobs[i].submitted - chains_row_of(c, p)->end};
    }
    truths[first].work += work;
    truths[first].end = truths[last].end;
    truths[first].aborts = truths[last].aborts;
    truths[first].first_failure = (uint32_t)at;
    truths[first].n_failures = (uint16_t)n;
    jobset->n_failures += n;
    return first;
}

void chains_order(struct chains *c, const uint32_t *from)
{
    c->sorted = mem_alloc((c->n + 1) * sizeof *c->sorted);
    for (size_t i = 0; i < c->n; i++)
        c->sorted[i] = c->rows[from[i]];
}

uint32_t chains_link(struct chains *c, struct jobset *jobset)
{
    uint32_t n = jobset->n_jobs, kept = 0;
    CHECK(c->n == n);
    for (c->n_slots = 64; c->n_slots < (size_t)n * 2;)
        c->n_slots *= 2;
    c->slots = mem_alloc(c->n_slots * sizeof *c->slots);
    memset(c->slots, 0xff, c->n_slots * sizeof *c->slots);
    c->next = mem_alloc(((size_t)n * 2 + 1) * sizeof *c->next);
    memset(c->next, 0xff, ((size_t)n * 2 + 1) * sizeof *c->next);
    c->previous = mem_alloc((n + 1u) * sizeof *c->previous);
    uint32_t n_linked = chains_find(c, jobset);
    bool *goes_on = mem_zalloc(n + 1u, sizeof *goes_on);
    for (uint32_t i = 0; i < n; i++) {
        if (c->previous[i] != CHAINS_NOBODY)
            goes_on[c->previous[i]] = true;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (c->previous[i] != CHAINS_NOBODY && !goes_on[i])
            chains_merge(c, jobset, i);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (c->previous[i] == CHAINS_NOBODY)
            jobset_move(jobset, i, kept++);
    }
    jobset->n_jobs = kept;
    free(goes_on);
    return n_linked;
}
