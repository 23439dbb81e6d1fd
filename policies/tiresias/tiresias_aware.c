/* SPDX-License-Identifier: GPL-3.0-or-later */
/* aware=queue: Tiresias with beliefs about run times. SchedMate's poster plans
 * to make "job queue duration-aware to reduce redundant and useless preemption"
 * and gives no rule; the following rule is schedsim's own.
 *
 * A job waits in the queue in which it is believed to end, so that a long job
 * does not run in the early queues before it is demoted. A running job that is
 * believed to end soon is not demoted: it stays in its queue while it
 * still needs less service than the limit of the queue. This happens to a job
 * that was believed to be shorter when it started, and to one whose queue got a
 * lower limit. A job that attains more than was believed is treated like a job
 * without a belief, so that a wrong belief does not keep a long job in an early
 * queue. */
#include "policies/tiresias/tiresias.h"

void tiresias_believe(const struct tiresias *t, const struct view *view,
                      const struct job *job)
{
    struct tiresias_mine *mine = view_mine(view, job);
    struct belief belief;
    int64_t rest = 0, whole = 0;
    if (t->config->aware == AWARE_NONE || mine->promoted)
        return;
    if (view_remaining(view, job, &belief) && belief.mean > 0 &&
        (__builtin_mul_overflow(belief.mean, tiresias_gpu_rate(t, job->gpus),
                                &rest) ||
         __builtin_add_overflow(rest, tiresias_service(t, view, job), &whole)))
        whole = TIME_NEVER;
    mine->whole = whole < TIME_NEVER ? whole : TIME_NEVER;
}

uint32_t tiresias_aware_queue(const struct tiresias *t,
                              const struct tiresias_mine *mine, int64_t service,
                              bool runs)
{
    uint32_t last = tiresias_queue_of(t, mine->whole - 1);
    bool ends_soon = mine->whole - service < t->limits[mine->queue];
    return runs && ends_soon && last > mine->queue ? mine->queue : last;
}

int64_t tiresias_leaves_with(const struct tiresias *t,
                             const struct tiresias_mine *mine, int64_t service)
{
    int64_t limit = t->limits[mine->queue];
    return mine->whole > limit && mine->whole > service ? mine->whole : limit;
}
