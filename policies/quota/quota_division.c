/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/quota/quota_division.h"

#include <math.h>
#include <stdbool.h>

/* Returns how much more a queue asks for and may have. */
static double division_open(const struct division_queue *q)
{
    return fmax(0, fmin(q->request, q->most) - q->share);
}

/* Sets *priority to the highest priority below `below` of a child. Returns
 * false if there is none. */
static bool division_next_priority(const struct division_queue *queues,
                                   uint32_t n, uint32_t parent, int64_t below,
                                   int64_t *priority)
{
    bool found = false;
    for (uint32_t i = 0; i < n; i++) {
        const struct division_queue *q = &queues[i];
        if (q->parent != parent || q->priority >= below ||
            (found && q->priority <= *priority))
            continue;
        *priority = q->priority;
        found = true;
    }
    return found;
}

/* True if the queue takes part in a round. */
static bool division_asks(const struct division_queue *q, uint32_t parent,
                          int64_t priority)
{
    return q->parent == parent && q->priority == priority && q->weight > 0 &&
           division_open(q) > 0;
}

/* Returns P of a queue; `weights`: the sum over the queues of the round. */
static double division_part(const struct division_queue *q, double weights,
                            double k)
{
    double w = q->weight / weights;
    return fmax(0, w + k * (w - q->usage));
}

/* One round. Returns true if another one must follow. */
static bool division_round(struct division_queue *queues, uint32_t n,
                           uint32_t parent, int64_t priority, double k,
                           double *rest)
{
    double weights = 0, parts = 0, sum = 0, at_start = *rest;
    bool again = false;
    for (uint32_t i = 0; i < n; i++) {
        if (division_asks(&queues[i], parent, priority))
            weights += queues[i].weight;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (division_asks(&queues[i], parent, priority))
            parts += division_part(&queues[i], weights, k);
    }
    for (uint32_t i = 0; i < n && parts > 0; i++) {
        struct division_queue *q = &queues[i];
        if (!division_asks(q, parent, priority))
            continue;
        double offer = at_start * division_part(q, weights, k) / parts;
        double open = division_open(q), part = floor(offer);
        q->fraction = offer - part;
        if (open <= offer) {
            part = open;
            q->fraction = 0;
            again |= open < offer;
        }
        q->share += part;
        sum += part;
    }
    *rest = fmax(0, *rest - sum);
    return again;
}

/* Returns the queue that gets a unit next; NULL: none has a fraction. */
static struct division_queue *division_next_fraction(
    struct division_queue *queues, uint32_t n, uint32_t parent)
{
    struct division_queue *best = NULL;
    for (uint32_t i = 0; i < n; i++) {
        struct division_queue *q = &queues[i];
        if (q->parent != parent || q->fraction <= 0)
            continue;
        if (!best || q->priority > best->priority ||
            (q->priority == best->priority &&
             (q->fraction > best->fraction ||
              (q->fraction >= best->fraction && q->created < best->created))))
            best = q;
    }
    return best;
}

double division_split_rest(struct division_queue *queues, uint32_t n,
                           uint32_t parent, double rest, double k)
{
    struct division_queue *q;
    int64_t priority = INT64_MAX;
    while (division_next_priority(queues, n, parent, priority, &priority)) {
        while (rest > 0 &&
               division_round(queues, n, parent, priority, k, &rest))
            continue;
    }
    while (rest > 0 && (q = division_next_fraction(queues, n, parent))) {
        double part = fmin(1, rest);
        q->share += part;
        q->fraction = 0;
        rest -= part;
    }
    return rest;
}

double division_split(struct division_queue *queues, uint32_t n,
                      uint32_t parent, double total, double k)
{
    for (uint32_t i = 0; i < n; i++) {
        struct division_queue *q = &queues[i];
        if (q->parent != parent)
            continue;
        q->share = fmin(q->deserved, fmin(q->request, q->most));
        q->fraction = 0;
        total -= q->share;
    }
    return division_split_rest(queues, n, parent, fmax(0, total), k);
}

void division_split_tree(struct division_queue *queues, uint32_t n,
                         double total, double k)
{
    division_split(queues, n, DIVISION_ROOT, total, k);
    for (uint32_t i = 0; i < n; i++)
        division_split(queues, n, i, queues[i].share, k);
}

double division_decay(double half_life_s, double age_s)
{
    return half_life_s > 0 ? exp2(-age_s / half_life_s) : 1;
}
