/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns events into state: ends of jobs, and arrivals, which are admitted or
 * rejected. Failures and nodes are in faults.c. */
#include <stdlib.h>

#include "models/elastic/learner.h"
#include "sim/engine/engine_internal.h"

void apply_finish(struct engine *e, struct job *job)
{
    struct progress *p = progress_of(&e->book, job);
    progress_finish(&e->book, p);
    CHECK_IN(&e->where, p->left == 0);
    commit_leave(e, job, LEDGER_FINISHED, 0, NULL);
    board_move(&e->board, job, JOB_FINISHED);
    engine_note_end(e, job, e->book.truths[job->id].aborts);
}

/* Adds to the ledger a move of a job that holds no GPUs. */
static void apply_note(struct engine *e, enum ledger_kind kind,
                       const struct job *job, const char *why)
{
    ledger_add(e->parts.ledger,
               &(struct ledger_move){
                   .at = e->board.now, .kind = kind, .job = job, .why = why});
}

static void end_profiling(struct engine *e, struct job *job)
{
    struct progress *p = progress_of(&e->book, job);
    sim_span lost = 0;
    progress_settle(&e->book, p);
    if (overhead_loses_profiled(&e->parts.overhead)) {
        lost = p->at_start - p->left;
        p->left = p->at_start;
    }
    commit_leave(e, job, LEDGER_PROFILED, lost, NULL);
    apply_pending(e, job);
    engine_note_lost(e, EVENT_PROFILED, job, lost, false);
}

static void apply_node_down(struct engine *e, uint32_t payload)
{
    if (payload == NODES_FAULT)
        faults_strike(e);
    else if (payload & NODES_ISOLATE)
        faults_isolate(e, payload & ~NODES_ISOLATE);
    else
        nodes_planned(e, payload);
}

static void apply_node_up(struct engine *e, uint32_t payload)
{
    if (payload & NODES_REPAIRED)
        nodes_repaired(e, payload & ~NODES_REPAIRED);
    else if (payload & NODES_SPARE)
        nodes_up(e, payload & ~NODES_SPARE);
    else
        nodes_planned(e, payload);
}

/* Handles EVENT_FAILED. Either the failure that was queued for the running
 * attempt of the job is due, or the job has been started JOB_STARTS_MAX
 * times. */
static void apply_failure(struct engine *e, struct job *job, evq_handle handle)
{
    if (job->state == JOB_RUNNING && progress_of(&e->book, job)->end == handle)
        fail_as_queued(e, job);
    else
        fail_worn(e, job);
}

void apply_event(struct engine *e, struct evq_entry entry)
{
    struct job *job =
        &e->board.jobs[entry.payload]; /* valid for events of jobs only */
    switch (evq_rank(&entry)) {
    case EVENT_FINISHED:
        apply_finish(e, job);
        break;
    case EVENT_PHASE:
        rates_next_phase(e, job);
        break;
    case EVENT_PROFILED:
        end_profiling(e, job);
        break;
    case EVENT_TRACKED:
        company_tracked(e, entry.payload);
        break;
    case EVENT_NODE_DOWN:
        apply_node_down(e, entry.payload);
        break;
    case EVENT_NODE_UP:
        apply_node_up(e, entry.payload);
        break;
    case EVENT_SUBMITTED: /* the delay that a recovery rule set is over */
        apply_pending(e, job);
        apply_note(e, LEDGER_RETRIED, job, NULL);
        engine_note(e, EVENT_SUBMITTED, job, NODE_NONE);
        break;
    case EVENT_BELIEF:
        board_touch(&e->board, job->vc);
        engine_note(e, EVENT_BELIEF, job, NODE_NONE);
        break;
    case EVENT_FAILED:
        apply_failure(e, job, entry.handle);
        break;
    default:
        CHECK_IN(&e->where, false && "is never queued");
    }
}

/* Returns the smallest number of GPUs of a type on which the policy can run the
 * job. */
static uint32_t least_gpus(const struct engine *e, const struct job *job,
                           uint16_t type)
{
    const struct learner *learner = view_learner(&e->view, job);
    if (!(e->parts.policy.ops->needs & POLICY_ELASTIC) || !learner ||
        !learner->scales)
        return job->gpus;
    uint32_t stages = learner->types[type].pipeline.stages;
    return stages ? stages : 1;
}

/* Returns why the job can never run, or NULL if it could run on an empty
 * cluster in which all nodes are up but the spare ones and those that have left
 * for good. */
static const char *why_never(struct engine *e, const struct job *job)
{
    const struct cluster *c = &e->empty;
    uint32_t largest = 0;
    bool fits = false, able = false;
    for (uint32_t p = c->vc_pools[job->vc].first; p < c->vc_pools[job->vc].end;
         p++) {
        const struct pool *pool = &c->pools[p];
        if (pool->profiler ||
            (job->gpu_type != GPU_TYPE_ANY && job->gpu_type != pool->type))
            continue;
        if (pool->n_gpus > largest)
            largest = pool->n_gpus;
        uint32_t gpus = least_gpus(e, job, pool->type);
        if (gpus > pool->n_gpus)
            continue;
        fits = true;
        if (!view_is_able(&e->view, job, (uint8_t)pool->type, gpus))
            continue;
        able = true;
        const struct placer *placer = &e->parts.admission;
        if (placer->ops->place(placer->self, placer->config, c, pool, gpus,
                               e->plan.slices) > 0)
            return NULL;
    }
    if (largest == 0)
        return "its virtual cluster has no GPU of the type it asks for";
    if (fits && !able)
        return "its model cannot use that many GPUs of any type it may have";
    return job->gpus > largest && !fits
               ? "asks for more GPUs than its virtual cluster has"
               : "no placement of this size exists, even on empty nodes";
}

/* Returns the number of GPUs of a node that the job can use, if each of its
 * GPUs needs an equal share of `need`, of which the node has `has`; 0: no
 * limit. */
static double apply_usable_gpus(const struct node_group *g,
                                const struct job *job, double need, double has)
{
    return need > 0 && has > 0 ? fmin(g->gpus, floor(has * job->gpus / need))
                               : g->gpus;
}

/* True if the nodes of a GPU type in the virtual cluster of the job, when
 * empty, have the CPUs and the main memory that it asks for. */
static bool apply_hosts_job(const struct cluster_spec *spec,
                            const struct job *job, double cpus, double mem_mib)
{
    double usable[CLUSTER_TYPES_MAX] = {0};
    for (size_t i = 0; i < spec->n_groups; i++) {
        const struct node_group *g = &spec->groups[i];
        if ((g->vc != job->vc && !spec->merged) || g->profiler ||
            (job->gpu_type != GPU_TYPE_ANY && job->gpu_type != g->type))
            continue;
        usable[g->type] +=
            g->count * fmin(apply_usable_gpus(g, job, cpus, g->cpus),
                            apply_usable_gpus(g, job, mem_mib, g->mem_mib));
        if (usable[g->type] >= job->gpus)
            return true;
    }
    return false;
}

/* Returns why the job can never have its CPUs or its main memory; NULL if it
 * can. */
static const char *why_host_never(const struct engine *e, const struct job *job)
{
    const struct job_extras x = view_extras(&e->view, job);
    if (apply_hosts_job(e->spec, job, x.cpus, (double)x.mem_mib))
        return NULL;
    return apply_hosts_job(e->spec, job, 0, (double)x.mem_mib)
               ? "asks for more CPUs than the nodes of its virtual cluster have"
           : apply_hosts_job(e->spec, job, x.cpus, 0)
               ? "asks for more main memory than the nodes of its virtual "
                 "cluster have"
               : "asks for more CPUs and more main memory than the nodes of "
                 "its virtual cluster have";
}

/* Returns what why_never returns, or that nodes are to blame which have left
 * for good. */
static const char *why_never_now(struct engine *e, const struct job *job)
{
    const char *why = why_never(e, job), *before;
    if (!why || e->n_gone == 0)
        return why;
    nodes_open_gone(e, true);
    before = why_never(e, job);
    nodes_open_gone(e, false);
    return before ? before : "needs nodes that have left for good";
}

/* Returns what why_never_now returns, from a list of earlier answers, in which
 * an answer moves forward each time it is used. The answer depends only on the
 * virtual cluster, the GPU type and the number of GPUs of the job, and a trace
 * has few combinations of these. */
static const char *apply_admit(struct engine *e, const struct job *job)
{
    uint64_t key =
        (uint64_t)job->vc << 48 | (uint64_t)job->gpu_type << 40 | job->gpus;
    size_t i = 0;
    /* For a job that the model of throughput describes, the answer also depends
     * on the model that the job trains. */
    if (throughput_knows(&e->parts.throughput, job))
        return why_never_now(e, job);
    while (i < e->n_admissions && e->admissions[i].key != key)
        i++;
    if (i == e->n_admissions) {
        e->admissions = mem_grow(e->admissions, &e->cap_admissions,
                                 e->n_admissions + 1, sizeof *e->admissions);
        e->admissions[e->n_admissions++] =
            (struct admission){key, why_never_now(e, job)};
    }
    struct admission found = e->admissions[i];
    e->admissions[i] = e->admissions[i / 2];
    e->admissions[i / 2] = found;
    return found.why;
}

void apply_pending(struct engine *e, struct job *job)
{
    board_move(&e->board, job, JOB_PENDING);
    e->must_set_aside |= e->n_gone && apply_admit(e, job);
}

void apply_set_aside(struct engine *e)
{
    struct board *b = &e->board;
    e->must_set_aside = false;
    for (uint16_t vc = 0; vc < b->cluster->n_vcs; vc++) {
        for (job_id id = b->pending[vc].first, next; id != JOB_NONE;
             id = next) {
            struct job *job = &b->jobs[id];
            const char *why = apply_admit(e, job);
            next = b->links[id].next;
            if (!why)
                continue;
            board_move(b, job, JOB_REJECTED);
            apply_note(e, LEDGER_REJECTED, job, why);
            engine_note(e, EVENT_REJECTED, job, NODE_NONE);
        }
    }
}

void apply_introduction(struct engine *e, const struct job *job)
{
    struct throughput *model = &e->parts.throughput;
    job_id donor;
    if (job->state == JOB_PENDING && job->attempts == 0 &&
        throughput_knows(model, job) && model->ops->teach &&
        !learner_knows(model->ops->learner(model, job)) &&
        estimator_donor(e->parts.estimator, job, &donor))
        model->ops->teach(model, job, &e->board.jobs[donor]);
}

void apply_arrival(struct engine *e, struct job *job)
{
    const struct policy_ops *policy = e->parts.policy.ops;
    const char *why = job->gpus == 0 ? "asks for no GPU" : apply_admit(e, job);
    if (!why && e->view.extras && !(policy->needs & POLICY_ELASTIC))
        why = why_host_never(e, job);
    if (!why && policy->never)
        why = policy->never(e->parts.policy.self, &e->view, job);
    board_move(&e->board, job, why ? JOB_REJECTED : JOB_PENDING);
    apply_note(e, LEDGER_SUBMITTED, job, NULL);
    if (why) {
        apply_note(e, LEDGER_REJECTED, job, why);
        return;
    }
    engine_note(e, EVENT_SUBMITTED, job, NODE_NONE);
}
