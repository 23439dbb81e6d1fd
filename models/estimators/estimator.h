/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beliefs about the remaining time and the demand of jobs. Estimators form a
 * chain: a layer answers a question or passes it to the layer below. Only the
 * layers that base/state/truth.h names may read the truth.
 *
 * An answer can take simulated time: a layer that answers after a second asks
 * for a wake-up and passes the question down until then. The engine turns the
 * wake-up into EVENT_BELIEF, which the policy observes before it decides. Until
 * then the hook `due` says when the answer comes, so that a policy can wait for
 * it. */
#ifndef MODELS_ESTIMATOR_H
#define MODELS_ESTIMATOR_H

#include "base/state/event.h"
#include "base/state/plugin.h"

struct belief {
    /* Remaining running time at rate 1, us. Negative only if the options of an
     * estimator keep negative predictions, which some published files
     * contain. */
    sim_span mean;
    /* standard deviation of the remaining time, us; -1: unknown */
    sim_span spread;
    const char *source;
    /* Time up to which the caller need not ask again unless there is an event
     * about the job: until then the mean falls with the clock while the job
     * runs, and is constant while the job waits. 0: ask each time. */
    sim_time steady_until;
};

struct demand {
    double compute;  /* share of the compute of one GPU, 0..1 */
    double mem_mib;  /* memory on each GPU, MiB; 0 also if it is unknown */
    uint8_t sharing; /* sharing class, enum sharing_class */
    /* true: `compute` is a default of the layer, not a measurement */
    bool assumed;
    const char *source;
};

struct out; /* defined in base/out.h */

/* A job that ended before the run begins. Its times are on the clock of the
 * run, so they are at most 0. */
struct past_job {
    /* The job's id is JOB_NONE. Its user, name, model and virtual cluster are
     * numbered as in the run, its GPU type is not. vc is UINT16_MAX if the
     * cluster does not have the virtual cluster. */
    struct job job;
    sim_span ran; /* time on GPUs of all attempts together, us */
    sim_time ended;
    bool aborted; /* true if the job ended as failed or cancelled */
};

/* Returns pointers to the jobs of the past in the order in which they ended;
 * those that ended at the same time, in the order of submission. The caller
 * frees the array. */
const struct past_job **past_by_end(const struct run_env *env);

/* A list of wake-ups, which the observe hook of a layer adds to. Each becomes
 * an EVENT_BELIEF for `job` at time `at`, which must not be before now. */
struct wakeups {
    struct wakeup {
        sim_time at;
        const struct job *job;
    } * at;
    size_t count, cap;
};
void wakeups_add(struct wakeups *wakeups, sim_time at, const struct job *job);

struct estimator; /* defined below: an instance of a layer in a chain */

/* What the answers of a layer rest on. Results say it beside each number
 * (sim/run/run.h). */
enum estimator_basis {
    BASIS_UNSAID,   /* a layer that answers nothing, or is in no registry */
    BASIS_LEARNED,  /* jobs that have ended */
    BASIS_TRUTH,    /* the true run time, which no scheduler can know */
    BASIS_DECLARED, /* what the user declared */
    BASIS_FILE,     /* a file of predictions */
    BASIS_ERRORS,   /* the layer below, with random errors */
    BASIS_BLEND,    /* the layers below */
    BASIS_TRACE,    /* the demand in the trace */
    BASIS_PROFILED, /* the demand that profiling measured */
};

struct estimator_ops {
    PLUGIN_HEAD;
    enum estimator_basis basis;
    /* Optional. Learns from an event. The engine shows each event to all
     * layers, top layer first, so a layer must not pass it on. EVENT_SUBMITTED
     * comes again when a job returns after a failure (job->attempts > 0); the
     * job must not be treated as a new one then. */
    void (*observe)(void *self, const struct event *event,
                    struct wakeups *wakeups);
    /* Both optional. Answer, or return false to let the layer below answer;
     * `out` is then unchanged. A layer may ask `below`, which may be NULL, and
     * refine its answer. With equal state and time the answers must be
     * equal. */
    bool (*remaining)(void *self, const struct estimator *below,
                      const struct job *job, sim_time now,
                      struct belief *out) MUST_USE;
    bool (*demand)(void *self, const struct estimator *below,
                   const struct job *job, struct demand *out) MUST_USE;
    /* Optional. Finds an earlier job that, by the layer's belief, trains the
     * same model; this job may still be running. The engine asks when `job` is
     * submitted and at each EVENT_BELIEF about it, as long as it has not run
     * and its learner has no model, and copies the learner of the job that is
     * found (models/elastic/learner.h). */
    bool (*donor)(void *self, const struct estimator *below,
                  const struct job *job, job_id *out) MUST_USE;
    /* Optional. Returns the time at which an answer about the job comes; the
     * layer has asked for a wake-up at that time. Returns TIME_NEVER if no
     * answer is on its way, and always after the wake-up. A layer without the
     * hook answers at once or never. */
    sim_time (*due)(const void *self, const struct job *job, sim_time now);
    /* Optional. Writes what the layer has learned as CSV for human readers. */
    void (*explain)(void *self, struct out *out);
};

struct estimator {
    PART_OF(estimator_ops);
    struct estimator *below; /* next layer; NULL: this is the bottom layer */
};

/* Ask a chain; `top` may be NULL. Return false if no layer of the chain can
 * answer; `out` is then unchanged. */
bool estimator_remaining(const struct estimator *top, const struct job *job,
                         sim_time now, struct belief *out) MUST_USE;
bool estimator_demand(const struct estimator *top, const struct job *job,
                      struct demand *out) MUST_USE;
bool estimator_donor(const struct estimator *top, const struct job *job,
                     job_id *out) MUST_USE;
/* Returns the time of the earliest answer about the job for which a layer of
 * the chain waits; TIME_NEVER if no answer is on its way. */
sim_time estimator_due(const struct estimator *top, const struct job *job,
                       sim_time now) MUST_USE;

#endif
