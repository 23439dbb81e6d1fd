/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Metric Tracker as a monitor. When a job (the guest) joins the
 * GPUs of another (the resident), it reads the speed of the resident from the
 * resident's log; some tens of training steps later it reads the speed again.
 * If the resident has become too slow, the guest is evicted (SchedMate, section
 * 4.1). Each reading is a question to the language model, so the eviction
 * happens when both answers have come. A log that shows no speed is never
 * asked about, and then nobody is evicted. */
#include <math.h>

#include "models/interference/monitor.h"
#include "schedmate/schedmate.h"
#include "sim/base/rng.h"

enum { DRAW_DETECTED, DRAW_COMMON, DRAW_READING }; /* numbers of keyed draws */

struct tracker {
    struct schedmate *shared;
    uint64_t draws; /* random stream */
};

static enum status tracker_init(void *self, const void *config,
                                const struct run_env *env, struct error *err)
{
    struct tracker *t = self;
    (void)config;
    (void)err;
    t->shared = env->schedmate;
    t->draws = rng_stream(env->seed, "tracker");
    return STATUS_OK;
}

/* True if the log of the job shows its speed. The jobs whose logs do at one
 * rate of detection do at each higher rate too. */
static bool is_detected(const struct tracker *t, const struct job *job)
{
    const struct schedmate_config *c = t->shared->config;
    return c->fidelity == FIDELITY_ORACLE ||
           keyed_uniform(t->draws, job->id, DRAW_DETECTED) < c->detection;
}

/* Returns the logarithm of the error of a reading. A part of it is the same at
 * each reading of the job's log, because the same mistake is made again, and
 * cancels where two readings are compared. `guest`, `late`: the company and
 * which of its two readings this is. */
static double error_of(const struct tracker *t, const struct job *resident,
                       const struct job *guest, bool late)
{
    const struct schedmate_config *c = t->shared->config;
    if (c->fidelity == FIDELITY_ORACLE)
        return 0;
    uint64_t own = (uint64_t)guest->id << 32 | (uint64_t)guest->attempts << 1;
    double common = keyed_normal(t->draws, resident->id, DRAW_COMMON);
    double reading =
        keyed_normal(t->draws ^ resident->id, own | late, DRAW_READING);
    return c->reading_error * (sqrt(c->reading_common) * common +
                               sqrt(1 - c->reading_common) * reading);
}

/* Asks the model to read the log of the resident; returns when it answers. */
static sim_time read_log(struct tracker *t, const struct company *company,
                         sim_time now)
{
    return schedmate_ask(t->shared,
                         &(struct question){
                             .module = ADVICE_TRACKER,
                             .job = company->resident,
                             .now = now,
                             .service = -1,
                             .basis = ADVICE_READ,
                             .k = 1,
                         },
                         NULL);
}

static sim_time tracker_joined(void *self, struct company *company)
{
    struct tracker *t = self;
    if (!is_detected(t, company->resident))
        return TIME_NEVER;
    company->kept = (uint64_t)read_log(t, company, company->joined);
    return company->ready + t->shared->config->check;
}

static void tracker_look(void *self, struct company *company,
                         const struct sighting *now, struct judgement *out)
{
    struct tracker *t = self;
    const struct schedmate_config *c = t->shared->config;
    const struct job *resident = company->resident, *guest = company->guest;
    sim_time first = (sim_time)company->kept;
    sim_time second = read_log(t, company, out->at);
    double error = error_of(t, resident, guest, true) -
                   error_of(t, resident, guest, false);
    double share = now->rel_speed / company->before.rel_speed * exp(error);
    if (!(share < c->threshold)) /* two saturated jobs are at exactly 0.5 */
        return;
    out->evict = true;
    out->keeps_work = !c->lose_work;
    out->bar_host = c->bar_host;
    out->at = first > second ? first : second;
    out->why = "slows the resident down";
}

const struct monitor_ops monitor_tracker = {
    .name = "tracker",
    .summary = "SchedMate's Metric Tracker: evict a guest that slows the "
               "resident too much, by what the resident's log shows "
               "(--schedmate)",
    .state_size = sizeof(struct tracker),
    .of_schedmate = true,
    .init = tracker_init,
    .joined = tracker_joined,
    .look = tracker_look,
};
