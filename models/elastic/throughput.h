/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Throughput models give the rate of a job (work per time) by GPU type, GPU
 * count, nodes and batch size. A job whose work comes from the trace works at
 * rate 1 if it is alone on GPUs of a type of speed 1 and its placement does not
 * slow it down.
 *
 * A model may describe jobs in more detail: how their speed changes as they
 * train (phases), and how they tune themselves while they run. The engine calls
 * the hooks for this. Of the state that the hooks keep, a policy sees only the
 * learner of a job (models/elastic/learner.h, view_learner). */
#ifndef MODELS_THROUGHPUT_H
#define MODELS_THROUGHPUT_H

#include "base/state/cluster.h"
#include "base/state/plugin.h"

struct learner; /* defined in models/elastic/learner.h */
struct remarks; /* defined in base/remarks.h */

struct shape {
    uint32_t gpu_type; /* type of all GPUs, never GPU_TYPE_ANY */
    uint32_t gpus, nodes;
};

/* A span in which a running job has one speed as long as no other job shares
 * its GPUs. The phase ends when the work left has fallen to `until`, at time
 * `again`, or when the job leaves its GPUs, whichever comes first. */
struct phase {
    double rate; /* work per time, > 0; 0: the job cannot run in this shape */
    /* work left at which the phase ends; 0: this is the last phase */
    sim_span until;
    /* time at which the job adds its measurements to its learner and may change
     * its batch size; TIME_NEVER: only when the work of the phase is done */
    sim_time again;
};

struct throughput;

struct throughput_ops {
    PLUGIN_HEAD;

    /* Returns the rate that policies assume; it is also the true rate of a job
     * without phases. The rate is > 0, or 0 if the job cannot run in this
     * shape. During a run, equal arguments must give equal results. */
    double (*rate)(const struct throughput *model,
                   const struct cluster *cluster, const struct job *job,
                   struct shape shape);

    /* A model sets either all of the following hooks or none of them. */

    /* Returns the total work of a job; it replaces the work in the trace. 0:
     * the model does not describe the job by phases, and the job runs at
     * `rate`. The following hooks are called only for a `job` that the model
     * describes. */
    sim_span (*work)(const struct throughput *model, const struct job *job);
    /* Returns the time for which an attempt holds GPUs before work begins. The
     * engine passes it to the overhead model, which may ignore it. */
    sim_span (*restart)(const struct throughput *model, const struct job *job);
    /* Starts the job on `where` at `ready` with `left` work remaining. Returns
     * its first phase. */
    struct phase (*begin)(struct throughput *model, const struct job *job,
                          struct gpu_set where, sim_time ready, sim_span left);
    /* Called when the phase has ended at `now`. Adds what the job has measured
     * to its learner and chooses its batch size. Returns the next phase. */
    struct phase (*next)(struct throughput *model, const struct job *job,
                         sim_time now, sim_span left);
    /* Copies the rows and models of the learner of `donor`, which may be any
     * job, to that of a job that has not run yet. Returns false and copies
     * nothing if the two do not train the same application or if the donor has
     * no fitted model. */
    bool (*teach)(struct throughput *model, const struct job *job,
                  const struct job *donor);
    /* Returns the learner of a job; it lives as long as the run. */
    struct learner *(*learner)(const struct throughput *model,
                               const struct job *job);
};

struct throughput {
    PART_OF(throughput_ops);
};

/* True if the model describes the job by phases. */
static inline bool throughput_knows(const struct throughput *model,
                                    const struct job *job)
{
    return model->ops->work && model->ops->work(model, job) > 0;
}

#endif
