/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Configuration and state that the files of policy tiresias share, and the
 * service that a job has attained. */
#ifndef POLICIES_TIRESIAS_TIRESIAS_H
#define POLICIES_TIRESIAS_TIRESIAS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "policies/queue/order.h"

/* == tiresias_gittins.c: The Gittins index of a job that has attained `a`,
 * given samples S of the service that jobs attain until they end:
 *
 *     G(a) = sup over D > 0 of
 *            P(S <= a + D | S > a) / E[min(S - a, D) | S > a]
 *
 * With samples the supremum is attained where a + D is a sample. Let T(x)
 * = n E[min(S, x)] and F(x) = the number of samples <= x. Then G(a) is the
 * largest slope from the point (T(a), F(a)) to a point (T(s), F(s)) of a sample
 * s > a; only points on the upper hull of these can give it. The hulls are kept
 * as links: each sample has the next vertex of the hull of the points from its
 * own on.
 *
 * Tiresias' simulator computes another figure under this name; `delta` > 0
 * selects the simulator's figure. */

struct gittins {
    /* fixed D of the simulator's index, in the unit of the samples; 0: the
     * textbook's index */
    double delta;
    double *samples; /* seconds, or GPU-seconds; ascending up to n_sorted */
    size_t n, cap, n_sorted;
    /* Arrays by sorted sample. `next` is filled for the textbook's index,
     * `indices` for the simulator's. */
    double *before;  /* sum of the samples before this one */
    double *reach;   /* T of this sample */
    uint32_t *next;  /* the next sample of the hull; itself at the end */
    double *indices; /* the simulator's index just below this sample */
};

/* An index that is zeroed except for `delta` has no samples and is always 0. */
void gittins_fini(struct gittins *gittins);

/* Adds the samples in the first column of a CSV file. One header line is
 * allowed. Returns STATUS_FAILED if the file cannot be read, and
 * STATUS_BAD_INPUT if a cell is not a number from 0 to below 1e15 or there is
 * no sample. */
enum status gittins_read(struct gittins *gittins, const char *path,
                         struct error *err) MUST_USE;
void gittins_learn(struct gittins *gittins, double sample);

/* Takes the samples added since the last call into account. */
void gittins_build(struct gittins *gittins);

/* Returns the index; 0 if no sample is larger than `attained`. */
double gittins_index(const struct gittins *gittins, double attained);

/* == tiresias.c */

#define TIRESIAS_QUEUES_MAX 64

enum { SERVICE_GPU_TIME, SERVICE_TIME };
enum { AUTO_OF_SERVICE, AUTO_OF_JOBS };
enum { LEAVE_REACHED, LEAVE_EXCEEDED };
enum { WITHIN_SUBMISSION, WITHIN_RUNNING_FIRST };
enum { WAKES_EXACT, WAKES_DIVIDED };
enum { INDEX_NONE, INDEX_GITTINS, INDEX_SIMULATOR };
enum { AWARE_NONE, AWARE_QUEUE };

struct tiresias_config {
    const char *queues, *auto_start, *quantiles, *samples;
    uint32_t auto_least;
    unsigned auto_of, service, leave, within, wakes, index, preempt, aware;
    double promote;
    sim_span round, phase, delta;
};

/* State that the policy keeps for each job (policy_ops.job_size); zeroed at
 * first. */
struct tiresias_mine {
    struct order_mine order; /* must be the first field: see order.h */
    /* number of the job's queue, 0 to TIRESIAS_QUEUES_MAX - 1 */
    uint32_t queue;
    /* service up to its last promotion, in the unit of tiresias_service; 0: it
     * was never promoted */
    int64_t before;
    /* aware=queue: what tiresias_service is believed to return at the end of
     * the job; 0: not believed */
    int64_t whole;
    /* total time waited up to its first start after that promotion; without a
     * promotion, up to its first start */
    sim_span waited;
    bool in_watch; /* true if the job is in tiresias_vc.watch */
    bool promoted; /* true if the job was promoted and has not started since */
};

/* A waiting job that may be promoted. */
struct watched {
    sim_time at; /* the first time at which the job may be promoted */
    job_id job;
};

struct tiresias_vc {
    /* true if something has happened here since the last walk */
    bool changed;
    sim_time next;         /* time of the next walk even if nothing happens */
    struct watched *watch; /* jobs that may be promoted, as a heap by time */
    size_t n_watch, cap_watch;
    job_id *overdue; /* jobs to be promoted at the next walk */
    size_t n_overdue, cap_overdue;
};

struct tiresias {
    struct order order;
    const struct tiresias_config *config;
    /* service at which a job leaves each queue, in the unit of
     * tiresias_service, ascending; limits[n_limits] is TIME_NEVER */
    int64_t limits[TIRESIAS_QUEUES_MAX];
    uint32_t n_limits;
    /* queues=auto: shares of the jobs that have ended, or of their service
     * (auto_of), at which the limits are set; above 0, below 1, ascending */
    double quantiles[TIRESIAS_QUEUES_MAX];
    uint32_t n_quantiles;
    /* true if the limits follow the service of the jobs that have ended */
    bool follows;
    /* service of each job that has ended, in the unit of tiresias_service; the
     * jobs that had ended when the limits were last set are sorted */
    int64_t *ended;
    size_t n_ended, cap_ended;
    /* number of jobs of `ended` that ended before the run (--train) */
    uint32_t n_past;
    /* number of ended jobs at which the limits are set anew */
    size_t follow_at;
    uint64_t n_followed; /* number of times that the limits were set anew */
    struct gittins gittins;
    /* number of samples at which the index is built again; SIZE_MAX: never */
    size_t learn_at;
    /* start of the first round after the last decision or, before the first
     * decision, of the first round; 0 if there are no rounds */
    sim_time coming;
    struct tiresias_vc *vcs;
    uint32_t n_vcs;
    uint64_t promotions; /* number of moves of a job back to the first queue */
};

/* Returns the service of a job since its last promotion: GPU-microseconds, or
 * microseconds with service=time. */
static inline int64_t tiresias_service(const struct tiresias *t,
                                       const struct view *view,
                                       const struct job *job)
{
    int64_t held = view_attained(view, job);
    const struct tiresias_mine *mine = view_mine(view, job);
    if (t->config->service == SERVICE_TIME)
        held /= job->gpus;
    return held - mine->before;
}

/* Returns the total time for which the job has waited. */
static inline sim_span tiresias_waited(const struct view *view,
                                       const struct job *job)
{
    return view_now(view) - job->submitted -
           view_attained(view, job) / job->gpus;
}

/* Returns the service that a running job gains per microsecond. */
static inline int64_t tiresias_gpu_rate(const struct tiresias *t, uint32_t gpus)
{
    return t->config->service == SERVICE_TIME ? 1 : gpus;
}

/* Returns the number of the queue to which a job with this service belongs. */
static inline uint32_t tiresias_queue_of(const struct tiresias *t,
                                         int64_t service)
{
    uint32_t queue = 0;
    while (service >= t->limits[queue])
        queue++;
    return queue;
}

extern const struct option tiresias_options[];

/* tiresias_limits.c. Reads the limits, or the quantiles and first limits of the
 * rule `auto`, from the options. With `auto` also adds the jobs of --train to
 * t->ended. Returns STATUS_USAGE if a list cannot be read. */
enum status tiresias_limits_init(struct tiresias *t, const struct run_env *env,
                                 struct error *err) MUST_USE;
/* Call when a job has ended: notes its service, if the limits follow that. */
void tiresias_limits_learn(struct tiresias *t, const struct view *view,
                           const struct job *job);
/* Sets the limits anew if enough jobs have ended. Returns true if it has done
 * so. */
bool tiresias_limits_follow(struct tiresias *t);
size_t tiresias_limits_count(const struct tiresias *t,
                             struct policy_count *out);
void tiresias_limits_remark(const struct tiresias *t, struct remarks *remarks);

/* tiresias_aware.c. Sets mine->whole from what the estimators answer now. Does
 * nothing with aware=none, or if the job was promoted and has not started
 * since. Call it when a job begins to wait and when there is news about the
 * job. */
void tiresias_believe(const struct tiresias *t, const struct view *view,
                      const struct job *job);
/* Returns the queue of a job that is believed to attain more than `service`:
 * the queue in which the job is believed to end. A running job stays in its
 * queue if it is believed to need still less service than the limit of that
 * queue. */
uint32_t tiresias_aware_queue(const struct tiresias *t,
                              const struct tiresias_mine *mine, int64_t service,
                              bool runs);
/* Returns the service at which a running job leaves the queue: the limit or,
 * for a job that stays beyond the limit, the service that it is believed to
 * have at its end. */
int64_t tiresias_leaves_with(const struct tiresias *t,
                             const struct tiresias_mine *mine, int64_t service);

/* tiresias_promote.c. Call when the job begins to wait. A job that may be
 * promoted at once is promoted when the policy next looks at its virtual
 * cluster. */
void tiresias_watch(struct tiresias *t, const struct view *view,
                    const struct job *job);
/* Returns the first time at which a waiting job of this virtual cluster may be
 * promoted, leaving out overdue jobs; TIME_NEVER: there is none. */
sim_time tiresias_next_promotion(struct tiresias *t, const struct view *view,
                                 struct tiresias_vc *vc);
/* Moves the jobs that have waited long enough back to the first queue. */
void tiresias_promote(struct tiresias *t, const struct view *view,
                      struct tiresias_vc *vc);

#endif
