/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hardware faults: which jobs each fault hits, what happens to the node, and
 * hidden faults, which make jobs fail again. */
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "sim/engine/engine_internal.h"

void faults_init(struct engine *e)
{
    uint64_t seed = e->parts.seed;
    e->faults.relapses = rng_stream(seed, "hidden fault");
    e->faults.storage = rng_stream(seed, "storage fault");
    e->faults.rulings = rng_stream(seed, "failure");
}

void faults_fini(struct engine *e)
{
    free(e->faults.defects);
    free(e->faults.tests);
    free(e->faults.hit);
}

double faults_rate(const struct engine *e)
{
    const struct fault_source *source = &e->parts.fault;
    return source->ops && source->ops->rate
               ? source->ops->rate(source->config, e->parts.cluster)
               : 0;
}

void faults_draw(struct engine *e)
{
    const struct fault_source *source = &e->parts.fault;
    if (!source->ops || !source->ops->next(source->self, &e->faults.next))
        return;
    CHECK_IN(&e->where, e->faults.next.at >= e->board.now);
    evq_add(&e->queue, e->faults.next.at, EVENT_NODE_DOWN, NODES_FAULT);
    e->faults.waits = 1;
}

/* Returns the mask of those GPUs of the node that are in `where`. */
static uint64_t mask_on(struct gpu_set where, node_id node)
{
    for (uint32_t i = 0; i < where.count; i++) {
        if (where.at[i].node == node)
            return where.at[i].mask;
    }
    return 0;
}

/* True if a fault of this scope on the node hits a job on these GPUs. */
static bool reaches(enum fault_scope scope, node_id node, uint32_t gpu,
                    struct gpu_set where)
{
    uint64_t mask = mask_on(where, node);
    switch (scope) {
    case FAULT_NODE:
        return mask != 0;
    case FAULT_GPU:
        return mask >> gpu & 1;
    case FAULT_NVLINK:
        return mask_count(mask) > 1;
    case FAULT_NIC:
        return mask != 0 && where.count > 1;
    case FAULT_STORAGE:
    case FAULT_N_SCOPES:
        break;
    }
    return false;
}

static void add_hit(struct engine *e, job_id job, uint32_t *n)
{
    struct faults *f = &e->faults;
    for (uint32_t i = 0; i < *n; i++) {
        if (f->hit[i] == job)
            return;
    }
    f->hit = mem_grow(f->hit, &f->cap_hit, *n + 1u, sizeof *f->hit);
    f->hit[(*n)++] = job;
}

/* Lists the jobs on a node that the fault hits, ordered by GPU, then by the
 * number of the job. Returns their number. */
static uint32_t find_hit_on_node(struct engine *e, const struct fault *fault)
{
    const struct cluster *c = e->parts.cluster;
    const struct node *node = &c->nodes[fault->node];
    uint32_t n = 0;
    for (uint32_t g = 0; g < node->gpus; g++) {
        gpu_id gpu = node->first_gpu + g;
        for (uint32_t k = 0; k < c->n_holders[gpu]; k++) {
            job_id id = c->holders[(size_t)gpu * c->share_limit + k];
            const struct allocation *alloc =
                board_allocation(&e->board, &e->board.jobs[id]);
            if (reaches(fault->scope, fault->node, fault->gpu % node->gpus,
                        alloc->where))
                add_hit(e, id, &n);
        }
    }
    return n;
}

/* Lists the running jobs of the virtual cluster that a storage fault hits. Each
 * job is drawn separately. Returns their number. */
static uint32_t find_hit_by_storage(struct engine *e, const struct fault *fault)
{
    uint32_t n = 0;
    for (job_id id = e->board.running[fault->vc].first; id != JOB_NONE;
         id = e->board.links[id].next) {
        if (keyed_uniform(e->faults.storage, fault->key, id) <
            (double)fault->share)
            add_hit(e, id, &n);
    }
    return n;
}

static uint32_t find_hit(struct engine *e, const struct fault *fault)
{
    if (fault->harmless)
        return 0;
    return fault->scope == FAULT_STORAGE ? find_hit_by_storage(e, fault)
                                         : find_hit_on_node(e, fault);
}

/* Adds the fault to the ledger; returns its number there. */
static uint32_t record(struct engine *e, const struct fault *fault, bool missed)
{
    const struct cluster *c = e->parts.cluster;
    bool storage = fault->scope == FAULT_STORAGE;
    return ledger_add_fault(
        e->parts.ledger,
        &(struct fault_row){
            .at = fault->at,
            .repair = fault->repair,
            .cause = fault->cause,
            .node = storage ? NODE_NONE : fault->node,
            .vc = storage ? fault->vc : c->pools[c->nodes[fault->node].pool].vc,
            .scope = fault->scope,
            .after = fault->after,
            .gpu = fault->gpu,
            .harmless = fault->harmless,
            .missed = missed,
        });
}

static void leave_defect(struct engine *e, const struct fault *fault,
                         uint32_t number)
{
    struct faults *f = &e->faults;
    if (!f->defects)
        f->defects = mem_zalloc(e->parts.cluster->n_nodes, sizeof *f->defects);
    f->defects[fault->node] = (struct defect){
        .until = fault->at + fault->repair,
        .repair = fault->repair,
        .relapse = fault->relapse,
        .cause = fault->cause,
        .key = fault->key,
        .fault = number,
        .scope = fault->scope,
        .gpu = fault->gpu % e->parts.cluster->nodes[fault->node].gpus,
    };
}

static void hit(struct engine *e, const struct fault *fault, uint32_t number)
{
    uint32_t n = find_hit(e, fault);
    e->parts.ledger->faults[number].n_hit = n;
    for (uint32_t i = 0; i < n; i++) {
        struct job *job = &e->board.jobs[e->faults.hit[i]];
        const struct fail_cause cause = {
            .kind = FAILURE_INFRASTRUCTURE,
            .text = fault->cause,
            .node = fault->scope == FAULT_STORAGE ? NODE_NONE : fault->node,
            .fault = number,
            .gap = -1,
            .node_goes = fault->after == FAULT_DOWN};
        if (job->state == JOB_RUNNING)
            fail_job(e, job, &cause);
    }
}

void faults_strike(struct engine *e)
{
    struct fault fault = e->faults.next;
    bool on_node = fault.scope != FAULT_STORAGE;
    e->faults.waits = 0;
    nodes_count_change(e);
    faults_draw(e);
    bool missed = on_node && !e->parts.cluster->nodes[fault.node].up;
    uint32_t number = record(e, &fault, missed);
    if (missed)
        return; /* a node that is down cannot fail again */
    hit(e, &fault, number);
    if (!on_node || fault.after == FAULT_PASSES)
        return;
    if (fault.after == FAULT_HIDDEN) {
        leave_defect(e, &fault, number);
        return;
    }
    nodes_out(e, fault.node, fault.repair, fault.cause);
}

/* Returns a key that is unique to this start of the job, so that the random
 * draws of two starts are independent. */
static uint64_t start_key(const struct job *job)
{
    return (uint64_t)job->id << 16 | job->attempts;
}

/* Draws the time from the start of the job until the defect makes it fail. */
static sim_span relapse_of(const struct engine *e, const struct defect *defect,
                           const struct job *job)
{
    double u =
        keyed_uniform(e->faults.relapses ^ defect->key, start_key(job), 0);
    return (sim_span)ceil(-log(u) * (double)defect->relapse);
}

void faults_break(struct engine *e, const struct job *job)
{
    struct progress *p = progress_of(&e->book, job);
    struct gpu_set where = board_allocation(&e->board, job)->where;
    for (uint32_t i = 0; i < where.count; i++) {
        node_id id = where.at[i].node;
        const struct defect *d = &e->faults.defects[id];
        if (d->until <= e->board.now || !reaches(d->scope, id, d->gpu, where))
            continue;
        sim_time at = e->board.now + relapse_of(e, d, job);
        if (at < d->until && at < p->breaks) {
            p->breaks = at;
            p->broken_by = d->fault;
            p->broken_on = id;
        }
    }
}

void faults_isolate(struct engine *e, node_id node)
{
    struct faults *f = &e->faults;
    struct defect *defect = f->defects ? &f->defects[node] : NULL;
    if (!e->parts.cluster->nodes[node].up)
        return; /* the node is out of service already */
    sim_span out = f->tests[node];
    if (defect && defect->until > e->board.now)
        out += defect->repair;
    if (defect)
        *defect = (struct defect){0};
    nodes_out(e, node, out, "isolated");
}
