/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a policy may know at an instant: the public record of the jobs, the
 * waiting and the running jobs, the cluster, and beliefs. Nothing here changes
 * while the policy decides, except the GPUs that its own plan reserves in the
 * cluster. The pointers that these functions return are borrowed, and valid
 * until the policy's hook returns. */
#ifndef SIM_VIEW_H
#define SIM_VIEW_H

#include "base/remarks.h"
#include "base/state/board.h"
#include "models/elastic/throughput.h"
#include "models/estimators/estimator.h"
#include "models/forecasts/forecast.h"
#include "models/interference/interference.h"

/* Numbers of virtual clusters. */
struct vc_list {
    const uint16_t *at;
    uint32_t count;
};

struct view {
    const struct board *board;
    const struct job_terms *terms;   /* by job; NULL: no job has any */
    const struct job_extras *extras; /* by job; NULL: not kept, or none */
    /* by job: recorded wait, us; TIME_NEVER: unknown; NULL: not kept, or none
     */
    const sim_span *waits;
    sim_span guarantee;                /* see view_guarantee */
    const struct estimator *estimator; /* top of the chain; NULL: no chain */
    /* loss of speed by sharing GPUs, as the policy believes it */
    const struct interference *belief;
    const struct throughput *throughput;
    const struct forecast *forecast;
    char *mine;       /* by job: mine_size bytes that only the policy uses */
    size_t mine_size; /* policy_ops.job_size */
    uint64_t seed;    /* seed of the run */
    sim_time zero;    /* time 0 of the run, microseconds since 1970 UTC */
    struct remarks *remarks; /* remarks of the run; NULL: they are dropped */
    /* by job: bits of enum view_asked; view_remaining sets them; NULL: they are
     * not kept */
    uint8_t *asked;
    /* virtual clusters that a layer asks about instead of those that were
     * touched; NULL: no layer does */
    const struct vc_list *asked_about;
};

/* Whether the policy asked how long a job will run, and got an answer. */
enum view_asked { VIEW_ASKED = 1, VIEW_ANSWERED = 2 };

static inline sim_time view_now(const struct view *view)
{
    return view->board->now;
}
static inline const struct cluster *view_cluster(const struct view *view)
{
    return view->board->cluster;
}
/* Returns the job with this id; NULL for JOB_NONE. */
static inline const struct job *view_job(const struct view *view, job_id id)
{
    return id == JOB_NONE ? NULL : &view->board->jobs[id];
}
/* Returns the time by which the job should have ended, which can lie before
 * its submission; TIME_NEVER: it has no deadline. */
static inline sim_time view_deadline(const struct view *view,
                                     const struct job *job)
{
    sim_span left =
        view->terms ? view->terms[job->id].deadline : JOB_NO_DEADLINE;
    return left == JOB_NO_DEADLINE ? TIME_NEVER : job->submitted + left;
}
/* Returns the priority of the job as the trace writes it, a symbol for
 * run_env.string; 0: it has none. */
static inline uint32_t view_priority(const struct view *view,
                                     const struct job *job)
{
    return view->terms ? view->terms[job->id].priority : 0;
}
/* True if the job is of class spot, so that it may be stopped for a guaranteed
 * job, as all others are (--job-classes). */
static inline bool view_is_spot(const struct view *view, const struct job *job)
{
    return view->terms && view->terms[job->id].spot;
}
/* Returns the window for which a spot job hopes to run without a stop, us, > 0
 * (--job-classes guarantee_s). */
static inline sim_span view_guarantee(const struct view *view)
{
    return view->guarantee;
}
/* Returns the CPUs, main memory, kind and account of the job; all 0 if the
 * trace has none, or if the policy lacks POLICY_USES_EXTRAS. */
static inline struct job_extras view_extras(const struct view *view,
                                            const struct job *job)
{
    return view->extras ? view->extras[job->id] : (struct job_extras){0};
}
/* Returns how long the job waited in the cluster that recorded the trace, us;
 * TIME_NEVER if the trace does not tell, or if the policy lacks POLICY_REPLAYS.
 * This is what happened, not a belief: for a policy that repeats it. */
static inline sim_span view_recorded_wait(const struct view *view,
                                          const struct job *job)
{
    return view->waits ? view->waits[job->id] : TIME_NEVER;
}
uint32_t view_n_jobs(const struct view *view);
/* Returns the seed of the run, for policies that draw random numbers
 * (rng_open). */
uint64_t view_seed(const struct view *view);
/* Returns time 0 of the run, microseconds since 1970 UTC. */
sim_time view_zero(const struct view *view);
/* Returns the remarks of the run. A policy adds a remark on anything that it
 * ignores or falls back on, once, in its init if possible. Remarks with counts
 * belong in policy_ops.remark. May return NULL, which remarks_add accepts. */
static inline struct remarks *view_remarks(const struct view *view)
{
    return view->remarks;
}

/* Virtual clusters in which something happened since the policy decided last,
 * in no meaningful order. In the other virtual clusters no new start can have
 * become possible. After a wake the list names all virtual clusters. */
static inline struct vc_list view_touched(const struct view *view)
{
    return view->asked_about
               ? *view->asked_about
               : (struct vc_list){view->board->touched, view->board->n_touched};
}

/* Walk the waiting jobs of a virtual cluster, in the order in which they began
 * to wait: by submission, then id. A job that returns after a stop or a failure
 * goes to the end. Return NULL after the last job. */
static inline const struct job *view_first_pending(const struct view *view,
                                                   uint16_t vc)
{
    return view_job(view, view->board->pending[vc].first);
}
static inline const struct job *view_next_pending(const struct view *view,
                                                  const struct job *job)
{
    return view_job(view, view->board->links[job->id].next);
}
uint32_t view_n_pending(const struct view *view, uint16_t vc);

/* Walk the running jobs of a virtual cluster, by start time of their attempts;
 * jobs with equal start times in the order in which they were started. Return
 * NULL after the last job. */
const struct job *view_first_running(const struct view *view, uint16_t vc);
const struct job *view_next_running(const struct view *view,
                                    const struct job *job);

/* Return the start time of the attempt of a running job, and the GPUs that the
 * job holds. */
sim_time view_started(const struct view *view, const struct job *job);
struct gpu_set view_where(const struct view *view, const struct job *job);

/* Returns the measured speed of a running job now, as a share of its speed
 * alone on the same GPUs; 1 if no job is co-located with it. The speed is
 * exact: a policy whose measurements have an error must add the error. */
double view_rel_speed(const struct view *view, const struct job *job);
/* True if a running job holds GPUs but does not work yet. */
bool view_is_starting(const struct view *view, const struct job *job);

/* True if the job may share GPUs, as a newcomer and as a resident. False for
 * good after a monitor has evicted the job. plan_share and plan_share_on return
 * false rather than put such a job on a GPU together with another job. */
static inline bool view_may_share(const struct view *view,
                                  const struct job *job)
{
    (void)view;
    return !job->barred;
}

/* Returns the GPU time that the job has held so far, GPU-microseconds. */
int64_t view_attained(const struct view *view, const struct job *job);

/* Set *out to a belief from the top of the estimator chain, about the running
 * time that the job still needs or about its demand. Return false if no layer
 * of the chain can answer; `*out` is then untouched. */
bool view_remaining(const struct view *view, const struct job *job,
                    struct belief *out) MUST_USE;
bool view_demand(const struct view *view, const struct job *job,
                 struct demand *out) MUST_USE;

/* True if view_demand answers and a profile could not replace the answer: the
 * answer is no default, or no layer above the one that gives it waits for a
 * profile. */
bool view_demand_settled(const struct view *view,
                         const struct job *job) MUST_USE;

/* Returns the time of the next answer about the job for which an estimator
 * layer waits; TIME_NEVER if no answer is on its way. EVENT_BELIEF follows at
 * that time, even if the answer says nothing new. A policy that would have to
 * spend time or GPUs on measuring the job can wait for the answer. */
sim_time view_advice_due(const struct view *view,
                         const struct job *job) MUST_USE;

/* Returns the speed that `job` is believed to have if it joined the GPUs of the
 * running `resident`, as a share of its speed alone. */
double view_rate_if_shared(const struct view *view, const struct job *job,
                           const struct job *resident);
/* Returns the believed work per time of a job in a shape; 0 if the job cannot
 * run in it. */
double view_throughput(const struct view *view, const struct job *job,
                       struct shape shape);

/* True if the model that the job trains can use `gpus` GPUs of the type, or if
 * the model is not known. */
bool view_is_able(const struct view *view, const struct job *job,
                  uint8_t gpu_type, uint32_t gpus);

/* Sets *out to the forecast of what will be submitted soon, made at time `at`
 * <= now. Returns false if there is no answer; then only `until` of `out` is
 * set. */
bool view_outlook(const struct view *view, sim_time at,
                  struct outlook *out) MUST_USE;

/* Returns the learner of a job: the step times that the job has measured while
 * it ran, and the model fitted to them (models/elastic/learner.h). NULL if the
 * model of throughput does not know what the job trains. */
const struct learner *view_learner(const struct view *view,
                                   const struct job *job);

/* A round begins at each whole multiple of `length` since 1970 UTC, which is
 * time 0 of a trace without dates. view_is_round: true if a round begins now.
 * view_next_round: returns the start of the first round after now; a plan may
 * ask for a wake then. */
bool view_is_round(const struct view *view, sim_span length);
sim_time view_next_round(const struct view *view, sim_span length);

/* Return the policy's own bytes about a job (policy_ops.job_size), zeroed at
 * first. The policy may write them at any time; nothing else uses them. */
static inline void *view_mine_of(const struct view *view, job_id id)
{
    return view->mine + (size_t)id * view->mine_size;
}
static inline void *view_mine(const struct view *view, const struct job *job)
{
    return view_mine_of(view, job->id);
}

#endif
