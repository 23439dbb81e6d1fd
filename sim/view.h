/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a policy may know at an instant: the public record of the jobs, who
 * waits, who runs where, the cluster, and beliefs. Nothing here changes while
 * the policy decides, except what its own plan reserves in the cluster.
 * All pointers are borrowed and valid for the call. */
#ifndef SIM_VIEW_H
#define SIM_VIEW_H

#include "models/estimator.h"
#include "models/forecast.h"
#include "models/interference.h"
#include "models/throughput.h"
#include "sim/base/remarks.h"
#include "sim/board.h"

struct view {
    const struct board *board;
    const struct estimator *estimator; /* top of the chain                  */
    const struct interference *belief; /* about sharing, maybe wrong        */
    const struct throughput *throughput;
    const struct forecast *forecast;
    char *mine; /* job_size bytes a job              */
    size_t mine_size;
    uint64_t seed;
    sim_time zero; /* of the run, microseconds since 1970 UTC */
    const struct ledger *first;
    struct remarks *remarks;
};

static inline sim_time view_now(const struct view *view)
{
    return view->board->now;
}
const struct cluster *view_cluster(const struct view *view);
/* NULL for JOB_NONE. */
static inline const struct job *view_job(const struct view *view, job_id id)
{
    return id == JOB_NONE ? NULL : &view->board->jobs[id];
}
uint32_t view_n_jobs(const struct view *view);
/* Of the whole run; for policies that draw random numbers (rng_open). */
uint64_t view_seed(const struct view *view);
/* Time 0 of the run, microseconds since 1970 UTC. */
sim_time view_zero(const struct view *view);
/* Where a policy says what it ignores or falls back on, once and in its init
 * if it can; what has to be counted is said in policy_ops.remark. May be NULL:
 * remarks_add takes that. */
static inline struct remarks *view_remarks(const struct view *view)
{
    return view->remarks;
}
/* What a first stage did with the same jobs (policy_ops.first), before this run
 * and in no way part of it; NULL if there was none. */
struct ledger;
const struct ledger *view_first_stage(const struct view *view);

/* Virtual clusters in which something happened at this instant, in no
 * meaningful order; in all others nothing can have become possible. A wake
 * touches all of them. */
struct vc_list {
    const uint16_t *at;
    uint32_t count;
};
struct vc_list view_touched(const struct view *view);

/* The waiting of a virtual cluster, in the order in which they began to wait:
 * by submission, then id; who returns after a stop or a failure goes to the
 * end. NULL at the end. */
const struct job *view_first_pending(const struct view *view, uint16_t vc);
const struct job *view_next_pending(const struct view *view,
                                    const struct job *job);
uint32_t view_n_pending(const struct view *view, uint16_t vc);

/* The running, by start of attempt, then in the order of their starts. */
const struct job *view_first_running(const struct view *view, uint16_t vc);
const struct job *view_next_running(const struct view *view,
                                    const struct job *job);

/* Of a running job. */
sim_time view_started(const struct view *view, const struct job *job);
struct gpu_set view_where(const struct view *view, const struct job *job);

/* Speed of a running job as one would measure it now, as a share of its speed
 * alone on the same GPUs; 1 without company. Exact: whoever measures with an
 * error adds it. */
double view_pace(const struct view *view, const struct job *job);
/* A running job that holds GPUs but does not work yet. */
bool view_is_starting(const struct view *view, const struct job *job);

/* GPU time the job has held so far, GPU-microseconds. */
int64_t view_attained(const struct view *view, const struct job *job);

/* Beliefs, from the top of the estimator chain. False: nobody knows, and `out`
 * is as it was. */
bool view_remaining(const struct view *view, const struct job *job,
                    struct belief *out) MUST_USE;
bool view_demand(const struct view *view, const struct job *job,
                 struct demand *out) MUST_USE;

/* Believed rate of `job` if it joined the GPUs of the running `host`. */
double view_rate_if_shared(const struct view *view, const struct job *job,
                           const struct job *host);
/* Believed work per time of a job in a shape; 0 if it cannot run so. */
double view_throughput(const struct view *view, const struct job *job,
                       struct shape shape);

/* Whether what the job trains, if that is known, can use so many GPUs of a
 * type. */
bool view_is_able(const struct view *view, const struct job *job,
                  uint8_t gpu_type, uint32_t gpus);

/* What will be submitted soon, as it looked at `at`, not later than now. False:
 * nobody knows; then of `out` only `until` counts. */
bool view_outlook(const struct view *view, sim_time at,
                  struct outlook *out) MUST_USE;

/* What a job that can change its shape has learned of itself by running
 * (models/agent.h); NULL: it is not such a job. */
const struct agent *view_agent(const struct view *view, const struct job *job);

/* Phase of clocks: instants that are a whole multiple of `length` since 1970
 * UTC, which is 0 of traces without a date. Whether now is one; and the first
 * after now, for which a plan may ask a wake. */
bool view_is_round(const struct view *view, sim_span length);
sim_time view_next_round(const struct view *view, sim_span length);

/* The policy's own bytes about a job (policy_ops.job_size), zeroed at first.
 * They may be written at any time: they are the policy's. */
static inline void *view_mine_of(const struct view *view, job_id id)
{
    return view->mine + (size_t)id * view->mine_size;
}
static inline void *view_mine(const struct view *view, const struct job *job)
{
    return view_mine_of(view, job->id);
}

#endif
