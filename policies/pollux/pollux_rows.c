/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Translates between Pollux' search and the cluster: nodes become parts, the
 * GPUs that a job holds become a row of the search, and rows become starts of
 * the plan. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "policies/pollux/pollux_internal.h"

void pollux_split_nodes(struct pollux *p, const struct cluster *c)
{
    uint32_t n = 0, room = 0;
    for (uint32_t i = 0; i < c->n_nodes; i++)
        room += (c->nodes[i].gpus + p->config->node_gpus - 1u) /
                p->config->node_gpus;
    p->parts = mem_alloc((room + 1) * sizeof *p->parts);
    p->first = mem_alloc((c->n_vcs + 1) * sizeof *p->first);
    for (uint32_t vc = 0; vc < c->n_vcs; vc++) {
        p->first[vc] = n;
        for (uint32_t k = c->vc_pools[vc].first; k < c->vc_pools[vc].end; k++) {
            const struct pool *pool = &c->pools[k];
            node_id end = pool->first_node + pool->n_nodes;
            for (node_id i = pool->first_node; i < end && !pool->profiler;
                 i++) {
                uint32_t size = p->config->node_gpus, gpus = c->nodes[i].gpus;
                for (uint32_t at = 0; at < gpus; at += size)
                    p->parts[n++] = (struct pollux_part){
                        .node = i,
                        .gpus = (uint16_t)(gpus - at < size ? gpus - at : size),
                        .before = (uint16_t)at};
            }
        }
    }
    p->first[c->n_vcs] = n;
}

uint16_t pollux_in_part(const struct pollux_part *part, uint32_t gpus)
{
    if (gpus <= part->before)
        return 0;
    gpus -= part->before;
    return (uint16_t)(gpus < part->gpus ? gpus : part->gpus);
}

static uint32_t on_node(struct gpu_set set, node_id node)
{
    for (uint32_t i = 0; i < set.count; i++) {
        if (set.at[i].node == node)
            return mask_count(set.at[i].mask);
    }
    return 0;
}

/* Returns how many GPUs a row has on a node. */
static uint32_t row_on_node(const struct pollux_round *r, const uint16_t *row,
                            node_id node)
{
    uint32_t gpus = 0;
    for (uint32_t k = 0; k < r->n_parts; k++)
        gpus += r->parts[k].node == node ? row[k] : 0;
    return gpus;
}

/* True if a row has, on each node, as many GPUs as `where`. */
static bool same_nodes(const struct pollux_round *r, const uint16_t *row,
                       struct gpu_set where)
{
    uint32_t gpus = 0;
    for (uint32_t k = 0; k < r->n_parts; k++)
        gpus += row[k];
    if (gpus != gpu_set_size(where))
        return false;
    for (uint32_t i = 0; i < where.count; i++) {
        if (row_on_node(r, row, where.at[i].node) !=
            mask_count(where.at[i].mask))
            return false;
    }
    return true;
}

void pollux_held(const struct pollux_round *r, const struct job *job,
                 uint16_t *row)
{
    const uint16_t *last = r->pollux->jobs[job->id].row;
    if (job->state != JOB_RUNNING)
        return;
    struct gpu_set where = view_where(r->view, job);
    if (last && same_nodes(r, last, where)) {
        memcpy(row, last, r->n_parts * sizeof *row);
        return;
    }
    for (uint32_t k = 0; k < r->n_parts; k++)
        row[k] = pollux_in_part(&r->parts[k], on_node(where, r->parts[k].node));
}

static const struct pool *pollux_rows_pool_of(const struct pollux_round *r,
                                              uint32_t part)
{
    const struct cluster *c = view_cluster(r->view);
    return &c->pools[c->nodes[r->parts[part].node].pool];
}

/* Reduces a row to one GPU type: of those that the job can use, the one with
 * the most GPUs in the row; if two types have equally many, the faster one.
 * GPUs of the other types stay idle until the next round. */
static void keep_one_type(const struct pollux_round *r, const struct job *job,
                          uint16_t *row)
{
    const struct learner *learner = view_learner(r->view, job);
    uint32_t gpus[CLUSTER_TYPES_MAX] = {0}, kept = 0;
    for (uint32_t k = 0; k < r->n_parts; k++) {
        uint16_t type = pollux_rows_pool_of(r, k)->type;
        if ((job->gpu_type == GPU_TYPE_ANY || job->gpu_type == type) &&
            learner->types[type].runs)
            gpus[type] += row[k];
    }
    for (uint32_t t = 1; t < learner->n_types; t++) {
        bool faster = learner->types[t].one_gpu > learner->types[kept].one_gpu;
        if (gpus[t] > gpus[kept] || (gpus[t] == gpus[kept] && faster))
            kept = t;
    }
    for (uint32_t k = 0; k < r->n_parts; k++) {
        if (pollux_rows_pool_of(r, k)->type != kept || gpus[kept] == 0)
            row[k] = 0;
    }
}

/* Keeps the row of a job for the next round. */
static void pollux_rows_remember(const struct pollux_round *r,
                                 const struct job *job, const uint16_t *row)
{
    struct pollux_job *mine = &r->pollux->jobs[job->id];
    mine->row = mem_resize(mine->row, (r->n_parts + 1) * sizeof *row);
    memcpy(mine->row, row, r->n_parts * sizeof *row);
}

/* Starts a job on any free GPUs of its nodes. */
static void pollux_rows_start(const struct pollux_round *r,
                              const struct job *job, const uint16_t *row)
{
    const struct cluster *c = view_cluster(r->view);
    struct gpu_slice *at =
        plan_scratch(r->plan, (r->n_parts + (size_t)1) * sizeof *at);
    uint32_t n = 0;
    for (uint32_t k = 0; k < r->n_parts; k++) {
        node_id node = r->parts[k].node;
        uint32_t gpus = row_on_node(r, row, node);
        if (gpus == 0 || (n > 0 && at[n - 1].node == node))
            continue;
        at[n++] = (struct gpu_slice){node, node_lowest(&c->nodes[node], gpus)};
    }
    if (n > 0)
        plan_start_on(r->plan, job, (struct gpu_set){at, n});
}

void pollux_carry_out(const struct pollux_round *r, uint16_t *rows)
{
    for (uint32_t j = 0; j < r->n_jobs; j++) {
        const struct job *job = r->jobs[j];
        uint16_t *row = rows + (size_t)j * r->n_parts;
        keep_one_type(r, job, row);
        pollux_rows_remember(r, job, row);
        if (job->state == JOB_RUNNING &&
            same_nodes(r, row, view_where(r->view, job)))
            plan_start_on(r->plan, job, view_where(r->view, job));
    }
    for (uint32_t j = 0; j < r->n_jobs; j++) {
        if (!plan_is_started(r->plan, r->jobs[j]))
            pollux_rows_start(r, r->jobs[j], rows + (size_t)j * r->n_parts);
    }
}
