/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of policy tiresias share: its configuration, its state, and
 * the service that a job has attained. */
#ifndef POLICIES_TIRESIAS_H
#define POLICIES_TIRESIAS_H

#include "policies/queue/order.h"
#include "policies/tiresias/tiresias_gittins.h"

#define TIRESIAS_QUEUES_MAX 64

enum { SERVICE_GPU_TIME, SERVICE_TIME };
enum { AUTO_OF_SERVICE, AUTO_OF_JOBS };
enum { LEAVE_REACHED, LEAVE_EXCEEDED };
enum { WITHIN_SUBMISSION, WITHIN_RUNNING_FIRST };
enum { WAKES_EXACT, WAKES_DIVIDED };
enum { INDEX_NONE, INDEX_GITTINS, INDEX_SIMULATOR };

struct tiresias_config {
    const char *queues, *auto_start, *quantiles, *samples;
    uint32_t auto_least;
    unsigned auto_of, service, leave, within, wakes, index, preempt;
    double promote;
    sim_span round, phase, delta;
};

struct tiresias_mine {
    struct order_mine order; /* first: see order.h */
    uint32_t queue;
    int64_t before;  /* service at its last promotion */
    sim_span waited; /* in all, at its first start since then */
    /* in the list of jobs of its virtual cluster that may be promoted */
    bool in_watch;
};

/* From that time on a waiting job may be promoted. */
struct watched {
    sim_time at;
    job_id job;
};

struct tiresias_vc {
    bool changed;  /* something happened since it was last looked at */
    sim_time next; /* when it must be looked at even if nothing happens */
    struct watched *watch; /* heap by time */
    size_t n_watch, cap_watch;
    job_id *overdue; /* to be promoted when it is next looked at */
    size_t n_overdue, cap_overdue;
};

struct tiresias {
    struct order order;
    const struct tiresias_config *config;
    /* microseconds of service; the last is TIME_NEVER */
    int64_t limits[TIRESIAS_QUEUES_MAX];
    uint32_t n_limits;
    double quantiles[TIRESIAS_QUEUES_MAX];
    uint32_t n_quantiles;
    bool follows; /* limits follow the service of the jobs that have ended */
    /* microseconds of service; sorted as of the last new limits */
    int64_t *ended;
    size_t n_ended, cap_ended;
    uint32_t n_past; /* jobs of `ended` that ended before the run (--train) */
    /* number of ended jobs at which the limits are set anew */
    size_t follow_at;
    uint64_t n_followed;
    struct gittins gittins;
    /* number of samples at which the index is built again, or never */
    size_t learn_at;
    /* the next round; before the first instant, the first round */
    sim_time coming;
    struct tiresias_vc *vcs;
    uint32_t n_vcs;
    uint64_t promotions;
};

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

/* Time for which the job has waited in all. */
static inline sim_span tiresias_waited(const struct view *view,
                                       const struct job *job)
{
    return view_now(view) - job->submitted -
           view_attained(view, job) / job->gpus;
}

/* Service that a running job gains per unit of time. */
static inline int64_t tiresias_gpu_rate(const struct tiresias *t, uint32_t gpus)
{
    return t->config->service == SERVICE_TIME ? 1 : gpus;
}

/* The queue of a job that was never in a later one. */
static inline uint32_t tiresias_queue_of(const struct tiresias *t,
                                         int64_t service)
{
    uint32_t queue = 0;
    while (service >= t->limits[queue])
        queue++;
    return queue;
}

extern const struct option tiresias_options[];

/* tiresias_limits.c. STATUS_USAGE if the lists cannot be read. */
enum status tiresias_limits_init(struct tiresias *t, const struct run_env *env,
                                 struct error *err) MUST_USE;
/* Call when a job has ended. */
void tiresias_limits_learn(struct tiresias *t, const struct view *view,
                           const struct job *job);
/* Sets the limits anew if enough jobs have ended; false: they stay as they
 * are. */
bool tiresias_limits_follow(struct tiresias *t);
size_t tiresias_limits_count(const struct tiresias *t,
                             struct policy_count *out);
void tiresias_limits_remark(const struct tiresias *t, struct remarks *remarks);

/* Call when the job begins to wait. A job that may be promoted at once is
 * promoted when the policy next looks at its virtual cluster. */
void tiresias_watch(struct tiresias *t, const struct view *view,
                    const struct job *job);
/* The first time at which a waiting job will have waited long enough. */
sim_time tiresias_next_promotion(struct tiresias *t, const struct view *view,
                                 struct tiresias_vc *vc);
/* Moves the jobs that have waited long enough back to the first queue. */
void tiresias_promote(struct tiresias *t, const struct view *view,
                      struct tiresias_vc *vc);

#endif
