/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges whether the jobs of a class could start now. */
#include "commands/explain_internal.h"

uint32_t explain_below(const uint32_t *list, uint32_t n, uint32_t value)
{
    uint32_t lo = 0, hi = n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (list[mid] < value)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool explain_in_reach(const struct explain_class *c,
                      const struct explain_pool *pool)
{
    return (pool->vc == c->vc || pool->vc == EXPLAIN_ANY_VC) &&
           (c->type == UINT32_MAX || c->type == pool->type);
}

bool explain_is_quota(const struct explain_line *line,
                      const struct explain_class *c)
{
    int64_t elsewhere = 0;
    if (line->data->merged)
        return verify_quota_left(line->data, line->held, c->vc) <
               (int64_t)c->gpus;
    for (uint32_t i = 0; i < line->pools.n; i++) {
        const struct explain_pool *pool = &line->pools.at[i];
        if (pool->vc != c->vc &&
            (c->type == UINT32_MAX || c->type == pool->type))
            elsewhere += pool->free;
    }
    return elsewhere >= (int64_t)c->gpus;
}

static enum explain_fit fit_in(const struct explain_line *line,
                               const struct explain_pool *pool, uint32_t gpus)
{
    if (pool->up + pool->lent < (int64_t)gpus)
        return FIT_OUT;
    if (pool->up < (int64_t)gpus)
        return pool->free + pool->lent < (int64_t)gpus ? FIT_FULL : FIT_LENT;
    if (pool->free < (int64_t)gpus)
        return FIT_FULL;
    return explain_pools_fit(&line->pools, pool, gpus) ? FIT_PLACED
                                                       : FIT_FRAGMENTED;
}

struct explain_state explain_judge(const struct explain_line *line,
                                   const struct explain_class *c)
{
    struct explain_state state = {.fit = FIT_OUT, .front = EXPLAIN_NO_WAIT};
    uint32_t rank = 0;
    for (uint32_t i = 0; i < line->pools.n; i++) {
        const struct explain_pool *pool = &line->pools.at[i];
        if (!explain_in_reach(c, pool))
            continue;
        enum explain_fit fit = fit_in(line, pool, c->gpus);
        state.fit = fit > state.fit ? fit : state.fit;
        uint64_t missing = c->gpus - (uint64_t)pool->free;
        missing -= pool->up < (int64_t)c->gpus ? (uint64_t)pool->lent : 0;
        if (fit != FIT_FULL || missing > pool->n_held)
            continue;
        /* the jobs after which others hold as many GPUs as are missing */
        uint32_t n = explain_sums_reach(&pool->held, pool->n_held - missing);
        rank = n > rank ? n : rank;
    }
    bool by_quota = line->data->merged &&
                    (state.fit == FIT_PLACED || state.fit == FIT_FRAGMENTED) &&
                    explain_is_quota(line, c);
    if (by_quota) {
        state.fit = FIT_FULL;
        rank = UINT32_MAX; /* no end of another job is what it lacks */
    }
    if (state.fit == FIT_FULL) {
        state.quota = line->data->merged ? by_quota : explain_is_quota(line, c);
        state.n_passed = explain_below(c->jobs, c->n_jobs, rank);
    }
    return state;
}
