/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The advisor's memory of ended jobs, which finds those that are similar to a
 * new job. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "models/estimators/estimator.h"
#include "schedmate/simulated/simulated_internal.h"

/* WALK_MAX: largest number of jobs with one name, kind and batch size that are
 * searched. RING: number of jobs of each kind that are kept. */
enum { WALK_MAX = 32, RING = SIMILAR_MAX };
#define NO_RING 0

void kinds_init(struct kinds *kinds, const struct run_env *env)
{
    *kinds = (struct kinds){
        .jobs = env->jobs,
        .past = env->past,
        .n_jobs = env->n_jobs,
        .before = ARENA_ARRAY(env->arena, job_id, env->n_jobs + env->n_past),
    };
}

const struct job *kinds_job(const struct kinds *kinds, job_id id)
{
    return id < kinds->n_jobs ? &kinds->jobs[id]
                              : &kinds->past[id - kinds->n_jobs].job;
}

void kinds_fini(struct kinds *kinds)
{
    free(kinds->named);
    free(kinds->rings);
    free(kinds->ring_slots);
}

bool kinds_know(const struct job *job)
{
    return job->name || job->model || job->usage;
}

/* Returns a number that is equal for jobs of one kind; 0 if the trace does not
 * say what the job trains. A row of the usage table stands for one model, data
 * set, batch size and precision, so its number is enough. */
static uint64_t advisor_kinds_kind_of(const struct job *job)
{
    uint64_t gpus = (uint64_t)(job->gpus & 0x3fffffff) << 33;
    if (job->usage)
        return gpus | (uint64_t)1 << 32 | job->usage;
    return job->model ? gpus | job->model : 0;
}

/* Mixes the bits of a number: the last step of splitmix64 (Steele, Lea, Flood
 * 2014). */
static uint64_t advisor_kinds_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static bool same_named(const struct job *a, const struct job *b)
{
    return a->name == b->name && a->gpus == b->gpus && a->usage == b->usage &&
           a->model == b->model && a->batch_size == b->batch_size;
}

/* Returns the slot of the jobs with the same name, kind and batch size as this
 * one, or the free slot where they belong. */
static job_id *seek_named(const struct kinds *k, const struct job *job)
{
    uint64_t key = advisor_kinds_mix(advisor_kinds_kind_of(job) +
                                     job->name * UINT64_C(0x9e3779b97f4a7c15));
    size_t i = key & (k->n_slots - 1);
    while (k->named[i] != JOB_NONE &&
           !same_named(kinds_job(k, k->named[i]), job))
        i = (i + 1) & (k->n_slots - 1);
    return &k->named[i];
}

static void widen_named(struct kinds *k)
{
    job_id *old = k->named;
    size_t n = k->n_slots;
    k->n_slots = n ? 2 * n : 64;
    k->named = mem_alloc(k->n_slots * sizeof *k->named);
    memset(k->named, 0xff, k->n_slots * sizeof *k->named);
    for (size_t i = 0; i < n; i++) {
        if (old[i] != JOB_NONE)
            *seek_named(k, kinds_job(k, old[i])) = old[i];
    }
    free(old);
}

static void advisor_kinds_add_named(struct kinds *k, const struct job *job,
                                    job_id id)
{
    if (3 * k->n_named >= 2 * k->n_slots)
        widen_named(k);
    job_id *slot = seek_named(k, job);
    k->n_named += *slot == JOB_NONE;
    k->before[id] = *slot;
    *slot = id;
}

/* Returns the slot of a kind's ring, or the free slot where it belongs. */
static uint32_t *seek_ring(const struct kinds *k, uint64_t key)
{
    size_t i = advisor_kinds_mix(key) & (k->n_ring_slots - 1);
    while (k->ring_slots[i] != NO_RING &&
           k->rings[k->ring_slots[i] - 1].key != key)
        i = (i + 1) & (k->n_ring_slots - 1);
    return &k->ring_slots[i];
}

static void widen_rings(struct kinds *k)
{
    k->n_ring_slots = k->n_ring_slots ? 2 * k->n_ring_slots : 64;
    free(k->ring_slots);
    k->ring_slots = mem_zalloc(k->n_ring_slots, sizeof *k->ring_slots);
    for (size_t i = 0; i < k->n_rings; i++)
        *seek_ring(k, k->rings[i].key) = (uint32_t)i + 1;
}

static void add_kind(struct kinds *k, job_id id, uint64_t key)
{
    if (2 * k->n_rings >= k->n_ring_slots)
        widen_rings(k);
    uint32_t *slot = seek_ring(k, key);
    if (*slot == NO_RING) {
        k->rings =
            mem_grow(k->rings, &k->cap_rings, k->n_rings + 1, sizeof *k->rings);
        k->rings[k->n_rings] = (struct kind_ring){.key = key};
        *slot = (uint32_t)++k->n_rings;
    }
    struct kind_ring *ring = &k->rings[*slot - 1];
    ring->last[ring->n++ % RING] = id;
}

void kinds_add(struct kinds *kinds, job_id id)
{
    const struct job *job = kinds_job(kinds, id);
    uint64_t key = advisor_kinds_kind_of(job);
    if (job->name)
        advisor_kinds_add_named(kinds, job, id);
    if (key)
        add_kind(kinds, id, key);
}

/* Collects at most `top` jobs, the most recently ended first: `from`, and those
 * with its name, kind and batch size that ended before it; none if `from` is
 * JOB_NONE. Looks at WALK_MAX jobs at most. `user`: user whose jobs are taken;
 * 0: those of all users. */
static void advisor_kinds_collect(const struct kinds *k, job_id from,
                                  uint32_t user, uint32_t top,
                                  struct similar *out)
{
    out->n = 0;
    for (uint32_t i = 0; from != JOB_NONE && i < WALK_MAX && out->n < top;
         i++, from = k->before[from]) {
        if (!user || kinds_job(k, from)->user == user)
            out->at[out->n++] = from;
    }
}

static void copy_ring(const struct kind_ring *ring, uint32_t top,
                      struct similar *out)
{
    for (out->n = 0; out->n < top && out->n < ring->n && out->n < RING;
         out->n++)
        out->at[out->n] = ring->last[(ring->n - 1 - out->n) % RING];
}

void kinds_find(const struct kinds *kinds, const struct job *job, uint32_t top,
                struct similar *out)
{
    job_id last = JOB_NONE;
    uint64_t key = advisor_kinds_kind_of(job);
    out->n = 0;
    if (job->name && kinds->n_slots)
        last = *seek_named(kinds, job);
    if (job->user)
        advisor_kinds_collect(kinds, last, job->user, top, out);
    out->basis = out->n ? ADVICE_RESUBMISSION : ADVICE_SIMILAR;
    if (!out->n)
        advisor_kinds_collect(kinds, last, 0, top, out);
    if (!out->n && key && kinds->n_ring_slots) {
        uint32_t slot = *seek_ring(kinds, key);
        if (slot != NO_RING)
            copy_ring(&kinds->rings[slot - 1], top, out);
    }
    if (!out->n)
        out->basis = ADVICE_NOTHING;
}

void kinds_mistake(const struct kinds *kinds, const struct job *job,
                   uint32_t top, double draw, struct similar *out)
{
    uint64_t key = advisor_kinds_kind_of(job);
    *out = (struct similar){.basis = ADVICE_NOTHING};
    if (!kinds->n_rings)
        return;
    size_t i = (size_t)(draw * (double)kinds->n_rings);
    if (kinds->rings[i].key == key)
        i = (i + 1) % kinds->n_rings;
    if (kinds->rings[i].key == key)
        return; /* no job of another kind has ended yet */
    copy_ring(&kinds->rings[i], top, out);
    out->basis = ADVICE_SIMILAR;
}
