/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work per time of a job by GPU type, GPU count, nodes and batch size. The
 * unit: a job alone on the GPUs it asked for, of a type of speed 1, works at
 * rate 1.
 *
 * A model may describe jobs in more detail: how their speed changes as they
 * train (phases) and how they tune themselves while they run. The engine calls
 * these hooks; a policy sees only what the job's learner has learned
 * (models/elastic/learner.h, view_learner). */
#ifndef MODELS_THROUGHPUT_H
#define MODELS_THROUGHPUT_H

#include "sim/state/cluster.h"
#include "sim/state/plugin.h"

struct learner; /* models/elastic/learner.h */
struct remarks; /* sim/base/remarks.h */

struct shape {
    uint8_t gpu_type; /* never GPU_TYPE_ANY */
    uint32_t gpus, nodes;
};

/* A stretch of a running job in which its speed alone stays the same. It ends
 * when the work left is down to `until`, at `again`, or with the job. */
struct phase {
    double rate; /* work per time, > 0; 0: the job cannot run in this shape */
    /* work left at which the next phase begins; 0: no other follows */
    sim_span until;
    sim_time again; /* when the job tunes itself next; TIME_NEVER: not again */
};

struct throughput;

struct throughput_ops {
    PLUGIN_HEAD;

    /* The rate that policies believe, and the true one of jobs without phases.
     * > 0, or 0 if the job cannot run in this shape. Pure. */
    double (*rate)(const struct throughput *model,
                   const struct cluster *cluster, const struct job *job,
                   struct shape shape);

    /* All hooks below are optional, but only together. */

    /* All work of a job that this model describes, in place of the trace's; 0:
     * the model does not describe the job, whose speed is `rate`. The hooks
     * below are called only for jobs that it describes. */
    sim_span (*work)(const struct throughput *model, const struct job *job);
    /* Time for which GPUs are held before work begins, used by the overhead
     * model. */
    sim_span (*restart)(const struct throughput *model, const struct job *job);
    /* Starts the job on `where` at `ready` with `left` work remaining. Returns
     * its first phase. */
    struct phase (*begin)(struct throughput *model, const struct job *job,
                          struct gpu_set where, sim_time ready, sim_span left);
    /* Called when the phase has ended at `now`. The job has watched its
     * iterations and chooses its next batch size. Returns the next phase. */
    struct phase (*next)(struct throughput *model, const struct job *job,
                         sim_time now, sim_span left);
    /* Copies to the job, before it first runs, what an earlier one has learned.
     * Returns false if the two do not train the same application. */
    bool (*teach)(struct throughput *model, const struct job *job,
                  const struct job *donor);
    /* What the job has learned. Borrowed for the run. */
    struct learner *(*learner)(const struct throughput *model,
                               const struct job *job);
};

struct throughput {
    PART_OF(throughput_ops);
};

static inline bool throughput_knows(const struct throughput *model,
                                    const struct job *job)
{
    return model->ops->work && model->ops->work(model, job) > 0;
}

#endif
