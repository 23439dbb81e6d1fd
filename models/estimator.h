/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Belief about a job's remaining time and demand. Estimators form a chain: a
 * layer answers, or passes down to the layer below. Nothing in it leads to the
 * truth, except for the one layer that is allowed to read it (oracle).
 *
 * Advice takes simulated time. A layer that needs a second to answer asks for a
 * wake-up and passes down until then; the engine turns the wake-up into
 * EVENT_BELIEF, so that the policy decides again. */
#ifndef MODELS_ESTIMATOR_H
#define MODELS_ESTIMATOR_H

#include "sim/base/error.h"
#include "sim/base/option.h"
#include "sim/base/remarks.h"
#include "sim/event.h"

struct belief {
    /* Remaining running time at rate 1. Below 0 only if an estimator was told
     * to pass on what a model predicted below 0, as published files hold. */
    sim_span mean;
    sim_span spread; /* one standard deviation, -1 if unknown  */
    const char *source;
    /* Until then, and until the next event about the job, there is no need to
     * ask again: while it runs the mean falls as the clock goes on, while it
     * waits it stays. 0: ask each time. */
    sim_time steady_until;
};

struct demand {
    double compute;  /* share of one GPU's compute, 0..1 */
    double mem_mib;  /* GPU memory per GPU, MiB          */
    uint8_t sharing; /* enum sharing_class */
    bool assumed;    /* compute is a default of the layer: nobody knows it */
    const char *source;
};

struct truth_book; /* sim/truth.h */
struct workloads;  /* models/workloads.h */
struct out;        /* sim/base/out.h */

/* A job that ended before the run begins. Times are the run's: before 0. */
struct past_job {
    struct job
        job; /* symbols and virtual clusters are the run's; id JOB_NONE */
    sim_span ran;
    sim_time ended;
};

/* What a layer may use. */
struct estimator_env {
    const struct truth_book *truth; /* opaque but to those who may look */
    const struct job *jobs;
    uint32_t n_jobs;
    const struct workloads *workloads; /* by job.profile; NULL: none known */
    sim_time zero;               /* of the run, microseconds since 1970 UTC */
    const struct past_job *past; /* by submission */
    uint32_t n_past;
    /* Symbol to text: user, name and workload of a job. */
    const char *(*string)(const void *strings, uint32_t symbol);
    const void *strings;
    uint64_t seed;           /* for rng_open under the layer's own name */
    struct arena *arena;     /* lives as long as the run */
    struct remarks *remarks; /* what the user must know; NULL: nobody asks */
};

/* Wake-ups a layer asks for in observe: "show me this job again at `at`". */
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
    const char *name, *summary;
    const struct option *options;
    size_t config_size, state_size;
    enum status (*init)(void *self, const void *config,
                        const struct estimator_env *env, struct error *err);
    /* Optional. Learn from an event; every layer sees every event, top layer
     * first. A layer must not pass it on. */
    void (*observe)(void *self, const struct event *event,
                    struct wakeups *wakeups);
    /* Optional. Answer, or return false to let the layer below answer; then
     * `out` is as it was. A layer that refines may ask `below` itself. Pure:
     * same state and time, same answer. */
    bool (*remaining)(void *self, const struct estimator *below,
                      const struct job *job, sim_time now,
                      struct belief *out) MUST_USE;
    bool (*demand)(void *self, const struct estimator *below,
                   const struct job *job, struct demand *out) MUST_USE;
    /* Optional. An earlier job that trained the same, as far as the layer can
     * tell, and may still run: an elastic job that arrives hears what it has
     * learned of itself (models/agent.h). */
    bool (*donor)(void *self, const struct estimator *below,
                  const struct job *job, job_id *out) MUST_USE;
    /* Optional. What was learned, as CSV that a person can read. */
    void (*explain)(void *self, struct out *out);
    /* Optional. Gives back what the arena does not own. */
    void (*fini)(void *self);
};

struct estimator {
    const struct estimator_ops *ops;
    void *self;
    const void *config;
    const struct estimator *below; /* NULL at the bottom */
};

/* Ask a chain; `top` may be NULL (nobody knows). False: no layer answered, and
 * `out` is as it was. */
bool estimator_remaining(const struct estimator *top, const struct job *job,
                         sim_time now, struct belief *out) MUST_USE;
bool estimator_demand(const struct estimator *top, const struct job *job,
                      struct demand *out) MUST_USE;
bool estimator_donor(const struct estimator *top, const struct job *job,
                     job_id *out) MUST_USE;

#endif
