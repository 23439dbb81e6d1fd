/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/urn.h"

#include <math.h>

#include "sim/base/check.h"

void urn_init(struct urn *urn, struct arena *arena, size_t n, double slack)
{
    *urn = (struct urn){
        .share = ARENA_ARRAY(arena, double, n),
        .seen = ARENA_ARRAY(arena, double, n),
        .weight = ARENA_ARRAY(arena, double, n),
        .n = n,
        .slack = slack,
    };
}

void urn_add(struct urn *urn, size_t i, double share)
{
    CHECK(i < urn->n);
    urn->share[i] += share;
}

void urn_ready(struct urn *urn)
{
    double total = 0;
    for (size_t i = 0; i < urn->n; i++)
        total += urn->share[i];
    for (size_t i = 0; i < urn->n && total > 0; i++)
        urn->share[i] /= total;
}

size_t urn_draw(struct urn *urn, gsl_rng *rng, size_t n)
{
    CHECK(n > 0 && n <= urn->n);
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        double behind = urn->share[i] * urn->total - urn->seen[i];
        /* An outcome gets at most twice its share. Otherwise one that is
         * expected less than once would be drawn in every short trace. */
        double factor = fmin(fmax(1 + behind / urn->slack, 0), 2);
        urn->weight[i] = urn->share[i] * factor;
        total += urn->weight[i];
    }
    /* Each of the n outcomes exceeds its share by `slack` or more: use the
     * plain shares. */
    if (total <= 0) {
        for (size_t i = 0; i < n; i++)
            total += urn->weight[i] = urn->share[i];
    }
    double at = gsl_rng_uniform(rng) * total;
    size_t last = 0;
    for (size_t i = 0; i < n; i++) {
        if (urn->weight[i] <= 0)
            continue;
        last = i;
        at -= urn->weight[i];
        if (at < 0)
            break;
    }
    return last;
}

void urn_count(struct urn *urn, size_t i)
{
    CHECK(i < urn->n);
    urn->seen[i]++;
    urn->total++;
}
