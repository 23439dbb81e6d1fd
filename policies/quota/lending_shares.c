/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/quota/lending_shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static double shares_gpus(const struct view *view)
{
    const struct cluster *c = view_cluster(view);
    double gpus = 0;
    for (uint32_t p = 0; p < c->n_pools; p++)
        gpus += c->pools[p].profiler ? 0 : c->pools[p].n_gpus;
    return gpus;
}

void lending_shares_init(struct lending_shares *shares,
                         const struct quota_tree *quotas,
                         const struct view *view, double k, double half_life_s)
{
    const uint32_t n = quotas->n;
    *shares = (struct lending_shares){
        .tree = {mem_alloc(n * sizeof *shares->tree.nodes), n},
        .order = mem_zalloc(n, sizeof *shares->order),
        .quotas = quotas,
        .queues = mem_zalloc(n, sizeof *shares->queues),
        .vc_of = mem_zalloc(n, sizeof *shares->vc_of),
        .k = k,
        .half_life_s = half_life_s,
        .used = mem_zalloc(n, sizeof *shares->used),
        .held = mem_zalloc(n, sizeof *shares->held),
    };
    memcpy(shares->tree.nodes, quotas->nodes, n * sizeof *quotas->nodes);
    for (uint32_t i = 0; i < n; i++) {
        const struct quota_node *node = &quotas->nodes[i];
        shares->tree.nodes[i].borrowing_limit = QUOTA_NO_LIMIT;
        shares->tree.nodes[i].lending_limit = QUOTA_NO_LIMIT;
        if (node->is_queue)
            shares->vc_of[i] =
                (uint16_t)cluster_vc_find(view_cluster(view), node->name);
    }
}

void lending_shares_fini(struct lending_shares *shares)
{
    free(shares->tree.nodes);
    free(shares->order);
    free(shares->queues);
    free(shares->vc_of);
    free(shares->used);
    free(shares->held);
}

void lending_shares_note(struct lending_shares *shares, const struct view *view)
{
    const struct quota_tree *quotas = shares->quotas;
    double span_s = span_seconds(view_now(view) - shares->since);
    double decay = division_decay(shares->half_life_s, span_s);
    /* seconds that count: the integral of the decay over the span */
    double counted = shares->half_life_s > 0
                         ? (1 - decay) * shares->half_life_s / log(2)
                         : span_s;
    for (uint32_t i = 0; i < quotas->n; i++)
        shares->used[i] = shares->used[i] * decay + shares->held[i] * counted;
    shares->capacity = shares->capacity * decay + shares_gpus(view) * counted;
    shares->since = view_now(view);
    for (uint32_t i = quotas->n; i-- > 0;) {
        const struct quota_node *node = &quotas->nodes[i];
        shares->held[i] =
            node->is_queue ? view->board->held[shares->vc_of[i]] : 0;
    }
    for (uint32_t i = quotas->n; i-- > 0;) {
        if (quotas->nodes[i].parent != QUOTA_NO_PARENT)
            shares->held[quotas->nodes[i].parent] += shares->held[i];
    }
}

/* Returns the GPUs that the jobs of a virtual cluster hold and wait for, or a
 * number of at least `enough`. */
static double shares_request(const struct view *view, uint16_t vc,
                             double enough)
{
    double gpus = view->board->held[vc];
    const struct job *job = view_first_pending(view, vc);
    for (; job && gpus < enough; job = view_next_pending(view, job))
        gpus += job->gpus;
    return gpus;
}

/* Says what each node deserves and asks for. The quotas of children count
 * whole, also what they do not lend. */
static void shares_ask(struct lending_shares *s, const struct view *view,
                       double all)
{
    const struct quota_node *nodes = s->quotas->nodes;
    for (uint32_t i = s->quotas->n; i-- > 0;) {
        struct division_queue *q = &s->queues[i];
        bool root = nodes[i].parent == QUOTA_NO_PARENT;
        double whole = q->deserved + (double)nodes[i].nominal;
        double most = nodes[i].borrowing_limit == QUOTA_NO_LIMIT
                          ? INFINITY
                          : whole + (double)nodes[i].borrowing_limit;
        double request = nodes[i].is_queue
                             ? shares_request(view, s->vc_of[i], all)
                             : q->request; /* the sum of its children */
        /* what it does not lend is not divided among others */
        request = fmax(request, (double)nodes[i].local);
        *q = (struct division_queue){
            .parent = root ? DIVISION_ROOT : nodes[i].parent,
            .deserved = whole,
            .request = request,
            .most = root ? whole : most,
            .weight = nodes[i].weight,
            .usage = s->capacity > 0 ? s->used[i] / s->capacity : 0,
        };
        if (root)
            continue;
        s->queues[nodes[i].parent].deserved += whole;
        s->queues[nodes[i].parent].request += fmin(request, q->most);
    }
}

void lending_shares_divide(struct lending_shares *s, const struct view *view)
{
    const uint32_t n = s->quotas->n;
    double all = shares_gpus(view);
    for (uint32_t i = 0; i < n; i++)
        s->queues[i].request = s->queues[i].deserved = 0;
    shares_ask(s, view, all);
    division_split_tree(s->queues, n, all, s->k);
    for (uint32_t i = 0; i < n; i++) {
        const struct quota_node *real = &s->quotas->nodes[i];
        double share = s->queues[i].share;
        s->order[i] = share > 0 ? s->held[i] / share : INFINITY;
        s->tree.nodes[i].nominal = real->parent == QUOTA_NO_PARENT
                                       ? (int64_t)s->queues[i].deserved
                                       : (int64_t)share;
    }
    /* A cohort keeps what its children have not: no GPU is lost. */
    for (uint32_t i = n; i-- > 0;) {
        uint32_t parent = s->quotas->nodes[i].parent;
        int64_t part = (int64_t)s->queues[i].share;
        if (parent == QUOTA_NO_PARENT)
            continue;
        int64_t *left = &s->tree.nodes[parent].nominal;
        *left = *left > part ? *left - part : 0;
    }
    quota_tree_init(&s->tree);
    for (uint32_t i = 0; i < n; i++) {
        if (s->quotas->nodes[i].is_queue)
            quota_use(&s->tree, i, s->held[i]);
    }
}
