/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the GPU time of a run went, by two identities that must hold. */
#include "sim/results/failures.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "sim/results/meter.h"

static uint32_t time_stranded(const struct meter_node *node);

/* Returns the difference of the two sides of an identity, as a share of the
 * larger side. */
static double time_error_of(double left, double right)
{
    double most = fmax(fabs(left), fabs(right));
    return most > 0 ? fabs(left - right) / most : 0;
}

static double time_jobs_error(const void *part)
{
    const struct gpu_time_books *b = part;
    return time_error_of((double)b->held,
                         b->useful + b->lost + b->overhead + b->slowed);
}

static double time_machine_error(const void *part)
{
    const struct gpu_time_books *b = part;
    return time_error_of((double)b->described,
                         (double)(b->down + b->idle + b->held - b->again +
                                  b->llm_busy + b->llm_idle));
}

const struct scalar gpu_time_scalars[] = {
    {.column = {"held_gpu_hours", "GPU h", "number, law gpu_time",
                "length of attempts x GPUs held; a shared GPU counts for each "
                "holder"},
     SCALAR_TIME(struct gpu_time_books, held, SPAN_HOUR)},
    {.column =
         {"useful_gpu_hours", "GPU h", "number?, bounds gpu_time",
          "time alone on the GPUs held of the work that was kept. Without the "
          "time "
          "that sharing takes, which `metrics.useful_gpu_hours` includes"},
     .when = FIELD(struct gpu_time_books, rigid),
     SCALAR_TIME(struct gpu_time_books, useful, SPAN_HOUR)},
    {.column = {"lost_gpu_hours", "GPU h", "number?, bounds gpu_time",
                "time alone of the work that was undone: by failures, because "
                "the job "
                "was given up, or because the work of a profile is not kept"},
     .when = FIELD(struct gpu_time_books, rigid),
     SCALAR_TIME(struct gpu_time_books, lost, SPAN_HOUR)},
    {.column =
         {"overhead_gpu_hours", "GPU h", "number?, bounds gpu_time",
          "start-up, writing of checkpoints, lag, and work that stops added"},
     .when = FIELD(struct gpu_time_books, rigid),
     SCALAR_TIME(struct gpu_time_books, overhead, SPAN_HOUR)},
    {.column = {"slowed_gpu_hours", "GPU h", "signed?, bounds gpu_time",
                "what sharing took: integral of (1 - rate / rate alone) x GPUs "
                "over the time in which attempts work; start-up, lag and "
                "writing of checkpoints not included"},
     .when = FIELD(struct gpu_time_books, rigid),
     SCALAR_TIME(struct gpu_time_books, slowed, SPAN_HOUR)},
    {.column = {"writing_gpu_hours", "GPU h", "number, bounds gpu_time",
                "part of overhead_gpu_hours: writing of checkpoints"},
     SCALAR_TIME(struct gpu_time_books, writing, SPAN_HOUR)},
    {.column =
         {"profiling_gpu_hours", "GPU h", "number, law gpu_time",
          "part of held_gpu_hours: attempts on nodes set aside for profiling"},
     SCALAR_TIME(struct gpu_time_books, profiling, SPAN_HOUR)},
    {.column = {"jobs_error", "", "number?, law gpu_time",
                "held against useful + lost + overhead + slowed, relative: at "
                "most 1e-9, or what the rounding of work (one microsecond of "
                "work per GPU and segment of constant speed), or of times to "
                "the steps "
                "of a law of time that counts them, makes of a short run"},
     .when = FIELD(struct gpu_time_books, rigid),
     .compute = time_jobs_error},
    {.column = {"described_gpu_hours", "GPU h", "number, law gpu_time",
                "GPUs of the cluster, those that serve the language model "
                "included, x makespan"},
     SCALAR_TIME(struct gpu_time_books, described, SPAN_HOUR)},
    {.column = {"down_gpu_hours", "GPU h", "number, law gpu_time",
                "GPUs of nodes that were out of service"},
     SCALAR_TIME(struct gpu_time_books, down, SPAN_HOUR)},
    {.column = {"idle_gpu_hours", "GPU h", "number, law gpu_time",
                "GPUs in service that no job held"},
     SCALAR_TIME(struct gpu_time_books, idle, SPAN_HOUR)},
    {.column = {"busy_gpu_hours", "GPU h", "number, law gpu_time",
                "GPUs that at least one job held"},
     SCALAR_TIME(struct gpu_time_books, busy, SPAN_HOUR)},
    {.column = {"again_gpu_hours", "GPU h", "number, law gpu_time",
                "GPUs held by second and further holders: held - busy"},
     SCALAR_TIME(struct gpu_time_books, again, SPAN_HOUR)},
    {.column = {"llm_busy_gpu_hours", "GPU h", "number?, law gpu_time",
                "GPUs of the cluster that worked on questions to the language "
                "model; only if such GPUs serve it"},
     .when = FIELD(struct gpu_time_books, serves),
     SCALAR_TIME(struct gpu_time_books, llm_busy, SPAN_HOUR)},
    {.column = {"llm_idle_gpu_hours", "GPU h", "number?, law gpu_time",
                "GPUs of the cluster that serve the language model and had no "
                "question; only if such GPUs serve it"},
     .when = FIELD(struct gpu_time_books, serves),
     SCALAR_TIME(struct gpu_time_books, llm_idle, SPAN_HOUR)},
    {.column = {"machine_error", "", "number, law gpu_time",
                "described against down + idle + held - again + llm_busy + "
                "llm_idle, relative; at most 1e-9"},
     .compute = time_machine_error},
    {.column = {.name = NULL}},
};

void gpu_time_init(struct gpu_time_books *books, const struct results *results)
{
    const struct meter *meter = results->meter;
    gpu_time described =
        (gpu_time)results->run->cluster.n_gpus * meter->last_end;
    *books = (struct gpu_time_books){
        .rigid = !results->run->elastic && results->alone,
        .slowed = results->alone ? results->alone->slowed : 0,
        .described = described,
        .down = described - meter->total.up,
        .idle = meter->total.up - meter->total.busy,
        .busy = meter->total.busy,
        .again = meter->total.again,
    };
}

void gpu_time_add(struct gpu_time_books *books, const struct results *results,
                  const struct facts *f)
{
    const struct alone *alone = results->alone;
    bool in_vain =
        f->outcome == OUTCOME_GIVEN_UP || f->outcome == OUTCOME_REJECTED;
    sim_span done = f->work + f->resume;
    /* Work that stops added. A job that did not finish may not have done it. */
    sim_span added = f->resume < done ? f->resume : done;
    sim_span own = done - added, kept = in_vain ? 0 : own - f->lost;
    books->writing += f->writing;
    if (!books->rigid)
        return;
    books->overhead += (double)(f->held_time - f->worked);
    if (done <= 0)
        return;
    double rest = alone->rest ? alone->rest[f->job->id] : 0;
    double each = ((double)f->worked - rest) / (double)done;
    if (kept < 0)
        kept = 0;
    books->overhead += each * (double)added;
    books->useful += each * (double)kept;
    books->lost += each * (double)(own - kept);
}

void gpu_time_add_llm(struct gpu_time_books *books,
                      const struct advice_summary *advice)
{
    gpu_time time = (gpu_time)advice->gpus * advice->end;
    books->serves = advice->gpus > 0;
    if (!books->serves)
        return;
    books->described += time;
    books->llm_busy = advice->busy;
    books->llm_idle = time - advice->busy;
}

void meter_init(struct meter *meter, const struct cluster *c, uint32_t n_jobs)
{
    *meter = (struct meter){
        .nodes = mem_zalloc(c->n_nodes, sizeof *meter->nodes),
        .others = mem_zalloc(c->n_gpus, 1),
        .vcs = mem_zalloc(c->n_vcs, sizeof *meter->vcs),
        .gpus_up = c->n_gpus,
        .n_jobs = n_jobs,
        .state = mem_zalloc(n_jobs, 1),
        .lives = mem_alloc(n_jobs * sizeof *meter->lives),
        .unit_rates = true,
    };
    meter->jobs_in[JOB_FUTURE] = n_jobs;
    for (uint32_t n = 0; n < c->n_nodes; n++) {
        const struct node *node = &c->nodes[n];
        const struct pool *pool = &c->pools[node->pool];
        meter->nodes[n] = (struct meter_node){
            .first_gpu = node->first_gpu,
            .gpus = node->gpus,
            .n_free = node->gpus,
            .up = true,
        };
        if (!pool->profiler && !c->merged)
            meter->vcs[pool->vc].gpus += node->gpus;
    }
    for (uint32_t v = 0; c->merged && v < c->n_vcs; v++)
        meter->vcs[v].gpus = c->nominal[v];
}

void meter_fini(struct meter *meter)
{
    free(meter->nodes);
    free(meter->others);
    free(meter->vcs);
    free(meter->state);
    free(meter->lives);
    free(meter->held);
    *meter = (struct meter){0};
}

static void time_advance(struct meter *meter, sim_time to)
{
    sim_span span = to - meter->now;
    if (span <= 0)
        return;
    meter->sum.up += (gpu_time)meter->gpus_up * span;
    meter->sum.busy += (gpu_time)meter->gpus_busy * span;
    meter->sum.stranded += (gpu_time)meter->gpus_stranded * span;
    meter->sum.again += (gpu_time)meter->gpus_again * span;
    meter->now = to;
}

static uint32_t time_stranded(const struct meter_node *node)
{
    /* without branches, which would be mispredicted */
    return node->n_free * (uint32_t)(node->up & (node->n_free < node->gpus));
}

/* Adds `gpus`, which may be negative, to the busy GPUs of a node. */
static void add_busy(struct meter *meter, struct meter_node *node, int gpus)
{
    meter->gpus_stranded -= time_stranded(node);
    meter->gpus_busy += (uint32_t)gpus;
    node->n_free = (uint8_t)(node->n_free - gpus);
    meter->gpus_stranded += time_stranded(node);
}

/* Counts the GPUs of a slice as taken. Works on whole masks, because GPUs are
 * rarely shared; only GPUs with several holders are handled one by one. */
static void time_take(struct meter *meter, struct gpu_slice slice)
{
    struct meter_node *node = &meter->nodes[slice.node];
    uint64_t again = slice.mask & node->held;
    add_busy(meter, node, (int)mask_count(slice.mask & ~again));
    node->held |= slice.mask;
    node->crowded |= again;
    for (struct gpu_walk w = gpu_walk(node->first_gpu, again);
         gpu_walk_next(&w);) {
        meter->others[w.gpu]++;
        meter->gpus_again++;
    }
}

static void time_give(struct meter *meter, struct gpu_slice slice)
{
    struct meter_node *node = &meter->nodes[slice.node];
    uint64_t shared = slice.mask & node->crowded, last = slice.mask & ~shared;
    CHECK((last & ~node->held) == 0);
    add_busy(meter, node, -(int)mask_count(last));
    node->held &= ~last;
    for (struct gpu_walk w = gpu_walk(node->first_gpu, shared);
         gpu_walk_next(&w);) {
        meter->gpus_again--;
        if (--meter->others[w.gpu] == 0)
            node->crowded &= ~(UINT64_C(1) << (w.gpu - w.first));
    }
}

static void set_up(struct meter *meter, node_id id, bool up)
{
    struct meter_node *node = &meter->nodes[id];
    if (node->up == up)
        return;
    meter->gpus_stranded -= time_stranded(node);
    node->up = up;
    meter->gpus_up += up ? node->gpus : 0u - node->gpus;
    meter->gpus_stranded += time_stranded(node);
}

/* Changes the number of active jobs of a virtual cluster when the job becomes
 * active (`begins`) or stops being active. Returns the integrals up to now. */
static struct meter_life change_active(struct meter *meter,
                                       const struct job *job, bool begins)
{
    struct meter_vc *vc = &meter->vcs[job->vc];
    uint64_t span = (uint64_t)(meter->now - vc->since);
    uint64_t gpus = job->gpus;
    vc->integral.demand += vc->demand * span;
    vc->integral.active += vc->active * span;
    vc->since = meter->now;
    vc->demand += begins ? gpus : 0 - gpus;
    vc->active += begins ? 1 : 0 - UINT64_C(1);
    return vc->integral;
}

/* By kind of move: the state that the move gives its job. job.state is not
 * used, because it changes before some moves are reported and after others. The
 * state after a failure comes with the next move of the same instant. */
static const uint8_t state_after[] = {
    [LEDGER_SUBMITTED] = JOB_PENDING, [LEDGER_STARTED] = JOB_RUNNING,
    [LEDGER_STOPPED] = JOB_PENDING,   [LEDGER_MOVED] = JOB_RUNNING,
    [LEDGER_PROFILED] = JOB_PENDING,  [LEDGER_EVICTED] = JOB_PENDING,
    [LEDGER_FINISHED] = JOB_FINISHED, [LEDGER_FAILED] = JOB_PENDING,
    [LEDGER_HELD] = JOB_HELD,         [LEDGER_RETRIED] = JOB_PENDING,
    [LEDGER_GIVEN_UP] = JOB_FAILED,   [LEDGER_REJECTED] = JOB_REJECTED,
    [LEDGER_RATE] = JOB_RUNNING,      [LEDGER_OPEN] = JOB_RUNNING,
};

enum job_state meter_state_after(enum ledger_kind kind)
{
    return (enum job_state)state_after[kind];
}

static void time_hold(struct meter *meter, job_id job, sim_time since)
{
    if (!meter->held)
        meter->held = mem_zalloc(meter->n_jobs, sizeof *meter->held);
    meter->held[job] += since;
}

static void change_state(struct meter *meter, const struct job *job,
                         enum job_state new)
{
    enum job_state old = (enum job_state)meter->state[job->id];
    if (old == new)
        return;
    meter->state[job->id] = (uint8_t) new;
    meter->jobs_in[old]--;
    meter->jobs_in[new]++;
    if (old == JOB_PENDING)
        meter->gpus_pending -= job->gpus;
    if (new == JOB_PENDING)
        meter->gpus_pending += job->gpus;
    if (old == JOB_FUTURE)
        meter->lives[job->id] = change_active(meter, job, true);
    if (new == JOB_HELD)
        time_hold(meter, job->id, -meter->now);
    if (old == JOB_HELD)
        time_hold(meter, job->id, meter->now);
    if (new == JOB_FINISHED || new == JOB_FAILED || new == JOB_REJECTED) {
        struct meter_life now = change_active(meter, job, false);
        struct meter_life *life = &meter->lives[job->id];
        life->demand = now.demand - life->demand;
        life->active = now.active - life->active;
    }
}

static void meter_read(void *self, const struct ledger_move *move)
{
    struct meter *meter = self;
    time_advance(meter, move->at);
    if (move->kind == LEDGER_STARTED) {
        for (uint32_t i = 0; i < move->where.count; i++)
            time_take(meter, move->where.at[i]);
    } else if (ledger_ends_attempt(move->kind)) {
        for (uint32_t i = 0; i < move->where.count; i++)
            time_give(meter, move->where.at[i]);
        meter->last_end = move->at;
        meter->total = meter->sum;
    } else if (move->kind == LEDGER_NODE_DOWN || move->kind == LEDGER_NODE_UP) {
        set_up(meter, move->node, move->kind == LEDGER_NODE_UP);
    }
    if (move->kind == LEDGER_STARTED || move->kind == LEDGER_RATE)
        meter->unit_rates &= move->rate == 1.0;
    if (move->job)
        change_state(meter, move->job, meter_state_after(move->kind));
}

struct ledger_reader meter_reader(struct meter *meter)
{
    return (struct ledger_reader){meter_read, meter};
}

void meter_close(struct meter *meter, sim_time end)
{
    if (meter->gpus_busy > 0) {
        time_advance(meter, end);
        meter->last_end = end;
        meter->total = meter->sum;
    }
}
