/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes from the points of a search the intervals, the order, the reasons
 * and the choice. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/study/size.h"
#include "commands/terminal.h"

static int answer_by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the middle 95 % of n values by nearest rank. Sorts the values. */
static struct size_interval middle(int64_t *values, uint32_t n, uint32_t failed)
{
    struct size_interval out = {.n = n, .n_failed = failed};
    if (n == 0)
        return out;
    qsort(values, n, sizeof *values, answer_by_value);
    uint32_t cut = (uint32_t)floor(0.025 * n);
    out.lo = values[cut];
    out.hi = values[n - 1 - cut];
    return out;
}

/* Returns the interval of the x of `unit`; SIZE_MAX: of the sum of x over all
 * units. */
static struct size_interval answer_interval_of(const struct size *size,
                                               size_t unit)
{
    int64_t *values = mem_zalloc(size->replications + 1, sizeof *values);
    uint32_t n = 0, failed = 0;
    for (uint32_t r = 1; r <= size->replications; r++) {
        int64_t sum = 0;
        bool good = true;
        for (size_t u = 0; u < size->space.n_units; u++) {
            if (unit != SIZE_MAX && unit != u)
                continue;
            const struct size_point *p = size_answer(size_series(size, r, u));
            good &= p != NULL;
            sum += p ? p->x : 0;
        }
        if (good)
            values[n++] = sum;
        else
            failed++;
    }
    struct size_interval out = middle(values, n, failed);
    free(values);
    return out;
}

struct size_interval size_interval_of(const struct size *size, size_t unit)
{
    return answer_interval_of(size, unit);
}

struct size_interval size_interval_of_sum(const struct size *size)
{
    return answer_interval_of(size, SIZE_MAX);
}

static int by_ease(const void *a, const void *b)
{
    const struct size_point *x = a, *y = b;
    return (x->x > y->x) - (x->x < y->x);
}

/* Looks at the points from the hardest x to the easiest. */
struct size_order size_order_of(const struct size *size, size_t unit)
{
    const struct size_series *s = size_series(size, 0, unit);
    struct size_order out = {.is_kept = true, .n = s->n};
    struct size_point *all = mem_alloc((s->n + 1) * sizeof *all);
    bool seen = false;
    memcpy(all, s->points, s->n * sizeof *all);
    qsort(all, s->n, sizeof *all, by_ease);
    for (size_t i = 0; i < s->n; i++) {
        const struct size_point *p =
            &all[size->space.more_is_better ? i : s->n - 1 - i];
        if (p->holds && !seen)
            out.first = p->x;
        seen |= p->holds;
        if (p->holds && !out.has_safe) {
            out.safe = p->x;
            out.has_safe = true;
        }
        if (p->holds || !seen)
            continue;
        if (out.is_kept)
            out.broken = p->x;
        out.is_kept = out.has_safe = false;
    }
    out.any = seen;
    free(all);
    return out;
}

/* Returns the point of the trace itself at the easiest x; NULL: not tried. */
static const struct size_point *easiest(const struct size *size, size_t unit)
{
    const struct size_series *s = size_series(size, 0, unit);
    for (size_t i = 0; i < s->n; i++) {
        if (size_is_best(size, unit, s->points[i].x))
            return &s->points[i];
    }
    return NULL;
}

void size_why(const struct size *size, size_t unit, char *to, size_t room)
{
    const struct size_point *p = easiest(size, unit);
    char value[SIZE_VALUE_MAX], words[160] = "";
    size_t i = 0;
    if (!p) {
        snprintf(to, room, "no value was tried");
        return;
    }
    while (i + 1 < size->n_targets &&
           size_target_holds(&size->targets[i], p->values[i]))
        i++;
    snprintf(words, sizeof words, "%s is %s", size->targets[i].name,
             size_target_words(&size->targets[i], p->values[i], value));
    bool load = size->space.vary == SIZE_LOAD;
    const char *with = load ? "percent of the load" : "nodes";
    if (p->rejected && !size->ignores_rejected)
        snprintf(to, room,
                 "%" PRIu64 " jobs are rejected even with %" PRId64
                 " %s (%.200s); --ignore-rejected leaves them out",
                 p->rejected, p->x, with, p->why);
    else if (p->unfinished)
        snprintf(to, room,
                 "%" PRIu64 " jobs do not finish even with %" PRId64
                 " %s: %.200s",
                 p->unfinished, p->x, with, p->why);
    else if (p->longest_wait <= 0)
        snprintf(to, room,
                 "with %" PRId64 " %s no job waits, and %s: run times alone "
                 "miss the target",
                 p->x, with, words);
    else
        snprintf(to, room,
                 "with %" PRId64 " %s, the %s that were tried (--most), %s",
                 p->x, with, load ? "fewest" : "most", words);
}

/* Returns the price of a month of this many GPUs of a type; NaN: not known. */
static double month_of(const struct size_prices *prices, const char *type,
                       double gpus)
{
    const struct size_price *price = size_price_of(prices, type);
    return price ? gpus * price->per_gpu_hour * SIZE_MONTH_HOURS : NAN;
}

double size_month(const struct size_report *report, const int64_t *x,
                  size_t unit)
{
    const struct size_space *space = &report->size->space;
    uint32_t *nodes = mem_zalloc(space->n_pools + 1, sizeof *nodes);
    double sum = 0;
    size_space_nodes(space, x, nodes);
    for (size_t i = 0; i < space->n_pools; i++) {
        const struct size_pool *p = &space->pools[i];
        if (nodes[i] && (unit == SIZE_MAX || p->varies == unit + 1))
            sum +=
                month_of(report->prices, p->type, (double)nodes[i] * p->gpus);
    }
    free(nodes);
    return sum;
}

double size_gpus(const struct size *size, const int64_t *x, size_t unit)
{
    const struct size_space *space = &size->space;
    uint32_t *nodes = mem_zalloc(space->n_pools + 1, sizeof *nodes);
    double sum = 0;
    size_space_nodes(space, x, nodes);
    for (size_t i = 0; i < space->n_pools; i++) {
        const struct size_pool *p = &space->pools[i];
        if (unit == SIZE_MAX || p->varies == unit + 1)
            sum += (double)nodes[i] * p->gpus;
    }
    free(nodes);
    return sum;
}

int64_t *size_answers(const struct size *size, size_t unit)
{
    int64_t *x = mem_zalloc(size->space.n_units + 1, sizeof *x);
    for (size_t u = 0; u < size->space.n_units; u++) {
        const struct size_point *p = size_answer(size_series(size, 0, u));
        x[u] = size->space.units[u].now;
        if (p && (unit == SIZE_MAX || unit == u))
            x[u] = p->x;
    }
    return x;
}

/* Finds the cheapest GPU type with an answer; if GPU types do not vary, the
 * first unit with one. SIZE_MAX: none has an answer. */
static size_t answer_cheapest(const struct size_report *report)
{
    const struct size *size = report->size;
    size_t best = SIZE_MAX;
    double least = INFINITY;
    for (size_t u = 0; u < size->space.n_units; u++) {
        if (!size_answer(size_series(size, 0, u)))
            continue;
        int64_t *x = size_answers(size, u);
        double month =
            size->space.vary == SIZE_TYPE ? size_month(report, x, u) : 0;
        free(x);
        if (month < least) {
            least = month;
            best = u;
        }
    }
    return best;
}

bool size_is_met(const struct size_report *report, size_t *choice)
{
    const struct size *size = report->size;
    *choice = size->space.joint ? SIZE_MAX : answer_cheapest(report);
    if (!size->space.joint)
        return *choice != SIZE_MAX;
    for (size_t u = 0; u < size->space.n_units; u++) {
        if (!size_answer(size_series(size, 0, u)))
            return false;
    }
    return true;
}
