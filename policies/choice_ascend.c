/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prices of the multiple-choice problem: subgradient ascent with Polyak's steps
 * towards a target that is a little above the best bound so far, and lowered
 * where it turns out to be too high (Goffin and Kiwiel 1999, level control).
 * Found in floating point, then rounded: the bound is that of the rounded
 * prices, computed in whole numbers, and so exact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/choice_core.h"
#include "sim/base/arena.h"

/* In units of cost: costs are whole, so a bound this close to the best proves
 * nearly always what the best would prove. */
#define CLOSE_ENOUGH 0.02
#define FIRST_STEP 4.0
#define PATIENCE 6
#define STEPS_MAX 400

struct ascent {
    const struct choice_core *core;
    double *price, *best, *slope; /* by type */
    double highest;
};

/* The bound at `price`; the slope is the use above what there is. */
static double evaluate(const struct choice_core *core, const double *price,
                       double *slope)
{
    double bound = 0;
    for (uint32_t t = 0; t < core->n_types; t++) {
        slope[t] = -(double)core->capacity[t];
        bound += price[t] * slope[t];
    }
    for (uint32_t j = 0; j < core->n_jobs; j++) {
        const struct choice_option *least = NULL;
        double at = 0;
        for (uint32_t o = core->start[j]; o < core->start[j + 1]; o++) {
            const struct choice_option *option = &core->option[o];
            double value =
                (double)option->cost + price[option->type] * option->gpus;
            if (!least || value < at) {
                least = option;
                at = value;
            }
        }
        bound += at;
        slope[least->type] += least->gpus;
    }
    return bound;
}

/* Length of the slope; a price of zero cannot be lowered. */
static double steepness(const struct ascent *a)
{
    double sum = 0;
    for (uint32_t t = 0; t < a->core->n_types; t++) {
        if (a->slope[t] > 0 || a->price[t] > 0)
            sum += a->slope[t] * a->slope[t];
    }
    return sum;
}

static uint32_t climb(struct ascent *a)
{
    uint32_t n = a->core->n_types, steps = 0, idle = 0;
    double above = FIRST_STEP;
    a->highest = -INFINITY;
    while (steps++ < STEPS_MAX && above > CLOSE_ENOUGH) {
        double bound = evaluate(a->core, a->price, a->slope);
        if (bound > a->highest) {
            idle = bound > a->highest + above / 4 ? 0 : idle + 1;
            a->highest = bound;
            memcpy(a->best, a->price, n * sizeof *a->best);
        } else {
            idle++;
        }
        if (idle > PATIENCE) {
            above /= 2;
            idle = 0;
        }
        double steep = steepness(a);
        if (!(steep > 0))
            break;
        double step = (a->highest + above - bound) / steep;
        for (uint32_t t = 0; t < n; t++)
            a->price[t] = fmax(0, a->price[t] + step * a->slope[t]);
    }
    return steps;
}

static int64_t exact_bound(const struct choice_core *core,
                           const struct choice_prices *prices)
{
    int64_t bound = 0;
    for (uint32_t t = 0; t < core->n_types; t++)
        bound -= prices->price[t] * core->capacity[t];
    for (uint32_t j = 0; j < core->n_jobs; j++) {
        int64_t least = INT64_MAX;
        for (uint32_t o = core->start[j]; o < core->start[j + 1]; o++) {
            int64_t value = choice_value(prices, &core->option[o]);
            least = value < least ? value : least;
        }
        bound += least;
    }
    return bound;
}

void choice_ascend(const struct choice_core *core, struct choice_prices *prices)
{
    uint32_t n = core->n_types;
    double *room = mem_zalloc(3 * (size_t)n + 1, sizeof *room);
    struct ascent a = {
        .core = core, .price = room, .best = room + n, .slope = room + 2 * n};
    prices->steps = climb(&a);
    for (uint32_t t = 0; t < n; t++)
        prices->price[t] = llrint(a.best[t] * (double)CHOICE_SCALE);
    prices->bound = exact_bound(core, prices);
    free(room);
}
