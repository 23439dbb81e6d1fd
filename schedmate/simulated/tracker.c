/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Metric Tracker as a monitor. When a job (the guest) joins the
 * GPUs of another (the resident), the tracker reads the speed of the resident
 * from the resident's log; some tens of training steps later it reads the speed
 * again. If the resident has become too slow, the tracker evicts the guest
 * (SchedMate, section 4.1). Each reading is a question to the language model,
 * so the eviction happens when both answers have come. If the log shows no
 * speed, the tracker evicts no job. */
#include <math.h>

#include "base/rng.h"
#include "base/state/cluster.h"
#include "models/interference/monitor.h"
#include "models/usage/usage.h"
#include "schedmate/simulated/schedmate.h"
#include "schedmate/simulated/simulated_internal.h"

/* Arguments `k` of keyed draws. */
enum {
    TRACKER_DRAW_DETECTED,
    TRACKER_DRAW_COMMON,
    TRACKER_DRAW_READING,
    TRACKER_DRAW_RANDOM,
    TRACKER_DRAW_COIN
};

struct tracker {
    struct schedmate *shared;
    uint64_t draws; /* random stream */
    struct arena *arena;
    struct tracker_replay *replay;   /* NULL unless the fidelity is replay */
    const struct usage_table *usage; /* NULL: unknown */
    const struct cluster *cluster;
};

/* The first reading of a replay. company.kept is a pointer to it. */
struct first_reading {
    struct log_reading reading;
    sim_time answered;
};

static enum status tracker_init(void *self, const void *config,
                                const struct run_env *env, struct error *err)
{
    struct tracker *t = self;
    (void)config;
    t->shared = env->schedmate;
    t->draws = rng_stream(env->seed, "tracker");
    t->arena = env->arena;
    t->usage = env->usage;
    t->cluster = env->cluster;
    return t->shared->config->fidelity == FIDELITY_REPLAY
               ? tracker_replay_new(env, &t->replay, err)
               : STATUS_OK;
}

static void tracker_fini(void *self)
{
    tracker_replay_free(((struct tracker *)self)->replay);
}

/* Returns true if the log of the job shows its speed. A log that shows it at
 * one rate of detection shows it at each higher rate too. */
static bool is_detected(const struct tracker *t, const struct job *job)
{
    const struct schedmate_config *c = t->shared->config;
    return c->fidelity == FIDELITY_ORACLE ||
           keyed_uniform(t->draws, job->id, TRACKER_DRAW_DETECTED) <
               c->detection;
}

/* Returns true if what is read of the log of the job has nothing to do with its
 * speed. */
static bool is_random(const struct tracker *t, const struct job *job)
{
    const struct schedmate_config *c = t->shared->config;
    return c->fidelity == FIDELITY_CALIBRATED &&
           keyed_uniform(t->draws, job->id, TRACKER_DRAW_RANDOM) < c->useless;
}

/* Returns true if as many GPUs are free in the guest's virtual cluster as the
 * guest has, so that it can start elsewhere at once. */
static bool tracker_has_room(const struct tracker *t, const struct job *guest)
{
    return cluster_vc_free(t->cluster, guest->vc) >= guest->gpus;
}

/* Returns the error of a reading, as a logarithm. One part of it is equal in
 * all readings of the job's log, because a model repeats its mistake, and
 * cancels when two readings are compared. `late`: true for the second reading
 * of this company. */
static double tracker_error_of(const struct tracker *t,
                               const struct job *resident,
                               const struct job *guest, bool late)
{
    const struct schedmate_config *c = t->shared->config;
    if (c->fidelity == FIDELITY_ORACLE)
        return 0;
    uint64_t own = (uint64_t)guest->id << 32 | (uint64_t)guest->attempts << 1;
    double common = keyed_normal(t->draws, resident->id, TRACKER_DRAW_COMMON);
    double reading =
        keyed_normal(t->draws ^ resident->id, own | late, TRACKER_DRAW_READING);
    return c->reading_error * (sqrt(c->reading_common) * common +
                               sqrt(1 - c->reading_common) * reading);
}

/* Asks the model about the log of the resident. Returns the time of the answer.
 * `reading`: what a replay read; NULL: the fidelity is not replay. */
static sim_time tracker_ask_one(struct tracker *t,
                                const struct company *company, sim_time now,
                                const struct log_reading *reading)
{
    struct question question = {
        .module = ADVICE_TRACKER,
        .job = company->resident,
        .now = now,
        .service = -1,
        .basis = ADVICE_READ,
        .k = 1,
    };
    if (reading) {
        question.service = reading->service;
        question.tokens = reading->tokens;
        question.k = reading->step_s > 0;
        if (!question.k)
            question.basis = ADVICE_NOTHING;
    }
    return schedmate_ask(t->shared, &question, NULL);
}

/* Makes the first reading of a replay. Returns the time of the second one;
 * TIME_NEVER if the first finds no log or no speed, since nothing could be
 * compared. */
static sim_time joined_replay(struct tracker *t, struct company *company)
{
    struct first_reading *first = ARENA_NEW(t->arena, struct first_reading);
    tracker_replay_read(t->replay, company, company->joined, &company->before,
                        NULL, &first->reading);
    if (!first->reading.has_log)
        return TIME_NEVER;
    first->answered =
        tracker_ask_one(t, company, company->joined, &first->reading);
    company->kept = (uint64_t)(uintptr_t)first;
    return first->reading.step_s > 0 ? tracker_replay_due(t->replay, company)
                                     : TIME_NEVER;
}

/* Returns the time of the second reading: when the resident has done `steps`
 * steps beside the guest. If the time of a step is unknown, or the resident
 * does not work beside the guest or would need 1e9 s or longer, the second
 * reading comes `check` after the guest is ready. */
static sim_time due(const struct tracker *t, const struct company *company)
{
    const struct schedmate_config *c = t->shared->config;
    const struct job *job = company->resident;
    double step = 0;
    if (t->usage)
        step = usage_step_seconds(&t->usage->rows[job->usage],
                                  gpu_set_size(company->where),
                                  company->where.count);
    double seconds =
        company->beside > 0 ? c->steps * step / company->beside : 0;
    return company->ready + (seconds > 0 && seconds < 1e9
                                 ? span_from_seconds(seconds)
                                 : c->check);
}

static sim_time tracker_joined(void *self, struct company *company)
{
    struct tracker *t = self;
    if (t->replay)
        return joined_replay(t, company);
    if (!is_detected(t, company->resident))
        return TIME_NEVER;
    company->kept =
        (uint64_t)tracker_ask_one(t, company, company->joined, NULL);
    return due(t, company);
}

/* Returns the speed of the resident as a share of its speed before the guest
 * joined, and sets *known_at to the time at which both answers have come. In a
 * replay, returns infinity if the second reading finds no speed. */
static double share_of(struct tracker *t, const struct company *company,
                       const struct sighting *now, sim_time at,
                       sim_time *known_at)
{
    const struct job *resident = company->resident, *guest = company->guest;
    sim_time first = (sim_time)company->kept, second;
    double share;
    if (t->replay) {
        const struct first_reading *kept =
            (const struct first_reading *)(uintptr_t)company->kept;
        struct log_reading reading;
        tracker_replay_read(t->replay, company, at, now, &kept->reading,
                            &reading);
        first = kept->answered;
        second =
            reading.has_log ? tracker_ask_one(t, company, at, &reading) : at;
        share = reading.step_s > 0 ? kept->reading.step_s / reading.step_s
                                   : INFINITY;
    } else {
        second = tracker_ask_one(t, company, at, NULL);
        double error = tracker_error_of(t, resident, guest, true) -
                       tracker_error_of(t, resident, guest, false);
        share = now->rel_speed / company->before.rel_speed * exp(error);
        if (is_random(t, resident))
            share = keyed_uniform(t->draws ^ resident->id, guest->id,
                                  TRACKER_DRAW_COIN) < 0.5
                        ? 0
                        : INFINITY;
    }
    *known_at = first > second ? first : second;
    return share;
}

static void tracker_look(void *self, struct company *company,
                         const struct sighting *now, struct judgement *out)
{
    struct tracker *t = self;
    const struct schedmate_config *c = t->shared->config;
    sim_time known_at;
    double share = share_of(t, company, now, out->at, &known_at);
    /* A guest stays if the share equals the threshold: two saturated jobs have
     * exactly 0.5. */
    if (!(share < c->threshold) ||
        (c->careful && !tracker_has_room(t, company->guest)))
        return;
    out->evict = true;
    out->keeps_work = !c->lose_work;
    out->bar_host = c->bar_host;
    out->at = known_at;
    out->why = "slows the resident down";
}

const struct monitor_ops monitor_tracker = {
    .name = "tracker",
    .summary = "SchedMate's Metric Tracker: evict a newcomer that slows the "
               "resident too much, by what the resident's log shows "
               "(--schedmate)",
    .state_size = sizeof(struct tracker),
    .of_schedmate = true,
    .init = tracker_init,
    .fini = tracker_fini,
    .joined = tracker_joined,
    .look = tracker_look,
};
