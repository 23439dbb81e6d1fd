/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The naive simulator: gives GPUs to jobs and takes them back. */
#include "tests/differential/naive_internal.h"

#include <limits.h>
#include <string.h>

bool naive_is_up(const struct naive *n, int node)
{
    const struct naive_outage *o = &n->outages[node];
    bool out = n->now >= o->from && n->now < o->until;
    return !out || (n->imagines && o->until < INT_MAX);
}

static int free_on(const struct naive *n, int node)
{
    int count = 0;
    if (!naive_is_up(n, node))
        return 0;
    for (int g = 0; g < n->node_gpus[node]; g++)
        count += n->holder[node * NAIVE_WIDEST + g] < 0;
    return count;
}

/* Gives the job `count` free GPUs of a node, those with the lowest numbers. */
static void take(struct naive *n, int node, int count, int job)
{
    for (int g = 0; g < n->node_gpus[node] && count > 0; g++) {
        int *holder = &n->holder[node * NAIVE_WIDEST + g];
        if (*holder < 0) {
            *holder = job;
            count--;
        }
    }
}

static bool holds_on(const struct naive *n, int node, int job)
{
    for (int g = 0; g < n->node_gpus[node]; g++) {
        if (n->holder[node * NAIVE_WIDEST + g] == job)
            return true;
    }
    return false;
}

/* Returns the number of GPUs of the virtual cluster's widest node on which the
 * job holds no GPU; 0 if there is none. */
static int widest(const struct naive *n, int vc, int job)
{
    int most = 0;
    for (int node = 0; node < n->n_nodes; node++) {
        if (n->node_vc[node] == vc && n->node_gpus[node] > most &&
            !holds_on(n, node, job))
            most = n->node_gpus[node];
    }
    return most;
}

/* Returns the virtual cluster's node with the fewest free GPUs among those with
 * enough; of several such nodes, the first; -1 if no node has enough. */
static int fullest(const struct naive *n, int vc, int gpus)
{
    int best = -1;
    for (int node = 0; node < n->n_nodes; node++) {
        if (n->node_vc[node] != vc || free_on(n, node) < gpus)
            continue;
        if (best < 0 || free_on(n, node) < free_on(n, best))
            best = node;
    }
    return best;
}

/* Returns the virtual cluster's widest node on which no job runs; of several
 * such nodes, the first; -1 if there is none. */
static int widest_idle(const struct naive *n, int vc)
{
    int best = -1;
    for (int node = 0; node < n->n_nodes; node++) {
        if (n->node_vc[node] != vc || free_on(n, node) != n->node_gpus[node])
            continue;
        if (best < 0 || n->node_gpus[node] > n->node_gpus[best])
            best = node;
    }
    return best;
}

static bool place_consolidated(struct naive *n, int job)
{
    int vc = n->jobs[job].vc, rest = n->jobs[job].gpus;
    int most = widest(n, vc, job);
    bool several = rest > most;
    while (rest > most || (several && rest == most)) {
        int node = widest_idle(n, vc);
        if (node < 0)
            return false;
        take(n, node, n->node_gpus[node], job);
        rest -= n->node_gpus[node];
        if (rest == 0)
            return true;
        most = widest(n, vc, job);
    }
    int last = fullest(n, vc, rest);
    if (last >= 0)
        take(n, last, rest, job);
    return last >= 0;
}

static bool place_first_fit(struct naive *n, int job)
{
    int rest = n->jobs[job].gpus;
    for (int node = 0; node < n->n_nodes && rest > 0; node++) {
        if (n->node_vc[node] != n->jobs[job].vc)
            continue;
        int count = free_on(n, node) < rest ? free_on(n, node) : rest;
        take(n, node, count, job);
        rest -= count;
    }
    return rest == 0;
}

/* Writes the job into n->holder for the GPUs that it gets, or leaves n->holder
 * unchanged. */
bool naive_place(struct naive *n, int job)
{
    int before[NAIVE_GPUS];
    memcpy(before, n->holder, sizeof before);
    bool placed = n->placer == NAIVE_CONSOLIDATE ? place_consolidated(n, job)
                                                 : place_first_fit(n, job);
    if (!placed)
        memcpy(n->holder, before, sizeof before);
    return placed;
}

void naive_leave(struct naive *n, int job)
{
    for (int g = 0; g < NAIVE_GPUS; g++) {
        if (n->holder[g] == job)
            n->holder[g] = -1;
    }
}

bool naive_holds(const struct naive *n, int job)
{
    for (int g = 0; g < NAIVE_GPUS; g++) {
        if (n->holder[g] == job)
            return true;
    }
    return false;
}

bool naive_can_ever_start(struct naive *n, int job)
{
    int saved[NAIVE_GPUS];
    memcpy(saved, n->holder, sizeof saved);
    memset(n->holder, 0xff, sizeof n->holder);
    n->imagines = true;
    bool placed = naive_place(n, job);
    memcpy(n->holder, saved, sizeof saved);
    n->imagines = false;
    return placed;
}
