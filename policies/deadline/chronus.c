/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chronus (Gao et al., SoCC 2021), for jobs of a fixed number of GPUs. GPUs are
 * given for leases. A job with a deadline is accepted if it and all jobs that
 * were accepted before can be promised the leases that they need, the largest
 * first, each the last ones before its deadline. The others, and best-effort
 * jobs, which have no deadline, get what is left.
 *
 * When a lease begins, all GPUs are given out anew: first as promised, then
 * chronus_fill gives the rest. In between, GPUs that become free go to waiting
 * jobs, up to the end of the lease.
 *
 * The published program solves an integer program for the leases of accepted
 * jobs, and fills greedily if the solver takes too long. Here the greedy test
 * of the admission decides always, and the program is not solved. A job that
 * was not accepted is not tested again, soft deadlines are not known, and what
 * a resume really costs says the overhead model. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "policies/deadline/promises.h"

struct chronus_config {
    sim_span lease, fill, resume;
    double margin;
};

static const struct option chronus_options[] = {
    OPT_SPAN(struct chronus_config, lease, "lease_s", 1200, 10, 86400,
             "length of a lease", "Chronus' artifact: 20 min"),
    OPT_SPAN(struct chronus_config, fill, "fill_s", 300, 1, 86400,
             "between the beginnings of leases, waiting jobs may start at "
             "multiples of this time",
             "Chronus' artifact: 5 min"),
    OPT_DOUBLE(struct chronus_config, margin, "margin", 1.1, 1, 100,
               "factor on the time that a job is promised",
               "Chronus' artifact: 1.1"),
    OPT_SPAN(struct chronus_config, resume, "resume_s", 30, 0, 86400,
             "time by which a job on one GPU is believed to run longer in each "
             "lease; on g GPUs, 1 + log2 g times as much",
             "Chronus' artifact: 0.5 min"),
    {0},
};

struct chronus {
    const struct chronus_config *config;
    struct promises promises;
    sim_time decided; /* time of the last lease that was given out; -1: none */
};

/* Returns the leases that lie between a row's deadline and the work that it
 * needs, in us. */
static double chronus_slack(const struct promises_row *row)
{
    return (double)row->due - row->left;
}

static int chronus_by_size(const void *a, const void *b)
{
    const struct promises_row *x = a, *y = b;
    double s = chronus_slack(x), t = chronus_slack(y);
    if (x->job->gpus != y->job->gpus)
        return x->job->gpus > y->job->gpus ? -1 : 1;
    if (s != t)
        return s < t ? -1 : 1;
    if (x->due != y->due)
        return x->due > y->due ? -1 : 1;
    return (x->job->id > y->job->id) - (x->job->id < y->job->id);
}

/* See struct promises. The work of a row is the time of the whole leases that
 * the job is believed to need. */
static void chronus_describe(const void *config, const struct view *view,
                             const struct pool *pool, sim_time from,
                             struct promises_row *row)
{
    const struct chronus_config *c = config;
    const struct job *job = row->job;
    double lease = (double)c->lease;
    sim_time due = view_deadline(view, job);
    struct belief belief;
    levels_of(view, job, pool, 0, &row->levels);
    row->due = due == TIME_NEVER ? due : due / c->lease * c->lease;
    row->left = LEFT_UNKNOWN;
    if (row->levels.n == 0 || !view_remaining(view, job, &belief))
        return;
    double left = (double)belief.mean / row->levels.rate[0];
    row->levels.rate[0] = 1;
    if (job->state == JOB_RUNNING && !view_is_starting(view, job)) {
        left -= (double)(from - view_now(view));
        row->done = left < -2;
    }
    left = left > 1 ? left : 1;
    double resumes = (double)c->resume / lease * (1 + log2(job->gpus));
    row->left = ceil(left * (1 + resumes) * c->margin / lease) * lease;
}

static enum status chronus_init(void *self, const void *config,
                                const struct run_env *env, struct error *err)
{
    struct chronus *s = self;
    (void)err;
    s->config = config;
    s->decided = -1;
    s->promises.describe = chronus_describe;
    s->promises.order = chronus_by_size;
    s->promises.config = config;
    promises_init(&s->promises, env->view, s->config->lease);
    return STATUS_OK;
}

static void chronus_fini(void *self)
{
    promises_fini(&((struct chronus *)self)->promises);
}

static void chronus_observe(void *self, const struct view *view,
                            const struct event *event)
{
    struct promises *promises = &((struct chronus *)self)->promises;
    if (event->kind == EVENT_SUBMITTED && event->job->attempts == 0 &&
        view_deadline(view, event->job) != TIME_NEVER)
        promises_admit(promises, view, event->job);
    promises_observe(promises, event);
}

/* A job in the order in which free GPUs are given out. */
struct chronus_turn {
    const struct job *job;
    struct promises_row *row; /* NULL between the beginnings of leases */
    /* 0: accepted, 1: not accepted, 2: best-effort */
    int class;
    double gpu_time; /* that the job still needs, GPU-us */
};

static int chronus_by_turn(const void *a, const void *b)
{
    const struct chronus_turn *x = a, *y = b;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (x->gpu_time != y->gpu_time)
        return x->gpu_time < y->gpu_time ? -1 : 1;
    return (x->job->id > y->job->id) - (x->job->id < y->job->id);
}

static struct chronus_turn chronus_turn_of(const struct chronus *s,
                                           const struct view *view,
                                           const struct job *job,
                                           struct promises_row *row)
{
    struct belief belief;
    bool known = view_remaining(view, job, &belief);
    return (struct chronus_turn){
        .job = job,
        .row = row,
        .class =
            view_deadline(view, job) == TIME_NEVER ? 2
            : promises_job(&s->promises, job)->standing == STANDING_PROMISED
                ? 0
                : 1,
        .gpu_time = (known ? (double)belief.mean : LEFT_UNKNOWN) * job->gpus,
    };
}

/* Gives GPUs of the pool that nobody was promised for this lease to the other
 * rows, in turn; passes over those that do not fit. */
static void chronus_fill(struct chronus *s, const struct view *view,
                         struct plan *plan, uint32_t spare)
{
    struct promises *p = &s->promises;
    struct chronus_turn *turns = plan_scratch(plan, (p->n + 1) * sizeof *turns);
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (p->rows[i].have == 0 && p->rows[i].levels.n)
            turns[n++] = chronus_turn_of(s, view, p->rows[i].job, &p->rows[i]);
    }
    if (n)
        qsort(turns, n, sizeof *turns, chronus_by_turn);
    for (size_t i = 0; i < n; i++) {
        uint32_t gpus = turns[i].row->levels.gpus[0];
        if (gpus > spare)
            continue;
        turns[i].row->have = gpus;
        spare -= gpus;
    }
}

/* Starts waiting jobs of a virtual cluster on free GPUs, in turn. */
static void chronus_start(struct chronus *s, const struct view *view,
                          struct plan *plan, uint16_t vc)
{
    const struct cluster *c = view_cluster(view);
    struct chronus_turn *turns = plan_scratch(
        plan, (view_n_pending(view, vc) + (size_t)1) * sizeof *turns);
    size_t n = 0;
    for (const struct job *job = view_first_pending(view, vc); job;
         job = view_next_pending(view, job))
        turns[n++] = chronus_turn_of(s, view, job, NULL);
    if (n)
        qsort(turns, n, sizeof *turns, chronus_by_turn);
    for (size_t i = 0; i < n; i++) {
        const struct job *job = turns[i].job;
        const struct promises_job *mine = promises_job(&s->promises, job);
        if (plan_is_started(plan, job) || job->gpus > plan_free_gpus(plan, vc))
            continue;
        if (mine->standing == STANDING_PROMISED)
            plan_start_as(plan, job,
                          (struct shape){.gpu_type = c->pools[mine->pool].type,
                                         .gpus = job->gpus});
        else
            plan_start(plan, job);
    }
}

static void chronus_give_leases(struct chronus *s, const struct view *view,
                                struct plan *plan)
{
    const struct cluster *c = view_cluster(view);
    for (uint32_t p = 0; p < c->n_pools; p++) {
        if (c->pools[p].profiler)
            continue;
        uint32_t spare = promises_renew(&s->promises, view, p);
        promises_add_rest(&s->promises, view, plan, p);
        chronus_fill(s, view, plan, spare);
        promises_place(&s->promises, view, plan, p);
    }
}

static void chronus_decide(void *self, const struct view *view,
                           struct plan *plan)
{
    struct chronus *s = self;
    sim_span lease = s->config->lease, fill = s->config->fill;
    sim_time now = view_now(view);
    sim_time boundary = now - now % lease + lease;
    sim_time next = now - now % fill + fill;
    bool waits = false;
    for (uint16_t vc = 0; vc < view_cluster(view)->n_vcs; vc++)
        waits |= view_n_pending(view, vc) > 0;
    bool leases = now % lease == 0;
    if (waits && leases && s->decided != now) {
        s->decided = now;
        chronus_give_leases(s, view, plan);
    }
    /* also when leases were given: one of them may have found no place */
    for (uint16_t vc = 0;
         vc < view_cluster(view)->n_vcs && (leases || now % fill == 0); vc++)
        chronus_start(s, view, plan, vc);
    next = next < boundary ? next : boundary;
    if (waits)
        plan_wake_at(plan, leases || now % fill == 0 ? boundary : next);
    plan_rest_until(plan, next);
}

static size_t chronus_count(const void *self, struct policy_count *out)
{
    return promises_count(&((const struct chronus *)self)->promises, out);
}

static void chronus_remark(const void *self, struct remarks *remarks)
{
    const struct promises *p = &((const struct chronus *)self)->promises;
    promises_remark(p, "chronus", remarks);
    if (p->declined)
        remarks_add(remarks, REMARK_CONCLUSION,
                    "chronus did not accept %" PRIu64 " of %" PRIu64
                    " jobs with a deadline; they run on GPUs that are left",
                    p->declined, p->admitted + p->declined + p->unknown);
}

const struct policy_ops policy_chronus = {
    .name = "chronus",
    .summary = "leases: promises deadlines, the rest to the shortest jobs",
    .options = chronus_options,
    .config_size = sizeof(struct chronus_config),
    .state_size = sizeof(struct chronus),
    .needs = POLICY_NEEDS_DURATION | POLICY_PREEMPTS,
    .init = chronus_init,
    .fini = chronus_fini,
    .observe = chronus_observe,
    .decide = chronus_decide,
    .count = chronus_count,
    .remark = chronus_remark,
};
