/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The speed of each running job, alone or co-located, phase by phase, and the
 * one event in the queue that follows from the speed. */
#include <string.h>

#include "sim/engine/engine_internal.h"

sim_span rates_work(const struct engine *e, const struct job *job)
{
    const struct throughput *model = &e->parts.throughput;
    sim_span work = model->ops->work ? model->ops->work(model, job) : 0;
    return work > 0 ? work : e->parts.truths[job->id].work;
}

sim_span rates_work_done(const struct engine *e, const struct job *job)
{
    sim_span work = rates_work(e, job), left = progress_of(&e->book, job)->left;
    return work > left ? work - left : 0;
}

/* Returns the serial of the job's start. Jobs that are only planned come after
 * all others. */
static uint64_t serial_of(const struct engine *e, job_id job)
{
    uint32_t alloc = e->board.alloc_of[job];
    return alloc == ALLOC_NONE ? RATES_EVERYBODY
                               : e->board.allocs[alloc].serial;
}

/* True if GPU `b` has the same holders as `a`, the GPU that was looked at
 * before (GPU_NONE: none was). Most GPUs of a large gang have the same holders,
 * and what holds for the jobs on the first of them holds on the others, too. */
static bool rates_same_holders(const struct cluster *c, gpu_id a, gpu_id b)
{
    if (a == GPU_NONE || c->n_holders[a] != c->n_holders[b])
        return false;
    const job_id *x = c->holders + (size_t)a * c->share_limit;
    const job_id *y = c->holders + (size_t)b * c->share_limit;
    return memcmp(x, y, c->n_holders[a] * sizeof *x) == 0;
}

void rates_note_holders(struct engine *e, struct gpu_set where, uint64_t before)
{
    const struct cluster *c = e->parts.cluster;
    gpu_id last = GPU_NONE;
    for (uint32_t i = 0; i < where.count; i++) {
        const struct node *node = &c->nodes[where.at[i].node];
        for (struct gpu_walk w = gpu_walk(node->first_gpu, where.at[i].mask);
             gpu_walk_next(&w);) {
            gpu_id gpu = w.gpu;
            if (rates_same_holders(c, last, gpu))
                continue;
            last = gpu;
            const job_id *list = c->holders + (size_t)gpu * c->share_limit;
            e->changed =
                mem_grow(e->changed, &e->cap_changed,
                         e->n_changed + c->n_holders[gpu], sizeof *e->changed);
            for (uint32_t k = 0; k < c->n_holders[gpu]; k++) {
                if (before == RATES_EVERYBODY || serial_of(e, list[k]) < before)
                    e->changed[e->n_changed++] = list[k];
            }
        }
    }
}

/* Sets the first phase of a job on its GPUs, at the speed that the job has
 * without co-located jobs. A job of constant speed has a single phase. */
static void begin_phase(struct engine *e, const struct job *job,
                        const struct allocation *alloc, struct phase *phase)
{
    struct throughput *model = &e->parts.throughput;
    const struct cluster *c = e->parts.cluster;
    if (throughput_knows(model, job)) {
        *phase = model->ops->begin(model, job, alloc->where, alloc->ready,
                                   progress_of(&e->book, job)->left);
        return;
    }
    const struct pool *pool = &c->pools[c->nodes[alloc->where.at[0].node].pool];
    struct shape shape = {.gpu_type = pool->type,
                          .gpus = alloc->gpus,
                          .nodes = alloc->where.count};
    phase->rate = model->ops->rate(model, c, job, shape);
    phase->until = 0;
    phase->again = TIME_NEVER;
}

uint32_t rates_holders(const struct engine *e, gpu_id gpu, uint64_t before,
                       const struct job *holders[SHARE_LIMIT_MAX])
{
    const struct cluster *c = e->parts.cluster;
    const job_id *list = c->holders + (size_t)gpu * c->share_limit;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_holders[gpu]; i++) {
        uint64_t serial = serial_of(e, list[i]);
        if (before != RATES_EVERYBODY && serial >= before)
            continue;
        uint32_t k = n++;
        for (; k > 0 && serial_of(e, holders[k - 1]->id) > serial; k--)
            holders[k] = holders[k - 1];
        holders[k] = &e->board.jobs[list[i]];
    }
    return n;
}

/* Returns the relative speed of a gang: that of its slowest GPU. Considers only
 * holders whose serial is below `before` (RATES_EVERYBODY: all). Sets *shared
 * if there is another holder. */
static double slowest_speed(const struct engine *e, const struct job *job,
                            struct gpu_set where, uint64_t before, bool *shared)
{
    const struct cluster *c = e->parts.cluster;
    const struct job *holders[SHARE_LIMIT_MAX];
    double rates[SHARE_LIMIT_MAX], slowest = 1e300;
    gpu_id last = GPU_NONE;
    for (uint32_t i = 0; i < where.count; i++) {
        const struct node *node = &c->nodes[where.at[i].node];
        for (struct gpu_walk w = gpu_walk(node->first_gpu, where.at[i].mask);
             gpu_walk_next(&w);) {
            gpu_id gpu = w.gpu;
            if (rates_same_holders(c, last, gpu))
                continue;
            last = gpu;
            uint32_t n = rates_holders(e, gpu, before, holders), self = 0;
            while (holders[self] != job)
                self++;
            *shared |= n > 1;
            rates[self] = 1.0;
            if (n > 1)
                e->parts.interference.ops->rates(&e->parts.interference,
                                                 holders, n, rates);
            if (rates[self] < slowest)
                slowest = rates[self];
        }
    }
    return slowest;
}

static double rel_speed_of(const struct engine *e, const struct job *job,
                           struct gpu_set where, bool *shared)
{
    *shared = false;
    if (e->parts.cluster->share_limit == 1)
        return 1.0; /* no jobs are co-located */
    return slowest_speed(e, job, where, RATES_EVERYBODY, shared);
}

double rates_speed_beside(const struct engine *e, const struct job *job,
                          uint64_t before)
{
    bool shared = false;
    return slowest_speed(e, job, board_allocation(&e->board, job)->where,
                         before, &shared);
}

struct speed {
    double rate; /* work per time, slowed by writing checkpoints */
    /* rate / the rate of the job alone, both without checkpoints */
    double rel_speed;
    bool shared;
};

static struct speed rates_speed_of(const struct engine *e,
                                   const struct job *job, struct gpu_set where,
                                   double alone)
{
    struct speed speed;
    speed.rel_speed = rel_speed_of(e, job, where, &speed.shared);
    speed.rate =
        progress_rate(progress_of(&e->book, job), alone * speed.rel_speed);
    return speed;
}

/* Queues the one event of a running attempt: the end of its phase, of its work
 * or of profiling, or its failure, whichever comes first. */
static void schedule_end(struct engine *e, const struct job *job,
                         struct progress *p)
{
    sim_time at = progress_end(&e->book, p);
    enum event_kind kind = EVENT_FINISHED;
    if (p->phase.until > 0 || p->phase.again < at) {
        kind = EVENT_PHASE;
        at = progress_phase_end(&e->book, p);
    }
    if (p->limit < at) {
        kind = EVENT_PROFILED;
        at = p->limit;
    }
    sim_time fails = p->breaks;
    if (e->book.own_failures) {
        sim_time own = progress_own_failure_at(&e->book, job);
        fails = own < fails ? own : fails;
    }
    if (fails < at) {
        kind = EVENT_FAILED;
        at = fails;
    }
    if (p->end == EVQ_NONE) {
        p->end = evq_add(&e->queue, at, kind, job->id);
    } else if (p->limit == TIME_NEVER && fails == TIME_NEVER &&
               !throughput_knows(&e->parts.throughput, job)) {
        /* only the time of the event changes */
        evq_move(&e->queue, p->end, at);
    } else {
        evq_cancel(&e->queue, p->end);
        p->end = evq_add(&e->queue, at, kind, job->id);
    }
}

static struct checkpoints checkpoints_of(const struct engine *e,
                                         const struct job *job,
                                         const struct allocation *alloc,
                                         double rate)
{
    const struct overhead *overhead = &e->parts.overhead;
    /* without a model of checkpoints, a job writes a checkpoint each
     * microsecond at no cost, so that a failure loses no work */
    if (!overhead->ops->checkpoints)
        return (struct checkpoints){.interval = 1};
    return overhead->ops->checkpoints(overhead, job, alloc->where.count, rate);
}

bool rates_begin(struct engine *e, const struct job *job,
                 struct allocation *alloc, struct progress *p)
{
    begin_phase(e, job, alloc, &p->phase);
    p->checkpoints = checkpoints_of(e, job, alloc, p->phase.rate);
    if (e->faults.defects)
        faults_break(e, job);
    alloc->rel_speed = rel_speed_of(e, job, alloc->where, &alloc->shared);
    alloc->rate = p->rate = progress_rate(p, p->phase.rate * alloc->rel_speed);
    if (!(alloc->rate > 0))
        return false;
    schedule_end(e, job, p);
    return true;
}

/* Sets the speed at which the job works from now on. */
static void change_rate(struct engine *e, const struct job *job,
                        struct speed speed)
{
    struct allocation *alloc = board_allocation(&e->board, job);
    bool differs = speed.rate != alloc->rate;
    alloc->rate = speed.rate;
    alloc->rel_speed = speed.rel_speed;
    struct progress *p = progress_of(&e->book, job);
    progress_settle(&e->book, p);
    p->rate = speed.rate;
    schedule_end(e, job, p);
    if (differs)
        ledger_add(
            e->parts.ledger,
            &(struct ledger_move){.at = e->board.now,
                                  .kind = LEDGER_RATE,
                                  .job = job,
                                  .where = alloc->where,
                                  .rate = speed.rate,
                                  .rel_speed = speed.rel_speed,
                                  .alone = p->phase.rate,
                                  .active = progress_active(&e->book, job)});
}

void rates_next_phase(struct engine *e, const struct job *job)
{
    struct throughput *model = &e->parts.throughput;
    struct progress *p = progress_of(&e->book, job);
    const struct allocation *alloc = board_allocation(&e->board, job);
    if (progress_work_end(&e->book, p) == e->board.now)
        progress_end_phase(&e->book, p, p->phase.until);
    else
        progress_settle(&e->book, p);
    p->end = EVQ_NONE;
    p->phase = model->ops->next(model, job, e->board.now, p->left);
    CHECK_IN(&e->where, p->phase.rate > 0);
    change_rate(e, job, rates_speed_of(e, job, alloc->where, p->phase.rate));
}

/* A gang is in the list once for each set of jobs on its GPUs, and looks at all
 * its GPUs the first time. */
void rates_renew(struct engine *e)
{
    e->n_renewals++;
    for (size_t i = 0; i < e->n_changed; i++) {
        const struct job *job = &e->board.jobs[e->changed[i]];
        if (job->state != JOB_RUNNING)
            continue;
        struct allocation *alloc = board_allocation(&e->board, job);
        struct progress *p = progress_of(&e->book, job);
        if (p->renewal == e->n_renewals)
            continue;
        p->renewal = e->n_renewals;
        struct speed speed =
            rates_speed_of(e, job, alloc->where, p->phase.rate);
        alloc->shared |= speed.shared;
        if (speed.rate != alloc->rate)
            change_rate(e, job, speed);
    }
    e->n_changed = 0;
}
