/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work per time of a job by GPU type, GPU count, nodes and batch size. The
 * frame of reference: a job alone on the GPUs it asked for, of a type of speed
 * 1, works at rate 1.
 *
 * A model may know jobs more closely: how their speed changes as they train
 * (phases) and how they tune themselves while they run. The engine asks for
 * these hooks; a policy sees of them only what the job's agent has learned
 * (models/agent.h, view_agent). */
#ifndef MODELS_THROUGHPUT_H
#define MODELS_THROUGHPUT_H

#include "sim/base/error.h"
#include "sim/base/option.h"
#include "sim/cluster.h"
#include "sim/job.h"

struct agent;   /* models/agent.h */
struct remarks; /* sim/base/remarks.h */

struct shape {
    uint8_t gpu_type; /* never GPU_TYPE_ANY */
    uint32_t gpus, nodes;
};

/* A stretch of a running job in which its speed alone stays the same. It ends
 * when `until` work is left, at `again`, or with the job. */
struct phase {
    double rate;    /* work per time, > 0; 0: it cannot run like this */
    sim_span until; /* work left at which the next phase begins; 0: none does */
    sim_time again; /* when it tunes itself next; TIME_NEVER: no more */
};

/* Whom a model meets before the run. */
struct throughput_env {
    const struct cluster *cluster;
    const struct job *jobs;
    uint32_t n_jobs;
    sim_time zero; /* of the run, microseconds since 1970 UTC */
    const char *(*string)(const void *strings, uint32_t symbol);
    const void *strings;
    /* Whether the trace recorded how long a job ran; NULL: of none. */
    bool (*recorded)(const void *jobs, job_id job);
    const void *recorded_self;
    struct remarks *remarks; /* what the user must know; NULL: nobody asks */
    /* Notes a value for the manifest. */
    void (*note)(void *self, const char *key, const char *value,
                 const char *help, const char *source);
    void *note_self;
};

struct throughput;

struct throughput_ops {
    const char *name, *summary;
    const struct option *options;
    size_t config_size, state_size;

    /* Believed by policies, and true of jobs without phases. > 0, or 0 if the
     * job cannot run in this shape. Pure. */
    double (*rate)(const struct throughput *model,
                   const struct cluster *cluster, const struct job *job,
                   struct shape shape);

    /* All below are optional, together. */

    /* `state` is zeroed. */
    enum status (*bind)(struct throughput *model,
                        const struct throughput_env *env, struct error *err);
    void (*unbind)(struct throughput *model);
    /* All work of a job of this model, in place of what the trace says; 0: not
     * one of its jobs, whose speed is `rate`. The hooks below are called for
     * its jobs only. */
    sim_span (*work)(const struct throughput *model, const struct job *job);
    /* GPU-holding time before work begins on a start, for the overhead. */
    sim_span (*restart)(const struct throughput *model, const struct job *job);
    /* It works on these GPUs from `ready` on, `left` work being left. Its first
     * phase. */
    struct phase (*begin)(struct throughput *model, const struct job *job,
                          struct gpu_set where, sim_time ready, sim_span left);
    /* The phase has ended at `now`: the job has seen how it went, and chooses
     * how to go on. */
    struct phase (*next)(struct throughput *model, const struct job *job,
                         sim_time now, sim_span left);
    /* Before it first runs, the job hears what an earlier one has learned.
     * False: they do not train the same. */
    bool (*teach)(struct throughput *model, const struct job *job,
                  const struct job *donor);
    /* What is known of the job. Borrowed for the run. */
    struct agent *(*agent)(const struct throughput *model,
                           const struct job *job);
};

struct throughput {
    const struct throughput_ops *ops;
    const void *config;
    void *state;
};

static inline bool throughput_knows(const struct throughput *model,
                                    const struct job *job)
{
    return model->ops->work && model->ops->work(model, job) > 0;
}

#endif
