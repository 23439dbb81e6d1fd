/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop. At each instant: take and apply its events, renew the rates that
 * they change, show the events to estimators, forecast and policy, let the
 * policy decide, commit its plan, check the counts of the board. */
#include "sim/engine/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/engine_internal.h"

/* The list of what happened at an instant, which estimators, the forecast and
 * the policy observe. */

void engine_note_watched(struct engine *e, enum event_kind kind,
                         const struct job *job, node_id node)
{
    struct event_list *list = &e->events;
    list->at =
        mem_grow(list->at, &list->cap, list->count + 1, sizeof *list->at);
    list->at[list->count++] = (struct event){
        .at = e->board.now, .kind = kind, .node = node, .job = job};
}

void engine_note_lost(struct engine *e, enum event_kind kind,
                      const struct job *job, sim_span lost, bool from_start)
{
    if (!e->is_watched)
        return;
    engine_note_watched(e, kind, job, NODE_NONE);
    struct event *event = &e->events.at[e->events.count - 1];
    event->lost = lost;
    event->from_start = from_start;
}

void engine_note_end(struct engine *e, const struct job *job, bool aborted)
{
    if (!e->is_watched)
        return;
    engine_note_watched(e, EVENT_FINISHED, job, NODE_NONE);
    e->events.at[e->events.count - 1].aborted = aborted;
}

/* The kinds of plug-ins that an engine has, in the order in which they begin:
 * what SchedMate's layers share, placers, models of the simulated world,
 * recovery rules, estimators, the forecast, and last the policy, which may ask
 * all others. */

static void engine_add(struct engine_parts *parts, const char *kind,
                       struct part *part, struct arena *arena)
{
    if (part->plugin)
        plugins_add(parts->plugins, part, kind, arena);
}

void engine_parts_make(struct engine_parts *parts, struct arena *arena)
{
    engine_add(parts, "shared", &parts->schedmate, arena);
    parts->env.schedmate = parts->schedmate.self;
    engine_add(parts, "placer", &parts->placer.part, arena);
    engine_add(parts, "placer", &parts->admission.part, arena);
    engine_add(parts, "throughput", &parts->throughput.part, arena);
    engine_add(parts, "interference", &parts->interference.part, arena);
    engine_add(parts, "belief", &parts->belief.part, arena);
    engine_add(parts, "monitor", &parts->monitor.part, arena);
    engine_add(parts, "time-law", &parts->law.part, arena);
    engine_add(parts, "overhead", &parts->overhead.part, arena);
    engine_add(parts, "faults", &parts->fault.part, arena);
    for (struct recovery *r = parts->recovery; r; r = r->below)
        engine_add(parts, "recovery", &r->part, arena);
    for (struct estimator *l = parts->estimator; l; l = l->below)
        engine_add(parts, "estimator", &l->part, arena);
    engine_add(parts, "forecast", &parts->forecast.part, arena);
    engine_add(parts, "policy", &parts->policy.part, arena);
}

/* The limit that ends a run which makes no progress, and the message to the
 * user about the jobs that are left. */

bool engine_is_stalled(const struct engine *e)
{
    const struct board *b = &e->board;
    return b->n_in[JOB_RUNNING] == 0 && b->n_in[JOB_HELD] == 0 &&
           e->next_submitted == TIME_NEVER;
}

/* True if the limit `stall_changes` is reached: nodes have come and gone that
 * often and no job has moved. */
static bool limits_are_stalled(const struct engine *e)
{
    uint32_t limit = e->parts.config.stall;
    return limit && e->n_stalled >= limit && engine_is_stalled(e);
}

job_id engine_first_stuck(const struct engine *e)
{
    for (uint16_t vc = 0; vc < e->parts.cluster->n_vcs; vc++) {
        job_id first = e->board.pending[vc].first;
        if (first != JOB_NONE)
            return first;
    }
    return JOB_NONE;
}

/* Appends which of the limits faults_max and stall_changes has ended the run,
 * if one has. */
static void explain_limit(const struct engine *e, char *out, size_t room)
{
    if (limits_are_flooded(e))
        snprintf(out, room,
                 "; %" PRIu32 " faults and failures of jobs (--engine "
                 "faults_max)",
                 e->parts.config.faults_max);
    else if (limits_are_stalled(e))
        snprintf(out, room,
                 "; %" PRIu32 " failures and returns of nodes in a row let no "
                 "job start (--engine stall_changes)",
                 e->n_stalled);
}

void engine_explain_stuck(const struct engine *e, const char *id, char *out,
                          size_t room)
{
    const struct board *b = &e->board;
    job_id first = engine_first_stuck(e);
    uint16_t vc = first == JOB_NONE ? 0 : b->jobs[first].vc;
    if (first == JOB_NONE)
        snprintf(out, room, "%" PRIu32 " jobs still running",
                 b->n_in[JOB_RUNNING]);
    else
        snprintf(out, room,
                 "%" PRIu32 " waiting in virtual cluster %s, first job %.60s"
                 " for %" PRIu32 " GPUs of which %" PRIu32 " are free",
                 b->pending[vc].count, e->parts.cluster->vcs[vc], id,
                 b->jobs[first].gpus, cluster_vc_free(e->parts.cluster, vc));
    size_t n = strlen(out);
    explain_limit(e, out + n, room - n);
}

static const char *const outage_places[] = {"back", "keep", NULL};

const struct option engine_options[] = {
    OPT_SPAN(
        struct engine_config, horizon, "horizon_s", 0, 0, SECONDS_MAX,
        "end the run at this time, even if jobs still run or wait; 0: when "
        "no job can change any more",
        NULL),
    OPT_U32(struct engine_config, share_limit, "share_limit", 1, 1,
            SHARE_LIMIT_MAX, "jobs that may hold one GPU together",
            "1: exclusive; Lucid, Horus: 2"),
    OPT_U32(struct engine_config, spares, "spares", 0, 0, 10000,
            "nodes of each virtual cluster and GPU type that wait until one in "
            "service fails or is isolated",
            "assumed: 0; Delta (SC'25) needs 5 % of the nodes"),
    OPT_SPAN(struct engine_config, swap, "swap_s", 300, 0, 86400,
             "time until a spare node is in service",
             "assumed: five minutes to boot and test it"),
    OPT_CHOICE(struct engine_config, outage_place, "outage_place",
               OUTAGE_GOES_BACK, outage_places,
               "place among the waiting jobs of a job that stops because its "
               "node leaves: back (after all of them) or keep (before those "
               "submitted later); for policies that read the jobs in this "
               "order, such as fifo, backfill and gandiva",
               "assumed: back, as if the job were submitted again"),
    OPT_U32(struct engine_config, stall, "stall_changes", 1000000, 0, 100000000,
            "number of failures and returns of nodes in a row, with no job "
            "running or still to come, after which the waiting jobs are given "
            "up; 0: no limit",
            "assumed; by the rule of three the chance that one more lets a job "
            "start is then below 3 in a million (95 %)"),
    OPT_U32(struct engine_config, faults_max, "faults_max", 5000000, 0,
            100000000,
            "number of hardware faults and job failures together after which "
            "the run ends, even if jobs still run or wait; 0: no limit",
            "assumed: their records then take about 1 GB"),
    {0},
};

static void add_capacity_changes(struct engine *e)
{
    for (size_t i = 0; i < e->parts.n_changes; i++) {
        const struct capacity_change *change = &e->parts.changes[i];
        sim_time at = change->at < 0 ? 0 : change->at;
        evq_add(&e->queue, at, change->up ? EVENT_NODE_UP : EVENT_NODE_DOWN,
                (uint32_t)i);
    }
}

/* Returns the submission time of the next arrival; TIME_NEVER if there is none.
 * The result is cached in e->next_submitted, which is what other code reads. */
static sim_time next_submission(const struct engine *e)
{
    return e->next_arrival < e->parts.n_jobs
               ? e->parts.jobs[e->next_arrival].submitted
               : TIME_NEVER;
}

enum status engine_init(struct engine *e, const struct engine_parts *parts,
                        const struct cluster_spec *spec, struct error *err)
{
    uint32_t n = parts->n_jobs;
    *e = (struct engine){.parts = *parts, .spec = spec};
    enum status st =
        cluster_init(&e->empty, spec, parts->config.share_limit, err);
    if (st != STATUS_OK)
        return st;
    board_init(&e->board, parts->cluster, parts->jobs, n);
    progress_init(&e->book, parts->truths, &e->board, parts->law);
    e->book.own_failures = parts->own_failures;
    evq_init(&e->queue);
    faults_init(e);
    company_init(e);
    arena_init(&e->scratch);
    e->mine = mem_zalloc(n, parts->policy.ops->job_size);
    e->asked = mem_zalloc(n, 1);
    e->view = (struct view){
        .board = &e->board,
        .terms = parts->env.terms,
        .guarantee = parts->env.guarantee,
        .extras = parts->env.extras,
        .waits = parts->env.waits,
        .estimator = parts->estimator,
        .belief = &e->parts.belief,
        .throughput = &e->parts.throughput,
        .forecast = &e->parts.forecast,
        .mine = e->mine,
        .mine_size = parts->policy.ops->job_size,
        .seed = parts->seed,
        .zero = parts->env.zero,
        .remarks = parts->env.remarks,
        .asked = e->asked,
    };
    plan_init(&e->plan, &e->view, parts->cluster, &e->parts.placer,
              e->board.planned, &e->scratch);
    e->next_submitted = next_submission(e);
    e->where = (struct check_where){.job = JOB_NONE, .seed = parts->seed};
    return STATUS_OK;
}

static void set_work(struct engine *e)
{
    const struct throughput *model = &e->parts.throughput;
    for (job_id i = 0; i < e->parts.n_jobs && model->ops->work; i++)
        progress_set_waiting(&e->book, i, rates_work(e, &e->parts.jobs[i]));
}

enum status engine_begin(struct engine *e, struct error *err)
{
    struct engine_parts *parts = &e->parts;
    e->is_watched = parts->policy.ops->observe ||
                    (parts->forecast.ops && parts->forecast.ops->observe);
    for (const struct estimator *l = parts->estimator; l; l = l->below)
        e->layers_watch |= l->ops->observe || l->ops->donor;
    e->is_watched |= e->layers_watch;
    parts->env.fault_rate = faults_rate(e);
    parts->env.truth = &e->book.truth;
    parts->env.view = &e->view;
    parts->env.ledger = parts->ledger;
    parts->env.cluster = parts->cluster;
    enum status st = plugins_begin(parts->plugins, &parts->env, err);
    if (st != STATUS_OK)
        return st;
    set_work(e);
    add_capacity_changes(e);
    faults_draw(e);
    return nodes_init(e, err);
}

void engine_fini(struct engine *e)
{
    plan_fini(&e->plan);
    progress_fini(&e->book);
    board_fini(&e->board);
    evq_fini(&e->queue);
    cluster_fini(&e->empty);
    arena_fini(&e->scratch);
    free(e->mine);
    free(e->asked);
    free(e->events.at);
    free(e->wakes.at);
    free(e->wakeups.at);
    faults_fini(e);
    nodes_fini(e);
    company_fini(e);
    free(e->failures);
    free(e->admissions);
    free(e->changed);
}

void engine_wake_at(struct engine *e, sim_time at)
{
    struct wake_list *list = &e->wakes;
    list->at =
        mem_grow(list->at, &list->cap, list->count + 1, sizeof *list->at);
    size_t i = list->count++;
    for (; i > 0 && list->at[i - 1] < at; i--)
        list->at[i] = list->at[i - 1];
    list->at[i] = at;
}

/* Limit on consecutive wakes with no other event and no action planned. After
 * that the policy is assumed to plan nothing at later wakes either. */
#define IDLE_WAKES_MAX 1000

/* True if only wakes and hardware faults are still to come; neither makes room
 * for a job to start. */
static bool engine_is_quiet(const struct engine *e)
{
    return e->next_submitted == TIME_NEVER && e->queue.n == e->faults.waits;
}

/* True if no job can change state any more, nodes came and went too often in
 * vain, or more than IDLE_WAKES_MAX wakes in a row led to no action. */
static bool is_over(const struct engine *e)
{
    if (e->next_submitted != TIME_NEVER)
        return false;
    if (board_n_done(&e->board) == e->parts.n_jobs)
        return true;
    if (limits_are_stalled(e))
        return true;
    return engine_is_quiet(e) &&
           (e->wakes.count == 0 || e->idle_wakes > IDLE_WAKES_MAX);
}

static sim_time next_wake(const struct engine *e)
{
    return e->wakes.count ? e->wakes.at[e->wakes.count - 1] : TIME_NEVER;
}

sim_time engine_next(const struct engine *e)
{
    const struct evq_entry *entry = evq_peek(&e->queue);
    sim_time at = e->next_submitted, wake = next_wake(e);
    if (entry && entry->at < at)
        at = entry->at;
    return wake < at ? wake : at;
}

static bool engine_is_due(const struct engine *e, const struct evq_entry *entry)
{
    return entry && entry->at == e->board.now;
}

static void apply_first(struct engine *e)
{
    struct evq_entry first = *evq_peek(&e->queue);
    evq_pop(&e->queue);
    apply_event(e, first);
    e->n_events++;
}

/* Takes and applies all events of the instant, in the order of event.h.
 * Arrivals come from a sorted array, not from the queue. A retried job becomes
 * pending before the arrivals of the same instant; wakes come last. Returns
 * false if all events were looks of the monitor that changed nothing: then no
 * plug-in is asked, so that a monitor that evicts no job changes no run. */
static bool take_and_apply(struct engine *e)
{
    uint64_t before = e->n_events - e->companies.n_idle;
    const struct evq_entry *entry;
    while (engine_is_due(e, entry = evq_peek(&e->queue)) &&
           evq_rank(entry) <= EVENT_SUBMITTED)
        apply_first(e);
    while (e->next_submitted == e->board.now) {
        struct job *job = &e->parts.jobs[e->next_arrival++];
        e->next_submitted = next_submission(e);
        apply_arrival(e, job);
        e->n_events++;
    }
    while (engine_is_due(e, evq_peek(&e->queue)))
        apply_first(e);
    if (e->n_draining)
        nodes_take_drained(e);
    if (e->must_set_aside)
        apply_set_aside(e);
    for (; e->wakes.count && next_wake(e) == e->board.now; e->wakes.count--) {
        e->rest_until = 0;
        board_touch_all(&e->board);
        engine_note(e, EVENT_WAKE, NULL, NODE_NONE);
        e->n_events++;
    }
    return e->n_events - e->companies.n_idle != before;
}

/* Shows the events from number `from` on to the estimator layers, which may
 * name donors after that. Called only if a layer observes events or names
 * donors: other layers ask for no wake-up. */
static void show_estimators(struct engine *e, size_t from)
{
    for (const struct estimator *l = e->parts.estimator; l; l = l->below) {
        if (!l->ops->observe)
            continue;
        for (size_t i = from; i < e->events.count; i++)
            l->ops->observe(l->self, &e->events.at[i], &e->wakeups);
    }
    for (size_t i = from; i < e->events.count; i++) {
        enum event_kind kind = e->events.at[i].kind;
        if (kind == EVENT_SUBMITTED || kind == EVENT_BELIEF)
            apply_introduction(e, e->events.at[i].job);
    }
    for (size_t i = 0; i < e->wakeups.count; i++) {
        const struct wakeup *w = &e->wakeups.at[i];
        CHECK_IN(&e->where, w->at >= e->board.now);
        evq_add(&e->queue, w->at, EVENT_BELIEF, w->job->id);
    }
    e->wakeups.count = 0;
}

/* Shows the events of the instant to the estimator layers. A layer that answers
 * without delay asks for a wake-up at this instant. The wake-up is applied
 * before the policy sees any event, so that the policy decides with the answer,
 * as it does if a layer needs no wake-up. */
static void show_beliefs(struct engine *e)
{
    const struct evq_entry *entry;
    size_t from = 0, to;
    do {
        to = e->events.count;
        show_estimators(e, from);
        from = to;
        while (engine_is_due(e, entry = evq_peek(&e->queue)) &&
               evq_rank(entry) == EVENT_BELIEF)
            apply_first(e);
    } while (from < e->events.count);
}

static void show_forecast(struct engine *e)
{
    const struct forecast *f = &e->parts.forecast;
    if (!f->ops || !f->ops->observe)
        return;
    for (size_t i = 0; i < e->events.count; i++)
        f->ops->observe(f->self, &e->events.at[i]);
}

static void show_policy(struct engine *e)
{
    if (!e->parts.policy.ops->observe)
        return;
    for (size_t i = 0; i < e->events.count; i++)
        e->parts.policy.ops->observe(e->parts.policy.self, &e->view,
                                     &e->events.at[i]);
}

/* Shows the events of the instant to all that observe events: beliefs first,
 * because the policy may ask for them when it observes. */
static void show_events(struct engine *e)
{
    if (e->layers_watch)
        show_beliefs(e);
    show_forecast(e);
    show_policy(e);
}

/* Checks the counts of the board at each instant, in every build, because two
 * comparisons cost next to nothing. */
static void check_books(struct engine *e)
{
    const struct board *b = &e->board;
    CHECK_IN(&e->where,
             b->n_in[JOB_FUTURE] == e->parts.n_jobs - e->next_arrival);
    CHECK_IN(&e->where, e->queue.n >= b->n_in[JOB_RUNNING]);
}

/* Asks for a call of the policy at `at`, unless a wake at that time or before
 * is pending (rule 4 of plan.h): the policy is asked again then. Without this
 * rule a policy that asks for a wake at every decision would start a new chain
 * of wakes at each. */
static void wake_policy_at(struct engine *e, sim_time at)
{
    size_t n = e->wakes.count;
    while (n && e->wakes.at[n - 1] == e->board.now) /* skip the wakes that are
                                                     * due now */
        n--;
    if (n == 0 || e->wakes.at[n - 1] > at)
        engine_wake_at(e, at);
}

static enum status decide_and_commit(struct engine *e, struct error *err)
{
    e->n_decisions++;
    e->parts.policy.ops->decide(e->parts.policy.self, &e->view, &e->plan);
    if (e->plan.broken.status != STATUS_OK)
        return error_set(err, e->plan.broken.status, "%s %s",
                         e->parts.policy.ops->name, e->plan.broken.message);
    size_t seen = e->events.count;
    if (e->plan.n_actions) {
        enum status st = commit_plan(e, err);
        if (st != STATUS_OK)
            return st;
        if (e->layers_watch) /* show the plan's starts and stops too */
            show_estimators(e, seen);
    }
    if (e->plan.wake != TIME_NEVER)
        wake_policy_at(e, e->plan.wake);
    e->rest_until = e->plan.rest;
    bool idles = e->plan.n_actions == 0 && engine_is_quiet(e);
    e->idle_wakes = idles ? e->idle_wakes + 1 : 0;
    bool again = e->plan.again;
    if (again)
        engine_wake_at(e, e->board.now);
    plan_clear(&e->plan);
    return e->parts.asks_twice && !again ? settle_ask(e, err) : STATUS_OK;
}

enum status engine_reach(struct engine *e)
{
    sim_time at = engine_next(e), horizon = e->parts.config.horizon;
    if (is_over(e))
        return STATUS_END;
    if ((horizon && at > horizon) || limits_are_flooded(e)) {
        e->board.now = horizon && at > horizon ? horizon : e->board.now;
        commit_horizon(e);
        return STATUS_END;
    }
    CHECK_IN(&e->where, at >= e->board.now);
    e->board.now = at;
    e->where.now = at;
    e->events.count = 0;
    if (!take_and_apply(e))
        return STATUS_OK;
    if (e->n_changed)
        rates_renew(e);
    if (e->is_watched)
        show_events(e);
    e->asks = at >= e->rest_until;
    if (!e->asks) {
        wake_policy_at(e, e->rest_until);
        check_books(e);
    }
    return STATUS_OK;
}

enum status engine_decide(struct engine *e, struct error *err)
{
    enum status st = decide_and_commit(e, err);
    e->asks = false;
    /* Called after a decision only: while a policy rests, the touched virtual
     * clusters that it has not seen yet must stay in the list. */
    board_untouch(&e->board);
    arena_reset(&e->scratch);
    if (st == STATUS_OK)
        check_books(e);
    return st;
}

enum status engine_step(struct engine *e, struct error *err)
{
    enum status st = engine_reach(e);
    return st == STATUS_OK && e->asks ? engine_decide(e, err) : st;
}
