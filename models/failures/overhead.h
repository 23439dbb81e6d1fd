/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overhead models: the time that starts, preemptions and checkpoints cost, and
 * the work that a failure loses. */
#ifndef SIM_OVERHEAD_H
#define SIM_OVERHEAD_H

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
    /* Optional. True if a job that the policy stops loses the work since its
     * last checkpoint, as after a failure, besides what `stop` adds. */
    bool (*stop_loses)(const void *config);
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

static inline bool overhead_stop_loses(const struct overhead *overhead)
{
    return overhead->ops->stop_loses &&
           overhead->ops->stop_loses(overhead->config);
}

static inline bool overhead_loses_profiled(const struct overhead *overhead)
{
    return overhead->ops->loses_profiled &&
           overhead->ops->loses_profiled(overhead->config);
}

/* How often a job writes checkpoints: settings and formulas that the overhead
 * models share.
 *
 * Young (CACM 17:9, 1974): interval = sqrt(2 w M). Daly (FGCS 22:3, 2006),
 * the estimate of higher order: sqrt(2 w M) (1 + sqrt(w / 2M) / 3 + w / 18M)
 * - w for w < 2M, otherwise M. w: time to write one checkpoint; M: mean time
 * between the failures of the job, which is 1 / (nodes x failures per node
 * and second). The interval is the time between two writes, writing not
 * included, of a job that shares no GPU. A job slowed down by sharing writes
 * after the same amount of work, and so less often in time. */

enum checkpoint_law {
    CHECKPOINT_FIXED,
    CHECKPOINT_YOUNG,
    CHECKPOINT_DALY,
    CHECKPOINT_NONE
};

extern const char *const checkpoint_laws[];

struct checkpoint_config {
    unsigned law;      /* rule for the interval, enum checkpoint_law */
    sim_span interval; /* time between two checkpoints under CHECKPOINT_FIXED;
                          0: none are written */
    sim_span write;    /* time to write a checkpoint */
    sim_span restart;  /* time to read a checkpoint after a failure */
    /* mean number of days between two faults of one node; 0: use the rate of
     * the fault model */
    double mtbf_days;
};

/* Rows of a table of options; `type` has a struct checkpoint_config named
 * `checkpoint`. */
#define CHECKPOINT_OPTIONS(type) \
    OPT_CHOICE(type, checkpoint.law, "interval", CHECKPOINT_FIXED, \
               checkpoint_laws, \
               "when checkpoints are written: every checkpoint_s, by the " \
               "formula of Young or of Daly from the rate of faults, or " \
               "never", \
               "Young (CACM 1974), Daly (FGCS 2006)"), \
        OPT_SPAN( \
            type, checkpoint.interval, "checkpoint_s", 1800, 0, SECONDS_MAX, \
            "time that a job works between two checkpoints, if it shares no " \
            "GPU; 0: it writes none", \
            "Acme (NSDI'24): every 30 minutes", OPT_WHEN("interval=fixed")), \
        OPT_SPAN(type, checkpoint.write, "write_s", 0, 0, 86400, \
                 "time for which a job does not work while it writes a " \
                 "checkpoint", \
                 "assumed: 0, since Acme (NSDI'24) writes them in the " \
                 "background", \
                 OPT_WHEN("interval!=none")), \
        OPT_SPAN(type, checkpoint.restart, "restart_s", 0, 0, 86400, \
                 "time for which an attempt after a failure holds its GPUs " \
                 "before work begins, in addition to start_s", \
                 "assumed: 0; Meta RSC (HPCA'25) takes 300"), \
        OPT_DOUBLE(type, checkpoint.mtbf_days, "node_mtbf_days", 0, 0, 1e6, \
                   "days between two faults of one node, for the formulas of " \
                   "Young and Daly; 0: from the rate of the fault model", \
                   NULL, OPT_WHEN("interval=young/daly"))

/* State of an overhead model for checkpoints, filled by checkpoint_init. */
struct checkpoint_state {
    double rate; /* failures per node and second; 0: unknown */
};

/* Fills *state. STATUS_USAGE if the formula of Young or Daly lacks its input:
 * the time to write a checkpoint or the rate of faults. `owner` names the model
 * in the message. */
enum status checkpoint_init(struct checkpoint_state *state,
                            const struct checkpoint_config *config,
                            const struct run_env *env, const char *owner,
                            struct error *err) MUST_USE;

/* Returns when a job on `nodes` nodes writes checkpoints if it does `rate` work
 * per time there; all zeroes if it writes none. */
struct checkpoints checkpoint_of(const struct checkpoint_state *state,
                                 const struct checkpoint_config *config,
                                 uint32_t nodes, double rate);

#endif
