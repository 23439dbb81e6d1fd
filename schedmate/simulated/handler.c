/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Failure Handler as a recovery rule. When a job fails, the handler
 * reads the log of the job. If it judges that the infrastructure failed, it
 * isolates the node that it blames, if it may, and lets the job go on from its
 * last checkpoint, without a person. It leaves all other failures, and jobs
 * that it has restarted too often or that have failed too often, to the layer
 * below, which does not wait for the handler.
 *
 * A job that it resumes starts again
 *   time to notice the failure + answer of the language model
 *   + time to find and isolate the node + time to load the checkpoint
 * after its failure. The question joins the queue of the language model when
 * the job fails, because questions queue in the order in which they are asked.
 *
 * If a node of the job has left service, this node is known to be at fault, so
 * no node has to be found. */
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "schedmate/simulated/schedmate.h"
#include "schedmate/simulated/simulated_internal.h"

struct handler {
    struct schedmate *schedmate;
    const struct handler_settings *settings;
    const struct cluster *cluster;
    struct handler_law law;
    struct handler_reader *reader; /* NULL unless the fidelity is replay */
    struct arena logs;             /* log of one failure; reset at the next */
    struct arena *run;             /* lives as long as the run */
    /* random stream: times to notice a failure and to isolate a node */
    uint64_t times;
    /* By job: number of restarts by this rule since the job last recovered or
     * this rule last left a failure of the job to the layer below; and the work
     * that the job had done at its last failure. NULL: this rule has restarted
     * no job yet. */
    uint8_t *restarts;
    sim_span *reached;
    /* By node: time at which the test of a node that this rule isolated ends.
     * NULL: this rule has isolated no node yet. */
    sim_time *tested;
};

enum { HANDLER_DRAW_DETECT, HANDLER_DRAW_ISOLATE };

static void note_figure(const struct run_env *env, const char *key,
                        double figure, const char *help)
{
    char text[32];
    snprintf(text, sizeof text, "%.3f", figure);
    env_note(env, key, text, help, NULL);
}

static enum status handler_init(void *self, const void *config,
                                const struct run_env *env, struct error *err)
{
    struct handler *h = self;
    (void)config;
    h->schedmate = env->schedmate;
    h->settings = &h->schedmate->config->handler;
    h->cluster = env->cluster;
    h->law = handler_law_of(h->settings, env->seed);
    h->times = rng_stream(env->seed, "handler times");
    if (h->schedmate->config->fidelity == FIDELITY_CALIBRATED) {
        note_figure(env, "recall", h->law.recall,
                    "chance that an infrastructure failure is recognised");
        note_figure(env, "precision", h->law.precision,
                    "share of infrastructure failures among those taken for "
                    "one");
        note_figure(env, "false_alarm", h->law.false_alarm,
                    "chance that another failure is taken for one of the "
                    "infrastructure; follows from recall and precision");
    }
    arena_init(&h->logs);
    h->run = env->arena;
    return h->schedmate->config->fidelity == FIDELITY_REPLAY
               ? handler_reader_new((enum handler_method)h->settings->method,
                                    env->llm, &h->reader, err)
               : STATUS_OK;
}

static void handler_fini(void *self)
{
    struct handler *h = self;
    handler_reader_free(h->reader);
    arena_fini(&h->logs);
    free(h->restarts);
    free(h->reached);
    free(h->tested);
}

/* Returns the number of restarts by this rule since the job last recovered or
 * this rule last left a failure of the job to the layer below. A job has
 * recovered if it did at least `again` of new work since its last failure. */
static uint8_t restarts_of(const struct handler *h, const struct failure *f)
{
    job_id id = f->job->id;
    if (!h->restarts || f->work - h->reached[id] >= h->settings->again)
        return 0;
    return h->restarts[id];
}

static void count_restarts(struct handler *h, const struct failure *f,
                           uint8_t restarts)
{
    if (!h->restarts && restarts == 0)
        return;
    if (!h->restarts) {
        h->restarts = mem_zalloc(h->schedmate->n_jobs, sizeof *h->restarts);
        h->reached = mem_zalloc(h->schedmate->n_jobs, sizeof *h->reached);
    }
    h->restarts[f->job->id] = restarts;
    h->reached[f->job->id] = f->work;
}

/* Draws a time evenly from `least` up to, but not including, `most`; `least` if
 * `most` is not above it. `k`: number of the draw. */
static sim_span handler_between(const struct handler *h,
                                const struct failure *f, uint32_t k,
                                sim_span least, sim_span most)
{
    if (most <= least)
        return least;
    double u = keyed_uniform(h->times, f->key, k);
    return least + (sim_span)floor((double)(most - least) * u);
}

static bool is_in_service(const struct handler *h, node_id node, sim_time now)
{
    return h->cluster->nodes[node].up && (!h->tested || h->tested[node] <= now);
}

/* Returns the number of GPUs of a pool that are in service, leaving out those
 * of node `without`. */
static uint32_t gpus_without(const struct handler *h, const struct pool *pool,
                             node_id without, sim_time now)
{
    uint32_t gpus = 0;
    for (uint32_t i = 0; i < pool->n_nodes; i++) {
        node_id node = pool->first_node + i;
        if (node != without && is_in_service(h, node, now))
            gpus += h->cluster->nodes[node].gpus;
    }
    return gpus;
}

/* Returns true if the node may be isolated. Its pool must keep another node in
 * service, and a pool that the job may use must stay large enough for it, or it
 * could never start again. */
static bool may_isolate(const struct handler *h, const struct failure *f,
                        node_id node)
{
    const struct cluster *c = h->cluster;
    const struct job *job = f->job;
    uint32_t needs = job->elasticity == JOB_RIGID ? job->gpus : 1;
    if (gpus_without(h, &c->pools[c->nodes[node].pool], node, f->at) == 0)
        return false;
    for (uint32_t p = c->vc_pools[job->vc].first; p < c->vc_pools[job->vc].end;
         p++) {
        const struct pool *pool = &c->pools[p];
        bool fits =
            job->gpu_type == GPU_TYPE_ANY || job->gpu_type == pool->type;
        if (fits && !pool->profiler &&
            gpus_without(h, pool, node, f->at) >= needs)
            return true;
    }
    return false;
}

static void handler_isolate(struct handler *h, const struct failure *f,
                            node_id node, struct ruling *out)
{
    if (node == NODE_NONE || !is_in_service(h, node, f->at) ||
        !may_isolate(h, f, node))
        return;
    if (!h->tested)
        h->tested = mem_zalloc(h->cluster->n_nodes, sizeof *h->tested);
    out->suspect = node;
    out->test = h->settings->test;
    h->tested[node] = f->at + out->delay + out->test;
}

/* Judges a failure by the log of the job, sets the service time and the tokens
 * of the question, and keeps the log if the method compares logs. Returns false
 * if the job left no log that can be read, or if an error stops the run. */
static bool handler_judge_log(struct handler *h, const struct failure *f,
                              struct question *question,
                              struct handler_verdict *out)
{
    struct language_model *model = &h->schedmate->model;
    struct advice_tokens before = language_model_tokens(model), after;
    struct failed_log log;
    struct handler_reading reading;
    struct error err;
    arena_reset(&h->logs);
    if (language_model_failed(model))
        return false;
    if (!failed_log_of(h->schedmate, f, &h->logs, &log)) {
        model->n_failures_unlogged++;
        return false;
    }
    const struct handler_log seen = {
        .made = log.is_real ? NULL : &log.log.source,
        .real = log.is_real ? log.real : (struct text){0},
    };
    enum status st =
        handler_read(h->reader, &seen, f->at, f->where, &reading, &err);
    if (st != STATUS_OK) {
        language_model_fail(model, &err);
        return false;
    }
    handler_reader_add(h->reader, &seen, f->at, failed_log_label(f));
    after = language_model_tokens(model);
    *out = reading.verdict;
    question->service = language_model_service(reading.latency);
    question->tokens = reading.tokens;
    if (model->client)
        question->tokens = (struct advice_tokens){after.in - before.in,
                                                  after.out - before.out};
    return true;
}

/* Judges why the job failed. Returns the time until the answer of the language
 * model; 0 if a replay could read no log or met an error, and asked nothing. */
static sim_span consult(struct handler *h, const struct failure *f,
                        struct handler_verdict *out)
{
    struct question question = {.module = ADVICE_HANDLER,
                                .job = f->job,
                                .now = f->at,
                                .service = -1,
                                .key = f->key,
                                .basis = ADVICE_READ,
                                .k = 1};
    if (h->schedmate->config->fidelity == FIDELITY_ORACLE)
        handler_judge_truly(f, out);
    else if (!h->reader)
        handler_judge_by_law(&h->law, f, out);
    else if (!handler_judge_log(h, f, &question, out))
        return 0;
    return schedmate_ask(h->schedmate, &question, NULL) - f->at;
}

static bool handler_rule(const struct recovery *layer,
                         const struct failure *failure, struct ruling *out)
{
    struct handler *h = layer->self;
    const struct handler_settings *s = h->settings;
    uint8_t restarts = restarts_of(h, failure);
    struct handler_verdict verdict = {0};
    sim_span answer = 0;
    if (restarts < s->restarts && failure->failures < s->attempts)
        answer = consult(h, failure, &verdict);
    count_restarts(h, failure, verdict.infrastructure ? restarts + 1 : 0);
    if (!verdict.infrastructure)
        return false;
    out->verdict = VERDICT_RESUME;
    out->uncorrected = true;
    /* The reader overwrites this text at its next reading, so keep a copy. */
    out->cause = arena_copy(h->run, verdict.told, strlen(verdict.told));
    out->detected = handler_between(h, failure, HANDLER_DRAW_DETECT, s->detect,
                                    s->detect_max);
    out->delay = out->detected + answer + s->reload;
    if (failure->gone != NODE_NONE)
        return true;
    out->delay += handler_between(h, failure, HANDLER_DRAW_ISOLATE, s->isolate,
                                  s->isolate_max);
    handler_isolate(h, failure, verdict.node, out);
    return true;
}

const struct recovery_ops recovery_handler = {
    .name = "handler",
    .summary = "SchedMate's Failure Handler: resume after failures of the "
               "infrastructure and isolate the node at fault; settings: "
               "schedmate",
    .of_schedmate = true,
    .state_size = sizeof(struct handler),
    .init = handler_init,
    .fini = handler_fini,
    .rule = handler_rule,
};
