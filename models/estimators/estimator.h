/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beliefs about a job's remaining time and demand. Estimators form a chain: a
 * layer answers a question or passes it to the layer below. Only the layer
 * `oracle` may read the truth.
 *
 * An answer can take simulated time. A layer that needs a second asks for a
 * wake-up and passes the question down until then. The engine turns the wake-up
 * into EVENT_BELIEF, so that the policy decides again. */
#ifndef MODELS_ESTIMATOR_H
#define MODELS_ESTIMATOR_H

#include "sim/state/event.h"
#include "sim/state/plugin.h"

struct belief {
    /* Remaining running time at rate 1. Negative only if an estimator was told
     * to keep negative predictions, which published files contain. */
    sim_span mean;
    sim_span spread; /* one standard deviation, -1 if unknown */
    const char *source;
    /* The caller need not ask again before this time or before the next event
     * about the job: the mean falls with the clock while the job runs and stays
     * while it waits. 0: ask each time. */
    sim_time steady_until;
};

struct demand {
    double compute;  /* share of one GPU's compute, 0..1 */
    double mem_mib;  /* memory on each GPU, MiB */
    uint8_t sharing; /* enum sharing_class */
    bool assumed;    /* `compute` is a default of the layer, not measured */
    const char *source;
};

struct out; /* sim/base/out.h */

/* A job that ended before the run begins. Its times are on the run's clock, so
 * they are negative. */
struct past_job {
    /* Its id is JOB_NONE. Symbols and virtual clusters are those of the run. */
    struct job job;
    sim_span ran; /* time on GPUs, all attempts together */
    sim_time ended;
};

/* Wake-ups that a layer asks for in observe: each is an EVENT_BELIEF for `job`
 * at time `at`. */
struct wakeups {
    struct wakeup {
        sim_time at;
        const struct job *job;
    } * at;
    size_t count, cap;
};
void wakeups_add(struct wakeups *wakeups, sim_time at, const struct job *job);

struct estimator; /* an instance in a chain */

struct estimator_ops {
    PLUGIN_HEAD;
    /* Optional. Learns from an event. The engine shows each event to all
     * layers, top layer first; a layer must not pass it on. */
    void (*observe)(void *self, const struct event *event,
                    struct wakeups *wakeups);
    /* Optional. Answers, or returns false to let the layer below answer; `out`
     * is then unchanged. A layer that refines an answer may ask `below` itself.
     * Must be pure: equal state and time give equal answers. */
    bool (*remaining)(void *self, const struct estimator *below,
                      const struct job *job, sim_time now,
                      struct belief *out) MUST_USE;
    bool (*demand)(void *self, const struct estimator *below,
                   const struct job *job, struct demand *out) MUST_USE;
    /* Optional. Finds an earlier job, which may still run, that the layer takes
     * to train the same model. The learner of an elastic job that is submitted
     * is copied from that job's (models/elastic/learner.h). */
    bool (*donor)(void *self, const struct estimator *below,
                  const struct job *job, job_id *out) MUST_USE;
    /* Optional. Writes what was learned, as CSV that a person can read. */
    void (*explain)(void *self, struct out *out);
};

struct estimator {
    PART_OF(estimator_ops);
    struct estimator *below; /* NULL at the bottom */
};

/* Asks a chain; `top` may be NULL. Returns false if no layer of the chain can
 * answer; `out` is then unchanged. */
bool estimator_remaining(const struct estimator *top, const struct job *job,
                         sim_time now, struct belief *out) MUST_USE;
bool estimator_demand(const struct estimator *top, const struct job *job,
                      struct demand *out) MUST_USE;
bool estimator_donor(const struct estimator *top, const struct job *job,
                     job_id *out) MUST_USE;

#endif
