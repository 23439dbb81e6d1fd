/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns events into state: jobs that end or fail and what the recovery rule
 * decides, nodes that leave and return, and the admission of arrivals. */
#include <stdlib.h>

#include "models/elastic/learner.h"
#include "sim/engine/engine.h"

static void finish(struct engine *e, struct job *job)
{
    if (e->parts.config.grid > 0)
        progress_arrive(&e->book, job, 0);
    commit_leave(e, job, LEDGER_FINISHED, 0, NULL);
    board_move(&e->board, job, JOB_FINISHED);
    CHECK_IN(&e->where, e->book.left[job->id] == 0);
    engine_note(e, EVENT_FINISHED, job, NODE_NONE);
}

/* Records a move of a job that holds no GPUs. */
static void note(struct engine *e, enum ledger_kind kind, const struct job *job,
                 const char *why)
{
    ledger_add(e->parts.ledger,
               &(struct ledger_move){
                   .at = e->board.now, .kind = kind, .job = job, .why = why});
}

static void end_profiling(struct engine *e, struct job *job)
{
    struct progress *p = progress_of(&e->book, job);
    sim_span lost = 0;
    progress_settle(&e->book, job);
    if (!e->parts.config.profile_keeps) {
        lost = p->at_start - e->book.left[job->id];
        e->book.left[job->id] = p->at_start;
    }
    commit_leave(e, job, LEDGER_PROFILED, lost, NULL);
    board_move(&e->board, job, JOB_PENDING);
    engine_note(e, EVENT_PROFILED, job, NODE_NONE);
}

/* Counts a failure of the job; returns its failures so far, this one included.
 */
static uint32_t count_failure(struct engine *e, const struct job *job)
{
    if (!e->failures) /* most runs have none */
        e->failures = mem_zalloc(e->parts.n_jobs, sizeof *e->failures);
    return ++e->failures[job->id];
}

/* Called when a job loses its GPUs. If its work is done and it holds them only
 * for the end lag, this is its end. Returns false if the job still has work. */
static bool ends_in_its_lag(struct engine *e, struct job *job)
{
    progress_settle(&e->book, job);
    if (!progress_is_done(&e->book, job))
        return false;
    evq_cancel(&e->queue, progress_of(&e->book, job)->end);
    finish(e, job);
    return true;
}

static struct ruling ask_recovery(struct engine *e, const struct job *job,
                                  struct gpu_set where)
{
    struct failure failure = {.job = job,
                              .at = e->board.now,
                              .failures = count_failure(e, job),
                              .where = where};
    struct ruling ruling = {.verdict = VERDICT_GIVE_UP};
    for (const struct recovery *r = e->parts.recovery; r; r = r->below) {
        if (r->ops->rule(r->self, r->below, &failure, &ruling))
            break;
    }
    return ruling;
}

static void hold_or_retry(struct engine *e, struct job *job, sim_span delay)
{
    if (delay <= 0) {
        board_move(&e->board, job, JOB_PENDING);
        note(e, LEDGER_RETRIED, job, NULL);
    } else {
        board_move(&e->board, job, JOB_HELD);
        note(e, LEDGER_HELD, job, NULL);
        evq_add(&e->queue, e->board.now + delay, EVENT_SUBMITTED, job->id);
    }
}

/* Takes the nodes of a cordon ruling out of service, except one that is down
 * already. */
static void cordon(struct engine *e, struct gpu_set where)
{
    for (uint32_t i = 0; i < where.count; i++) {
        node_id node = where.at[i].node;
        if (e->parts.cluster->nodes[node].downs == 0) {
            evq_add(&e->queue, e->board.now, EVENT_NODE_DOWN, node);
            evq_add(&e->queue, e->board.now + e->parts.config.cordon,
                    EVENT_NODE_UP, node);
        }
    }
}

/* Ends the attempt as failed; work goes back to the last checkpoint, or to
 * zero. */
static void fail(struct engine *e, struct job *job, const char *cause)
{
    if (ends_in_its_lag(e, job))
        return;
    struct progress *p = progress_of(&e->book, job);
    struct ruling ruling =
        ask_recovery(e, job, board_allocation(&e->board, job)->where);
    sim_span work = e->parts.truths[job->id].work;
    int64_t *left = &e->book.left[job->id];
    sim_span done = p->at_start - *left, lost = 0;
    if (ruling.verdict == VERDICT_RESUME && e->parts.overhead.ops->lost)
        lost = e->parts.overhead.ops->lost(e->parts.overhead.config, job, done);
    else if (ruling.verdict == VERDICT_RESTART && *left < work)
        lost = work - *left;
    *left += lost;
    if (ruling.cordon)
        cordon(e, board_allocation(&e->board, job)->where);
    commit_leave(e, job, LEDGER_FAILED, lost,
                 ruling.cause ? ruling.cause : cause);
    if (ruling.verdict == VERDICT_GIVE_UP) {
        board_move(&e->board, job, JOB_FAILED);
        note(e, LEDGER_GIVEN_UP, job, cause);
    } else {
        hold_or_retry(e, job, ruling.delay);
    }
    engine_note(e, EVENT_FAILED, job, NODE_NONE);
}

/* Gives up a job that was started JOB_STARTS_MAX times: it makes no progress.
 */
static void wear_out(struct engine *e, struct job *job)
{
    static const char why[] = "was started 65,535 times and gets nowhere";
    if (job->state != JOB_RUNNING)
        return; /* nothing was left to do */
    if (e->n_worn++ == 0)
        e->worn = job->id;
    commit_leave(e, job, LEDGER_FAILED, 0, why);
    board_move(&e->board, job, JOB_FAILED);
    note(e, LEDGER_GIVEN_UP, job, why);
    engine_note(e, EVENT_FAILED, job, NODE_NONE);
}

/* Preempts the job because its node leaves as planned: no work is lost. */
static void evict(struct engine *e, struct job *job)
{
    if (ends_in_its_lag(e, job))
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

/* Counts failures (also of a node that is down) and returns of nodes in a row
 * between which no job moved. The first one after a move counts as 0. */
static void count_change(struct engine *e)
{
    const struct ledger *ledger = e->parts.ledger;
    uint64_t moves = ledger->n_moves - ledger->n_node_changes;
    bool stalled = moves == e->moves_before && engine_is_stalled(e);
    e->n_stalled = stalled ? e->n_stalled + 1 : 0;
    e->moves_before = moves;
}

/* A node can be down for several reasons at once; it is up when none is left.
 * cause NULL: a planned change of capacity. */
static void node_down(struct engine *e, node_id id, const char *cause)
{
    struct job *job;
    if (e->parts.cluster->nodes[id].downs++ > 0)
        return;
    while ((job = some_holder(e, id))) {
        if (cause)
            fail(e, job, cause);
        else
            evict(e, job);
    }
    cluster_set_up(e->parts.cluster, id, false);
    ledger_add(e->parts.ledger,
               &(struct ledger_move){.at = e->board.now,
                                     .kind = LEDGER_NODE_DOWN,
                                     .node = id,
                                     .why = cause ? cause : "capacity"});
    board_touch(&e->board,
                e->parts.cluster->pools[e->parts.cluster->nodes[id].pool].vc);
    engine_note(e, EVENT_NODE_DOWN, NULL, id);
}

static void node_up(struct engine *e, node_id id)
{
    if (e->parts.cluster->nodes[id].up || !cluster_open(e->parts.cluster, id))
        return;
    ledger_add(e->parts.ledger, &(struct ledger_move){.at = e->board.now,
                                                      .kind = LEDGER_NODE_UP,
                                                      .node = id});
    count_change(e);
    board_touch(&e->board,
                e->parts.cluster->pools[e->parts.cluster->nodes[id].pool].vc);
    engine_note(e, EVENT_NODE_UP, NULL, id);
}

/* Payload of a node event: a node (planned change of capacity), or NEXT_FAULT
 * for the next failure. */
#define NEXT_FAULT UINT32_MAX

static void draw_fault(struct engine *e)
{
    if (!e->parts.fault.ops->next(e->parts.fault.self, &e->fault))
        return;
    CHECK_IN(&e->where, e->fault.at >= e->board.now);
    evq_add(&e->queue, e->fault.at, EVENT_NODE_DOWN, NEXT_FAULT);
    e->fault_waits = 1;
}

void apply_first_fault(struct engine *e)
{
    draw_fault(e);
}

static void apply_fault(struct engine *e)
{
    struct fault fault = e->fault;
    e->fault_waits = 0;
    count_change(e);
    draw_fault(e);
    if (!e->parts.cluster->nodes[fault.node].up)
        return; /* a node that is down cannot fail again */
    node_down(e, fault.node, fault.cause);
    evq_add(&e->queue, e->board.now + fault.repair, EVENT_NODE_UP, fault.node);
}

void apply_event(struct engine *e, const struct evq_entry *entry)
{
    struct job *job =
        &e->board.jobs[entry->payload]; /* used by job events only */
    switch ((enum event_kind)evq_rank(entry)) {
    case EVENT_FINISHED:
        finish(e, job);
        break;
    case EVENT_PHASE:
        rates_next_phase(e, job);
        break;
    case EVENT_PROFILED:
        end_profiling(e, job);
        break;
    case EVENT_NODE_DOWN:
        if (entry->payload == NEXT_FAULT)
            apply_fault(e);
        else
            node_down(e, entry->payload, NULL);
        break;
    case EVENT_NODE_UP:
        node_up(e, entry->payload);
        break;
    case EVENT_SUBMITTED: /* the delay of a ruling is over */
        board_move(&e->board, job, JOB_PENDING);
        note(e, LEDGER_RETRIED, job, NULL);
        engine_note(e, EVENT_SUBMITTED, job, NODE_NONE);
        break;
    case EVENT_BELIEF:
        board_touch(&e->board, job->vc);
        engine_note(e, EVENT_BELIEF, job, NODE_NONE);
        break;
    case EVENT_FAILED:
        wear_out(e, job);
        break;
    case EVENT_WAKE:
    case EVENT_STARTED:
    case EVENT_STOPPED:
    case EVENT_N_KINDS:
        CHECK_IN(&e->where, false && "is never queued");
    }
}

/* The fewest GPUs of a type on which the policy can run the job. */
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
 * cluster with all nodes up. */
static const char *why_never(struct engine *e, const struct job *job)
{
    const struct cluster *c = &e->empty;
    uint32_t largest = 0;
    bool fits = false, able = false;
    for (uint32_t p = c->vc_first[job->vc]; p < c->vc_first[job->vc + 1]; p++) {
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

/* Answers why_never from a list, most recently used first: the answer depends
 * only on virtual cluster, type and size, and there are few combinations. */
static const char *admit(struct engine *e, const struct job *job)
{
    uint64_t key =
        (uint64_t)job->vc << 48 | (uint64_t)job->gpu_type << 40 | job->gpus;
    size_t i = 0;
    if (throughput_knows(&e->parts.throughput, job))
        return why_never(
            e, job); /* depends on the model that the job trains, too */
    while (i < e->n_admissions && e->admissions[i].key != key)
        i++;
    struct admission found;
    if (i < e->n_admissions) {
        found = e->admissions[i];
    } else {
        e->admissions = mem_grow(e->admissions, &e->cap_admissions,
                                 e->n_admissions + 1, sizeof *e->admissions);
        e->n_admissions++;
        found = (struct admission){key, why_never(e, job)};
    }
    if (i > 0)
        e->admissions[i] = e->admissions[i / 2];
    e->admissions[i / 2] = found;
    return found.why;
}

/* Gives an elastic job what a similar job has learned about its throughput, if
 * the estimators name such a donor. */
static void introduce(struct engine *e, const struct job *job)
{
    struct throughput *model = &e->parts.throughput;
    job_id donor;
    if (throughput_knows(model, job) && model->ops->teach &&
        estimator_donor(e->parts.estimator, job, &donor))
        model->ops->teach(model, job, &e->board.jobs[donor]);
}

void apply_arrival(struct engine *e, struct job *job)
{
    const struct policy_ops *policy = e->parts.policy.ops;
    const char *why = job->gpus == 0 ? "asks for no GPU" : admit(e, job);
    if (!why && policy->never)
        why = policy->never(e->parts.policy.self, &e->view, job);
    board_move(&e->board, job, why ? JOB_REJECTED : JOB_PENDING);
    note(e, LEDGER_SUBMITTED, job, NULL);
    if (why) {
        note(e, LEDGER_REJECTED, job, why);
        return;
    }
    introduce(e, job);
    engine_note(e, EVENT_SUBMITTED, job, NODE_NONE);
}
