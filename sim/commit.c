/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A checked plan becomes state: stops, then starts in the order they were
 * planned, then rejects; then the rates of everybody whose company changed. */
#include <stdlib.h>

#include "sim/engine.h"

#define EVERYBODY UINT64_MAX

/* Of its start; jobs that are only planned so far come after all others. */
static uint64_t serial_of(const struct engine *e, job_id job)
{
    uint32_t seat = e->board.seat_of[job];
    return seat == SEAT_NONE ? EVERYBODY : e->board.seats[seat].serial;
}

static void note_company(struct engine *e, struct gpu_set where,
                         uint64_t before)
{
    const struct cluster *c = e->parts.cluster;
    for (uint32_t i = 0; i < where.count; i++) {
        const struct node *node = &c->nodes[where.at[i].node];
        for (uint64_t m = where.at[i].mask; m; m &= m - 1) {
            gpu_id gpu = node->first_gpu + (uint32_t)__builtin_ctzll(m);
            const job_id *list = c->holders + (size_t)gpu * c->share_limit;
            e->changed =
                mem_grow(e->changed, &e->cap_changed,
                         e->n_changed + c->n_holders[gpu], sizeof *e->changed);
            for (uint32_t k = 0; k < c->n_holders[gpu]; k++) {
                if (before == EVERYBODY || serial_of(e, list[k]) < before)
                    e->changed[e->n_changed++] = list[k];
            }
        }
    }
}

/* The rate of those who hold these GPUs may have changed, if they were started
 * before `before`. */
static void note_changed(struct engine *e, struct gpu_set where,
                         uint64_t before)
{
    if (e->parts.cluster->share_limit > 1) /* or nobody has company */
        note_company(e, where, before);
}

/* How a job begins on GPUs, alone. One whose speed does not change as it goes
 * has a single phase. */
static void begin_phase(struct engine *e, const struct job *job,
                        const struct seat *seat, struct phase *phase)
{
    struct throughput *model = &e->parts.throughput;
    const struct cluster *c = e->parts.cluster;
    if (throughput_knows(model, job)) {
        *phase = model->ops->begin(model, job, seat->where, seat->ready,
                                   e->book.left[job->id]);
        return;
    }
    const struct pool *pool = &c->pools[c->nodes[seat->where.at[0].node].pool];
    struct shape shape = {.gpu_type = (uint8_t)pool->type,
                          .gpus = seat->gpus,
                          .nodes = seat->where.count};
    phase->rate = model->ops->rate(model, c, job, shape);
    phase->until = 0;
    phase->again = TIME_NEVER;
}

/* Who holds a GPU, by start: a table may tell who was there first. */
static uint32_t company_of(const struct engine *e, gpu_id gpu,
                           const struct job *company[SHARE_LIMIT_MAX])
{
    const struct cluster *c = e->parts.cluster;
    const job_id *list = c->holders + (size_t)gpu * c->share_limit;
    uint32_t n = c->n_holders[gpu];
    for (uint32_t i = 0; i < n; i++) {
        uint64_t serial = serial_of(e, list[i]);
        uint32_t k = i;
        for (; k > 0 && serial_of(e, company[k - 1]->id) > serial; k--)
            company[k] = company[k - 1];
        company[k] = &e->board.jobs[list[i]];
    }
    return n;
}

/* The slowest of its GPUs holds a gang back. */
static double slowest_pace(const struct engine *e, const struct job *job,
                           struct gpu_set where, bool *shared)
{
    const struct cluster *c = e->parts.cluster;
    const struct job *company[SHARE_LIMIT_MAX];
    double rates[SHARE_LIMIT_MAX], slowest = 1e300;
    for (uint32_t i = 0; i < where.count; i++) {
        const struct node *node = &c->nodes[where.at[i].node];
        for (uint64_t m = where.at[i].mask; m; m &= m - 1) {
            gpu_id gpu = node->first_gpu + (uint32_t)__builtin_ctzll(m);
            uint32_t n = company_of(e, gpu, company), self = 0;
            while (company[self] != job)
                self++;
            *shared |= n > 1;
            rates[self] = 1.0;
            if (n > 1)
                e->parts.interference.ops->rates(e->parts.interference.config,
                                                 company, n, rates);
            if (rates[self] < slowest)
                slowest = rates[self];
        }
    }
    return slowest;
}

static double pace_of(const struct engine *e, const struct job *job,
                      struct gpu_set where, bool *shared)
{
    *shared = false;
    if (e->parts.cluster->share_limit == 1)
        return 1.0; /* nobody has company */
    return slowest_pace(e, job, where, shared);
}

struct speed {
    double rate, pace; /* pace: share of the rate that it would have alone */
    bool shared;
};

static struct speed speed_of(const struct engine *e, const struct job *job,
                             struct gpu_set where, double alone)
{
    struct speed speed;
    speed.pace = pace_of(e, job, where, &speed.shared);
    speed.rate = alone * speed.pace;
    return speed;
}

/* One event per running attempt: the end of its phase, of its work, or of
 * profiling, whichever comes first. */
static void schedule_end(struct engine *e, const struct job *job)
{
    struct progress *p = progress_of(&e->book, job);
    sim_time at = progress_end(&e->book, job);
    enum event_kind kind = EVENT_FINISHED;
    if (p->phase.until > 0 || p->phase.again < at) {
        kind = EVENT_PACED;
        at = progress_phase_end(&e->book, job);
    }
    if (p->limit < at) {
        kind = EVENT_PROFILED;
        at = p->limit;
    }
    if (p->end == EVQ_NONE) {
        p->end = evq_add(&e->queue, at, kind, job->id);
    } else if (p->limit == TIME_NEVER &&
               !throughput_knows(&e->parts.throughput, job)) {
        evq_move(&e->queue, p->end, at); /* it only ends */
    } else {
        evq_cancel(&e->queue, p->end);
        p->end = evq_add(&e->queue, at, kind, job->id);
    }
}

/* The job works at this speed from now on. */
static void change_rate(struct engine *e, const struct job *job,
                        struct speed speed)
{
    struct seat *seat = board_seat(&e->board, job);
    bool differs = speed.rate != seat->rate;
    seat->rate = speed.rate;
    seat->pace = speed.pace;
    progress_set_rate(&e->book, job, speed.rate);
    schedule_end(e, job);
    if (differs)
        ledger_add(e->parts.ledger, &(struct ledger_move){.at = e->board.now,
                                                          .kind = LEDGER_RATE,
                                                          .job = job,
                                                          .where = seat->where,
                                                          .rate = speed.rate,
                                                          .pace = speed.pace});
}

void commit_phase(struct engine *e, const struct job *job)
{
    struct throughput *model = &e->parts.throughput;
    struct progress *p = progress_of(&e->book, job);
    const struct seat *seat = board_seat(&e->board, job);
    if (progress_work_end(&e->book, job) == e->board.now)
        progress_arrive(&e->book, job, p->phase.until);
    else
        progress_settle(&e->book, job);
    p->end = EVQ_NONE;
    p->phase =
        model->ops->next(model, job, e->board.now, e->book.left[job->id]);
    CHECK_IN(&e->where, p->phase.rate > 0);
    change_rate(e, job, speed_of(e, job, seat->where, p->phase.rate));
}

void commit_rates(struct engine *e)
{
    for (size_t i = 0; i < e->n_changed; i++) {
        const struct job *job = &e->board.jobs[e->changed[i]];
        if (job->state != JOB_RUNNING)
            continue;
        struct seat *seat = board_seat(&e->board, job);
        struct speed speed = speed_of(e, job, seat->where,
                                      progress_of(&e->book, job)->phase.rate);
        seat->shared |= speed.shared;
        if (speed.rate != seat->rate)
            change_rate(e, job, speed);
    }
    e->n_changed = 0;
}

/* What is to be said of the end of an attempt by whoever ends it. */
struct departure {
    enum ledger_kind how;
    sim_span overhead, lost;
    const char *why;
};

/* The books of the attempt of a job that leaves its GPUs. Here and below all
 * fields of the move are named, because one that names only some of them is
 * cleared before, which takes longer than to write it. */
static void close_attempt(struct engine *e, const struct job *job,
                          const struct departure *end)
{
    const struct seat *seat = board_seat(&e->board, job);
    ledger_add(e->parts.ledger,
               &(struct ledger_move){
                   .at = e->board.now,
                   .kind = end->how,
                   .job = job,
                   .where = seat->where,
                   .node = 0,
                   .overhead = end->overhead + progress_startup(&e->book, job),
                   .lost = end->lost,
                   .work = progress_of(&e->book, job)->done,
                   .rate = 0,
                   .pace = 0,
                   .shared = seat->shared,
                   .profiling = seat->profiling,
                   .why = end->why,
               });
    note_changed(e, seat->where,
                 e->parts.config.restores_both ? EVERYBODY : seat->serial);
}

static void open_attempt(struct engine *e, const struct job *job)
{
    const struct seat *seat = board_seat(&e->board, job);
    ledger_add(e->parts.ledger, &(struct ledger_move){
                                    .at = e->board.now,
                                    .kind = LEDGER_STARTED,
                                    .job = job,
                                    .where = seat->where,
                                    .node = 0,
                                    .overhead = 0,
                                    .lost = 0,
                                    .work = 0,
                                    .rate = seat->rate,
                                    .pace = seat->pace,
                                    .shared = seat->shared,
                                    .profiling = seat->profiling,
                                    .why = NULL,
                                });
}

/* The attempt is over. GPUs that the plan has given up already are not given
 * up again. */
static void leave(struct engine *e, struct job *job,
                  const struct departure *end, bool holds)
{
    struct seat *seat = board_seat(&e->board, job);
    progress_settle(&e->book, job);
    struct progress *p = progress_of(&e->book, job);
    /* at its end and after profiling, the event is what brought us here */
    if (end->how != LEDGER_FINISHED && end->how != LEDGER_PROFILED)
        evq_cancel(&e->queue, p->end);
    for (uint32_t i = 0; holds && i < seat->where.count; i++)
        cluster_give(e->parts.cluster, seat->where.at[i], job->id);
    close_attempt(e, job, end);
    board_leave(&e->board, job);
}

void commit_leave(struct engine *e, struct job *job, enum ledger_kind how,
                  sim_span overhead, sim_span lost, const char *why)
{
    leave(e, job,
          &(struct departure){
              .how = how, .overhead = overhead, .lost = lost, .why = why},
          true);
}

static const struct plan_action *start_of(const struct plan *plan,
                                          const struct job *job)
{
    for (size_t i = 0; i < plan->n_actions; i++) {
        const struct plan_action *a = &plan->actions[i];
        if (a->job == job && a->kind != PLAN_STOP)
            return a;
    }
    return NULL;
}

/* Rule 2: stopped and started on the same GPUs. */
static bool is_kept(const struct plan *plan, const struct plan_action *stop)
{
    if (!plan_is_started(plan, stop->job))
        return false;
    const struct plan_action *start = start_of(plan, stop->job);
    return start->kind != PLAN_PROFILE &&
           gpu_set_equal(start->where, stop->where);
}

/* Stopped, and started in an equal shape: as many GPUs of the type, node by
 * node. */
static bool is_moved(const struct engine *e, const struct plan_action *stop)
{
    const struct cluster *c = e->parts.cluster;
    if (!e->parts.config.free_moves || !plan_is_started(&e->plan, stop->job))
        return false;
    const struct plan_action *start = start_of(&e->plan, stop->job);
    struct gpu_set from = stop->where, to = start->where;
    if (start->kind != PLAN_START || from.count != to.count ||
        board_seat(&e->board, stop->job)->profiling ||
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
    progress_settle(&e->book, job);
    close_attempt(e, job, &(struct departure){.how = LEDGER_MOVED});
    p->done = 0;
    p->at_start = e->book.left[job->id];
}

/* Is a job that the plan starts where it starts it? */
static bool is_at(const struct engine *e, const struct plan_action *start)
{
    return gpu_set_equal(board_seat(&e->board, start->job)->where,
                         start->where);
}

static void move_in(struct engine *e, const struct plan_action *start)
{
    board_reseat(&e->board, start->job, start->where);
    open_attempt(e, start->job);
    note_changed(e, start->where, EVERYBODY);
}

static void stop(struct engine *e, const struct plan_action *action)
{
    struct job *job = &e->board.jobs[action->job->id];
    const struct overhead *overhead = &e->parts.overhead;
    sim_span cost = overhead->ops->stop(overhead->config, job);
    leave(e, job, &(struct departure){.how = LEDGER_STOPPED, .overhead = cost},
          false);
    e->book.left[job->id] += cost;
    board_move(&e->board, job, JOB_PENDING);
    if (e->layers_watch) /* the policy knows what it planned */
        engine_note(e, EVENT_STOPPED, job, NODE_NONE);
}

/* What its application needs for a (re)start; -1: nobody knows. */
static sim_span own_restart(const struct engine *e, const struct job *job)
{
    const struct throughput *model = &e->parts.throughput;
    return throughput_knows(model, job) ? model->ops->restart(model, job) : -1;
}

/* NULL, or why the job cannot be started. */
static const char *start(struct engine *e, const struct plan_action *action)
{
    struct job *job = &e->board.jobs[action->job->id];
    const struct overhead *overhead = &e->parts.overhead;
    sim_time now = e->board.now;
    if (job->attempts == UINT16_MAX)
        return "was started 65,535 times and gets nowhere";
    board_move(&e->board, job, JOB_RUNNING);
    job->attempts++;
    struct seat *seat = board_sit(&e->board, job, action->where);
    seat->profiling = action->kind == PLAN_PROFILE;
    seat->ready =
        now + overhead->ops->start(overhead->config, job, job->attempts,
                                   own_restart(e, job));
    struct progress *p = progress_start(&e->book, job, action->limit);
    begin_phase(e, job, seat, &p->phase);
    seat->pace = pace_of(e, job, seat->where, &seat->shared);
    seat->rate = p->rate = p->phase.rate * seat->pace;
    if (!(seat->rate > 0))
        return "cannot run in this shape";
    schedule_end(e, job);
    open_attempt(e, job);
    if (action->kind == PLAN_SHARE)
        note_changed(e, seat->where, EVERYBODY);
    if (e->layers_watch)
        engine_note(e, EVENT_STARTED, job, NODE_NONE);
    return NULL;
}

/* The plan has done it already. */
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
    } else { /* who waits for GPUs is asked again at once */
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

static void reject(struct engine *e, const struct plan_action *action)
{
    struct job *job = &e->board.jobs[action->job->id];
    board_move(&e->board, job, JOB_REJECTED);
    ledger_add(e->parts.ledger, &(struct ledger_move){.at = e->board.now,
                                                      .kind = LEDGER_REJECTED,
                                                      .job = job,
                                                      .why = action->why});
}

enum status commit_plan(struct engine *e, struct error *err)
{
    const struct plan *plan = &e->plan;
    for (size_t i = 0; i < plan->n_actions; i++) {
        const struct plan_action *a = &plan->actions[i];
        if (a->kind != PLAN_STOP)
            continue;
        if (is_kept(plan, a))
            note_changed(e, a->where, EVERYBODY); /* perhaps in other company */
        else if (is_moved(e, a))
            move_away(e, a);
        else
            stop(e, a);
    }
    for (size_t i = 0; i < plan->n_actions; i++) {
        const struct plan_action *a = &plan->actions[i];
        if (is_of_node(a))
            note_node(e, a);
    }
    for (size_t i = 0; i < plan->n_actions; i++) {
        const struct plan_action *a = &plan->actions[i];
        const char *why = NULL;
        CHECK_IN(&e->where, a->kind != PLAN_IMAGINE);
        if (a->kind == PLAN_REJECT)
            reject(e, a);
        else if (!is_of_node(a) && a->kind != PLAN_STOP &&
                 a->job->state == JOB_PENDING)
            why = start(e, a);
        else if (a->kind == PLAN_START && !is_at(e, a))
            move_in(e, a);
        if (why)
            return error_set(err, STATUS_BAD_PLAN, "%s at %.6f s: job %u %s",
                             e->parts.policy->name, span_seconds(e->board.now),
                             a->job->id, why);
    }
    if (e->n_changed)
        commit_rates(e);
    return STATUS_OK;
}
