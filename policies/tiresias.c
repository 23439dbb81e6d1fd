/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiresias (NSDI'19): nobody knows how long a job will run, but what it has
 * attained says something. Jobs begin in the first of a few queues and move on
 * to the next when their attained service reaches its limit; earlier queues go
 * first. Within a queue: by submission, or by the Gittins index.
 *
 * Service is GPU time ("2D": time by GPUs) or time. It is never ticked: a
 * running job is known by the instant at which it would have had none, from
 * which follows when it leaves its queue. The policy asks to be woken then, for
 * as long as somebody waits. With rounds it acts at whole rounds only, and only
 * at those before which something happened. */
#include <stdlib.h>

#include "policies/order.h"
#include "policies/tiresias_gittins.h"

#define QUEUES_MAX 64
#define NEVER_LEARN SIZE_MAX

enum { SERVICE_GPU_TIME, SERVICE_TIME };
enum { LEAVE_REACHED, LEAVE_EXCEEDED };
enum { WITHIN_SUBMISSION, WITHIN_RUNNING_FIRST };
enum { WAKES_EXACT, WAKES_DIVIDED };
enum { INDEX_NONE, INDEX_GITTINS, INDEX_SIMULATOR };

static const char *const service_names[] = {"gpu-time", "time", NULL};
static const char *const leave_names[] = {"reached", "exceeded", NULL};
static const char *const within_names[] = {"submission", "running-first", NULL};
static const char *const wakes_names[] = {"exact", "divided", NULL};
static const char *const index_names[] = {"none", "gittins", "simulator", NULL};

struct tiresias_config {
    const char *queues, *samples;
    unsigned service, leave, within, wakes, index, preempt;
    double promote;
    sim_span round, phase, delta;
};

static const struct option tiresias_options[] = {
    OPT_TEXT(struct tiresias_config, queues, "queues", "3250/7200",
             "service at which a job leaves each queue but the last, seconds, "
             "divided by '/' or ','",
             "Tiresias' simulator; Lucid's: 18000"),
    OPT_CHOICE(struct tiresias_config, service, "service", SERVICE_GPU_TIME,
               service_names, "what is counted: GPU time, or time", NULL),
    OPT_CHOICE(struct tiresias_config, leave, "leave", LEAVE_REACHED,
               leave_names, "a job leaves its queue when its limit is so",
               "exceeded: Lucid's simulator"),
    OPT_DOUBLE(struct tiresias_config, promote, "promote", 0, 0, 1e6,
               "a job that has waited so many times as long as it has run, in "
               "whole seconds, goes back to the first queue; 0: none does",
               "Tiresias' simulator: 0.5 to 1000"),
    OPT_SPAN(struct tiresias_config, round, "round_s", 0, 0, 86400,
             "act at multiples of this only; 0: whenever something happens",
             "0: Tiresias' simulator; Lucid's: 60"),
    OPT_SPAN(struct tiresias_config, phase, "round_phase_s", 0, 0, 86400,
             "time of the first round; 0: the first submission", NULL),
    OPT_CHOICE(struct tiresias_config, within, "within", WITHIN_SUBMISSION,
               within_names, "order within a queue",
               "running-first: Tiresias' simulator"),
    OPT_CHOICE(struct tiresias_config, wakes, "wakes", WAKES_EXACT, wakes_names,
               "when to look whether a job leaves its queue: then, or after "
               "(limit - time it has run) / GPUs, which is late",
               "divided: Tiresias' simulator"),
    OPT_CHOICE(struct tiresias_config, index, "index", INDEX_NONE, index_names,
               "rank within a queue: none, the Gittins index, or what "
               "Tiresias' simulator takes for it",
               NULL),
    OPT_TEXT(struct tiresias_config, samples, "samples", "",
             "CSV file of services for the index; none: learnt from the jobs "
             "that have ended",
             NULL),
    OPT_SPAN(struct tiresias_config, delta, "delta_s", 3250, 1, SECONDS_MAX,
             "look-ahead of the simulator's index", "Tiresias' simulator"),
    OPT_CHOICE(struct tiresias_config, preempt, "preempt", ORDER_PREEMPT_NEEDED,
               order_preempt_names,
               "who makes room: only those it helps, or all over the quota",
               "quota: Lucid's and Tiresias' simulators"),
    {0},
};

struct mine {
    struct order_mine order; /* first */
    uint32_t queue;
    int64_t before;  /* service until it was last promoted */
    sim_span waited; /* in all, when it first ran since */
    bool in_watch;   /* in its virtual cluster's list of those who may be
                        promoted */
};

/* A job that waits may be promoted from then on. */
struct watched {
    sim_time at;
    job_id job;
};

struct tiresias_vc {
    bool changed;  /* something happened since it was last looked at */
    sim_time next; /* when it must be looked at even if nothing happens */
    struct watched *watch; /* heap by time */
    size_t n_watch, cap_watch;
    job_id *overdue; /* to be promoted when it is next looked at */
    size_t n_overdue, cap_overdue;
};

struct tiresias {
    struct order order;
    const struct tiresias_config *config;
    int64_t limits[QUEUES_MAX]; /* microseconds of service; TIME_NEVER last */
    uint32_t n_limits;
    struct gittins gittins;
    size_t learn_at; /* samples at which the index is built again, or never */
    sim_time phase;  /* the first round */
    struct tiresias_vc *vcs;
    uint32_t n_vcs;
};

/* --- what a job has behind it --------------------------------------------- */

static int64_t service_of(const struct tiresias *t, const struct view *view,
                          const struct job *job)
{
    int64_t held = view_attained(view, job);
    const struct mine *mine = view_mine(view, job);
    if (t->config->service == SERVICE_TIME)
        held /= job->gpus;
    return held - mine->before;
}

static sim_span waited_of(const struct view *view, const struct job *job)
{
    return view_now(view) - job->submitted -
           view_attained(view, job) / job->gpus;
}

/* Service that a running job gains in a unit of time. */
static int64_t pace(const struct tiresias *t, uint32_t gpus)
{
    return t->config->service == SERVICE_TIME ? 1 : gpus;
}

/* The queue in the upper bits, below it what ranks within: 55 bits of the
 * index, whose bits are ordered as it is. */
#define RANK_BITS 55

static int64_t key_of(const struct tiresias *t, const struct mine *mine,
                      int64_t service)
{
    int64_t key = (int64_t)mine->queue << RANK_BITS;
    if (t->config->index == INDEX_NONE)
        return key;
    union {
        double value;
        int64_t bits;
    } index = {.value = gittins_index(&t->gittins, span_seconds(service))};
    return key | (INT64_MAX - index.bits) >> (63 - RANK_BITS);
}

static uint32_t queue_of(const struct order_runner *runner)
{
    return (uint32_t)(runner->entry.key >> RANK_BITS);
}

/* When a job that runs on leaves its queue. */
static sim_time leaves_at(const struct tiresias *t,
                          const struct order_runner *runner)
{
    int64_t limit = t->limits[queue_of(runner)];
    int64_t per = pace(t, runner->gpus);
    return limit == TIME_NEVER ? TIME_NEVER
                               : runner->mark + (limit + per - 1) / per;
}

/* What is to be known of a job that runs, or is about to. */
static void note_runner(const struct tiresias *t, const struct view *view,
                        const struct job *job, struct order_runner *runner)
{
    struct mine *mine = view_mine(view, job);
    int64_t service = service_of(t, view, job);
    if (service == 0)
        mine->waited = waited_of(view, job);
    runner->entry.key = key_of(t, mine, service);
    runner->mark = view_now(view) - service / pace(t, job->gpus);
    runner->steady_until =
        t->config->index == INDEX_NONE ? leaves_at(t, runner) : 0;
}

/* order_own: a running job moves on if it has reached the limit. The simulator
 * moves it by one queue at a time. */
static int64_t rank_job(void *self, const struct view *view,
                        const struct job *job, struct order_runner *runner)
{
    struct tiresias *t = self;
    struct mine *mine = view_mine(view, job);
    int64_t service = service_of(t, view, job);
    if (!runner)
        return key_of(t, mine, service);
    uint32_t queue = mine->queue;
    while (service >= t->limits[mine->queue]) {
        mine->queue++;
        if (t->config->wakes == WAKES_DIVIDED)
            break;
    }
    if (mine->queue != queue && t->order.ties == ORDER_TIES_QUEUES)
        runner->entry.tie = order_tail(&t->order, view, job);
    note_runner(t, view, job, runner);
    return runner->entry.key;
}

/* --- promotion ------------------------------------------------------------ */

static void watch_put(struct tiresias_vc *vc, size_t i, struct watched entry)
{
    while (i > 0 && entry.at < vc->watch[(i - 1) / 2].at) {
        vc->watch[i] = vc->watch[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    vc->watch[i] = entry;
}

static struct watched watch_take(struct tiresias_vc *vc)
{
    struct watched first = vc->watch[0], last = vc->watch[--vc->n_watch];
    size_t i = 0, child;
    while ((child = 2 * i + 1) < vc->n_watch) {
        if (child + 1 < vc->n_watch &&
            vc->watch[child + 1].at < vc->watch[child].at)
            child++;
        if (vc->watch[child].at >= last.at)
            break;
        vc->watch[i] = vc->watch[child];
        i = child;
    }
    if (vc->n_watch)
        vc->watch[i] = last;
    return first;
}

/* When a job that waits from now on may be promoted; maybe long ago. */
static sim_time promoted_at(const struct tiresias *t, const struct view *view,
                            const struct job *job)
{
    const struct mine *mine = view_mine(view, job);
    int64_t ran = service_of(t, view, job) / pace(t, job->gpus);
    double patience = span_seconds(ran) * t->config->promote;
    if (patience > SECONDS_MAX)
        return TIME_NEVER;
    return view_now(view) + (int64_t)patience * SPAN_SECOND -
           (waited_of(view, job) - mine->waited);
}

/* The job waits from now on. Who may be promoted at once will be when the
 * virtual cluster is next looked at. */
static void watch(struct tiresias *t, const struct view *view,
                  const struct job *job)
{
    struct tiresias_vc *vc = &t->vcs[job->vc];
    struct mine *mine = view_mine(view, job);
    if (t->config->promote == 0 || mine->queue == 0 || mine->in_watch ||
        mine->order.at == 0 || service_of(t, view, job) == 0)
        return;
    sim_time at = promoted_at(t, view, job);
    if (at <= view_now(view)) {
        vc->overdue = mem_grow(vc->overdue, &vc->cap_overdue, vc->n_overdue + 1,
                               sizeof *vc->overdue);
        vc->overdue[vc->n_overdue++] = job->id;
        return;
    }
    vc->watch =
        mem_grow(vc->watch, &vc->cap_watch, vc->n_watch + 1, sizeof *vc->watch);
    mine->in_watch = true;
    watch_put(vc, vc->n_watch++, (struct watched){at, job->id});
}

/* The next promotion. Those in the list who have run since they came into it
 * are due later than it says: each second they ran is a second later. */
static sim_time next_promotion(struct tiresias *t, const struct view *view,
                               struct tiresias_vc *vc)
{
    while (vc->n_watch) {
        const struct job *job = view_job(view, vc->watch[0].job);
        struct mine *mine = view_mine(view, job);
        if (mine->order.at && promoted_at(t, view, job) == vc->watch[0].at)
            return vc->watch[0].at;
        watch_take(vc);
        mine->in_watch = false;
        watch(t, view, job);
    }
    return TIME_NEVER;
}

static void promote(struct tiresias *t, const struct view *view, job_id id)
{
    const struct job *job = view_job(view, id);
    struct mine *mine = view_mine(view, job);
    if (mine->order.at == 0)
        return;
    mine->queue = 0;
    mine->before += service_of(t, view, job);
    order_requeue(&t->order, view, job);
}

static void promote_due(struct tiresias *t, const struct view *view,
                        struct tiresias_vc *vc)
{
    for (size_t i = 0; i < vc->n_overdue; i++)
        promote(t, view, vc->overdue[i]);
    vc->n_overdue = 0;
    while (next_promotion(t, view, vc) <= view_now(view)) {
        job_id id = watch_take(vc).job;
        ((struct mine *)view_mine(view, view_job(view, id)))->in_watch = false;
        promote(t, view, id);
    }
}

/* --- rounds and wakes ----------------------------------------------------- */

static bool is_round(const struct tiresias *t, sim_time now)
{
    const struct tiresias_config *c = t->config;
    return c->round == 0 ||
           (now >= t->phase && (now - t->phase) % c->round == 0);
}

/* The first round at or after `at`. */
static sim_time round_from(const struct tiresias *t, sim_time at)
{
    const struct tiresias_config *c = t->config;
    if (c->round == 0 || at >= TIME_NEVER)
        return at;
    if (at <= t->phase)
        return t->phase;
    return at + (c->round - (at - t->phase) % c->round) % c->round;
}

/* When to look at a running job. The simulator divides what is not service by
 * the GPUs, and so comes near the limit in ever smaller steps. */
static sim_time looked_at(const struct tiresias *t, sim_time now,
                          const struct order_runner *runner)
{
    int64_t limit = t->limits[queue_of(runner)];
    if (t->config->wakes == WAKES_EXACT || limit == TIME_NEVER)
        return t->config->index == INDEX_NONE ? runner->steady_until
                                              : leaves_at(t, runner);
    sim_span ahead = (limit - (now - runner->mark)) / pace(t, runner->gpus);
    ahead -= ahead % SPAN_SECOND;
    return now + (ahead > 0 ? ahead : SPAN_SECOND);
}

/* Takes note of who has just been started, and finds out when something may
 * change by itself. */
static sim_time next_change(struct tiresias *t, const struct view *view,
                            uint16_t id)
{
    const struct order_vc *vc = &t->order.vcs[id];
    bool matters = vc->n_waiting > 0 || t->order.eager;
    sim_time now = view_now(view);
    sim_time next = next_promotion(t, view, &t->vcs[id]);
    for (size_t i = 0; i < vc->running.n; i++) {
        struct order_runner *runner = &vc->running.at[i];
        if (runner->steady_until == 0)
            note_runner(t, view, view_job(view, runner->entry.job), runner);
        sim_time at = matters ? looked_at(t, now, runner) : TIME_NEVER;
        if (at < next)
            next = at;
    }
    return round_from(t, next > now ? next : now + 1);
}

/* The index is built again when it knows an eighth more jobs. */
static void learn(struct tiresias *t, const struct view *view)
{
    if (t->gittins.n < t->learn_at)
        return;
    gittins_build(&t->gittins);
    t->learn_at = t->gittins.n + t->gittins.n / 8 + 1;
    order_renew(&t->order, view);
}

static void look_at(struct tiresias *t, struct plan *plan, uint16_t id)
{
    const struct view *view = plan->view;
    struct tiresias_vc *vc = &t->vcs[id];
    size_t stopped = t->order.n_stopped;
    promote_due(t, view, vc);
    order_fill_preempting(&t->order, plan, id);
    for (size_t i = stopped; i < t->order.n_stopped; i++)
        watch(t, view, view_job(view, t->order.stopped[i]));
    vc->changed = false;
    vc->next = next_change(t, view, id);
}

static void tiresias_decide(void *self, const struct view *view,
                            struct plan *plan)
{
    struct tiresias *t = self;
    sim_time now = view_now(view), wake = TIME_NEVER;
    struct vc_list touched = view_touched(view);
    learn(t, view);
    order_begin(&t->order, view);
    for (uint32_t i = 0; i < touched.count; i++) {
        struct tiresias_vc *vc = &t->vcs[touched.at[i]];
        if (!vc->changed && vc->next > now)
            continue;
        if (is_round(t, now))
            look_at(t, plan, touched.at[i]);
        else
            vc->next = round_from(t, now);
    }
    for (uint32_t v = 0; v < t->n_vcs; v++)
        wake = t->vcs[v].next < wake ? t->vcs[v].next : wake;
    if (wake != TIME_NEVER)
        plan_wake_at(plan, wake);
}

/* --- hooks ---------------------------------------------------------------- */

static void tiresias_observe(void *self, const struct view *view,
                             const struct event *event)
{
    struct tiresias *t = self;
    const struct job *job = event->job;
    order_observe(&t->order, view, event);
    for (uint32_t v = 0; !job && event->kind != EVENT_WAKE && v < t->n_vcs; v++)
        t->vcs[v].changed = true;
    if (!job)
        return;
    t->vcs[job->vc].changed |= event->kind != EVENT_BELIEF;
    if (job->state == JOB_PENDING)
        watch(t, view, job);
    if (event->kind == EVENT_FINISHED && t->learn_at != NEVER_LEARN)
        gittins_learn(&t->gittins, span_seconds(service_of(t, view, job)));
}

/* A limit that is left when exceeded is one microsecond more to be reached. */
static enum status parse_queues(struct tiresias *t, struct error *err)
{
    struct text rest = text_from(t->config->queues);
    sim_span limit, last = 0;
    while (rest.len) {
        struct text behind, cell = text_split(rest, '/', &behind);
        if (cell.len == rest.len)
            cell = text_split(rest, ',', &behind);
        rest = behind;
        if (t->n_limits + 1 == QUEUES_MAX || !text_to_span(cell, &limit) ||
            limit <= last)
            return error_set(err, STATUS_USAGE,
                             "policy tiresias: queues: '%s' is not a list of "
                             "at most %d ascending numbers of seconds",
                             t->config->queues, QUEUES_MAX - 1);
        t->limits[t->n_limits++] = limit + (t->config->leave == LEAVE_EXCEEDED);
        last = limit;
    }
    t->limits[t->n_limits] = TIME_NEVER;
    return STATUS_OK;
}

static enum status init_index(struct tiresias *t, struct error *err)
{
    const struct tiresias_config *c = t->config;
    t->learn_at = NEVER_LEARN;
    if (c->index == INDEX_NONE)
        return STATUS_OK;
    if (c->index == INDEX_SIMULATOR)
        t->gittins.delta = span_seconds(c->delta);
    if (!*c->samples) {
        t->learn_at = 1;
        return STATUS_OK;
    }
    enum status st = gittins_read(&t->gittins, c->samples, err);
    gittins_build(&t->gittins);
    return st;
}

static void tiresias_fini(void *self)
{
    struct tiresias *t = self;
    order_fini(&t->order);
    gittins_fini(&t->gittins);
    for (uint32_t v = 0; v < t->n_vcs; v++) {
        free(t->vcs[v].watch);
        free(t->vcs[v].overdue);
    }
    free(t->vcs);
}

static enum status tiresias_init(void *self, const void *config,
                                 const struct view *view, struct error *err)
{
    struct tiresias *t = self;
    const struct tiresias_config *c = config;
    t->config = c;
    t->phase = c->round ? c->phase % c->round : 0;
    order_init(&t->order, view, NULL);
    t->order.own = rank_job;
    t->order.own_self = t;
    t->order.preempt = (enum order_preempt)c->preempt;
    t->order.ties = c->within == WITHIN_RUNNING_FIRST && c->index == INDEX_NONE
                        ? ORDER_TIES_QUEUES
                        : ORDER_TIES_SUBMISSION;
    t->order.eager =
        c->wakes == WAKES_DIVIDED || t->order.ties == ORDER_TIES_QUEUES;
    t->n_vcs = view_cluster(view)->n_vcs;
    t->vcs = mem_zalloc(t->n_vcs, sizeof *t->vcs);
    for (uint32_t v = 0; v < t->n_vcs; v++)
        t->vcs[v].next = TIME_NEVER;
    enum status st = parse_queues(t, err);
    return st == STATUS_OK ? init_index(t, err) : st;
}

const struct policy_ops policy_tiresias = {
    .name = "tiresias",
    .summary = "least attained service first, in queues, preemptive",
    .options = tiresias_options,
    .config_size = sizeof(struct tiresias_config),
    .state_size = sizeof(struct tiresias),
    .job_size = sizeof(struct mine),
    .needs = POLICY_PREEMPTS,
    .init = tiresias_init,
    .observe = tiresias_observe,
    .decide = tiresias_decide,
    .fini = tiresias_fini,
};
