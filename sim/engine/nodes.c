/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes that go out of service and return. */
#include "sim/engine/engine_internal.h"

/* Preempts the job because its node goes: no work is lost. */
static void evict(struct engine *e, struct job *job)
{
    if (fail_ends_in_lag(e, job))
        return;
    commit_leave(e, job, LEDGER_STOPPED, 0, "capacity");
    board_move(&e->board, job, JOB_PENDING);
    engine_note(e, EVENT_STOPPED, job, NODE_NONE);
}

/* A holder of some GPU of the node, or NULL. */
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

/* A node can be down for several reasons at once; it is up when none is left.
 */
void nodes_down(struct engine *e, node_id id, const char *why)
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
