/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the nodes of a job and stops the spot jobs that are in its way. */
#include <math.h>

#include "policies/spot/spot_internal.h"

/* Adds or removes the GPUs of a job. */
static void room_change(struct spot_room *room, struct gpu_set where,
                        bool is_spot, bool adds)
{
    const struct cluster *c = view_cluster(room->plan->view);
    for (uint32_t i = 0; i < where.count; i++) {
        const node_id node = where.at[i].node;
        const uint32_t gpus = mask_count(where.at[i].mask);
        uint32_t *held = is_spot ? room->spots : room->guaranteed;
        held[node] += adds ? gpus : 0 - gpus;
        if (is_spot)
            room->in_use[c->nodes[node].pool] += adds ? gpus : 0 - gpus;
    }
}

void spot_room_fill(struct spot_room *room)
{
    struct plan *plan = room->plan;
    const struct view *view = plan->view;
    const struct cluster *c = view_cluster(view);
    uint32_t n = 0;
    for (const struct job *job = view_first_running(view, room->vc); job;
         job = view_next_running(view, job))
        n += view_is_spot(view, job);
    room->guaranteed = plan_scratch(plan, c->n_nodes * sizeof(uint32_t));
    room->spots = plan_scratch(plan, c->n_nodes * sizeof(uint32_t));
    room->in_use = plan_scratch(plan, c->n_pools * sizeof(uint32_t));
    room->running = plan_scratch(plan, (n + 1) * sizeof *room->running);
    for (const struct job *job = view_first_running(view, room->vc); job;
         job = view_next_running(view, job)) {
        const bool is_spot = view_is_spot(view, job);
        room_change(room, view_where(view, job), is_spot, true);
        if (is_spot)
            room->running[room->n_running++] = job;
    }
}

uint32_t spot_open(const struct spot_room *room, node_id node)
{
    const struct node *n = &view_cluster(room->plan->view)->nodes[node];
    return n->up ? n->n_free + room->spots[node] : 0;
}

uint32_t spot_held_on(const struct view *view, const struct job *job,
                      node_id node)
{
    const struct gpu_set where = view_where(view, job);
    for (uint32_t i = 0; i < where.count; i++) {
        if (where.at[i].node == node)
            return mask_count(where.at[i].mask);
    }
    return 0;
}

/* The nodes that a job gets: `gpus` of each. */
struct place_choice {
    node_id *nodes;
    uint32_t *gpus;
    uint32_t n;
};

static bool place_has(const struct place_choice *choice, node_id node)
{
    for (uint32_t i = 0; i < choice->n; i++) {
        if (choice->nodes[i] == node)
            return true;
    }
    return false;
}

/* Returns how many GPUs of a node the job can get. */
static uint32_t place_room(const struct spot_room *room, node_id node,
                           bool preempts)
{
    return preempts ? spot_open(room, node)
                    : view_cluster(room->plan->view)->nodes[node].n_free;
}

/* Returns the best node for the last part of a job; NODE_NONE: none. */
static node_id place_part(const struct spot_room *room, uint32_t pool,
                          uint32_t gpus, bool is_spot, bool preempts,
                          const struct place_choice *choice)
{
    const struct spot_rules *rules = room->spot->rules;
    const struct cluster *c = view_cluster(room->plan->view);
    const struct pool *p = &c->pools[pool];
    node_id best = NODE_NONE;
    double least = 0, least_cost = 0;
    for (node_id node = p->first_node; node < p->first_node + p->n_nodes;
         node++) {
        const uint32_t free = place_room(room, node, preempts);
        if (!pool_has(c, p, node) || free < gpus || place_has(choice, node))
            continue;
        const double rank =
            preempts || !rules->rank ? free : rules->rank(room, is_spot, node);
        if (best != NODE_NONE && rank > least)
            continue;
        const double cost =
            preempts && rules->cost ? rules->cost(room, node, gpus) : 0;
        if (best != NODE_NONE && rank >= least && cost >= least_cost)
            continue;
        best = node;
        least = rank;
        least_cost = cost;
    }
    return best;
}

/* Returns the first of the widest nodes that are not chosen yet; only a node of
 * which the job can get all GPUs if `whole`. NODE_NONE: none. */
static node_id place_widest(const struct spot_room *room, uint32_t pool,
                            bool whole, bool preempts,
                            const struct place_choice *choice)
{
    const struct cluster *c = view_cluster(room->plan->view);
    const struct pool *p = &c->pools[pool];
    node_id best = NODE_NONE;
    for (node_id node = p->first_node; node < p->first_node + p->n_nodes;
         node++) {
        const struct node *n = &c->nodes[node];
        if (!pool_has(c, p, node) || !n->up || place_has(choice, node) ||
            (whole && place_room(room, node, preempts) < n->gpus))
            continue;
        if (best == NODE_NONE || n->gpus > c->nodes[best].gpus)
            best = node;
    }
    return best;
}

/* Chooses nodes of a pool for the job: whole nodes while it is larger than the
 * widest, then a part of one. Returns false if there are none. */
static bool place_choose(const struct spot_room *room, uint32_t pool,
                         const struct job *job, bool is_spot, bool preempts,
                         struct place_choice *choice)
{
    const struct cluster *c = view_cluster(room->plan->view);
    uint32_t left = job->gpus;
    choice->n = 0;
    while (left) {
        node_id node = place_widest(room, pool, false, preempts, choice);
        if (node == NODE_NONE)
            return false;
        const bool whole = left > c->nodes[node].gpus;
        node = whole ? place_widest(room, pool, true, preempts, choice)
                     : place_part(room, pool, left, is_spot, preempts, choice);
        if (node == NODE_NONE)
            return false;
        const uint32_t gpus = whole ? c->nodes[node].gpus : left;
        choice->nodes[choice->n] = node;
        choice->gpus[choice->n++] = gpus < left ? gpus : left;
        left -= gpus < left ? gpus : left;
    }
    return true;
}

/* Stops spot jobs so that `gpus` GPUs of the node are free. */
static void place_clear(struct spot_room *room, node_id node, uint32_t gpus)
{
    const struct view *view = room->plan->view;
    const struct job **victims =
        plan_scratch(room->plan, (room->n_running + 1) * sizeof *victims);
    const uint32_t n = room->spot->rules->victims(room, node, gpus, victims);
    for (uint32_t i = 0; i < n; i++) {
        room_change(room, view_where(view, victims[i]), true, false);
        plan_stop(room->plan, victims[i]);
    }
}

static bool place_start(struct spot_room *room, const struct job *job,
                        bool is_spot, const struct place_choice *choice)
{
    const struct cluster *c = view_cluster(room->plan->view);
    struct gpu_slice *slices =
        plan_scratch(room->plan, choice->n * sizeof *slices);
    const struct gpu_set on = {slices, choice->n};
    for (uint32_t i = 0; i < choice->n; i++) {
        const node_id node = choice->nodes[i];
        if (!is_spot)
            place_clear(room, node, choice->gpus[i]);
        slices[i] = (struct gpu_slice){
            node, node_lowest(&c->nodes[node], choice->gpus[i])};
    }
    if (!plan_start_on(room->plan, job, on))
        return false;
    room_change(room, on, is_spot, true);
    return true;
}

/* Tries the pools of the virtual cluster in order. */
static bool place_try(struct spot_room *room, const struct job *job,
                      bool is_spot, bool preempts, struct place_choice *choice)
{
    const struct view *view = room->plan->view;
    const struct cluster *c = view_cluster(view);
    const struct spot *s = room->spot;
    for (uint32_t p = c->vc_pools[room->vc].first;
         p < c->vc_pools[room->vc].end; p++) {
        const bool over = is_spot && s->config->forecast != SPOT_NONE &&
                          room->in_use[p] + job->gpus > s->pools[p].quota;
        if (spot_suits(c, job, p) && !over &&
            view_is_able(view, job, (uint8_t)c->pools[p].type, job->gpus) &&
            place_choose(room, p, job, is_spot, preempts, choice))
            return place_start(room, job, is_spot, choice);
    }
    return false;
}

bool spot_place(struct spot_room *room, const struct job *job, bool is_spot)
{
    struct plan *plan = room->plan;
    struct place_choice choice = {
        .nodes = plan_scratch(plan, job->gpus * sizeof *choice.nodes),
        .gpus = plan_scratch(plan, job->gpus * sizeof *choice.gpus)};
    if (is_spot)
        return place_try(room, job, true, false, &choice);
    return (room->spot->rules->spares &&
            place_try(room, job, false, false, &choice)) ||
           place_try(room, job, false, true, &choice);
}
