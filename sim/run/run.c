/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a run from its configuration and executes it: composes the parts
 * (compose.c), binds the jobs to the cluster, runs the loop of the engine,
 * collects the results. */
#include "sim/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/describe.h"
#include "sim/run/rehearse.h"
#include "sim/run/run_internal.h"
#include "traces/shelf.h"

struct run_stage;

static void run_start_one(struct run_stage *s, struct job *job, sim_time now);

/* True if the run ignores virtual clusters: no job of the trace names one, or
 * the cluster has only one. */
static bool run_runs_as_one(const struct run *run)
{
    if (run->lends && run->result.jobset.vcs.n_strings > 1)
        return false;
    return run->spec.n_vcs == 1 || run->result.jobset.vcs.n_strings <= 1;
}

/* Returns the index in cluster.types of the GPU type that a symbol of the trace
 * names; GPU_TYPE_ANY for symbol 0, GPU_TYPE_NONE if the cluster has no such
 * type. */
static uint8_t run_type_of(const struct run *run, uint8_t symbol)
{
    if (symbol == 0)
        return GPU_TYPE_ANY;
    const char *name = interner_string(&run->result.jobset.types, symbol);
    for (size_t t = 0; t < run->spec.n_types; t++) {
        if (strcmp(run->spec.types[t].name, name) == 0)
            return (uint8_t)t;
    }
    return GPU_TYPE_NONE;
}

/* Gives each job the numbers of its virtual cluster and GPU type. Jobs of a
 * virtual cluster that the cluster does not have are dropped and counted. If
 * the run ignores virtual clusters, first makes the cluster have only one. */
static void bind_jobs(struct run *run)
{
    struct jobset *w = &run->result.jobset;
    bool as_one = run_runs_as_one(run);
    uint16_t map[CLUSTER_VCS_MAX + 1];
    uint32_t n = 0;
    if (as_one && run->spec.n_vcs > 1)
        describe_as_one(&run->spec, &run->result.arena);
    for (uint32_t s = 0; s < w->vcs.n_strings && s <= CLUSTER_VCS_MAX; s++) {
        map[s] = as_one && compose_quota_knows(run, interner_string(&w->vcs, s))
                     ? 0
                     : UINT16_MAX;
        for (uint16_t vc = 0; vc < run->spec.n_vcs && !as_one; vc++) {
            if (strcmp(run->spec.vcs[vc], interner_string(&w->vcs, s)) == 0)
                map[s] = vc;
        }
    }
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        struct job *job = &w->jobs[i];
        const struct job_names *names = &w->names[i];
        job->vc = names->vc <= CLUSTER_VCS_MAX ? map[names->vc] : UINT16_MAX;
        job->gpu_type = run_type_of(run, names->gpu_type);
        if (job->vc == UINT16_MAX)
            w->dropped[LOAD_UNKNOWN_VC]++;
        else
            jobset_move(w, i, n++);
    }
    w->n_jobs = n;
}

/* Reads the description of the cluster, and records the files of the trace and
 * of the cluster. */
static enum status run_describe(struct run *run, struct error *err)
{
    struct run_result *r = &run->result;
    const char *cluster = run->config.cluster;
    if (run->resume && !cluster)
        return resume_describe(run, err);
    if (!cluster)
        cluster = intake_default_cluster(run);
    run->cluster = cluster;
    enum status st = describe_cluster(cluster, &r->arena, &run->spec, err);
    if (st != STATUS_OK)
        return st;
    compose_quota_name_vcs(run);
    compose_file(run, "trace", run->config.trace, r->jobset.digest);
    if (describe_is_file(cluster))
        compose_file(run, "cluster", cluster, NULL);
    return STATUS_OK;
}

/* Returns what to load: what the user asked for and what the parts need. */
static struct load_options run_load_options(const struct run *run)
{
    struct load_options options = run->config.load;
    options.elastic = run->parts.throughput.ops->work != NULL;
    options.propose = !run->config.cluster && !run->resume;
    /* a cluster file may limit CPUs and main memory; it is read later */
    options.extras |=
        (run->parts.policy.ops->needs & POLICY_USES_EXTRAS) ||
        (run->config.cluster && describe_is_file(run->config.cluster));
    options.accounts = run->parts.policy.ops->needs & POLICY_USES_EXTRAS;
    options.waits = run->parts.policy.ops->needs & POLICY_REPLAYS;
    return options;
}

/* Binds the jobs to the cluster, and makes what depends on both. */
static enum status run_bind(struct run *run, struct error *err)
{
    static enum status (*const steps[])(struct run *, struct error *) = {
        compose_classes,       intake_check_jobs, compose_quota_merge,
        compose_set_aside_any, compose_llm,       compose_models,
    };
    enum status st = STATUS_OK;
    bind_jobs(run);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && st == STATUS_OK; i++)
        st = steps[i](run, err);
    return st;
}

/* Makes the cluster and the ledger, and reads what is known of the past. */
static enum status run_make_cluster(struct run *run, struct error *err)
{
    struct run_result *r = &run->result;
    enum status st = cluster_init(&r->cluster, &run->spec,
                                  run->parts.config.share_limit, err);
    if (st != STATUS_OK)
        return st;
    compose_quota_note_nominal(run);
    r->throughput = &run->parts.throughput;
    r->cluster_name = run->spec.name;
    r->cluster_source = run->spec.source;
    ledger_init(&r->ledger, r->jobset.n_jobs);
    intake_remark_load(run);
    st = resume_bind(run, err);
    if (st == STATUS_OK)
        st = past_load(run, err);
    if (st == STATUS_OK)
        st = gather_evidence(run, err);
    resume_compare(run);
    return st;
}

static enum status run_load(struct run *run, struct error *err)
{
    struct run_result *r = &run->result;
    struct load_options options = run_load_options(run);
    enum status st = resubmissions_read(run, &options, err);
    if (st != STATUS_OK)
        return st;
    st = run->config.shelf
             ? shelf_load(run->config.shelf, run->config.trace,
                          run->config.format, &options, &r->jobset, err)
             : jobset_load(run->config.trace, run->config.format, &options,
                           &r->jobset, err);
    if (st != STATUS_OK)
        return st;
    compose_note_format(run, run->config.format);
    st = intake_check_vc(run, err);
    if (st != STATUS_OK)
        return st;
    st = run_describe(run, err);
    if (st == STATUS_OK)
        st = compose_what_if(run, run_runs_as_one(run), err);
    if (st == STATUS_OK)
        st = compose_set_aside_named(run, err);
    if (st != STATUS_OK)
        return st;
    st = run_bind(run, err);
    if (st != STATUS_OK)
        return st;
    if (run->what_if.n)
        what_if_changes(&run->what_if, &run->spec, &r->arena);
    jobset_drop_names(&r->jobset);
    return run_make_cluster(run, err);
}

enum status run_prepare(const struct run_config *config, struct run **out,
                        struct error *err)
{
    struct run *run = mem_zalloc(1, sizeof *run);
    run->config = *config;
    run->result.seed = config->seed;
    run->result.counted = (struct counted){.warmup = config->warmup,
                                           .cooldown = config->cooldown};
    arena_init(&run->result.arena);
    run->result.remarks.arena = &run->result.arena;
    enum status st = resume_open(run, err);
    if (st == STATUS_OK)
        st = compose_parts(run, err);
    if (st == STATUS_OK)
        st = compose_extras(run, err);
    if (st == STATUS_OK)
        st = run_load(run, err);
    if (st == STATUS_OK)
        st = counted_find(&run->result.counted, &run->result.jobset,
                          &run->result.remarks, err);
    if (st != STATUS_OK) {
        run_free(run);
        return st;
    }
    *out = run;
    return STATUS_OK;
}

struct run_result *run_result(struct run *run)
{
    return &run->result;
}

void run_on_instant(struct run *run,
                    bool (*call)(void *self, sim_time now, uint32_t n_done),
                    void *self)
{
    run->on_instant = call;
    run->on_instant_self = self;
}

void run_log_decisions(struct run *run, struct out *log)
{
    struct policy *policy = &run->parts.policy;
    traced_wrap(&run->traced, policy->ops, policy->config, log);
    policy->ops = &run->traced.ops;
    policy->config = &run->traced;
}

void run_keep_plans(struct run *run, sim_time until)
{
    struct run_result *r = &run->result;
    struct policy *policy = &run->parts.policy;
    r->n_settings_kept = r->n_settings;
    r->plans.arena = &r->arena;
    redo_wrap(&run->redo, policy->ops, policy->config, until - r->jobset.zero,
              &r->plans);
    policy->ops = &run->redo.ops;
    policy->config = &run->redo;
}

void run_ask_twice(struct run *run)
{
    run->parts.asks_twice = true;
}

enum status run_start(struct run *run, struct error *err)
{
    struct run_result *r = &run->result;
    struct engine_parts *p = &run->parts;
    p->jobs = r->jobset.jobs;
    p->truths = r->jobset.truths;
    p->own_failures = r->jobset.failures;
    p->n_jobs = r->jobset.n_jobs;
    p->cluster = &r->cluster;
    p->changes = run->spec.changes;
    p->n_changes = run->spec.n_changes;
    p->ledger = &r->ledger;
    p->seed = run->config.seed;
    p->env = compose_env(run);
    p->plugins = &run->plugins;
    engine_parts_make(p, &r->arena);
    enum status st = engine_init(&run->engine, p, &run->spec, err);
    run->has_engine = st == STATUS_OK;
    if (st == STATUS_OK)
        st = engine_begin(&run->engine, err);
    if (st == STATUS_OK)
        st = compose_work(run, err);
    if (st == STATUS_OK)
        st = resubmissions_finish(run, err);
    return st == STATUS_OK ? intake_check_speeds(run, err) : st;
}

static void close_books(struct run *run)
{
    struct run_result *r = &run->result;
    struct engine *e = &run->engine;
    uint32_t open = e->parts.n_jobs - board_n_done(&e->board);
    uint32_t rejected = (uint32_t)r->ledger.n_rejections;
    char why[384] = "", id[SOURCE_ID_MAX];
    if (rejected) {
        const struct rejection *first = &r->ledger.rejections[0];
        const struct job *job = &r->jobset.jobs[first->job];
        snprintf(why, sizeof why, "%u rejected, first job %.60s (%u GPUs): %s",
                 rejected, jobset_source_id(&r->jobset, job, id), job->gpus,
                 intake_cause(run, first));
    } else if (open) {
        job_id first = engine_first_stuck(e);
        const struct job *job = &r->jobset.jobs[first == JOB_NONE ? 0 : first];
        engine_explain_stuck(e, jobset_source_id(&r->jobset, job, id), why,
                             sizeof why);
    } else if (e->n_worn) {
        const struct job *job = &r->jobset.jobs[e->worn];
        snprintf(why, sizeof why,
                 "%u started 65,535 times and got nowhere, first job %.60s",
                 e->n_worn, jobset_source_id(&r->jobset, job, id));
    }
    if (e->n_worn)
        remarks_add(&r->remarks, REMARK_CONCLUSION,
                    "%u jobs were given up, because they were started 65,535 "
                    "times and got nowhere; the first is job %.60s",
                    e->n_worn,
                    jobset_source_id(&r->jobset, &r->jobset.jobs[e->worn], id));
    if (e->n_repeats)
        remarks_add(&r->remarks, REMARK_DETAIL,
                    "%zu planned change%s of a node had no effect: by plan the "
                    "node had left or returned before",
                    e->n_repeats, e->n_repeats == 1 ? "" : "s");
    r->n_unfinished = open + rejected + e->n_worn;
    r->unfinished = arena_copy(&r->arena, why, strlen(why));
    r->n_events = e->n_events;
    r->n_decisions = e->n_decisions;
    r->n_memory_refusals = e->plan.memory_refusals;
    r->elastic = e->parts.throughput.ops->work != NULL;
    intake_remark_rejected(run);
    if (e->parts.policy.ops->count)
        r->n_counts =
            e->parts.policy.ops->count(e->parts.policy.self, r->counts);
    if (e->parts.policy.ops->remark)
        e->parts.policy.ops->remark(e->parts.policy.self, &r->remarks);
    compose_model_close(run);
    knowledge_find(run);
}

/* If the run ended because a plan broke a rule, adds to the error the
 * identifier that the job of this plan has in the trace; the engine knows only
 * its number. Returns `st`. */
static enum status name_broken_job(const struct run *run, enum status st,
                                   struct error *err)
{
    char id[SOURCE_ID_MAX];
    const struct jobset *jobs = &run->result.jobset;
    job_id job = run->engine.plan.broken_job;
    size_t len = strlen(err->message);
    if (st == STATUS_BAD_PLAN && job != JOB_NONE)
        snprintf(err->message + len, sizeof err->message - len,
                 "; job %u is '%.60s' in the trace", job,
                 jobset_source_id(jobs, &jobs->jobs[job], id));
    return st;
}

enum status run_begin(struct run *run, struct error *err)
{
    return run_start(run, err);
}

/* Checks after each instant whether the run may go on. Returns STATUS_END if
 * the caller wants no further instant, or the error of the language model if it
 * failed. */
static enum status run_end_instant(struct run *run, struct error *err)
{
    enum status st = compose_model_error(run, err);
    if (st == STATUS_OK && run->on_instant &&
        !run->on_instant(run->on_instant_self, run->engine.board.now,
                         board_n_done(&run->engine.board)))
        return STATUS_END;
    return st;
}

enum status run_execute(struct run *run, struct error *err)
{
    enum status st = run_begin(run, err);
    if (st != STATUS_OK)
        return st;
    while ((st = engine_step(&run->engine, err)) == STATUS_OK &&
           (st = run_end_instant(run, err)) == STATUS_OK)
        continue;
    if (st != STATUS_END)
        return name_broken_job(run, st, err);
    return run_end(run, err);
}

/* True if the next instant is not after `to`, or if the run has no further
 * instant and can only end. */
static bool run_may_enter(const struct run *run, sim_time to)
{
    sim_time next = engine_next(&run->engine);
    return next <= to || next == TIME_NEVER;
}

enum status run_reach(struct run *run, sim_time to, struct error *err)
{
    enum status st = STATUS_OK;
    if (run->engine.asks) {
        st = engine_decide(&run->engine, err);
        if (st == STATUS_OK)
            st = run_end_instant(run, err);
    }
    while (st == STATUS_OK && run_may_enter(run, to)) {
        st = engine_reach(&run->engine);
        if (run->engine.asks)
            return st;
        if (st == STATUS_OK)
            st = run_end_instant(run, err);
    }
    return name_broken_job(run, st, err);
}

enum status run_end(struct run *run, struct error *err)
{
    enum status st = compose_model_error(run, err);
    if (st == STATUS_OK)
        st = compose_policy_end(run, err);
    if (st != STATUS_OK)
        return st;
    close_books(run);
    engine_fini(&run->engine);
    run->has_engine = false;
    if (run->result.n_unfinished)
        return error_set(err, STATUS_INCOMPLETE, "%u of %u jobs unfinished: %s",
                         run->result.n_unfinished, run->result.jobset.n_jobs,
                         run->result.unfinished);
    return STATUS_OK;
}

struct plan *run_question(struct run *run)
{
    return run->engine.asks ? &run->engine.plan : NULL;
}

sim_time run_now(const struct run *run)
{
    return run->has_engine ? run->engine.board.now : 0;
}

void run_free(struct run *run)
{
    if (!run)
        return;
    if (run->has_engine)
        engine_fini(&run->engine);
    plugins_end(&run->plugins);
    ledger_fini(&run->result.ledger);
    ledger_fini(&run->side_ledger);
    cluster_fini(&run->result.cluster);
    jobset_fini(&run->result.jobset);
    usage_fini(&run->result.usage);
    free(run->result.settings);
    free(run->result.files);
    remarks_fini(&run->result.remarks);
    program_free(run->program);
    free(run->past);
    redo_fini(&run->result.plans);
    resume_close(run);
    arena_fini(&run->result.arena);
    free(run);
}

const struct option *run_engine_options(size_t *config_size)
{
    *config_size = sizeof(struct engine_config);
    return engine_options;
}

const struct option *run_classes_options(size_t *config_size)
{
    *config_size = sizeof(struct classes_config);
    return classes_options;
}

/* What a side run owns; freed at its end. */
struct side {
    /* copies, because the engine changes the states of jobs */
    struct job *jobs;
    struct cluster cluster;
    struct plugins plugins;
    struct arena arena;
};

/* Returns the parts of the run without those that could change the outcome of
 * the side run: settings of the engine, estimators, the monitor, failures,
 * recovery, SchedMate and changes of capacity. */
static struct engine_parts run_parts_of(const struct run *run,
                                        struct side *side,
                                        struct ledger *ledger)
{
    struct engine_parts parts = run->parts;
    parts.config = (struct engine_config){.share_limit = 1};
    parts.jobs = side->jobs;
    parts.cluster = &side->cluster;
    parts.n_changes = 0;
    parts.plugins = &side->plugins;
    parts.estimator = NULL;
    parts.monitor.ops = NULL;
    parts.fault.ops = NULL;
    parts.recovery = NULL;
    parts.schedmate = (struct part){0};
    parts.ledger = ledger;
    parts.env.side_run = NULL;
    return parts;
}

static enum status run_simulate_one(const struct engine_parts *parts,
                                    const struct cluster_spec *spec,
                                    struct error *err)
{
    struct engine engine;
    enum status st = engine_init(&engine, parts, spec, err);
    if (st != STATUS_OK)
        return st;
    st = engine_begin(&engine, err);
    while (st == STATUS_OK)
        st = engine_step(&engine, err);
    engine_fini(&engine);
    return st == STATUS_END ? STATUS_OK : st;
}

enum status side_run(void *self, const struct policy_ops *policy,
                     const void *config, const struct ledger **out,
                     struct error *err)
{
    struct run *run = self;
    struct side side = {0};
    uint32_t n = run->parts.n_jobs;
    if (run->result.side_run)
        return error_set(err, STATUS_USAGE, "a run has at most one side run");
    enum status st = cluster_init(&side.cluster, &run->spec, 1, err);
    if (st != STATUS_OK)
        return st;
    side.jobs = mem_alloc((n + (size_t)1) * sizeof *side.jobs);
    if (n)
        memcpy(side.jobs, run->parts.jobs, n * sizeof *side.jobs);
    arena_init(&side.arena);
    ledger_init(&run->side_ledger, n);
    run->result.side_run = &run->side_ledger;
    struct engine_parts parts = run_parts_of(run, &side, &run->side_ledger);
    parts.policy.ops = policy;
    parts.policy.config = config;
    engine_parts_make(&parts, &side.arena);
    st = run_simulate_one(&parts, &run->spec, err);
    plugins_end(&side.plugins);
    cluster_fini(&side.cluster);
    arena_fini(&side.arena);
    free(side.jobs);
    *out = &run->side_ledger;
    return st;
}

/* Makes a run without its trace, to find misspelt names before a long study. */

enum status run_validate(const struct run_config *config, struct error *err)
{
    struct run *run = mem_zalloc(1, sizeof *run);
    run->config = *config;
    arena_init(&run->result.arena);
    run->result.remarks.arena = &run->result.arena;
    enum status st = compose_parts(run, err);
    if (st == STATUS_OK && config->cluster)
        st = describe_cluster(config->cluster, &run->result.arena, &run->spec,
                              err);
    run_free(run);
    return st;
}

struct run_stage {
    struct run *run;
    struct guess *guesses;
    struct evq queue; /* ends of jobs, and wakes of estimator layers */
    struct wakeups wakeups;
};

static void run_show_one(struct run_stage *s, enum event_kind kind,
                         struct job *job, sim_time at)
{
    const struct truth *truths = s->run->result.jobset.truths;
    const struct event event = {
        .at = at,
        .kind = kind,
        .job = job,
        .node = NODE_NONE,
        .aborted = kind == EVENT_FINISHED && truths[job->id].aborts,
    };
    for (const struct estimator *l = s->run->parts.estimator; l; l = l->below) {
        if (l->ops->observe)
            l->ops->observe(l->self, &event, &s->wakeups);
    }
    for (size_t i = 0; i < s->wakeups.count; i++)
        evq_add(&s->queue, s->wakeups.at[i].at, EVENT_BELIEF,
                s->wakeups.at[i].job->id);
    s->wakeups.count = 0;
}

/* Records a move in the ledger, from which layers read how long jobs ran. The
 * job holds no GPU. */
static void run_record(struct run_stage *s, enum ledger_kind kind,
                       const struct job *job, sim_time at)
{
    struct ledger *ledger = &s->run->result.ledger;
    struct ledger_move move = {.at = at, .kind = kind, .job = job};
    if (kind == LEDGER_FINISHED)
        move.work =
            (double)(at -
                     ledger->attempts[ledger->last_attempt[job->id]].start);
    ledger_add(ledger, &move);
}

static struct guess run_ask(const struct estimator *top, const struct job *job,
                            sim_time now)
{
    struct guess guess = {0};
    struct belief belief;
    struct demand demand;
    if (estimator_remaining(top, job, now, &belief)) {
        guess.known = true;
        guess.mean = belief.mean;
        guess.spread = belief.spread;
    }
    if (estimator_demand(top, job, &demand) && !demand.assumed) {
        guess.knows_demand = true;
        guess.compute = demand.compute;
    }
    return guess;
}

/* Asks the chain about a job that has waited for all answers on their way, and
 * starts the job. */
static void run_start_one(struct run_stage *s, struct job *job, sim_time now)
{
    const struct jobset *jobs = &s->run->result.jobset;
    struct guess *guess = &s->guesses[job->id];
    *guess = run_ask(s->run->parts.estimator, job, now);
    job->state = JOB_RUNNING;
    job->attempts = 1;
    run_record(s, LEDGER_STARTED, job, now);
    run_show_one(s, EVENT_STARTED, job, now);
    evq_add(&s->queue, now + jobset_duration(jobs, job->id), EVENT_FINISHED,
            job->id);
}

static void start_if_told(struct run_stage *s, struct job *job, sim_time now)
{
    if (job->state == JOB_PENDING &&
        estimator_due(s->run->parts.estimator, job, now) == TIME_NEVER)
        run_start_one(s, job, now);
}

/* Processes the ends of jobs and the wakes of layers up to and including `now`.
 * Called before the job that is submitted at `now`, so that ends come first, as
 * in the engine. */
static void end_until(struct run_stage *s, sim_time now)
{
    struct run_result *r = &s->run->result;
    const struct evq_entry *entry;
    while ((entry = evq_peek(&s->queue)) && entry->at <= now) {
        struct evq_entry taken = *entry;
        evq_pop(&s->queue);
        struct job *job = &r->jobset.jobs[taken.payload];
        if (evq_rank(&taken) == EVENT_FINISHED) {
            job->state = JOB_FINISHED;
            run_record(s, LEDGER_FINISHED, job, taken.at);
        }
        run_show_one(s, (enum event_kind)evq_rank(&taken), job, taken.at);
        start_if_told(s, job, taken.at);
    }
}

enum status rehearse(struct run *run, struct guess *guesses, struct error *err)
{
    enum status st = run_start(run, err);
    if (st != STATUS_OK)
        return st;
    struct jobset *w = &run->result.jobset;
    struct run_stage s = {.run = run, .guesses = guesses};
    evq_init(&s.queue);
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        struct job *job = &w->jobs[i];
        end_until(&s, job->submitted);
        job->state = JOB_PENDING;
        run_show_one(&s, EVENT_SUBMITTED, job, job->submitted);
        start_if_told(&s, job, job->submitted);
    }
    end_until(&s, TIME_NEVER);
    evq_fini(&s.queue);
    free(s.wakeups.at);
    return compose_model_error(run, err);
}

bool rehearse_explain(struct run *run, struct out *out)
{
    bool any = false;
    for (const struct estimator *l = run->parts.estimator; l; l = l->below) {
        if (!l->ops->explain)
            continue;
        l->ops->explain(l->self, out);
        any = true;
    }
    return any;
}
