/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns a checked plan into state: stops first, then changes of nodes, then
 * starts in the order planned, then the new rates of all jobs whose co-located
 * jobs changed, and last the companies that begin. */
#include <stdlib.h>

#include "sim/engine/engine_internal.h"

/* Why an attempt ended and what that cost. Filled by the callers of leave and
 * close_attempt. */
struct departure {
    enum ledger_kind how;
    sim_span added; /* work that the stop adds to the work left of the job,
                     * us */
    sim_span lost;
    const char *why;
};

/* Writes the end of an attempt to the ledger and notes the jobs on its GPUs
 * whose rates may change. */
static void close_attempt(struct engine *e, const struct job *job,
                          struct departure end)
{
    const struct allocation *alloc = board_allocation(&e->board, job);
    const struct progress *p = progress_of(&e->book, job);
    sim_span writing = progress_writing(p);
    ledger_add(e->parts.ledger,
               &(struct ledger_move){
                   .at = e->board.now,
                   .kind = end.how,
                   .job = job,
                   .where = alloc->where,
                   .overhead = end.added +
                               progress_startup(alloc, e->board.now) +
                               progress_lag(&e->book, p) + writing,
                   .resume = end.added,
                   .writing = writing,
                   .lost = end.lost,
                   .work = p->done,
                   .alone = p->phase.rate,
                   .shared = alloc->shared,
                   .profiling = alloc->profiling,
                   .why = end.why,
               });
    rates_note(e, alloc->where,
               time_law_config(&e->parts.law)->later_stays_slow
                   ? alloc->serial
                   : RATES_EVERYBODY);
}

static void open_attempt(struct engine *e, const struct job *job)
{
    const struct allocation *alloc = board_allocation(&e->board, job);
    ledger_add(e->parts.ledger,
               &(struct ledger_move){
                   .at = e->board.now,
                   .kind = LEDGER_STARTED,
                   .job = job,
                   .where = alloc->where,
                   .gpus = alloc->gpus,
                   .rate = alloc->rate,
                   .rel_speed = alloc->rel_speed,
                   .alone = progress_of(&e->book, job)->phase.rate,
                   .shared = alloc->shared,
                   .profiling = alloc->profiling,
               });
}

/* Ends the attempt of a running job. `holds`: the job still holds its GPUs in
 * the cluster; false if the plan has freed them already. */
static void commit_leave_one(struct engine *e, struct job *job,
                             struct departure end, bool holds)
{
    struct allocation *alloc = board_allocation(&e->board, job);
    struct progress *p = progress_of(&e->book, job);
    progress_settle(&e->book, p);
    /* If the attempt ends at its queued event (its end, the end of profiling, a
     * failure), that event has left the queue already. */
    if (end.how != LEDGER_FINISHED && end.how != LEDGER_PROFILED &&
        p->end != EVQ_NONE)
        evq_cancel(&e->queue, p->end);
    for (uint32_t i = 0; holds && i < alloc->where.count; i++)
        cluster_give(e->parts.cluster, alloc->where.at[i], job->id);
    close_attempt(e, job, end);
    if (e->companies.n_live)
        company_end(e, job);
    board_release(&e->board, job);
    if (end.how != LEDGER_FINISHED)
        progress_set_waiting(&e->book, job->id, p->left + end.added);
}

void commit_leave(struct engine *e, struct job *job, enum ledger_kind how,
                  sim_span lost, const char *why)
{
    commit_leave_one(
        e, job, (struct departure){.how = how, .lost = lost, .why = why}, true);
}

void commit_horizon(struct engine *e)
{
    struct board *b = &e->board;
    for (uint16_t vc = 0; vc < e->parts.cluster->n_vcs; vc++) {
        for (job_id id = b->running[vc].first; id != JOB_NONE;
             id = b->links[id].next) {
            progress_settle(&e->book, progress_of(&e->book, &b->jobs[id]));
            close_attempt(e, &b->jobs[id],
                          (struct departure){.how = LEDGER_OPEN});
        }
    }
    ledger_close(e->parts.ledger, b->now);
}

/* Notes for each running job the start that the plan has for it. A search at
 * each stop would take long: a walk may stop hundreds of jobs to make room and
 * start most of them again. */
static void commit_note_restarts(struct engine *e)
{
    const struct plan_action *a, *end = e->plan.actions + e->plan.n_actions;
    for (a = e->plan.actions; a < end; a++) {
        if (a->job && a->kind != PLAN_STOP && a->job->state == JOB_RUNNING)
            progress_of(&e->book, a->job)->restart = a;
    }
}

/* Rule 2 of plan.h: true if the job is stopped and started on the same GPUs, so
 * that it simply runs on. */
static bool commit_is_kept(const struct engine *e,
                           const struct plan_action *stop)
{
    if (!plan_is_started(&e->plan, stop->job))
        return false;
    const struct plan_action *start = progress_of(&e->book, stop->job)->restart;
    return start->kind != PLAN_PROFILE &&
           gpu_set_equal(start->where, stop->where);
}

/* True if the job moves at no cost, where overhead_moves_free allows it: the
 * plan stops it and starts it in the same pool, on as many nodes, with the same
 * numbers of GPUs node by node. A profiled job does not move. */
static bool is_moved(const struct engine *e, const struct plan_action *stop)
{
    const struct cluster *c = e->parts.cluster;
    if (!overhead_moves_free(&e->parts.overhead) ||
        !plan_is_started(&e->plan, stop->job))
        return false;
    const struct plan_action *start = progress_of(&e->book, stop->job)->restart;
    struct gpu_set from = stop->where, to = start->where;
    if (start->kind != PLAN_START || from.count != to.count ||
        board_allocation(&e->board, stop->job)->profiling ||
        c->nodes[from.at[0].node].pool != c->nodes[to.at[0].node].pool)
        return false;
    for (uint32_t i = 0; i < from.count; i++) {
        if (mask_count(from.at[i].mask) != mask_count(to.at[i].mask))
            return false;
    }
    return true;
}

static void move_away(struct engine *e, const struct plan_action *stop)
{
    struct job *job = &e->board.jobs[stop->job->id];
    struct progress *p = progress_of(&e->book, job);
    progress_settle(&e->book, p);
    close_attempt(e, job, (struct departure){.how = LEDGER_MOVED});
    if (e->companies.n_live)
        company_end(e, job);
    /* the ledger has counted this lag for the attempt just closed */
    p->idle -= progress_lag(&e->book, p);
    p->done = 0;
    p->at_start = p->left;
}

/* True if the job already holds exactly the GPUs that this start names. */
static bool commit_is_at(const struct engine *e,
                         const struct plan_action *start)
{
    return gpu_set_equal(board_allocation(&e->board, start->job)->where,
                         start->where);
}

static void move_in(struct engine *e, const struct plan_action *start)
{
    board_change_gpus(&e->board, start->job, start->where);
    open_attempt(e, start->job);
    rates_note(e, start->where, RATES_EVERYBODY);
}

static void commit_stop_one(struct engine *e, const struct plan_action *action)
{
    struct job *job = &e->board.jobs[action->job->id];
    const struct overhead *overhead = &e->parts.overhead;
    sim_span cost = overhead->ops->stop(overhead, job);
    sim_span lost = 0;
    if (overhead_stop_loses(overhead)) {
        struct progress *p = progress_of(&e->book, job);
        progress_settle(&e->book, p);
        lost = progress_unsaved(p);
        p->left += lost;
    }
    commit_leave_one(
        e, job,
        (struct departure){.how = LEDGER_STOPPED, .added = cost, .lost = lost},
        false);
    board_move(&e->board, job, JOB_PENDING);
    if (e->layers_watch) /* for the estimator layers only: the policy planned
                          * the stop itself */
        engine_note_lost(e, EVENT_STOPPED, job, lost, false);
}

/* Returns the restart cost that the job's application reports, us; -1 if it is
 * unknown. */
static sim_span own_restart(const struct engine *e, const struct job *job)
{
    const struct throughput *model = &e->parts.throughput;
    return throughput_knows(model, job) ? model->ops->restart(model, job) : -1;
}

/* True if the job has failed and no attempt since then has done any work, so
 * that the job has not read its whole checkpoint yet. */
static bool is_unread(const struct ledger *ledger, const struct job *job)
{
    uint32_t i = ledger->last_attempt[job->id];
    const struct attempt_cost *cost;
    while (i != ATTEMPT_NONE && ledger->attempts[i].how != LEDGER_FAILED &&
           (cost = ledger_cost(ledger, i)) && !(cost->work > 0))
        i = ledger->attempts[i].previous;
    return i != ATTEMPT_NONE && ledger->attempts[i].how == LEDGER_FAILED;
}

/* Returns the kind of this start, which decides what the start costs.
 * job.attempts already counts this start. */
static enum start_kind start_kind_of(const struct engine *e,
                                     const struct job *job)
{
    if (job->attempts == 1)
        return START_FIRST;
    return e->failures && e->failures[job->id] > 0 &&
                   is_unread(e->parts.ledger, job)
               ? START_RECOVERED
               : START_AGAIN;
}

/* Starts the job. Returns NULL, or why the job cannot be started. */
static const char *commit_start_one(struct engine *e,
                                    const struct plan_action *action)
{
    struct job *job = &e->board.jobs[action->job->id];
    const struct overhead *overhead = &e->parts.overhead;
    sim_time now = e->board.now;
    board_move(&e->board, job, JOB_RUNNING);
    job->attempts++;
    struct allocation *alloc =
        board_allocate(&e->board, job, action->where, action->gpus);
    if (action->kind == PLAN_PROFILE)
        board_set_profiling(&e->board, job);
    alloc->ready =
        now + overhead->ops->start(overhead, job, start_kind_of(e, job),
                                   own_restart(e, job));
    struct progress *p = progress_start(&e->book, job, action->limit);
    if (!rates_begin(e, job, alloc, p))
        return "cannot run in this shape";
    open_attempt(e, job);
    if (job->attempts == JOB_STARTS_MAX)
        evq_add(&e->queue, now, EVENT_FAILED, job->id);
    if (action->kind == PLAN_SHARE)
        rates_note(e, alloc->where, RATES_EVERYBODY);
    if (e->parts.monitor.ops)
        company_note(e, job);
    if (e->layers_watch)
        engine_note(e, EVENT_STARTED, job, NODE_NONE);
    return NULL;
}

/* Adds the change of a node to the ledger, unless the node was down before and
 * is down after it. The plan has already made the change in the cluster. */
static void note_node(struct engine *e, const struct plan_action *a)
{
    struct ledger_move move = {.at = e->board.now, .node = a->node};
    if (a->kind == PLAN_OPEN) {
        move.kind = LEDGER_NODE_UP;
    } else if (a->kind == PLAN_CLOSE) {
        move.kind = LEDGER_NODE_DOWN;
        move.why = "closed by the policy";
    } else if (a->kind == PLAN_LEND) {
        move.kind = LEDGER_NODE_LENT;
    } else { /* waiting jobs may fit now, so ask the policy again at once */
        move.kind = LEDGER_NODE_BACK;
        engine_wake_at(e, e->board.now);
    }
    if (a->moves || a->kind == PLAN_LEND || a->kind == PLAN_TAKE_BACK)
        ledger_add(e->parts.ledger, &move);
}

static bool is_of_node(const struct plan_action *a)
{
    return a->job == NULL;
}

static void commit_stop(struct engine *e, const struct plan_action *a)
{
    /* the job runs on, but the jobs on its GPUs may have changed */
    if (commit_is_kept(e, a))
        rates_note(e, a->where, RATES_EVERYBODY);
    else if (is_moved(e, a))
        move_away(e, a);
    else
        commit_stop_one(e, a);
}

/* Returns NULL, or why the job of this action cannot be started. */
static const char *commit_start(struct engine *e, const struct plan_action *a)
{
    CHECK_IN(&e->where, a->kind != PLAN_IMAGINE && a->kind != PLAN_BAR);
    if (a->job->state == JOB_PENDING)
        return commit_start_one(e, a);
    if (a->kind == PLAN_START && !commit_is_at(e, a))
        move_in(e, a);
    return NULL;
}

static enum status commit_refuse(struct engine *e, const struct job *job,
                                 const char *why, struct error *err)
{
    e->plan.broken_job = job->id;
    return error_set(err, STATUS_BAD_PLAN, "%s at %.6f s: job %u %s",
                     e->parts.policy.ops->name, span_seconds(e->board.now),
                     job->id, why);
}

enum status commit_plan(struct engine *e, struct error *err)
{
    const struct plan *plan = &e->plan;
    const struct plan_action *a, *end = plan->actions + plan->n_actions;
    commit_note_restarts(e);
    for (a = plan->actions; a < end; a++) {
        if (a->kind == PLAN_STOP)
            commit_stop(e, a);
    }
    for (a = plan->actions; a < end; a++) {
        if (is_of_node(a))
            note_node(e, a);
    }
    for (a = plan->actions; a < end; a++) {
        const char *why = NULL;
        if (!is_of_node(a) && a->kind != PLAN_STOP)
            why = commit_start(e, a);
        if (why)
            return commit_refuse(e, a->job, why, err);
    }
    if (e->n_changed)
        rates_renew(e);
    if (e->companies.n_guests)
        company_begin(e);
    return STATUS_OK;
}
