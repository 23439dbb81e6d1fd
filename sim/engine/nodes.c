/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes that go out of service and return, and spare nodes. */
#include <stdlib.h>
#include <string.h>

#include "sim/engine/engine_internal.h"

/* Stops a job whose node goes out of service. The job loses no work; if it has
 * done all its work, it finishes. */
static void evict(struct engine *e, struct job *job)
{
    if (fail_ends_in_lag(e, job))
        return;
    commit_leave(e, job, LEDGER_STOPPED, 0, "capacity");
    apply_pending(e, job);
    if (e->parts.config.outage_place == OUTAGE_KEEPS_PLACE)
        board_keep_place(&e->board, job);
    engine_note(e, EVENT_STOPPED, job, NODE_NONE);
}

/* Returns a job that holds a GPU of the node, or NULL. */
static struct job *some_holder(struct engine *e, node_id id)
{
    const struct cluster *c = e->parts.cluster;
    const struct node *node = &c->nodes[id];
    for (uint32_t g = 0; g < node->gpus; g++) {
        gpu_id gpu = node->first_gpu + g;
        if (c->n_holders[gpu])
            return &e->board.jobs[c->holders[(size_t)gpu * c->share_limit]];
    }
    return NULL;
}

void nodes_count_change(struct engine *e)
{
    const struct ledger *ledger = e->parts.ledger;
    uint64_t moves = ledger->n_moves - ledger->n_node_changes;
    bool stalled = moves == e->moves_before && engine_is_stalled(e);
    e->n_stalled = stalled ? e->n_stalled + 1 : 0;
    e->moves_before = moves;
}

static void touch(struct engine *e, node_id id)
{
    const struct cluster *c = e->parts.cluster;
    board_touch(&e->board, c->pools[c->nodes[id].pool].vc);
}

/* Adds a reason for the node to be down. The first reason stops the jobs on the
 * node; the node is up again when no reason is left. */
static void go_down(struct engine *e, node_id id, const char *why)
{
    struct job *job;
    if (e->parts.cluster->nodes[id].downs++ > 0)
        return;
    while ((job = some_holder(e, id)))
        evict(e, job);
    cluster_set_up(e->parts.cluster, id, false);
    ledger_add(e->parts.ledger, &(struct ledger_move){.at = e->board.now,
                                                      .kind = LEDGER_NODE_DOWN,
                                                      .node = id,
                                                      .why = why});
    touch(e, id);
    engine_note(e, EVENT_NODE_DOWN, NULL, id);
}

/* Orders planned changes as the engine applies them. */
static int by_turn(const void *a, const void *b)
{
    const struct capacity_change *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->up - y->up;
}

/* Finds when each node leaves for good: it goes down by a planned change, and
 * no later ones bring it back. */
static void find_gone(struct engine *e)
{
    size_t n = e->parts.n_changes, n_nodes = e->parts.cluster->n_nodes;
    struct capacity_change *changes = mem_alloc(n * sizeof *changes);
    uint8_t *out = mem_zalloc(n_nodes, sizeof *out);
    memcpy(changes, e->parts.changes, n * sizeof *changes);
    for (size_t i = 0; i < n; i++)
        changes[i].at = changes[i].at < 0 ? 0 : changes[i].at;
    qsort(changes, n, sizeof *changes, by_turn);
    e->gone_at = mem_alloc(n_nodes * sizeof *e->gone_at);
    for (node_id id = 0; id < n_nodes; id++)
        e->gone_at[id] = TIME_NEVER;
    for (size_t i = 0; i < n; i++) {
        const struct capacity_change *change = &changes[i];
        node_id id = change->node;
        uint8_t plan = (uint8_t)(1U << change->plan), before = out[id];
        out[id] = change->up ? before & (uint8_t)~plan : before | plan;
        if (!out[id])
            e->gone_at[id] = TIME_NEVER;
        else if (!before)
            e->gone_at[id] = change->at;
    }
    free(changes);
    free(out);
}

void nodes_open_gone(struct engine *e, bool open)
{
    for (node_id id = 0; id < e->parts.cluster->n_nodes; id++) {
        if (e->gone_at[id] != NODES_IS_GONE)
            continue;
        if (open)
            cluster_open(&e->empty, id);
        else
            cluster_close(&e->empty, id);
    }
}

void nodes_up(struct engine *e, node_id id)
{
    if (e->parts.cluster->nodes[id].up || !cluster_open(e->parts.cluster, id))
        return;
    ledger_add(e->parts.ledger, &(struct ledger_move){.at = e->board.now,
                                                      .kind = LEDGER_NODE_UP,
                                                      .node = id});
    nodes_count_change(e);
    touch(e, id);
    engine_note(e, EVENT_NODE_UP, NULL, id);
}

static void leave_for_good(struct engine *e, node_id id)
{
    e->gone_at[id] = NODES_IS_GONE;
    e->n_gone++;
    cluster_close(&e->empty, id);
    e->n_admissions = 0; /* their answers are about more nodes */
    e->must_set_aside = true;
}

void nodes_planned(struct engine *e, size_t change)
{
    const struct capacity_change *c = &e->parts.changes[change];
    uint8_t *out = &e->planned_out[c->node], plan = (uint8_t)(1U << c->plan);
    bool is_out = *out & plan;
    if (is_out != c->up) {
        e->n_repeats++;
        return;
    }
    *out ^= plan;
    if (c->up)
        nodes_up(e, c->node);
    else
        go_down(e, c->node, "capacity");
    if (e->gone_at[c->node] == e->board.now)
        leave_for_good(e, c->node);
}

/* Brings a spare node of the pool of node `id` into service, after the time
 * swap_s. Counts the node as missed if no spare is ready. Does nothing if the
 * run has no spares. */
static void replace(struct engine *e, node_id id)
{
    struct spares *s = &e->spares;
    uint32_t pool = e->parts.cluster->nodes[id].pool;
    if (!s->n)
        return;
    if (s->n[pool] == 0) {
        s->missed[pool]++;
        return;
    }
    node_id spare = s->at[pool * e->parts.config.spares + --s->n[pool]];
    evq_add(&e->queue, e->board.now + e->parts.config.swap, EVENT_NODE_UP,
            spare | NODES_SPARE);
}

void nodes_out(struct engine *e, node_id id, sim_span out, const char *why)
{
    go_down(e, id, why);
    replace(e, id);
    evq_add(&e->queue, e->board.now + out, EVENT_NODE_UP, id | NODES_REPAIRED);
}

void nodes_repaired(struct engine *e, node_id id)
{
    struct spares *s = &e->spares;
    uint32_t pool = e->parts.cluster->nodes[id].pool;
    if (s->n && s->missed[pool] == 0) {
        s->at[pool * e->parts.config.spares + s->n[pool]++] = id;
        return;
    }
    if (s->n)
        s->missed[pool]--;
    nodes_up(e, id);
}

enum status nodes_init(struct engine *e, struct error *err)
{
    struct cluster *c = e->parts.cluster;
    uint32_t spares = e->parts.config.spares;
    e->planned_out = mem_zalloc(c->n_nodes, sizeof *e->planned_out);
    if (e->parts.n_changes)
        find_gone(e);
    if (spares == 0)
        return STATUS_OK;
    e->spares.at = mem_alloc(c->n_pools * spares * sizeof *e->spares.at);
    e->spares.n = mem_zalloc(c->n_pools, sizeof *e->spares.n);
    e->spares.missed = mem_zalloc(c->n_pools, sizeof *e->spares.missed);
    for (uint32_t p = 0; p < c->n_pools; p++) {
        const struct pool *pool = &c->pools[p];
        if (pool->profiler || pool->n_nodes == 0)
            continue;
        if (pool->n_nodes <= spares)
            return error_set(err, STATUS_USAGE,
                             "engine: spares=%u, but virtual cluster %s has a "
                             "pool of %u nodes",
                             spares, c->vcs[pool->vc], pool->n_nodes);
        for (uint32_t i = 0; i < spares; i++) {
            node_id node = pool->first_node + pool->n_nodes - 1 - i;
            e->spares.at[p * spares + e->spares.n[p]++] = node;
            go_down(e, node, "spare");
            /* closed also in the empty cluster, because a job that only a spare
             * could run must be rejected */
            cluster_close(&e->empty, node);
        }
    }
    return STATUS_OK;
}

void nodes_fini(struct engine *e)
{
    free(e->planned_out);
    free(e->gone_at);
    free(e->spares.at);
    free(e->spares.n);
    free(e->spares.missed);
}
