/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/resumed.h"

#include <stdlib.h>
#include <string.h>

#include "base/state/ledger.h"
#include "traces/load.h"

/* A start to repeat. */
struct resumed_job {
    job_id job;
    sim_time at; /* on the clock of the run, before the present */
    const struct resumed_start *start;
};

struct resumed_state {
    const struct resumed *resumed;
    void *inner;              /* state of the wrapped policy, after this */
    struct resumed_job *jobs; /* by `at`, then number of the job */
    /* number of starts, or of plans of the past, that were repeated */
    size_t n_done;
    bool *is_ours; /* by job: the run repeats a start of it */
    const struct ledger *ledger;
    struct bookings bookings;
    sim_time told; /* of the bookings that ended by then */
    /* by node, if the run goes on with other settings: what the past has left
     * and the wrapped policy does not know of */
    struct past_node {
        int32_t closed; /* times */
        bool lent;
    } * past_nodes;
    bool has_past_nodes;
    sim_time present;
    bool asks;      /* the wrapped policy is asked for the plans of the past */
    bool has_begun; /* the wrapped policy has begun to decide the future */
};

static int resumed_by_time(const void *a, const void *b)
{
    const struct resumed_job *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

/* Finds the jobs of the starts in the run. */
static enum status resumed_find(struct resumed_state *s,
                                const struct run_env *env, struct error *err)
{
    const struct resumed *r = s->resumed;
    struct job_ids ids;
    enum status st = STATUS_OK;
    job_ids_init(&ids, env);
    for (size_t i = 0; i < r->n_starts && st == STATUS_OK; i++) {
        const struct resumed_start *start = &r->starts[i];
        const job_id job = job_ids_find(&ids, text_from(start->id));
        sim_time at = start->at - env->zero;
        if (job == JOB_NONE) {
            st = error_set(err, STATUS_BAD_INPUT,
                           "state: job %.60s runs, but the run has no such job",
                           start->id);
            break;
        }
        /* a job whose submission was written again when it was requeued */
        if (at < env->jobs[job].submitted)
            at = env->jobs[job].submitted;
        s->jobs[i] = (struct resumed_job){job, at, start};
        s->is_ours[job] = true;
    }
    job_ids_fini(&ids);
    for (size_t i = 0; r->past && i < r->past->n_actions; i++) {
        if (r->past->actions[i].job != JOB_NONE)
            s->is_ours[r->past->actions[i].job] = true;
    }
    if (st == STATUS_OK && r->n_starts)
        qsort(s->jobs, r->n_starts, sizeof *s->jobs, resumed_by_time);
    return st;
}

static enum status resumed_init(void *self, const void *config,
                                const struct run_env *env, struct error *err)
{
    struct resumed_state *s = self;
    const struct resumed *r = config;
    s->resumed = r;
    s->inner = s + 1;
    s->present = r->present - env->zero;
    s->jobs = mem_zalloc(r->n_starts, sizeof *s->jobs);
    s->is_ours = mem_zalloc(env->n_jobs, sizeof *s->is_ours);
    s->ledger = env->ledger;
    s->bookings = r->bookings;
    s->told = s->present;
    s->asks = r->past && !r->differs;
    if (r->past && !s->asks)
        s->past_nodes =
            mem_zalloc(env->cluster->n_nodes, sizeof *s->past_nodes);
    enum status st = resumed_find(s, env, err);
    if (st == STATUS_OK && r->inner->init)
        st = r->inner->init(s->inner, r->inner_config, env, err);
    return st;
}

static void resumed_fini(void *self)
{
    struct resumed_state *s = self;
    if (s->resumed && s->resumed->inner->fini)
        s->resumed->inner->fini(s->inner);
    free(s->jobs);
    free(s->is_ours);
    free(s->past_nodes);
}

static void resumed_observe(void *self, const struct view *view,
                            const struct event *event)
{
    struct resumed_state *s = self;
    const bool is_hidden =
        !s->asks && !s->has_begun && event->job && s->is_ours[event->job->id];
    if (s->resumed->inner->observe && !is_hidden)
        s->resumed->inner->observe(s->inner, view, event);
}

static const char *resumed_never(const void *self, const struct view *view,
                                 const struct job *job)
{
    const struct resumed_state *s = self;
    const struct redo_log *past = s->resumed->past;
    if (past && !s->asks && view_now(view) < s->present) {
        for (size_t i = 0; i < past->n_refusals; i++) {
            if (past->refusals[i].job == job->id)
                return past->refusals[i].why;
        }
        return NULL;
    }
    return s->resumed->inner->never
               ? s->resumed->inner->never(s->inner, view, job)
               : NULL;
}

/* Repeats the starts that are due. */
static void repeat_starts(struct resumed_state *s, const struct view *view,
                          struct plan *plan)
{
    for (; s->n_done < s->resumed->n_starts; s->n_done++) {
        const struct resumed_job *due = &s->jobs[s->n_done];
        const struct job *job = view_job(view, due->job);
        if (due->at > view_now(view)) {
            plan_wake_at(plan, due->at);
            return;
        }
        if (job->state != JOB_PENDING ||
            (!plan_start_on(plan, job, due->start->where) &&
             !plan_share_on(plan, job, due->start->where)) ||
            plan->broken.status != STATUS_OK) {
            plan->broken = (struct error){0}; /* the file is to blame */
            plan_refuse(plan, STATUS_BAD_INPUT, due->job,
                        "state: cannot run on the GPUs that the state gives "
                        "it, such as GPUs that another job holds, of another "
                        "virtual cluster, or of several");
            return;
        }
    }
}

/* Tells the wrapped policy of the jobs whose starts it has not planned. */
static void resumed_begin(struct resumed_state *s, const struct view *view)
{
    const struct policy_ops *inner = s->resumed->inner;
    const struct cluster *c = view_cluster(view);
    for (size_t i = 0; i < s->resumed->n_starts; i++) {
        const struct job *job = view_job(view, s->jobs[i].job);
        /* pending: its node has gone at this instant */
        const struct event waits = {.at = view_now(view),
                                    .kind = EVENT_SUBMITTED,
                                    .job = job,
                                    .node = NODE_NONE};
        if (job->state == JOB_RUNNING && inner->adopt)
            inner->adopt(s->inner, view, job);
        else if (job->state == JOB_PENDING && inner->observe &&
                 !s->resumed->past)
            inner->observe(s->inner, view, &waits);
    }
    for (uint16_t vc = 0; vc < c->n_vcs && s->resumed->past; vc++) {
        const struct job *job = view_first_pending(view, vc);
        for (; job && inner->observe; job = view_next_pending(view, job)) {
            const struct event event = {.at = view_now(view),
                                        .kind = EVENT_SUBMITTED,
                                        .job = job,
                                        .node = NODE_NONE};
            if (s->is_ours[job->id])
                inner->observe(s->inner, view, &event);
        }
    }
}

/* The past as a run left it. */

static void past_refuse(const struct resumed_state *s, struct plan *plan,
                        const struct job *job, const char *what)
{
    char why[400];
    snprintf(why, sizeof why, "state: %s%s%s", what,
             s->resumed->differs
                 ? "; other settings than those of the run that "
                   "wrote the state: "
                 : "; another version of the program, another "
                   "trace or another cluster wrote the state",
             s->resumed->differs ? s->resumed->differs : "");
    plan_refuse(plan, STATUS_BAD_INPUT, job ? job->id : JOB_NONE,
                arena_copy(plan->scratch, why, strlen(why)));
}

static bool past_is_action(const struct redo_action *was,
                           const struct plan_action *is)
{
    const bool starts = is->job && is->kind != PLAN_STOP;
    if (was->kind != is->kind ||
        was->job != (is->job ? is->job->id : JOB_NONE) ||
        (!is->job && was->node != is->node))
        return false;
    return !starts || (gpu_set_equal(was->where, is->where) &&
                       (is->kind != PLAN_PROFILE || was->limit == is->limit));
}

/* Checks that the wrapped policy has planned what the log says. */
static void past_check_plan(struct resumed_state *s, struct plan *plan)
{
    const struct redo_log *past = s->resumed->past;
    const struct redo_plan *was =
        s->n_done < past->n_plans ? &past->plans[s->n_done] : NULL;
    const bool is_due = was && was->at <= view_now(plan->view);
    bool is_equal =
        is_due ? was->at == view_now(plan->view) && plan->n_actions == was->n
               : plan->n_actions == 0;
    for (size_t i = 0; is_due && is_equal && i < was->n; i++)
        is_equal =
            past_is_action(&past->actions[was->first + i], &plan->actions[i]);
    if (!is_equal)
        past_refuse(s, plan, NULL, "the policy plans the past otherwise");
    s->n_done += is_due;
}

static bool past_repeat_start(struct plan *plan, const struct job *job,
                              const struct redo_action *a)
{
    if (job->state != JOB_PENDING && !plan_is_stopped(plan, job))
        return false;
    if (a->kind == PLAN_PROFILE)
        return plan_profile_on(plan, job, a->where, a->limit);
    return a->kind == PLAN_SHARE ? plan_share_on(plan, job, a->where)
                                 : plan_start_on(plan, job, a->where);
}

static bool past_repeat_action(struct plan *plan, const struct view *view,
                               const struct redo_action *a)
{
    const struct job *job = a->job == JOB_NONE ? NULL : view_job(view, a->job);
    switch (a->kind) {
    case PLAN_START:
    case PLAN_SHARE:
    case PLAN_PROFILE:
        return past_repeat_start(plan, job, a);
    case PLAN_STOP:
        if (job->state == JOB_RUNNING)
            plan_stop(plan, job);
        return job->state == JOB_RUNNING;
    case PLAN_CLOSE:
        return plan_close(plan, a->node);
    case PLAN_OPEN:
        plan_open(plan, a->node);
        return true;
    case PLAN_LEND:
        return plan_lend(plan, a->node);
    case PLAN_TAKE_BACK:
        return plan_take_back(plan, a->node);
    case PLAN_IMAGINE:
    case PLAN_BAR:
        break; /* parts of a what-if, which is in no log */
    }
    return false;
}

static void past_note_node(struct resumed_state *s, const struct redo_action *a)
{
    if (a->node == NODE_NONE)
        return;
    struct past_node *node = &s->past_nodes[a->node];
    if (a->kind == PLAN_CLOSE || a->kind == PLAN_OPEN)
        node->closed += a->kind == PLAN_CLOSE ? 1 : -1;
    else
        node->lent = a->kind == PLAN_LEND;
    s->has_past_nodes = true;
}

/* Opens the nodes that the policy of the past has closed, and takes back those
 * that it has lent to the profiler, as soon as they are idle. */
static void past_free_nodes(struct resumed_state *s, const struct view *view,
                            struct plan *plan)
{
    s->has_past_nodes = false;
    for (node_id i = 0; i < view_cluster(view)->n_nodes; i++) {
        struct past_node *node = &s->past_nodes[i];
        for (; node->closed > 0; node->closed--)
            plan_open(plan, i);
        node->lent = node->lent && !plan_take_back(plan, i);
        s->has_past_nodes |= node->lent;
    }
}

/* Repeats the plan that is due. Plans of one instant are carried out one after
 * the other. */
static void past_repeat_plan(struct resumed_state *s, const struct view *view,
                             struct plan *plan)
{
    const struct redo_log *past = s->resumed->past;
    const sim_time now = view_now(view);
    if (s->n_done < past->n_plans && past->plans[s->n_done].at <= now) {
        const struct redo_plan *was = &past->plans[s->n_done++];
        for (size_t i = 0; i < was->n; i++) {
            const struct redo_action *a = &past->actions[was->first + i];
            past_note_node(s, a);
            if (was->at == now && past_repeat_action(plan, view, a) &&
                plan->broken.status == STATUS_OK)
                continue;
            plan->broken = (struct error){0}; /* the file is to blame */
            past_refuse(s, plan,
                        a->job == JOB_NONE ? NULL : view_job(view, a->job),
                        "the past cannot be repeated");
            return;
        }
    }
    const sim_time next =
        s->n_done < past->n_plans ? past->plans[s->n_done].at : s->present;
    if (s->n_done < past->n_plans && next <= now)
        plan_ask_again(plan);
    else
        plan_wake_at(plan, next);
}

static bool past_is_start(const struct resumed_state *s,
                          const struct attempt *attempt,
                          const struct resumed_job *job,
                          struct gpu_slice *scratch, uint32_t room)
{
    const uint32_t n = ledger_where(s->ledger, attempt, scratch, room);
    const struct gpu_set where = job->start->where;
    if (attempt->start != job->at || n != where.count)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < n && (where.at[k].node != scratch[i].node ||
                         where.at[k].mask != scratch[i].mask))
            k++;
        if (k == n)
            return false;
    }
    return true;
}

/* Returns the last attempt of a job that began before the present. */
static uint32_t past_attempt(const struct resumed_state *s, job_id job)
{
    uint32_t a = s->ledger->last_attempt[job];
    while (a != ATTEMPT_NONE && s->ledger->attempts[a].start >= s->present)
        a = s->ledger->attempts[a].previous;
    return a;
}

/* Returns a job that does not run or wait at the present as the state says;
 * NULL if there is none. */
static const struct job *past_wrong_job(const struct resumed_state *s,
                                        const struct view *view,
                                        struct plan *plan)
{
    const struct resumed *r = s->resumed;
    const uint32_t room = view_cluster(view)->n_nodes;
    struct gpu_slice *scratch = plan_scratch(plan, room * sizeof *scratch);
    for (size_t i = 0; i < r->n_starts; i++) {
        const uint32_t a = past_attempt(s, s->jobs[i].job);
        const struct attempt *attempts = s->ledger->attempts;
        if (a == ATTEMPT_NONE || attempts[a].end < s->present ||
            !past_is_start(s, &attempts[a], &s->jobs[i], scratch, room))
            return view_job(view, s->jobs[i].job);
    }
    for (size_t i = 0; i < r->n_waiting; i++) {
        const uint32_t a = past_attempt(s, r->waiting[i]);
        if (a != ATTEMPT_NONE &&
            s->ledger->attempts[a].how == LEDGER_FINISHED &&
            s->ledger->attempts[a].end < s->present)
            return view_job(view, r->waiting[i]);
    }
    return NULL;
}

/* Checks that the past has led to the present of the state: its jobs run since
 * when and where it says, and the others wait. */
static void past_check(struct resumed_state *s, const struct view *view,
                       struct plan *plan)
{
    const struct job *wrong = past_wrong_job(s, view, plan);
    size_t n_running = 0;
    for (size_t i = 0; i < s->ledger->n_attempts; i++) {
        const struct attempt *a = &s->ledger->attempts[i];
        n_running +=
            a->start < s->present && a->end >= s->present && !a->profiling;
    }
    if (s->n_done < s->resumed->past->n_plans ||
        n_running != s->resumed->n_starts || wrong)
        past_refuse(s, plan, wrong, "the past does not lead to the present");
}

/* Tells the wrapped policy of the nodes whose bookings have ended, as of nodes
 * that return. */
static void resumed_tell(struct resumed_state *s, const struct view *view)
{
    const sim_time now = view_now(view);
    const struct policy_ops *inner = s->resumed->inner;
    for (uint32_t i = 0; i < s->bookings.n && inner->observe; i++) {
        const struct booking *b = &s->bookings.at[i];
        for (uint32_t k = 0;
             b->until > s->told && b->until <= now && k < b->n_nodes; k++) {
            const struct event event = {
                .at = now, .kind = EVENT_NODE_UP, .node = b->nodes[k]};
            inner->observe(s->inner, view, &event);
        }
    }
    s->told = now;
}

static void resumed_decide(void *self, const struct view *view,
                           struct plan *plan)
{
    struct resumed_state *s = self;
    const struct redo_log *past = s->resumed->past;
    const bool is_past = view_now(view) < s->present;
    if (is_past && !past) {
        repeat_starts(s, view, plan);
        plan_wake_at(plan, s->present);
        return;
    }
    if (is_past && !s->asks) {
        past_repeat_plan(s, view, plan);
        return;
    }
    if (!is_past && !s->has_begun) {
        s->has_begun = true;
        if (past)
            past_check(s, view, plan);
        if (!s->asks)
            resumed_begin(s, view);
    }
    if (s->has_past_nodes)
        past_free_nodes(s, view, plan);
    const sim_time next = bookings_end(&s->bookings, view_now(view));
    if (!is_past && s->bookings.n) {
        resumed_tell(s, view);
        plan->bookings = &s->bookings;
    }
    s->resumed->inner->decide(s->inner, view, plan);
    plan->bookings = NULL;
    if (!is_past && next != TIME_NEVER)
        plan_wake_at(plan, next);
    if (is_past)
        past_check_plan(s, plan);
}

static size_t resumed_count(const void *self, struct policy_count *out)
{
    const struct resumed_state *s = self;
    const struct policy_ops *inner = s->resumed->inner;
    return inner->count ? inner->count(s->inner, out) : 0;
}

static void resumed_remark(const void *self, struct remarks *remarks)
{
    const struct resumed_state *s = self;
    if (s->resumed->inner->remark)
        s->resumed->inner->remark(s->inner, remarks);
}

void resumed_wrap(struct resumed *resumed, const struct policy_ops *inner,
                  const void *inner_config)
{
    resumed->inner = inner;
    resumed->inner_config = inner_config;
    resumed->ops = *inner;
    resumed->ops.state_size = sizeof(struct resumed_state) + inner->state_size;
    resumed->ops.init = resumed_init;
    resumed->ops.never =
        inner->never || (resumed->past && resumed->past->n_refusals)
            ? resumed_never
            : NULL;
    resumed->ops.observe = resumed_observe;
    resumed->ops.adopt = NULL;
    resumed->ops.decide = resumed_decide;
    resumed->ops.count = resumed_count;
    resumed->ops.remark = resumed_remark;
    resumed->ops.fini = resumed_fini;
}
