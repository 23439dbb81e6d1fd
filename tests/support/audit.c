/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/audit.h"

#include <math.h>

enum { SLICES = 64 };

static struct gpu_set where(const struct run_result *r, const struct attempt *a,
                            struct gpu_slice slices[SLICES])
{
    uint32_t n = ledger_where(&r->ledger, a, slices, SLICES);
    return (struct gpu_set){slices, n < SLICES ? n : SLICES};
}

/* Returns true if the node belongs to the profiler at time `at`, permanently or
 * on loan. */
static bool profiles(const struct run_result *r, node_id node, sim_time at)
{
    const struct pool *pool = &r->cluster.pools[r->cluster.nodes[node].pool];
    bool is = pool->profiler && !pool->loan;
    for (size_t i = 0; i < r->ledger.n_node_changes; i++) {
        const struct node_change *change = &r->ledger.node_changes[i];
        if (change->node == node && change->at <= at)
            is = (is || change->kind == LEDGER_NODE_LENT) &&
                 change->kind != LEDGER_NODE_BACK;
    }
    return is;
}

/* Checks that an attempt runs after the submission, on GPUs that exist, in the
 * job's virtual cluster or on a node for profiling, and that it has the number
 * of GPUs that the job asked for, unless the job is elastic in an elastic
 * run. */
static enum status audit_attempt(const struct run_result *r,
                                 const struct attempt *a, struct error *err)
{
    const struct cluster *c = &r->cluster;
    const struct job *job = &r->jobset.jobs[a->job];
    struct gpu_slice slices[SLICES];
    struct gpu_set set = where(r, a, slices);
    if (a->start < job->submitted || a->end < a->start)
        return error_set(err, STATUS_BROKEN, "job %u runs before it was there",
                         job->id);
    if (gpu_set_size(set) != job->gpus &&
        (job->elasticity == JOB_RIGID || !r->elastic))
        return error_set(err, STATUS_BROKEN, "job %u has %u GPUs", job->id,
                         gpu_set_size(set));
    for (uint32_t i = 0; i < set.count; i++) {
        const struct node *node = &c->nodes[set.at[i].node];
        const struct pool *pool = &c->pools[node->pool];
        if (profiles(r, set.at[i].node, a->start) != a->profiling)
            return error_set(err, STATUS_BROKEN,
                             "job %u is profiled on a node for jobs, or runs "
                             "on one for profiling",
                             job->id);
        if (pool->vc != job->vc && !a->profiling)
            return error_set(err, STATUS_BROKEN,
                             "job %u left its virtual cluster", job->id);
        if (node->gpus < 64 && set.at[i].mask >> node->gpus)
            return error_set(err, STATUS_BROKEN,
                             "job %u has GPUs that do not exist", job->id);
    }
    return STATUS_OK;
}

static bool holds(const struct run_result *r, const struct attempt *a,
                  node_id node, uint64_t bit, sim_time at)
{
    struct gpu_slice slices[SLICES];
    if (a->start > at || a->end <= at)
        return false;
    struct gpu_set set = where(r, a, slices);
    for (uint32_t i = 0; i < set.count; i++) {
        if (set.at[i].node == node && (set.at[i].mask & bit))
            return true;
    }
    return false;
}

/* Checks each GPU of an attempt at the start of the attempt: at most `limit`
 * attempts may hold it. Checking starts is enough, because only a start adds a
 * holder. */
static enum status audit_holders(const struct run_result *r,
                                 const struct attempt *a, uint32_t limit,
                                 struct error *err)
{
    struct gpu_slice slices[SLICES];
    struct gpu_set set = where(r, a, slices);
    for (uint32_t i = 0; i < set.count; i++) {
        for (uint64_t m = set.at[i].mask; m; m &= m - 1) {
            uint32_t n = 0;
            for (size_t k = 0; k < r->ledger.n_attempts; k++)
                n += holds(r, &r->ledger.attempts[k], set.at[i].node, m & -m,
                           a->start);
            if (n > limit)
                return error_set(err, STATUS_BROKEN,
                                 "%u jobs hold one GPU of node %u at %g s", n,
                                 set.at[i].node, span_seconds(a->start));
        }
    }
    return STATUS_OK;
}

/* Sums over the attempts of one job. */
struct sums {
    sim_span held; /* time on GPUs, us */
    sim_span cost; /* overhead and lost work, us */
    double work;   /* work done, us at rate 1 */
};

/* Computes the sums of a job. Returns false if two of its attempts overlap. */
static bool add_up(const struct ledger *ledger, job_id id, struct sums *sums)
{
    sim_time before = TIME_NEVER;
    *sums = (struct sums){0};
    for (uint32_t at = ledger->last_attempt[id]; at != ATTEMPT_NONE;
         at = ledger->attempts[at].previous) {
        const struct attempt *a = &ledger->attempts[at];
        const struct attempt_cost *cost = ledger_cost(ledger, at);
        if (a->end > before)
            return false;
        before = a->start;
        sums->held += a->end - a->start;
        sums->work += cost ? cost->work : (double)(a->end - a->start);
        sums->cost += cost ? cost->overhead + cost->lost : 0;
    }
    return true;
}

/* Checks that the attempts of a job follow each other, that the job has come to
 * an end, that a rejected job never ran, and, unless jobs share GPUs, that a
 * finished job has done its work: in an elastic run the work of its attempts is
 * its duration; otherwise it held GPUs for its run time plus its overheads and
 * lost work. */
static enum status audit_job(const struct lab *lab, const struct run_result *r,
                             job_id id, bool shares, struct error *err)
{
    const struct job *job = &r->jobset.jobs[id];
    struct sums sums;
    if (!add_up(&r->ledger, id, &sums))
        return error_set(err, STATUS_BROKEN, "job %u is in two places", id);
    sim_span held = sums.held, want = lab->jobs[id].runs + sums.cost;
    double duration = (double)jobset_duration(&r->jobset, id);
    if (job->state == JOB_FINISHED && !shares && r->elastic &&
        fabs(sums.work - duration) > 1 + (double)job->attempts)
        return error_set(err, STATUS_BROKEN, "job %u did %g s of work, not %g",
                         id, sums.work / 1e6, duration / 1e6);
    if (job->state == JOB_FINISHED && !shares && !r->elastic && held != want)
        return error_set(err, STATUS_BROKEN, "job %u held GPUs %g s, not %g s",
                         id, span_seconds(held), span_seconds(want));
    if (job->state == JOB_REJECTED && held > 0)
        return error_set(err, STATUS_BROKEN, "job %u ran and was rejected", id);
    if (!job_is_terminal(job))
        return error_set(err, STATUS_BROKEN, "job %u is left %s", id,
                         lab_state_name(job->state));
    return STATUS_OK;
}

enum status audit(const struct lab *lab, const struct run_result *r,
                  uint32_t share_limit, struct error *err)
{
    enum status st = STATUS_OK;
    if (r->jobset.n_jobs != lab->n_jobs)
        return error_set(err, STATUS_BROKEN, "jobs were dropped");
    for (size_t k = 0; k < r->ledger.n_attempts && st == STATUS_OK; k++) {
        const struct attempt *a = &r->ledger.attempts[k];
        st = audit_attempt(r, a, err);
        if (st == STATUS_OK && a->end > a->start)
            st = audit_holders(r, a, share_limit, err);
    }
    for (job_id id = 0; id < r->jobset.n_jobs && st == STATUS_OK; id++)
        st = audit_job(lab, r, id, share_limit > 1, err);
    return st;
}
