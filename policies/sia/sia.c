/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sia (Jayaram Subramanya et al., SOSP 2023). In each round an integer program
 * chooses how many GPUs of which type each job gets, so that the sum over jobs
 * of goodput to a negative power is as small as possible. For a job with a
 * fixed number of GPUs the program chooses only the type. */
#include "policies/sia/sia_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "models/elastic/learner.h"
#include "policies/rounds.h"

static const char *const firsts[] = {"tie", "profiled", NULL};

static const struct option sia_policy_options[] = {
    OPT_SPAN(struct sia_config, round, "round_s", 60, 1, 86400,
             "length of a round", "Sia's simulator: 60 s"),
    OPT_DOUBLE(struct sia_config, power, "power", -0.5, -10, -0.01,
               "exponent of the normalised goodput in the cost of a job",
               "Sia, section 4.3: -0.5"),
    OPT_DOUBLE(
        struct sia_config, lambda, "lambda", 1.1, 0, 1000,
        "cost of a job that gets no GPUs; with the least goodput it costs 1",
        "Sia's artifact: mip_lambda_n 1.1"),
    OPT_SPAN(
        struct sia_config, profile, "profile_s", 266, 0, 86400,
        "time after its submission, or after a later answer of an estimator, "
        "in which a job is profiled on one GPU of each type and cannot start; "
        "a job whose learner was copied from another job is not profiled",
        "266: fitted, makes Sia's simulator agree with the results that "
        "SchedMate reports for it; Sia itself: 0.1 GPU hours per job"),
    OPT_BOOL(
        struct sia_config, occupies, "profile_occupies", false,
        "profiling takes GPUs, and the job trains meanwhile: on one GPU of "
        "each type for equal parts of profile_s, in whole rounds",
        "false: agrees with the results that SchedMate reports",
        OPT_WHEN("profile_s!=0")),
    OPT_CHOICE(struct sia_config, first, "first", SIA_FIRST_PROFILED, firsts,
               "GPU type of a first start: profiled: by the throughputs on one "
               "GPU; tie: all types count as equal",
               "assumed: profiled; Sia's simulator: tie"),
    OPT_BOOL(struct sia_config, project, "project", true,
             "estimate the speed of a job on a GPU type on which it has not "
             "run from its model of another type",
             "Sia, section 3.2 (bootstrapping)"),
    OPT_U32(struct sia_config, gpus_most, "gpus_most", 64, 1, 65536,
            "most GPUs of one job", "Sia's simulator: 64"),
    OPT_SPAN(struct sia_config, penalty, "penalty_s", 30, 0, 86400,
             "time that a restart is believed to cost a job of no known "
             "application",
             "Pollux' and Sia's simulators: 30 s"),
    OPT_U32(struct sia_config, labels, "labels", 20000000, 1000, 100000000,
            "number of search nodes, 24 bytes each, beyond which GLPK solves "
            "the program of a round; the result is the same",
            "assumed: 2,048 GPUs need over 2 million, and GLPK takes minutes"),
    {0},
};

struct sia_policy {
    const struct sia_config *config;
    struct rounds rounds;
    uint32_t n_jobs;
    struct sia_row *rows; /* state by job id */
    /* What sia_count reports: sums over all rounds, and in most_labels the
     * largest number of labels of one round. */
    uint64_t n_rounds, jobs, labels, most_labels, ascents, searches, glpk;
};

static enum status sia_init(void *self, const void *config,
                            const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    (void)err;
    struct sia_policy *sia = self;
    *sia = (struct sia_policy){.config = config, .n_jobs = view_n_jobs(view)};
    sia->rounds = (struct rounds){.length = sia->config->round, .last = -1};
    sia->rows = mem_zalloc(sia->n_jobs + (size_t)1, sizeof *sia->rows);
    return STATUS_OK;
}

static void sia_fini(void *self)
{
    struct sia_policy *sia = self;
    for (uint32_t i = 0; sia->rows && i < sia->n_jobs; i++)
        free(sia->rows[i].goodput);
    free(sia->rows);
}

/* Records whether a job that has not started yet still waits for an answer of
 * an estimator that was on its way when the job was submitted. The profiling of
 * the job begins when the answer has come. */
static void wait_for_answer(struct sia_row *row, const struct view *view,
                            const struct event *event)
{
    bool waited = row->waits;
    row->waits = event->job->attempts == 0 &&
                 (waited || event->kind == EVENT_SUBMITTED) &&
                 view_advice_due(view, event->job) != TIME_NEVER;
    if (waited && !row->waits)
        row->answered = event->at;
}

static void sia_observe(void *self, const struct view *view,
                        const struct event *event)
{
    struct sia_policy *sia = self;
    struct sia_row *row = event->job ? &sia->rows[event->job->id] : NULL;
    if (event->kind == EVENT_SUBMITTED || event->kind == EVENT_BELIEF)
        wait_for_answer(row, view, event);
    if (event->kind != EVENT_FINISHED)
        return;
    free(row->goodput);
    *row = (struct sia_row){0};
}

/* True if the job may start in this round: it need not wait for its profiling,
 * or for an answer that may make the profiling needless. */
static bool sia_may_start(const struct sia_round *r, const struct job *job)
{
    const struct learner *a = view_learner(r->view, job);
    const struct sia_row *row = &r->rows[job->id];
    sim_time from = row->answered ? row->answered : job->submitted;
    if (job->attempts > 0 || !a || !a->scales || learner_knows(a) ||
        r->config->profile == 0)
        return true;
    return !row->waits && (r->config->occupies ||
                           view_now(r->view) >= from + r->config->profile);
}

/* Collects the pools of a virtual cluster, and those of its jobs that run or
 * may start. */
static void sia_gather(struct sia_round *r, uint16_t vc)
{
    const struct cluster *c = view_cluster(r->view);
    uint32_t n;
    r->jobs = rounds_jobs(r->view, r->plan, vc, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (r->jobs[i]->state == JOB_RUNNING || sia_may_start(r, r->jobs[i]))
            r->jobs[r->n_jobs++] = r->jobs[i];
    }
    r->pools = &c->pools[c->vc_pools[vc].first];
    r->n_pools = c->vc_pools[vc].end - c->vc_pools[vc].first;
    r->gpus = cluster_vc_gpus(c, vc);
}

/* Returns, by job, true if the job must keep its configuration, because it is
 * starting up or is being profiled. */
static bool *forced(const struct sia_round *r)
{
    bool *list = plan_scratch(r->plan, r->n_jobs + 1);
    for (uint32_t i = 0; i < r->n_jobs; i++)
        list[i] = r->current[i] != CHOICE_NONE &&
                  (view_is_starting(r->view, r->jobs[i]) ||
                   r->rows[r->jobs[i]->id].until > view_now(r->view));
    return list;
}

static void note_answer(struct sia_policy *sia, const struct sia_round *r,
                        const struct choice_answer *answer)
{
    sia->n_rounds++;
    sia->jobs += r->n_jobs;
    sia->labels += answer->labels;
    if (answer->labels > sia->most_labels)
        sia->most_labels = answer->labels;
    sia->ascents += answer->ascents;
    sia->searches += answer->searches;
    sia->glpk += answer->glpk;
}

/* Solves the integer program of a round. chosen[i] becomes the index of the
 * shape of job i; CHOICE_NONE: the job gets no GPUs. */
static void sia_choose(struct sia_policy *sia, const struct sia_round *r,
                       uint32_t *chosen)
{
    struct choice_config *configs =
        plan_scratch(r->plan, r->n_shapes * sizeof *configs + 1);
    uint32_t *capacity =
        plan_scratch(r->plan, r->n_pools * sizeof *capacity + 1);
    for (uint32_t s = 0; s < r->n_shapes; s++)
        configs[s] = (struct choice_config){.type = r->shapes[s].pool,
                                            .gpus = r->shapes[s].gpus};
    for (uint32_t p = 0; p < r->n_pools; p++)
        capacity[p] = r->pools[p].profiler ? 0 : r->pools[p].n_gpus;
    struct choice_problem problem = {
        .n_jobs = r->n_jobs,
        .n_configs = r->n_shapes,
        .n_types = r->n_pools,
        .configs = configs,
        .capacity = capacity,
        .cost = r->cost,
        .current = r->current,
        .forced = forced(r),
        .none_cost = (int32_t)(r->config->lambda * 100 + 0.5),
        .max_labels = r->config->labels,
    };
    struct choice_answer answer = {.chosen = chosen};
    struct error err = {0};
    enum status st = choice_solve(&problem, &answer, &err);
    CHECK(st == STATUS_OK);
    note_answer(sia, r, &answer);
}

static void sia_carry_out(const struct sia_round *r, const uint32_t *chosen)
{
    struct gang *gangs = plan_scratch(r->plan, r->n_jobs * sizeof *gangs + 1);
    size_t n = 0;
    for (uint32_t i = 0; i < r->n_jobs; i++) {
        const struct job *job = r->jobs[i];
        uint32_t s = chosen[i];
        if (s == CHOICE_NONE && job->state != JOB_RUNNING)
            continue;
        gangs[n++] = (struct gang){
            .job = job,
            .pool = s == CHOICE_NONE ? NULL : &r->pools[r->shapes[s].pool],
            .gpus = s == CHOICE_NONE ? 0 : r->shapes[s].gpus,
            .stays = s != CHOICE_NONE && s == r->current[i],
        };
    }
    gangs_place(r->plan, gangs, n);
}

/* Advances the profiling of a job, which covers one GPU type after another.
 * Profiling on a type begins when the job holds a GPU of it. A job that does
 * not scale, or whose learner was copied from another job, needs no
 * profiling. */
static void move_profiling(const struct sia_round *r, const struct job *job)
{
    const struct learner *a = view_learner(r->view, job);
    struct sia_row *row = &r->rows[job->id];
    sim_time now = view_now(r->view);
    uint32_t pools = 0;
    if (!row->seen && (!a || !a->scales || learner_knows(a)))
        row->profiled = r->n_pools;
    row->seen = true;
    if (row->until && row->until <= now) {
        row->profiled++;
        row->until = 0;
    }
    uint32_t pool = sia_profiles_on(r, job);
    if (pool == CHOICE_NONE || row->until || job->state != JOB_RUNNING)
        return;
    const struct cluster *c = view_cluster(r->view);
    if (&c->pools[c->nodes[view_where(r->view, job).at[0].node].pool] !=
        &r->pools[pool])
        return;
    for (uint32_t p = 0; p < r->n_pools; p++)
        pools += !r->pools[p].profiler;
    row->until = view_started(r->view, job) + r->config->profile / pools;
    if (row->until <= now) {
        row->until = 0;
        row->profiled++;
    }
}

static void sia_run_round(void *self, const struct view *view,
                          struct plan *plan, uint16_t vc)
{
    struct sia_policy *sia = self;
    struct sia_round round = {
        .config = sia->config, .view = view, .plan = plan, .rows = sia->rows};
    sia_gather(&round, vc);
    if (round.n_jobs == 0)
        return;
    for (uint32_t i = 0; i < round.n_jobs && sia->config->occupies; i++)
        move_profiling(&round, round.jobs[i]);
    sia_costs(&round);
    if (round.n_shapes == 0)
        return;
    uint32_t *chosen = plan_scratch(plan, round.n_jobs * sizeof *chosen);
    sia_choose(sia, &round, chosen);
    sia_carry_out(&round, chosen);
}

static void sia_decide(void *self, const struct view *view, struct plan *plan)
{
    struct sia_policy *sia = self;
    rounds_decide(&sia->rounds, view, plan, sia_run_round, sia);
}

static size_t sia_count(const void *self, struct policy_count *out)
{
    const struct sia_policy *s = self;
    const struct policy_count all[] = {
        {.name = "rounds",
         .help = "rounds in which GPUs were shared out",
         .value = s->n_rounds},
        {.name = "jobs",
         .help = "jobs that took part, over all rounds",
         .value = s->jobs},
        {.name = "labels", .help = "nodes of the searches", .value = s->labels},
        {.name = "labels_most",
         .help = "most nodes of the searches of one round",
         .value = s->most_labels},
        {.name = "ascents",
         .help = "steps taken to find the prices",
         .value = s->ascents},
        {.name = "searches",
         .help = "searches, each with a higher limit on the cost",
         .value = s->searches},
        {.name = "glpk",
         .help = "rounds in which GLPK was asked",
         .value = s->glpk},
    };
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

const struct policy_ops policy_sia = {
    .name = "sia",
    .summary = "elastic jobs: the best sum of goodputs, by an integer program",
    .options = sia_policy_options,
    .config_size = sizeof(struct sia_config),
    .state_size = sizeof(struct sia_policy),
    .needs = POLICY_PREEMPTS | POLICY_ELASTIC | POLICY_OWNS_NODES,
    .init = sia_init,
    .never = sia_never,
    .observe = sia_observe,
    .decide = sia_decide,
    .count = sia_count,
    .fini = sia_fini,
};
