/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/decide/bookings.h"

static const struct booking *booking_own(const struct bookings *bookings,
                                         const struct job *job)
{
    const uint32_t own = bookings->own[job->id];
    return own ? &bookings->at[own - 1] : NULL;
}

/* True if the booking is another one's, and in the way of a job that runs from
 * `at` on for `length`. */
static bool booking_meets(const struct bookings *bookings, uint32_t i,
                          const struct job *job, sim_time at, sim_span length)
{
    const struct booking *b = &bookings->at[i];
    return bookings->own[job->id] != i + 1 && at < b->until &&
           (length == 0 || b->from < at + length);
}

static bool booking_has(const struct booking *b, node_id node)
{
    for (uint32_t i = 0; i < b->n_nodes; i++) {
        if (b->nodes[i] == node)
            return true;
    }
    return false;
}

static bool booking_is_open(const struct booking *b, sim_time at)
{
    return at >= b->from && at < b->until;
}

static bool booking_bar_node(struct bookings *bookings, struct cluster *c,
                             const struct job *job, node_id node)
{
    const struct gpu_slice slice = {node, c->nodes[node].free};
    if (!c->nodes[node].up || !slice.mask)
        return false;
    cluster_take(c, slice, job->id);
    bookings->barred[bookings->n_barred++] = slice;
    return true;
}

uint32_t bookings_bar(struct bookings *bookings, struct cluster *c,
                      const struct pool *pool, const struct job *job,
                      sim_time at, sim_span length)
{
    const struct booking *own = booking_own(bookings, job);
    uint32_t keeps = 0;
    bookings->n_barred = 0;
    for (uint32_t k = 0; own && k < pool->n_nodes; k++) {
        const node_id n = pool->first_node + k;
        if (pool_has(c, pool, n) &&
            (!booking_has(own, n) || !booking_is_open(own, at)) &&
            booking_bar_node(bookings, c, job, n))
            keeps = bookings->own[job->id];
    }
    for (uint32_t i = 0; i < bookings->n; i++) {
        const struct booking *b = &bookings->at[i];
        if (!booking_meets(bookings, i, job, at, length))
            continue;
        for (uint32_t k = 0; k < b->n_nodes; k++) {
            if (pool_has(c, pool, b->nodes[k]) &&
                booking_bar_node(bookings, c, job, b->nodes[k]) &&
                (!keeps || b->until < bookings->at[keeps - 1].until))
                keeps = i + 1;
        }
    }
    return keeps;
}

void bookings_unbar(struct bookings *bookings, struct cluster *c,
                    const struct job *job)
{
    while (bookings->n_barred)
        cluster_give(c, bookings->barred[--bookings->n_barred], job->id);
}

uint32_t bookings_refuse(const struct bookings *bookings, const struct job *job,
                         struct gpu_set where, sim_time at, sim_span length)
{
    const struct booking *own = booking_own(bookings, job);
    for (uint32_t k = 0; k < where.count; k++) {
        const node_id node = where.at[k].node;
        if (own && (!booking_has(own, node) || !booking_is_open(own, at)))
            return bookings->own[job->id];
        for (uint32_t i = 0; i < bookings->n; i++) {
            if (booking_meets(bookings, i, job, at, length) &&
                booking_has(&bookings->at[i], node))
                return i + 1;
        }
    }
    return 0;
}

sim_time bookings_end(const struct bookings *bookings, sim_time at)
{
    sim_time first = TIME_NEVER;
    for (uint32_t i = 0; bookings && i < bookings->n; i++) {
        const sim_time until = bookings->at[i].until;
        if (until > at && until < first)
            first = until;
    }
    return first;
}
