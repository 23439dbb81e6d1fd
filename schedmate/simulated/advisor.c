/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Scheduling Advisor as a layer of estimators. When a job is
 * submitted, the layer compares the job with the user's recent jobs; if it
 * repeats one of them, the layer answers at once. Otherwise the layer asks the
 * language model what the job trains, and until the answer comes the layers
 * below answer. Then the layer looks for the most similar jobs that have
 * completed and answers with their mean run time, GPU utilisation and memory.
 * If there are no such jobs, the layers below answer for this job from then on
 * (SchedMate, sections 3.1 and 4.1). Under the law of errors (advisor_law.c),
 * it draws these figures instead. Jobs that failed or were cancelled are left
 * out, as in the live module, because their run times say little about how long
 * the work takes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "models/estimators/elapsed.h"
#include "models/estimators/same_application.h"
#include "schedmate/simulated/simulated_internal.h"

enum job_stage {
    ADVISOR_STAGE_NEW,    /* not submitted yet */
    ADVISOR_STAGE_ASKED,  /* the answer is on its way */
    ADVISOR_STAGE_MISSED, /* not recognised, or mistaken; replay: no match */
    ADVISOR_STAGE_KNOWN,  /* recognised; replay: a match; the figures may be
                             unknown */
};

/* arguments `k` of keyed_uniform */
enum {
    ADVISOR_DRAW_MATCH,
    ADVISOR_DRAW_WRONG,
    ADVISOR_DRAW_MISTAKE,
    ADVISOR_DRAW_RANDOM,
    ADVISOR_DRAW_OTHER
};

struct known_job {
    union {
        uint32_t
            row; /* ADVISOR_STAGE_ASKED: number of the question in the ledger */
        /* In later stages: believed run time, s; NaN: unknown. */
        float seconds;
    };
    /* Believed demand: share of the compute of a GPU, 0..1, and memory, MiB.
     * NaN: unknown. */
    float compute, mem_mib;
    /* Seconds on GPUs in attempts that have ended, less the work that was
     * lost. */
    float ran;
};

struct advisor_layer {
    struct schedmate *shared;
    const struct truth_book *truth; /* only advisor_law reads it */
    /* random stream of the advisor's keyed draws */
    uint64_t draws;
    struct kinds kinds;
    struct advisor_replay *replay; /* NULL unless the fidelity is replay */
    struct known_job *jobs;
    uint8_t *stages; /* by job: enum job_stage */
    const struct past_job *past;
    uint32_t n_jobs;
    const struct job *all_jobs;
    struct advisor_trust trust; /* used with careful=true only */
    struct donors *donors;      /* by model: the jobs that lend their measured
                                 * speeds */
};

static void advisor_learn_past(struct advisor_layer *s,
                               const struct run_env *env)
{
    const struct past_job **past = past_by_end(env);
    for (uint32_t i = 0; i < env->n_past; i++) {
        if (!past[i]->aborted)
            kinds_add(&s->kinds, env->n_jobs + (job_id)(past[i] - env->past));
    }
    free(past);
}

static enum status advisor_init(void *self, const void *config,
                                const struct run_env *env, struct error *err)
{
    struct advisor_layer *s = self;
    (void)config;
    s->shared = env->schedmate;
    s->truth = env->truth;
    s->past = env->past;
    s->n_jobs = env->n_jobs;
    s->all_jobs = env->jobs;
    s->draws = rng_stream(env->seed, "advisor");
    s->jobs = ARENA_ARRAY(env->arena, struct known_job, env->n_jobs);
    s->stages = ARENA_ARRAY(env->arena, uint8_t, env->n_jobs);
    kinds_init(&s->kinds, env);
    advisor_learn_past(s, env);
    s->donors = donors_new(env);
    if (s->shared->config->careful)
        advisor_trust_init(&s->trust, s->draws, env->n_jobs, env->arena);
    return s->shared->config->fidelity == FIDELITY_REPLAY
               ? advisor_replay_new(env, &s->replay, err)
               : STATUS_OK;
}

static void advisor_fini(void *self)
{
    struct advisor_layer *s = self;
    advisor_replay_free(s->replay);
    kinds_fini(&s->kinds);
}

/* Sets the beliefs of a job to the plain means over similar jobs. */
static void believe_similar(struct advisor_layer *s, struct known_job *out,
                            const struct similar *similar)
{
    struct mean seconds = {0}, compute = {0}, mem = {0};
    for (uint32_t i = 0; i < similar->n; i++) {
        job_id id = similar->at[i];
        const struct job *job = kinds_job(&s->kinds, id);
        mean_add(&seconds, true,
                 id < s->n_jobs ? (double)s->jobs[id].ran
                                : span_seconds(s->past[id - s->n_jobs].ran));
        mean_add(&compute, job->gpu_util != GPU_UTIL_UNKNOWN,
                 job->gpu_util / 100.0);
        mean_add(&mem, job->mem_mib > 0, (double)job->mem_mib);
    }
    out->seconds = mean_of(&seconds);
    out->compute = mean_of(&compute);
    out->mem_mib = mean_of(&mem);
}

static bool uses_law(const struct advisor_layer *s, const struct job *job)
{
    const struct schedmate_config *c = s->shared->config;
    return c->fidelity == FIDELITY_CALIBRATED &&
           (c->beliefs == BELIEFS_LAW ||
            (c->beliefs == BELIEFS_AUTO && !kinds_know(job)));
}

/* Returns true if the model recognises the job. A job that is recognised at one
 * rate is recognised at each higher rate too, so that runs at two rates differ
 * only in the jobs that the higher rate adds. */
static bool is_recognised(const struct advisor_layer *s, const struct job *job)
{
    const struct schedmate_config *c = s->shared->config;
    return c->fidelity != FIDELITY_CALIBRATED ||
           keyed_uniform(s->draws, job->id, ADVISOR_DRAW_MATCH) < c->match;
}

static bool is_mistaken(const struct advisor_layer *s, const struct job *job)
{
    const struct schedmate_config *c = s->shared->config;
    return c->fidelity == FIDELITY_CALIBRATED &&
           keyed_uniform(s->draws, job->id, ADVISOR_DRAW_WRONG) < c->wrong;
}

/* Returns the job that the answer about `job` describes: another one in the
 * share `random` of the answers, and mostly one that has not ended. */
static const struct job *described(const struct advisor_layer *s,
                                   const struct job *job)
{
    if (keyed_uniform(s->draws, job->id, ADVISOR_DRAW_RANDOM) >=
        s->shared->config->useless)
        return job;
    double draw = keyed_uniform(s->draws, job->id, ADVISOR_DRAW_OTHER);
    return &s->all_jobs[(job_id)(draw * s->n_jobs)];
}

static float known_or_nan(double value)
{
    return value < 0 ? NAN : (float)value;
}

static void advisor_believe(struct known_job *known,
                            const struct advice *advice)
{
    known->seconds = known_or_nan(advice->seconds);
    known->compute = known_or_nan(advice->compute);
    known->mem_mib = known_or_nan(advice->mem_mib);
}

/* Sets the stage of a job, and its beliefs to the figures that a replay found.
 * Sets *similar, but not its jobs. */
static void believe_found(struct advisor_layer *s, const struct job *job,
                          const struct found *found, struct similar *similar)
{
    advisor_believe(&s->jobs[job->id], &found->advice);
    s->stages[job->id] = found->k ? ADVISOR_STAGE_KNOWN : ADVISOR_STAGE_MISSED;
    *similar = (struct similar){.n = found->k, .basis = found->basis};
}

/* Sets the beliefs of a job whose answer has come, by similar jobs that have
 * ended or by the law of errors. Describes in *similar what the answer rests
 * on. */
static void advisor_look_up(struct advisor_layer *s, const struct job *job,
                            sim_time now, struct similar *similar)
{
    struct known_job *known = &s->jobs[job->id];
    uint32_t top = s->shared->config->top;
    if (s->replay) {
        struct found found;
        advisor_replay_look_up(s->replay, job, &found);
        believe_found(s, job, &found, similar);
        return;
    }
    known->seconds = known->compute = known->mem_mib = NAN;
    *similar = (struct similar){.basis = ADVICE_NOTHING};
    s->stages[job->id] = ADVISOR_STAGE_MISSED;
    if (!is_recognised(s, job))
        return;
    if (uses_law(s, job)) {
        struct advice advice;
        const struct job *of = described(s, job);
        advisor_law(s->shared->config, s->truth, s->draws, of, now, &advice);
        if (of != job) /* less than its run time is left of a job that ran */
            advice.seconds += (double)s->jobs[of->id].ran;
        advisor_believe(known, &advice);
        similar->basis = ADVICE_LAW;
        s->stages[job->id] = ADVISOR_STAGE_KNOWN;
        return;
    }
    if (is_mistaken(s, job)) {
        kinds_mistake(&s->kinds, job, top,
                      keyed_uniform(s->draws, job->id, ADVISOR_DRAW_MISTAKE),
                      similar);
    } else {
        kinds_find(&s->kinds, job, top, similar);
        s->stages[job->id] = ADVISOR_STAGE_KNOWN;
    }
    believe_similar(s, known, similar);
}

/* Returns true if the advisor recognises the job as one that the user has run
 * before, so that no question to the model is needed. Then the earlier runs set
 * the beliefs of the job. */
static bool advisor_repeats(struct advisor_layer *s, const struct job *job,
                            struct similar *similar)
{
    struct found found;
    if (s->replay) {
        bool advisor_repeats = advisor_replay_repeats(s->replay, job, &found);
        if (advisor_repeats)
            believe_found(s, job, &found, similar);
        return advisor_repeats;
    }
    if (!is_recognised(s, job) || uses_law(s, job))
        return false;
    kinds_find(&s->kinds, job, s->shared->config->top, similar);
    if (similar->basis != ADVICE_RESUBMISSION)
        return false;
    believe_similar(s, &s->jobs[job->id], similar);
    s->stages[job->id] = ADVISOR_STAGE_KNOWN;
    return true;
}

/* Adds a row to the ledger for an answer without a question to the station. */
static void advisor_answer(struct advisor_layer *s, struct question *question,
                           const struct similar *similar)
{
    question->basis = similar->basis;
    question->k = similar->n;
    schedmate_answer(s->shared, question);
}

static void advisor_settle(struct advisor_layer *s, const struct job *job,
                           sim_time now, uint32_t row)
{
    struct similar similar;
    advisor_look_up(s, job, now, &similar);
    schedmate_settle(s->shared, row, similar.basis, similar.n);
}

/* Handles the first submission of a job. If the job repeats an earlier one, or
 * a replay can read nothing of it, the answer comes at once; else the station
 * is asked, and a wake-up is set for the time of its answer unless that is
 * now. */
static void advisor_admit(struct advisor_layer *s, const struct job *job,
                          sim_time now, struct wakeups *wakeups)
{
    struct question question = {
        .module = ADVICE_ADVISOR,
        .job = job,
        .now = now,
        .service = -1,
        .key = job->id,
    };
    uint32_t row;
    struct similar similar;
    if (advisor_repeats(s, job, &similar)) {
        advisor_answer(s, &question, &similar);
        return;
    }
    if (s->replay && !advisor_replay_read(s->replay, job, &question)) {
        const struct found nothing = {{-1, -1, -1}, ADVICE_NOTHING, 0};
        believe_found(s, job, &nothing, &similar);
        advisor_answer(s, &question, &similar);
        return;
    }
    sim_time answered = schedmate_ask(s->shared, &question, &row);
    if (answered == now) {
        advisor_settle(s, job, now, row);
        return;
    }
    s->stages[job->id] = ADVISOR_STAGE_ASKED;
    s->jobs[job->id].row = row;
    /* an answer of which nothing is told must not make a policy think again */
    if (s->shared->config->tells_times || s->shared->config->tells_demand)
        wakeups_add(wakeups, answered, job);
    else
        schedmate_settle(s->shared, row, ADVICE_NOTHING, 0);
}

static sim_time answered_at(const struct advisor_layer *s,
                            const struct job *job)
{
    uint32_t row = s->jobs[job->id].row;
    return advice_answered(&s->shared->ledger->advices[row]);
}

/* Adds the seconds for which the ended attempt held GPUs, less the work that
 * was lost. Sets the sum to 0 if the job must start again from its beginning or
 * the sum falls below 0. */
static void advisor_add_run(struct advisor_layer *s, const struct event *event)
{
    const struct job *job = event->job;
    float *ran = &s->jobs[job->id].ran;
    sim_span held = schedmate_last_held(s->shared, job, event->at);
    *ran += (float)span_seconds(held - event->lost);
    if (event->from_start || *ran < 0)
        *ran = 0;
}

static void advisor_add_ended(struct advisor_layer *s, const struct job *job)
{
    if (s->replay)
        advisor_replay_add(s->replay, job,
                           span_from_seconds((double)s->jobs[job->id].ran));
    else
        kinds_add(&s->kinds, job->id);
}

/* Learns from a job that has ended how far beliefs about it were off. */
static void advisor_judge(struct advisor_layer *s, const struct job *job)
{
    const struct known_job *known = &s->jobs[job->id];
    if (s->stages[job->id] < ADVISOR_STAGE_MISSED)
        return;
    advisor_trust_learn(
        &s->trust, job->id, (double)known->seconds, (double)known->compute,
        (double)known->ran,
        job->gpu_util == GPU_UTIL_UNKNOWN ? NAN : job->gpu_util / 100.0);
}

static void advisor_observe(void *self, const struct event *event,
                            struct wakeups *wakeups)
{
    struct advisor_layer *s = self;
    const struct job *job = event->job;
    if (!job)
        return;
    donors_note(s->donors, event);
    if (event->kind == EVENT_SUBMITTED &&
        s->stages[job->id] == ADVISOR_STAGE_NEW)
        advisor_admit(s, job, event->at, wakeups);
    else if (event->kind == EVENT_BELIEF &&
             s->stages[job->id] == ADVISOR_STAGE_ASKED &&
             answered_at(s, job) <= event->at)
        advisor_settle(s, job, event->at, s->jobs[job->id].row);
    else if (event->kind == EVENT_FINISHED || event->kind == EVENT_STOPPED ||
             event->kind == EVENT_FAILED || event->kind == EVENT_PROFILED)
        advisor_add_run(s, event);
    if (event->kind == EVENT_FINISHED && s->shared->config->careful)
        advisor_judge(s, job);
    if (event->kind == EVENT_FINISHED && !event->aborted)
        advisor_add_ended(s, job);
}

/* True if the advisor has the say about the demand of a job before the job is
 * profiled. */
static bool spares_profile(const struct advisor_layer *s, const struct job *job)
{
    const struct schedmate_config *c = s->shared->config;
    return c->tells_demand && c->saves_profiles &&
           (!c->careful || (advisor_trust_score_holds(&s->trust.demand) &&
                            !advisor_trust_control(&s->trust, job->id)));
}

static sim_time advisor_due(const void *self, const struct job *job,
                            sim_time now)
{
    const struct advisor_layer *s = self;
    (void)now;
    return s->stages[job->id] == ADVISOR_STAGE_ASKED && spares_profile(s, job)
               ? answered_at(s, job)
               : TIME_NEVER;
}

/* Keeps what the layers below believe about a job that has not run, for when it
 * has ended. */
static void advisor_ask_below(const struct advisor_layer *s,
                              const struct estimator *below,
                              const struct job *job, sim_time now)
{
    struct belief belief;
    float *kept = &s->trust.below_s[job->id];
    if (isnan(*kept) && job->state == JOB_PENDING &&
        s->jobs[job->id].ran <= 0 &&
        estimator_remaining(below, job, now, &belief))
        *kept = (float)span_seconds(belief.mean);
}

static bool advisor_remaining(void *self, const struct estimator *below,
                              const struct job *job, sim_time now,
                              struct belief *out)
{
    const struct advisor_layer *s = self;
    const struct known_job *known = &s->jobs[job->id];
    if (s->stages[job->id] < ADVISOR_STAGE_MISSED || isnan(known->seconds) ||
        !s->shared->config->tells_times)
        return false;
    if (s->shared->config->careful) {
        advisor_ask_below(s, below, job, now);
        if (!advisor_trust_score_holds(&s->trust.times))
            return false;
    }
    bool runs = job->state == JOB_RUNNING;
    sim_span ran = span_from_seconds((double)known->ran);
    if (runs)
        ran += schedmate_last_held(s->shared, job, now);
    *out = elapsed_belief_of(ran, !runs, now,
                             span_from_seconds((double)known->seconds),
                             s->shared->config->overrun);
    out->source = "advisor";
    return true;
}

static bool advisor_demand(void *self, const struct estimator *below,
                           const struct job *job, struct demand *out)
{
    const struct advisor_layer *s = self;
    const struct known_job *known = &s->jobs[job->id];
    if (s->stages[job->id] < ADVISOR_STAGE_MISSED || isnan(known->compute) ||
        !s->shared->config->tells_demand)
        return false;
    if (!spares_profile(s, job)) {
        struct demand measured;
        if (!estimator_demand(below, job, &measured))
            return false;
        if (s->shared->config->careful) {
            s->trust.below_compute[job->id] = (float)measured.compute;
            if (!advisor_trust_score_holds(&s->trust.demand))
                return false;
        }
    }
    *out = (struct demand){
        .compute = (double)known->compute,
        .mem_mib = isnan(known->mem_mib) ? 0 : (double)known->mem_mib,
        .source = "advisor",
    };
    return true;
}

/* Finds the job whose measured speeds a recognised job takes over at first: one
 * of the same model that has finished or, if there is none, one that has
 * started. In a replay only an ended job lends its speeds. */
static bool advisor_donor(void *self, const struct estimator *below,
                          const struct job *job, job_id *out)
{
    const struct advisor_layer *s = self;
    (void)below;
    if (s->stages[job->id] != ADVISOR_STAGE_KNOWN)
        return false;
    return s->replay ? advisor_replay_donor(s->replay, job, out)
                     : donors_find(s->donors, job, out);
}

const struct estimator_ops estimator_advisor = {
    .name = "advisor",
    .summary =
        "SchedMate's Scheduling Advisor: means of similar jobs that have "
        "completed, after a question to a language model (--schedmate)",
    .basis = BASIS_LEARNED,
    .state_size = sizeof(struct advisor_layer),
    .of_schedmate = true,
    .init = advisor_init,
    .observe = advisor_observe,
    .remaining = advisor_remaining,
    .demand = advisor_demand,
    .donor = advisor_donor,
    .due = advisor_due,
    .fini = advisor_fini,
};
