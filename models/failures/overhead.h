/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overhead models: the time that starts, preemptions and checkpoints cost, and
 * the work that a failure loses. */
#ifndef MODELS_OVERHEAD_H
#define MODELS_OVERHEAD_H

#include "base/state/plugin.h"

struct overhead;

/* The reason for which an attempt starts. */
enum start_kind {
    START_FIRST,    /* the job has not run before */
    START_AGAIN,    /* any other start of a job that has run before */
    START_RECOVERED /* the job failed and has done no work since */
};

/* When a job writes checkpoints. After each `interval` of work, counted from
 * the start of an attempt, it stops working for `write`. If it resumes after a
 * failure that the trace did not record, it has lost the work since the last
 * checkpoint. interval 0: the job writes none, and loses all work of the
 * attempt. */
struct checkpoints {
    /* Work between two checkpoints, in microseconds at rate 1. */
    sim_span interval;
    sim_span write; /* time to write a checkpoint */
};

struct overhead_ops {
    PLUGIN_HEAD;
    /* Returns the time for which an attempt holds GPUs before work begins.
     * `own` is the measured start time of the job's application, -1 if none is
     * known. */
    sim_span (*start)(const struct overhead *model, const struct job *job,
                      enum start_kind kind, sim_span own);
    /* Returns the work that a preemption adds to the work left, >= 0. */
    sim_span (*stop)(const struct overhead *model, const struct job *job);
    /* Optional. Returns when the job writes checkpoints in an attempt on
     * `nodes` nodes, on which it does `rate` work per time while it neither
     * writes nor shares GPUs. NULL: a job that resumes after a failure has lost
     * no work. */
    struct checkpoints (*checkpoints)(const struct overhead *model,
                                      const struct job *job, uint32_t nodes,
                                      double rate);
    /* Optional. True if a running job that changes GPUs, but neither their type
     * nor how many it has on each node, goes on at once: no stop, no start. */
    bool (*moves_free)(const void *config);
    /* Optional. True if the work that a job does while it is profiled is lost
     * when its profiling ends. */
    bool (*loses_profiled)(const void *config);
};

struct overhead {
    PART_OF(overhead_ops);
};

/* Option rows for models with the hooks moves_free and loses_profiled. `moves`
 * and `keeps` name fields of `type`. */
#define OVERHEAD_OPTIONS(type, moves, keeps) \
    OPT_BOOL( \
        type, moves, "free_moves", false, \
        "a job that changes GPUs, but neither their type nor how many on " \
        "each node, goes on at once", \
        "Sia's simulator: true"), \
        OPT_BOOL(type, keeps, "profile_keeps_work", true, \
                 "a job keeps the work that it does while it is profiled", \
                 NULL)

static inline bool overhead_moves_free(const struct overhead *overhead)
{
    return overhead->ops->moves_free &&
           overhead->ops->moves_free(overhead->config);
}

static inline bool overhead_loses_profiled(const struct overhead *overhead)
{
    return overhead->ops->loses_profiled &&
           overhead->ops->loses_profiled(overhead->config);
}

#endif
