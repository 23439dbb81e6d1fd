/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/simulated/schedmate.h"

#include <stddef.h>

#include "base/check.h"
#include "base/rng.h"

static const char *const fidelity_names[] = {"oracle", "calibrated", "replay",
                                             NULL};
static const char *const beliefs_names[] = {"auto", "kinds", "law", NULL};
static const char *const embed_names[] = {"hashed", "llm", NULL};

/* The word with which the sources of figures from the paper begin. */
#define PAPER "SchedMate "

const struct option schedmate_options[] = {
    OPT_CHOICE(struct schedmate_config, fidelity, "fidelity",
               FIDELITY_CALIBRATED, fidelity_names,
               "how the modules answer: oracle recognises perfectly what a "
               "history or a log can tell, calibrated errs as often as was "
               "published, replay runs the live modules over source trees and "
               "logs",
               NULL),
    OPT_PATH(struct schedmate_config, measured, "measured", "",
             "calibrated: file of how often a model was right, made by "
             "bench/modules.py --llm SPEC --out FILE (bench/recordings/"
             "quality.json): its values stand in place of the defaults",
             NULL, OPT_WHEN("fidelity=calibrated")),
    OPT_U32(struct schedmate_config, llm_gpus, "llm_gpus", 0, 0,
            STATION_SERVERS_MAX,
            "GPUs of the cluster that serve the language model, one server "
            "each; 0: it is served outside the cluster",
            "0: SchedMate 5.2 has a dedicated GPU beside the 64 of its "
            "cluster"),
    OPT_TEXT(
        struct schedmate_config, llm_pool, "llm_pool", "",
        "virtual cluster or GPU type that gives these GPUs, its last nodes "
        "first; empty: the one that has the most GPUs at the time",
        NULL, OPT_WHEN("llm_gpus!=0")),
    OPT_U32(struct schedmate_config, servers, "servers", 1, 1,
            STATION_SERVERS_MAX,
            "servers of the language model outside the cluster, one GPU each; "
            "ignored if llm_gpus is not 0",
            PAPER "5.2: one", OPT_WHEN("llm_gpus=0")),
    OPT_SPAN(struct schedmate_config, latency, "latency_s", 9, 0, 4000,
             "time for which a server works on a question of the advisor; "
             "calibrated: the longest such time",
             PAPER "5.2: 9 s on average"),
    OPT_SPAN(struct schedmate_config, latency_min, "latency_min_s", 7.5, 0,
             4000,
             "calibrated: the shortest such time, if that is below latency_s",
             "480 jobs per hour on one GPU (" PAPER "5.5) are 7.5 s each",
             OPT_WHEN("fidelity=calibrated")),
    OPT_SPAN(struct schedmate_config, tracker_latency, "tracker_latency_s", 8.7,
             0, 4000, "time for which a server works on one log of the tracker",
             PAPER "5.4: 8.7 s"),
    OPT_SPAN(struct schedmate_config, handler_latency, "handler_latency_s", 8.7,
             0, 4000, "time for which a server works on a failed job's log",
             "assumed: as the tracker's; not published"),
    OPT_U32(struct schedmate_config, advisor_tokens, "advisor_tokens", 6000, 0,
            10000000,
            "tokens that the model reads for a question of the advisor",
            "assumed: about 24 KiB of sources; not published"),
    OPT_U32(struct schedmate_config, tracker_tokens, "tracker_tokens", 589, 0,
            10000000, "tokens that the model reads of a log of the tracker",
            "measured: 20 progress lines (bench/README.md, Reading logs)"),
    OPT_U32(struct schedmate_config, handler_tokens, "handler_tokens", 1855, 0,
            10000000, "tokens that the model reads of a failed job's log",
            "measured: a window of at most 200 lines (bench/README.md, Reading "
            "logs)"),
    OPT_U32(struct schedmate_config, answer_tokens, "answer_tokens", 60, 0,
            65535, "tokens of an answer of the model",
            "assumed: a flat JSON object of a few fields"),
    OPT_U32(struct schedmate_config, top, "top", 3, 1, 8,
            "number of completed jobs whose mean is the estimate",
            PAPER "4.1 and 4.3: the three most similar"),
    OPT_DOUBLE(struct schedmate_config, match, "match", 0.9, 0, 1,
               "calibrated: chance that a job is recognised",
               "assumed; not published", OPT_WHEN("fidelity=calibrated")),
    OPT_DOUBLE(struct schedmate_config, wrong, "wrong", 0.05, 0, 1,
               "calibrated: chance that a job that is recognised is taken for "
               "another kind of job",
               "assumed; not published", OPT_WHEN("fidelity=calibrated")),
    OPT_DOUBLE(struct schedmate_config, useless, "random", 0, 0, 1,
               "calibrated: share of answers that have nothing to do with the "
               "question. law: the figures of another job of the trace; "
               "tracker: a coin decides",
               "0: the other settings have the published errors; 1: useless "
               "advice",
               OPT_WHEN("fidelity=calibrated")),
    OPT_CHOICE(
        struct schedmate_config, beliefs, "beliefs", BELIEFS_AUTO,
        beliefs_names,
        "calibrated: kinds means completed jobs of the same kind, law draws "
        "errors of the true figures; auto: law for jobs of which the "
        "trace has neither a name nor a model",
        NULL, OPT_WHEN("fidelity=calibrated")),
    OPT_DOUBLE(struct schedmate_config, duration_sigma, "duration_sigma", 0.65,
               0, 5,
               "law: standard deviation of the logarithm of the error of run "
               "times",
               "calibrated: 85.7 % of the relative errors are below 100 % "
               "(" PAPER "Fig. 14) if the errors are unbiased",
               OPT_WHEN("fidelity=calibrated")),
    OPT_DOUBLE(struct schedmate_config, util_error, "util_error", 0.281, 0, 5,
               "law: mean relative error of GPU utilisation, before the belief "
               "is cut to 100 %",
               "calibrated: " PAPER "Fig. 14", OPT_WHEN("fidelity=calibrated")),
    OPT_SPAN(struct schedmate_config, overrun, "overrun_s", 60, 0, 86400,
             "believed remaining time of a job that outlives its estimate",
             "assumed: as the estimator history"),
    OPT_DOUBLE(struct schedmate_config, similarity, "similarity", 0.9, -1, 1,
               "replay: least cosine of the metadata of similar jobs",
               PAPER "4.1: 0.90", OPT_WHEN("fidelity=replay")),
    OPT_CHOICE(struct schedmate_config, embed, "embed", EMBED_HASHED,
               embed_names,
               "replay: compare metadata by hashed n-grams or by the "
               "embeddings of the language model",
               "hashed: needs no model; " PAPER "4 uses BGE-m3",
               OPT_WHEN("fidelity=replay")),
    OPT_BOOL(struct schedmate_config, careful, "careful", false,
             "advice that does no harm: the advisor's run times and demand "
             "count only while their errors on the jobs that ended last are "
             "no larger than those of the layers below, and the tracker "
             "evicts a job only if it can start elsewhere at once",
             "off: SchedMate has no such rule"),
    OPT_BOOL(struct schedmate_config, tells_times, "tells_times", true,
             "the advisor hands out run times; off: what the order of the "
             "queue is worth (docs/reproduction.md)",
             NULL),
    OPT_BOOL(struct schedmate_config, tells_demand, "tells_demand", true,
             "the advisor hands out GPU utilisation and memory; off: what "
             "better pairs are worth",
             NULL),
    OPT_BOOL(struct schedmate_config, saves_profiles, "saves_profiles", true,
             "a job of which the advisor tells the demand is not profiled; "
             "off: the demand is told after the profile",
             NULL, OPT_WHEN("tells_demand=true")),
    OPT_DOUBLE(struct schedmate_config, threshold, "threshold", 0.65, 0, 10,
               "the tracker evicts a job that joined if the speed of the other "
               "job falls below this share of its speed before",
               PAPER "4.1; its evaluation (5.2, 5.5) uses 0.50"),
    OPT_SPAN(struct schedmate_config, check, "check_s", 60, 0, 86400,
             "time from the start of a newcomer's work to the tracker's "
             "second reading, if the time of a step is not known (--workloads "
             "schedmate and evidence tell it)",
             "assumed: 50 steps of 1.2 s; " PAPER "4.1 says several tens of "
             "steps"),
    OPT_U32(struct schedmate_config, steps, "steps", 50, 1, 1000000,
            "training steps of the other job after which the tracker looks "
            "again",
            "assumed: " PAPER "4.1 says several tens"),
    OPT_DOUBLE(struct schedmate_config, detection, "detection", 0.843, 0, 1,
               "calibrated: chance that the log of a job shows its speed",
               "calibrated: " PAPER "Fig. 15, 84.3 % (5.5 says 91.6 %)",
               OPT_WHEN("fidelity=calibrated")),
    OPT_DOUBLE(struct schedmate_config, reading_error, "reading_error", 0.373,
               0, 5,
               "calibrated: standard deviation of the logarithm of the error "
               "of a speed that was read",
               "calibrated: a root mean square relative error of 0.42 (" PAPER
               "Fig. 15)",
               OPT_WHEN("fidelity=calibrated")),
    OPT_DOUBLE(struct schedmate_config, reading_common, "reading_common", 0.9,
               0, 1,
               "calibrated: share of the variance of that error that is the "
               "same whenever the log of this job is read",
               "assumed: a wrong unit or column is wrong each time",
               OPT_WHEN("fidelity=calibrated")),
    OPT_DOUBLE(struct schedmate_config, noisy, "noisy", 0.5, 0, 1,
               "replay: share of jobs whose logs consist mostly of irrelevant "
               "lines",
               PAPER "5.4: half of the logs of its test",
               OPT_WHEN("fidelity=replay")),
    OPT_DOUBLE(struct schedmate_config, jitter, "jitter", 0.02, 0, 1,
               "replay: relative standard deviation of the times of single "
               "steps in logs",
               "assumed", OPT_WHEN("fidelity=replay")),
    OPT_BOOL(struct schedmate_config, hostile, "hostile", false,
             "replay: programs print instructions to readers of their logs",
             "off: a test", OPT_WHEN("fidelity=replay")),
    OPT_BOOL(struct schedmate_config, lose_work, "lose_work", true,
             "a job that is evicted loses all its work", PAPER "4.1"),
    OPT_BOOL(struct schedmate_config, bar_host, "bar_host", false,
             "after an eviction the other job never shares again either",
             "off: " PAPER "4.1 bars the evicted job only"),
    HANDLER_SETTINGS(struct schedmate_config),
    {0},
};

/* Returns the tokens that the options assume for a question. Tokens are counted
 * in the fidelity replay only. */
static struct advice_tokens assumed_tokens(const struct schedmate_config *c,
                                           enum advice_module module)
{
    const uint32_t in[ADVICE_MODULES] = {
        [ADVICE_ADVISOR] = c->advisor_tokens,
        [ADVICE_TRACKER] = c->tracker_tokens,
        [ADVICE_HANDLER] = c->handler_tokens,
    };
    return (struct advice_tokens){in[module], c->answer_tokens};
}

static enum status schedmate_init(void *self, const void *config,
                                  const struct run_env *env, struct error *err)
{
    struct schedmate *s = self;
    (void)err;
    s->config = config;
    s->ledger = env->ledger;
    s->n_jobs = env->n_jobs;
    s->latencies = rng_stream(env->seed, "station");
    language_model_init(&s->model, env);
    s->ledger->station = (struct advice_station){
        .servers =
            s->config->llm_gpus ? s->config->llm_gpus : s->config->servers,
        .gpus = s->config->llm_gpus,
    };
    for (unsigned m = 0; m < ADVICE_MODULES; m++)
        s->ledger->station.tokens[m] =
            assumed_tokens(s->config, (enum advice_module)m);
    station_init(&s->station, s->ledger->station.servers, env->arena);
    return STATUS_OK;
}

/* Returns the time for which a server works on a question. The paper gives a
 * range of times only for the advisor. */
static sim_span service_of(const struct schedmate *s, const struct question *q)
{
    const struct schedmate_config *c = s->config;
    if (q->service >= 0)
        return q->service;
    if (q->module == ADVICE_TRACKER)
        return c->tracker_latency;
    if (q->module == ADVICE_HANDLER)
        return c->handler_latency;
    if (c->fidelity != FIDELITY_CALIBRATED || c->latency_min >= c->latency)
        return c->latency;
    double range = (double)(c->latency - c->latency_min);
    return c->latency_min +
           (sim_span)(range * keyed_uniform(s->latencies, q->key, 0));
}

#define ASKED_MASK (((uint64_t)1 << 56) - 1)

static uint32_t schedmate_put(struct schedmate *s, const struct question *q,
                              const struct advice_row *row)
{
    struct advice_row all = *row;
    all.job = q->job->id;
    all.asked = (uint64_t)q->now & ASKED_MASK;
    all.module = q->module & 7;
    all.basis = q->basis & 31;
    all.k = q->k & 255;
    uint32_t number = ledger_add_advice(s->ledger, &all, s->n_jobs);
    if (q->tokens.in || q->tokens.out)
        ledger_count_tokens(s->ledger, number, q->tokens);
    return number;
}

sim_time schedmate_ask(struct schedmate *s, const struct question *question,
                       uint32_t *row)
{
    sim_span service = service_of(s, question);
    struct station_answer a = station_ask(&s->station, question->now, service);
    uint64_t waited = (uint64_t)(a.begun - question->now);
    CHECK(waited <= ADVICE_WAIT_MAX);
    uint32_t number = schedmate_put(s, question,
                                    &(struct advice_row){
                                        .waited = waited & ADVICE_WAIT_MAX,
                                        .service = (uint32_t)service,
                                        .server = a.server,
                                    });
    if (row)
        *row = number;
    return a.answered;
}

uint32_t schedmate_answer(struct schedmate *s, const struct question *question)
{
    return schedmate_put(s, question,
                         &(struct advice_row){.server = ADVICE_NO_SERVER});
}

void schedmate_settle(struct schedmate *s, uint32_t row,
                      enum advice_basis basis, uint32_t k)
{
    struct advice_row *r = &s->ledger->advices[row];
    r->basis = basis & 31;
    r->k = k & 255;
}

sim_span schedmate_last_held(const struct schedmate *s, const struct job *job,
                             sim_time now)
{
    const struct ledger *ledger = s->ledger;
    uint32_t i = ledger->last_attempt[job->id];
    if (i == ATTEMPT_NONE)
        return 0;
    const struct attempt *last = &ledger->attempts[i], *first = last;
    while (first->previous != ATTEMPT_NONE &&
           ledger->attempts[first->previous].how == LEDGER_MOVED)
        first = &ledger->attempts[first->previous];
    return (last->end < now ? last->end : now) - first->start;
}

const struct plugin schedmate_plugin = {
    .name = "schedmate",
    .summary = "the language model that SchedMate's modules share, as a queue "
               "of questions",
    .options = schedmate_options,
    .config_size = sizeof(struct schedmate_config),
    .state_size = sizeof(struct schedmate),
    .init = schedmate_init,
};
