/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In Lucid's simulator the profiler takes nodes from a virtual cluster and
 * gives them back. Profiling is over before the virtual clusters begin, so the
 * simulator replays these changes at the seconds at which they happened. If no
 * node is idle when a node should leave, no node leaves.
 *
 * Nodes have labels, at first their numbers. The node that leaves is the idle
 * one with the highest label; the node that returns is a new one, after all
 * others, labelled NEW. So the description of the cluster must have spare nodes
 * at the end of the virtual cluster. They are closed until they are needed. */
#include <stdlib.h>
#include <string.h>

#include "policies/lucid/lucid.h"

#define NEW 9999
#define NO_LABEL UINT32_MAX /* label of a closed node */

void lucid_echo_init(struct lucid_echo *e, const struct lucid *s,
                     const struct view *view)
{
    const struct cluster *c = view_cluster(view);
    const char *vc = s->config->echo_vc;
    *e = (struct lucid_echo){.first = s->first, .next = 1};
    if (!e->first || e->first->n_node_changes == 0 || !vc[0])
        return;
    /* The first change closed the spare node of the profiler. */
    e->spare = e->first->node_changes[0].node;
    e->vc = cluster_vc_find(c, vc);
    for (uint32_t p = 0; p < c->n_pools && e->vc != UINT16_MAX; p++) {
        const struct pool *pool = &c->pools[p];
        if (pool->vc != e->vc || pool->profiler || e->n_nodes)
            continue;
        e->first_node = pool->first_node;
        e->n_nodes = pool->n_nodes;
    }
}

void lucid_echo_fini(struct lucid_echo *e)
{
    free(e->labels);
}

/* Labels the nodes. Called at the first decision, because the nodes that the
 * description of the cluster closes from the start are closed by then; they are
 * the spare nodes. */
static void label_nodes(struct lucid_echo *e, const struct cluster *c)
{
    e->labels = mem_zalloc(e->n_nodes + 1u, sizeof *e->labels);
    for (uint32_t i = 0; i < e->n_nodes; i++)
        e->labels[i] = c->nodes[e->first_node + i].up ? i : NO_LABEL;
}

static bool is_idle(const struct node *node)
{
    return node->up && node->n_free == node->gpus;
}

/* Closes the idle node with the highest label. If a node has left before, an
 * open node that is labelled NEW takes over the label of the closed node. */
static void take_away(struct lucid_echo *e, struct plan *plan)
{
    const struct cluster *c = view_cluster(plan->view);
    uint32_t best = NO_LABEL;
    for (uint32_t i = 0; i < e->n_nodes; i++) {
        if (e->labels[i] != NO_LABEL && is_idle(&c->nodes[e->first_node + i]) &&
            (best == NO_LABEL || e->labels[i] > e->labels[best]))
            best = i;
    }
    if (best == NO_LABEL || !plan_close(plan, e->first_node + best))
        return;
    for (uint32_t i = 0; i < e->n_nodes && e->removed; i++) {
        if (i != best && e->labels[i] == NEW)
            e->labels[i] = e->labels[best];
    }
    e->labels[best] = NO_LABEL;
    e->removed = true;
}

/* Opens the first closed node after all open ones, unless there is none or an
 * open node is already labelled NEW. */
static void lucid_echo_give_back(struct lucid_echo *e, struct plan *plan)
{
    uint32_t next = 0; /* first node after all open ones */
    for (uint32_t i = 0; i < e->n_nodes; i++) {
        if (e->labels[i] == NEW)
            return;
        if (e->labels[i] != NO_LABEL)
            next = i + 1;
    }
    if (next == e->n_nodes)
        return;
    plan_open(plan, e->first_node + next);
    e->labels[next] = NEW;
}

sim_time lucid_echo_next(const struct lucid_echo *e)
{
    if (e->n_nodes == 0 || e->next >= e->first->n_node_changes)
        return TIME_NEVER;
    return e->first->node_changes[e->next].at;
}

bool lucid_echo_decide(struct lucid_echo *e, struct plan *plan)
{
    bool any = false;
    if (e->n_nodes && !e->labels)
        label_nodes(e, view_cluster(plan->view));
    for (; lucid_echo_next(e) <= view_now(plan->view); e->next++) {
        const struct node_change *change = &e->first->node_changes[e->next];
        if (change->node != e->spare)
            continue;
        any = true;
        if (change->kind == LEDGER_NODE_UP)
            take_away(e, plan);
        else
            lucid_echo_give_back(e, plan);
    }
    return any;
}
