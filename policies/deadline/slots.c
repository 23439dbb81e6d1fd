/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/deadline/slots.h"

#include <stdlib.h>

#include "base/arena.h"
#include "models/elastic/learner.h"

static double levels_rate(const struct view *view, const struct job *job,
                          const struct pool *pool, uint32_t gpus)
{
    uint32_t wide = pool->widest ? pool->widest : 1;
    struct shape shape = {.gpu_type = pool->type,
                          .gpus = gpus,
                          .nodes = (gpus + wide - 1) / wide};
    return view_throughput(view, job, shape);
}

static void levels_add(struct levels *out, uint32_t gpus, double rate)
{
    if (!(rate > 0) || (out->n && !(rate > out->rate[out->n - 1])))
        return;
    out->gpus[out->n] = gpus;
    out->rate[out->n++] = rate;
}

void levels_of(const struct view *view, const struct job *job,
               const struct pool *pool, uint32_t most, struct levels *out)
{
    const struct learner *learner = view_learner(view, job);
    out->n = 0;
    if (pool->profiler ||
        (job->gpu_type != GPU_TYPE_ANY && job->gpu_type != pool->type))
        return;
    most = pool->n_gpus < most ? pool->n_gpus : most;
    if (job->batch_size && job->batch_size < most)
        most = job->batch_size;
    if (!learner || learner->scales) {
        for (uint32_t g = 1, i = 0; g <= most && i < LEVELS_MOST; g *= 2, i++)
            levels_add(out, g, levels_rate(view, job, pool, g));
    }
    if (out->n == 0 && job->gpus <= pool->n_gpus)
        levels_add(out, job->gpus, levels_rate(view, job, pool, job->gpus));
}

int levels_within(const struct levels *levels, uint32_t gpus)
{
    int level = (int)levels->n - 1;
    while (level >= 0 && levels->gpus[level] > gpus)
        level--;
    return level;
}

void promise_free(struct promise *promise)
{
    free(promise->gpus);
    *promise = (struct promise){0};
}

uint32_t promise_at(const struct promise *promise, int64_t slot)
{
    bool within =
        slot >= promise->first && slot < promise->first + (int64_t)promise->n;
    return within ? promise->gpus[slot - promise->first] : 0;
}

void slots_free(struct slots *slots)
{
    free(slots->free);
    *slots = (struct slots){0};
}

void slots_begin(struct slots *slots, int64_t first, uint32_t gpus)
{
    slots->first = first;
    slots->gpus = gpus;
    slots->n = 0;
}

static void slots_reach(struct slots *slots, size_t n)
{
    slots->free = mem_grow(slots->free, &slots->cap, n, sizeof *slots->free);
    while (slots->n < n)
        slots->free[slots->n++] = slots->gpus;
}

/* The slots before a deadline, of which the last may be cut short. */
struct slots_span {
    size_t n;
    sim_span last; /* length of the last slot, us */
};

static struct slots_span slots_until(const struct slots *slots, sim_time due)
{
    sim_span left = due - slots->first * slots->length;
    if (left <= 0)
        return (struct slots_span){0};
    int64_t n = (left - 1) / slots->length + 1;
    if (n > SLOTS_MOST)
        return (struct slots_span){SLOTS_MOST, slots->length};
    return (struct slots_span){(size_t)n, left - (n - 1) * slots->length};
}

/* Returns the work to be promised for `work`. At a rate other than 1 the engine
 * rounds the end of each attempt up to a whole microsecond, and a slot has at
 * least a million of them. */
static double slots_need(const struct levels *levels, double work)
{
    bool rounded = levels->n != 1 || levels->rate[0] != 1.0;
    return rounded ? work * (1 + 2e-6) + 1 : work;
}

bool slots_fill(struct slots *slots, const struct levels *levels, double work,
                sim_time due, struct promise *out)
{
    struct slots_span span = slots_until(slots, due);
    double need = slots_need(levels, work);
    if (span.n == 0 || levels->n == 0)
        return false;
    double most =
        (double)(span.n - 1) * (double)slots->length + (double)span.last;
    slots_reach(slots, span.n);
    for (uint32_t q = 0; q < levels->n; q++) {
        double done = 0;
        size_t i = span.n;
        while (levels->rate[q] * most >= need && i > 0 && done < need) {
            uint32_t free = slots->free[--i];
            int at = levels_within(
                levels, free < levels->gpus[q] ? free : levels->gpus[q]);
            if (at >= 0)
                done += levels->rate[at] *
                        (double)(i + 1 == span.n ? span.last : slots->length);
        }
        if (done < need)
            continue;
        out->first = slots->first + (int64_t)i;
        out->n = span.n - i;
        out->gpus = mem_grow(out->gpus, &out->cap, out->n, sizeof *out->gpus);
        for (size_t k = i; k < span.n; k++) {
            uint32_t free = slots->free[k];
            int at = levels_within(
                levels, free < levels->gpus[q] ? free : levels->gpus[q]);
            out->gpus[k - i] = at >= 0 ? levels->gpus[at] : 0;
            slots->free[k] -= out->gpus[k - i];
        }
        return true;
    }
    return false;
}

bool slots_keep(struct slots *slots, const struct levels *levels, double work,
                sim_time due, struct promise *promise)
{
    struct slots_span span = slots_until(slots, due);
    double done = 0, need = slots_need(levels, work);
    slots_reach(slots, span.n);
    for (size_t i = 0; i < span.n; i++) {
        uint32_t gpus = promise_at(promise, slots->first + (int64_t)i);
        int at = levels_within(levels, gpus);
        if (gpus > slots->free[i] || (gpus && at < 0))
            return false;
        if (gpus)
            done += levels->rate[at] *
                    (double)(i + 1 == span.n ? span.last : slots->length);
    }
    if (done < need)
        return false;
    for (size_t i = 0; i < span.n; i++)
        slots->free[i] -= promise_at(promise, slots->first + (int64_t)i);
    return true;
}
