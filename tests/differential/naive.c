/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The naive simulator. Each rule is implemented as it is documented, by
 * searching and copying all data; there is no index. */
#include "tests/differential/naive_internal.h"

#include <limits.h>
#include <string.h>

static bool active(const struct naive *n, int job, int vc)
{
    const struct naive_job *j = &n->jobs[job];
    return j->vc == vc && (j->pending || j->running);
}

static bool is_backfill(const struct naive *n)
{
    return n->policy == NAIVE_BACKFILL || n->policy == NAIVE_BACKFILL_TWO;
}

/* True if the policy takes the jobs in the order in which they wait. */
static bool is_queue(const struct naive *n)
{
    return n->policy == NAIVE_FIFO || is_backfill(n);
}

static bool is_tiresias(const struct naive *n)
{
    return n->policy == NAIVE_TIRESIAS || n->policy == NAIVE_TIRESIAS_TIME;
}

static int queue_of(const struct naive *n, const struct naive_job *j)
{
    int service =
        n->policy == NAIVE_TIRESIAS_TIME ? j->held : j->held * j->gpus;
    return (service >= NAIVE_LEAVES_FIRST) + (service >= NAIVE_LEAVES_SECOND);
}

static long key(const struct naive *n, int job)
{
    const struct naive_job *j = &n->jobs[job];
    switch (n->policy) {
    case NAIVE_SJF:
    case NAIVE_SRTF:
        return j->left;
    case NAIVE_SRSF:
        return (long)j->left * j->gpus;
    case NAIVE_TIRESIAS:
    case NAIVE_TIRESIAS_TIME:
        return queue_of(n, j);
    case NAIVE_FIFO:
    case NAIVE_FIFO_SKIP:
    case NAIVE_BACKFILL:
    case NAIVE_BACKFILL_TWO:
        break;
    }
    return 0;
}

/* Returns true if job a comes before job b: the job with the smaller key comes
 * first; with equal keys, a running job before a pending one (except in
 * Tiresias); then the earlier submission, then the lower id. */
static bool before(const struct naive *n, int a, int b)
{
    const struct naive_job *x = &n->jobs[a], *y = &n->jobs[b];
    if (key(n, a) != key(n, b))
        return key(n, a) < key(n, b);
    if (x->running != y->running && !is_tiresias(n))
        return x->running;
    if (is_queue(n) && !n->keeps_place && x->entered != y->entered)
        return x->entered < y->entered;
    if (x->submitted != y->submitted)
        return x->submitted < y->submitted;
    return a < b;
}

/* Writes the active jobs of the virtual cluster in order. Returns their number.
 */
static int rank(const struct naive *n, int vc, int out[NAIVE_JOBS])
{
    int count = 0;
    for (int job = 0; job < n->n_jobs; job++) {
        if (!active(n, job, vc))
            continue;
        int at = count++;
        for (; at > 0 && before(n, job, out[at - 1]); at--)
            out[at] = out[at - 1];
        out[at] = job;
    }
    return count;
}

static void decide_in_order(struct naive *n, int vc)
{
    int order[NAIVE_JOBS], count = rank(n, vc, order);
    for (int i = 0; i < count; i++) {
        if (n->jobs[order[i]].pending && !naive_place(n, order[i]) &&
            n->policy != NAIVE_FIFO_SKIP)
            return;
    }
}

/* Returns the second at which the job is believed to end if it goes on or
 * starts now. */
static int believed_end(const struct naive *n, int job)
{
    return n->now + n->jobs[job].left;
}

/* Returns the earliest second at which the head of the queue can be placed, if
 * all running jobs end when they are believed to end; INT_MAX: it can never be
 * placed. Sets `where` to the GPUs that the head would then get. */
static int reserve(struct naive *n, int vc, int head, bool where[NAIVE_GPUS])
{
    int saved[NAIVE_GPUS], at = INT_MAX;
    memcpy(saved, n->holder, sizeof saved);
    memset(where, 0, NAIVE_GPUS * sizeof *where);
    for (int t = n->now + 1; at == INT_MAX; t++) {
        bool left = false;
        for (int job = 0; job < n->n_jobs; job++) {
            if (n->jobs[job].vc == vc && naive_holds(n, job)) {
                left = true;
                if (believed_end(n, job) <= t)
                    naive_leave(n, job);
            }
        }
        if (naive_place(n, head))
            at = t;
        else if (!left)
            break;
    }
    for (int g = 0; g < NAIVE_GPUS; g++)
        where[g] = n->holder[g] == head;
    memcpy(n->holder, saved, sizeof saved);
    return at;
}

static void decide_backfill(struct naive *n, int vc)
{
    int all[NAIVE_JOBS], order[NAIVE_JOBS], count = 0, i = 0;
    int active = rank(n, vc, all);
    for (int k = 0; k < active; k++) {
        if (n->jobs[all[k]].pending)
            order[count++] = all[k];
    }
    while (i < count && naive_place(n, order[i]))
        i++;
    if (i == count)
        return;
    bool where[NAIVE_GPUS];
    int at = reserve(n, vc, order[i], where);
    if (n->policy == NAIVE_BACKFILL_TWO && count > i + 3)
        count = i + 3;
    for (i++; i < count; i++) {
        bool overlaps = false;
        if (!naive_place(n, order[i]))
            continue;
        for (int g = 0; g < NAIVE_GPUS; g++)
            overlaps |= n->holder[g] == order[i] && where[g];
        if (believed_end(n, order[i]) > at && overlaps)
            naive_leave(n, order[i]);
    }
}

/* Stops victims until the job at position `i` of the order fits, and places it.
 * Victims come after position `i`; the last one is stopped first. If the job
 * never fits, no victim is stopped. */
static void make_room(struct naive *n, const int *order, const bool *victim,
                      int count, int i)
{
    int saved[NAIVE_GPUS];
    memcpy(saved, n->holder, sizeof saved);
    for (int v = count - 1; v > i; v--) {
        if (!victim[v] || !naive_holds(n, order[v]))
            continue;
        naive_leave(n, order[v]);
        if (naive_place(n, order[i]))
            return;
    }
    memcpy(n->holder, saved, sizeof saved);
}

/* Puts a job that this decision has stopped back on its former GPUs. Returns
 * false if one of these GPUs is taken, or if the job held none. */
static bool place_back(struct naive *n, const int *former, int job)
{
    bool had = false;
    for (int g = 0; g < NAIVE_GPUS; g++) {
        if (former[g] != job)
            continue;
        had = true;
        if (n->holder[g] >= 0)
            return false;
    }
    for (int g = 0; g < NAIVE_GPUS; g++) {
        if (former[g] == job)
            n->holder[g] = job;
    }
    return had;
}

static void decide_preempting(struct naive *n, int vc)
{
    int order[NAIVE_JOBS], count = rank(n, vc, order), quota = 0;
    int former[NAIVE_GPUS];
    bool victim[NAIVE_JOBS] = {false}, selected[NAIVE_JOBS] = {false};
    memcpy(former, n->holder, sizeof former);
    for (int node = 0; node < n->n_nodes; node++)
        quota += n->node_vc[node] == vc && naive_is_up(n, node)
                     ? n->node_gpus[node]
                     : 0;
    for (int i = 0; i < count; i++) {
        selected[i] = n->jobs[order[i]].gpus <= quota;
        if (selected[i])
            quota -= n->jobs[order[i]].gpus;
        victim[i] = !selected[i] && n->jobs[order[i]].running;
    }
    for (int i = 0; i < count; i++) {
        if (selected[i] && n->jobs[order[i]].pending &&
            !naive_place(n, order[i]))
            make_room(n, order, victim, count, i);
    }
    for (int i = 0; i < count; i++) {
        if (!naive_holds(n, order[i]) && !place_back(n, former, order[i]))
            naive_place(n, order[i]);
    }
}

/* Starts and stops jobs so that they hold the GPUs in `holder`. `former`: the
 * holders before the decision. Returns false if a job has too many attempts. */
static bool commit(struct naive *n, const int *former)
{
    for (int job = 0; job < n->n_jobs; job++) {
        struct naive_job *j = &n->jobs[job];
        bool same = true;
        for (int g = 0; g < NAIVE_GPUS; g++)
            same &= (former[g] == job) == (n->holder[g] == job);
        if (same)
            continue;
        if (j->running) {
            j->attempts[j->n_attempts - 1].end = n->now;
            j->left += n->stop_cost;
            j->running = false;
            j->pending = true;
        }
        if (!naive_holds(n, job))
            continue;
        if (j->n_attempts == NAIVE_ATTEMPTS)
            return false;
        struct naive_attempt *a = &j->attempts[j->n_attempts++];
        *a = (struct naive_attempt){.start = n->now, .end = -1};
        for (int g = 0; g < NAIVE_GPUS; g++)
            a->gpus[g] = n->holder[g] == job;
        j->pending = false;
        j->running = true;
    }
    return true;
}

static bool decide(struct naive *n, int vc)
{
    int former[NAIVE_GPUS];
    memcpy(former, n->holder, sizeof former);
    switch (n->policy) {
    case NAIVE_FIFO:
    case NAIVE_FIFO_SKIP:
    case NAIVE_SJF:
        decide_in_order(n, vc);
        break;
    case NAIVE_SRTF:
    case NAIVE_SRSF:
    case NAIVE_TIRESIAS:
    case NAIVE_TIRESIAS_TIME:
        decide_preempting(n, vc);
        break;
    case NAIVE_BACKFILL:
    case NAIVE_BACKFILL_TWO:
        decide_backfill(n, vc);
        break;
    }
    return commit(n, former);
}

/* Ends the jobs whose work is done. Returns the set of their virtual clusters,
 * one bit for each. */
static unsigned end_jobs(struct naive *n)
{
    unsigned touched = 0;
    for (int job = 0; job < n->n_jobs; job++) {
        struct naive_job *j = &n->jobs[job];
        if (!j->running || j->left > 0)
            continue;
        j->attempts[j->n_attempts - 1].end = n->now;
        j->running = false;
        j->ended = true;
        naive_leave(n, job);
        touched |= 1u << j->vc;
    }
    return touched;
}

/* Stops the jobs on a node. They lose no work. */
static void stop_jobs_on(struct naive *n, int node)
{
    for (int g = 0; g < n->node_gpus[node]; g++) {
        int job = n->holder[node * NAIVE_WIDEST + g];
        if (job < 0)
            continue;
        struct naive_job *j = &n->jobs[job];
        j->attempts[j->n_attempts - 1].end = n->now;
        j->running = false;
        j->pending = true;
        j->entered = ++n->n_entered;
        naive_leave(n, job);
    }
}

/* Takes nodes out of service or brings them back, and then rejects the waiting
 * jobs that can never start any more. Returns the set of the virtual clusters
 * of these nodes, one bit for each. */
static unsigned change_nodes(struct naive *n)
{
    unsigned touched = 0;
    for (int node = 0; node < n->n_nodes; node++) {
        const struct naive_outage *o = &n->outages[node];
        if (n->now != o->from && n->now != o->until)
            continue;
        touched |= 1u << n->node_vc[node];
        if (n->now == o->from)
            stop_jobs_on(n, node);
    }
    for (int job = 0; touched && job < n->n_jobs; job++) {
        struct naive_job *j = &n->jobs[job];
        if (!j->pending || naive_can_ever_start(n, job))
            continue;
        j->pending = false;
        j->rejected = j->ended = true;
    }
    return touched;
}

static unsigned admit_jobs(struct naive *n)
{
    unsigned touched = 0;
    for (int job = 0; job < n->n_jobs; job++) {
        struct naive_job *j = &n->jobs[job];
        if (j->submitted != n->now || j->pending || j->running || j->ended)
            continue;
        j->rejected = j->ended = !naive_can_ever_start(n, job);
        j->pending = !j->rejected;
        j->entered = ++n->n_entered;
        touched |= 1u << j->vc;
    }
    return touched;
}

/* Moves each running job to the queue for its attained service. Returns the set
 * of virtual clusters of the moved jobs, one bit for each. */
static unsigned move_jobs(struct naive *n)
{
    unsigned touched = 0;
    for (int job = 0; job < n->n_jobs; job++) {
        struct naive_job *j = &n->jobs[job];
        if (!is_tiresias(n) || !j->running || j->queue == queue_of(n, j))
            continue;
        j->queue = queue_of(n, j);
        touched |= 1u << j->vc;
    }
    return touched;
}

bool naive_run(struct naive *n)
{
    memset(n->holder, 0xff, sizeof n->holder);
    for (int job = 0; job < n->n_jobs; job++)
        n->jobs[job].left = n->jobs[job].runs;
    for (n->now = 0;; n->now++) {
        bool changed = false; /* true: the nodes of this second are changed */
        /* Repeat until nothing changes: a job of length 0 ends at once, and the
         * GPUs that it frees can be used in the same second. Nodes leave once
         * in a second, after jobs that end. */
        for (;;) {
            unsigned touched = end_jobs(n);
            if (!changed)
                touched |= change_nodes(n);
            changed = true;
            touched |= admit_jobs(n) | move_jobs(n);
            if (touched == 0)
                break;
            for (int vc = 0; vc < NAIVE_NODES; vc++) {
                if (touched >> vc & 1 && !decide(n, vc))
                    return false;
            }
        }
        int open = 0;
        for (int job = 0; job < n->n_jobs; job++) {
            open += !n->jobs[job].ended;
            n->jobs[job].left -= n->jobs[job].running;
            n->jobs[job].held += n->jobs[job].running;
        }
        if (open == 0)
            return true;
    }
}
