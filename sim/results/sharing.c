/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scalars of jobs that share GPUs or profile: co-location, packing, evictions,
 * profiling. Each is absent where its feature is off. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/json.h"
#include "sim/results/coloc.h"
#include "sim/results/evictions.h"
#include "sim/results/packing.h"
#include "sim/results/profiling.h"

/* State that is kept for a running job. */
struct coloc_job {
    sim_time since; /* time up to which its sums are settled */
    double rel_speed;
    /* number of GPUs that it holds; number of these that it shares */
    uint32_t gpus, n_shared;
    /* rows of the usage table: that of the job, and that of a job beside it, on
     * the shared GPU whose holders changed last */
    uint16_t usage, beside;
};

static const double least_speed[SPEED_N] = {
#define SPEED_ROW(name, least) least,
    SPEED_CLASSES(SPEED_ROW)
#undef SPEED_ROW
};

static enum speed_class sharing_class_of(double rel_speed)
{
    unsigned class = 0;
    while (class + 1 < SPEED_N && rel_speed < least_speed[class])
        class ++;
    return (enum speed_class) class;
}

void coloc_init(struct coloc *coloc, const struct cluster *c, uint32_t n_jobs)
{
    *coloc = (struct coloc){
        .cluster = c,
        .jobs = mem_zalloc(n_jobs, sizeof *coloc->jobs),
        .holders = mem_zalloc((size_t)c->n_gpus * c->share_limit,
                              sizeof *coloc->holders),
        .n_holders = mem_zalloc(c->n_gpus, 1),
    };
}

void coloc_fini(struct coloc *coloc)
{
    free(coloc->jobs);
    free(coloc->holders);
    free(coloc->n_holders);
    free(coloc->pairs);
    *coloc = (struct coloc){0};
}

static struct coloc_pair *pair_of(struct coloc *coloc, uint16_t usage,
                                  uint16_t beside)
{
    size_t lo = 0, hi = coloc->n_pairs;
    uint32_t key = (uint32_t)usage << 16 | beside;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        const struct coloc_pair *p = &coloc->pairs[mid];
        if (((uint32_t)p->usage << 16 | p->beside) < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    struct coloc_pair *at;
    if (lo < coloc->n_pairs) {
        at = &coloc->pairs[lo];
        if (at->usage == usage && at->beside == beside)
            return at;
    }
    coloc->pairs = mem_grow(coloc->pairs, &coloc->cap_pairs, coloc->n_pairs + 1,
                            sizeof *coloc->pairs);
    at = coloc->pairs + lo;
    memmove(at + 1, at, (coloc->n_pairs++ - lo) * sizeof *at);
    *at = (struct coloc_pair){.usage = usage, .beside = beside};
    return at;
}

static void sharing_advance(struct coloc *coloc, sim_time to)
{
    coloc->crowded += (gpu_time)coloc->gpus_crowded * (to - coloc->now);
    coloc->now = to;
}

static void sharing_settle(struct coloc *coloc, struct coloc_job *j)
{
    sim_span span = coloc->now - j->since;
    j->since = coloc->now;
    if (span <= 0 || j->n_shared == 0)
        return;
    gpu_time time = (gpu_time)j->gpus * span;
    double work = (double)time * j->rel_speed;
    struct coloc_pair *pair = pair_of(coloc, j->usage, j->beside);
    coloc->of_speed[sharing_class_of(j->rel_speed)] += time;
    coloc->work += work;
    pair->time += time;
    pair->work += work;
}

/* Updates the state of `job` when the holders of one of its GPUs change.
 * `change`: 1 if the job begins to share the GPU, -1 if it ceases to share it,
 * otherwise 0. `other`: a job that now shares the GPU with it; JOB_NONE: there
 * is none. */
static void sharing_meet(struct coloc *coloc, job_id job, job_id other,
                         int change)
{
    struct coloc_job *j = &coloc->jobs[job];
    sharing_settle(coloc, j);
    j->n_shared += (uint32_t)change;
    if (other != JOB_NONE)
        j->beside = coloc->jobs[other].usage;
}

static void sharing_take(struct coloc *coloc, gpu_id gpu, job_id job)
{
    uint32_t limit = coloc->cluster->share_limit;
    job_id *list = coloc->holders + (size_t)gpu * limit;
    uint32_t n = coloc->n_holders[gpu]++;
    CHECK(n < limit);
    list[n] = job;
    for (uint32_t i = 0; i < n; i++)
        sharing_meet(coloc, list[i], job, n == 1);
    if (n)
        sharing_meet(coloc, job, list[0], 1);
    coloc->gpus_crowded += n == 1;
}

static void sharing_give(struct coloc *coloc, gpu_id gpu, job_id job)
{
    uint32_t limit = coloc->cluster->share_limit, i = 0;
    job_id *list = coloc->holders + (size_t)gpu * limit;
    uint32_t n = coloc->n_holders[gpu]--;
    while (i < n && list[i] != job)
        i++;
    CHECK(i < n);
    for (; i + 1 < n; i++)
        list[i] = list[i + 1];
    for (i = 0; i + 1 < n; i++)
        sharing_meet(coloc, list[i], n > 2 ? list[i == 0] : JOB_NONE,
                     -(n == 2));
    coloc->gpus_crowded -= n == 2;
}

static void sharing_begin(struct coloc *coloc, const struct ledger_move *move)
{
    const struct cluster *c = coloc->cluster;
    coloc->jobs[move->job->id] = (struct coloc_job){
        .since = move->at,
        .rel_speed = move->rel_speed,
        .gpus = gpu_set_size(move->where),
        .usage = move->job->usage,
    };
    for (uint32_t i = 0; i < move->where.count; i++) {
        struct gpu_slice s = move->where.at[i];
        for (struct gpu_walk w = gpu_walk(c->nodes[s.node].first_gpu, s.mask);
             gpu_walk_next(&w);)
            sharing_take(coloc, w.gpu, move->job->id);
    }
}

static void sharing_end(struct coloc *coloc, const struct ledger_move *move)
{
    const struct cluster *c = coloc->cluster;
    sharing_settle(coloc, &coloc->jobs[move->job->id]);
    for (uint32_t i = 0; i < move->where.count; i++) {
        struct gpu_slice s = move->where.at[i];
        for (struct gpu_walk w = gpu_walk(c->nodes[s.node].first_gpu, s.mask);
             gpu_walk_next(&w);)
            sharing_give(coloc, w.gpu, move->job->id);
    }
    coloc->jobs[move->job->id].n_shared = 0;
}

static void coloc_read(void *self, const struct ledger_move *move)
{
    struct coloc *coloc = self;
    sharing_advance(coloc, move->at);
    if (move->kind == LEDGER_STARTED) {
        sharing_begin(coloc, move);
    } else if (ledger_ends_attempt(move->kind)) {
        sharing_end(coloc, move);
    } else if (move->kind == LEDGER_RATE) {
        sharing_settle(coloc, &coloc->jobs[move->job->id]);
        coloc->jobs[move->job->id].rel_speed = move->rel_speed;
    }
}

struct ledger_reader coloc_reader(struct coloc *coloc)
{
    return (struct ledger_reader){coloc_read, coloc};
}

void coloc_close(struct coloc *coloc, const struct ledger *ledger,
                 sim_time until)
{
    if (until > coloc->now)
        sharing_advance(coloc, until);
    for (size_t i = 0; i < ledger->n_attempts; i++) {
        if (ledger->attempts[i].end == TIME_NEVER)
            sharing_settle(coloc, &coloc->jobs[ledger->attempts[i].job]);
    }
}

gpu_time coloc_time(const struct coloc *coloc)
{
    gpu_time sum = 0;
    for (unsigned i = 0; i < SPEED_N; i++)
        sum += coloc->of_speed[i];
    return sum;
}

static double packing_busy_share(const void *part)
{
    const struct packing *p = part;
    return scalar_ratio((double)p->coloc->crowded, (double)p->busy);
}

static double packing_held_share(const void *part)
{
    const struct packing *p = part;
    return scalar_ratio((double)coloc_time(p->coloc), (double)p->held);
}

static double packing_pace(const void *part)
{
    const struct packing *p = part;
    return scalar_ratio(p->coloc->work, (double)coloc_time(p->coloc));
}

const struct scalar packing_scalars[] = {
    {{"attempts_share", "", "share or null, law packing",
      "attempts that shared a GPU at some time / all attempts"},
     SCALAR_RATIO(struct packing, shared_attempts, attempts)},
    {{"jobs", "jobs", "count, law packing",
      "jobs that shared a GPU at some time"},
     SCALAR_FIELD(struct packing, shared_jobs)},
    {{"busy_share", "", "share or null, law packing",
      "GPU time held by two jobs or more / GPU time held by any; each GPU "
      "counts once"},
     .compute = packing_busy_share},
    {{"held_share", "", "share or null, law packing",
      "GPU time of jobs while some GPU of theirs is shared / all GPU time of "
      "jobs; a shared GPU counts for each holder"},
     .compute = packing_held_share},
    {{"pace_mean", "", "number or null, bounds packing",
      "rate / rate alone, mean over the GPU time of co-located jobs"},
     .compute = packing_pace},
    {{"memory_refusals", "", "count, given",
      "how often a job was not placed with another because the memory of the "
      "GPU does not hold both"},
     SCALAR_FIELD(struct packing, refusals)},
    {.column = {.name = NULL}},
};

const struct column speed_columns[] = {
    [SPEED_TINY] = {.name = "tiny",
                    .unit = "",
                    .rule = "share?, bounds packing",
                    .help = "pace 0.95 or more (Lucid's sharing score 0)"},
    [SPEED_MEDIUM] = {.name = "medium",
                      .unit = "",
                      .rule = "share?, bounds packing",
                      .help = "0.85 to 0.95 (score 1)"},
    [SPEED_JUMBO] = {.name = "jumbo",
                     .unit = "",
                     .rule = "share?, bounds packing",
                     .help = "0.65 to 0.85 (score 2)"},
    [SPEED_WORSE] = {.name = "worse",
                     .unit = "",
                     .rule = "share?, bounds packing",
                     .help =
                         "pace below 0.65, where SchedMate separates a pair"},
    [SPEED_N] = {.name = NULL},
};

const struct column pair_columns[] = {
    {.name = "workload",
     .unit = "",
     .rule = "text, bounds packing",
     .help = "model, batch size and precision, as far as known"},
    {.name = "beside",
     .unit = "",
     .rule = "text, bounds packing",
     .help = "model, batch size and precision of the other job, on the GPU "
             "that changed last"},
    {.name = "gpu_hours",
     .unit = "GPU h",
     .rule = "number, bounds packing",
     .help = "GPU time of the workload in that pairing"},
    {.name = "pace",
     .unit = "",
     .rule = "number, bounds packing",
     .help = "mean pace of the workload in that pairing"},
    {.name = NULL},
};

void packing_measure(struct packing *p, const struct results *results,
                     gpu_time held)
{
    const struct run_result *run = results->run;
    const struct ledger *ledger = &run->ledger;
    *p = (struct packing){.coloc = results->coloc,
                          .attempts = ledger->n_attempts,
                          .refusals = run->n_memory_refusals,
                          .busy = results->meter->total.busy,
                          .held = held};
    if (!p->coloc)
        return;
    for (size_t i = 0; i < ledger->n_attempts; i++)
        p->shared_attempts += ledger->attempts[i].shared;
    for (job_id id = 0; id < run->jobset.n_jobs; id++) {
        bool shared = false;
        for (uint32_t a = ledger->last_attempt[id]; a != ATTEMPT_NONE;
             a = ledger->attempts[a].previous)
            shared |= ledger->attempts[a].shared;
        p->shared_jobs += shared;
    }
}

size_t packing_pairs(const struct packing *p,
                     const struct coloc_pair *out[PACKING_PAIRS])
{
    size_t n = 0;
    for (size_t i = 0; i < p->coloc->n_pairs; i++) {
        const struct coloc_pair *pair = &p->coloc->pairs[i];
        size_t at = n < PACKING_PAIRS ? n++ : n;
        if (at == PACKING_PAIRS && out[--at]->time >= pair->time)
            continue;
        for (; at > 0 && out[at - 1]->time < pair->time; at--)
            out[at] = out[at - 1];
        out[at] = pair;
    }
    return n;
}

const struct scalar eviction_scalars[] = {
    {{"evictions", "", "count, law evictions",
      "attempts that the monitor ended"},
     SCALAR_FIELD(struct evictions, evictions)},
    {{"jobs", "jobs", "count, law evictions",
      "jobs that were evicted; each at most once"},
     SCALAR_FIELD(struct evictions, jobs)},
    {{"hosts", "jobs", "count, bounds evictions",
      "jobs beside which another one was evicted"},
     SCALAR_FIELD(struct evictions, hosts)},
    {{"host_most", "", "count, bounds evictions",
      "largest number of evictions beside one job"},
     SCALAR_FIELD(struct evictions, host_most)},
    {{"lost_gpu_hours", "GPU h", "number, law evictions",
      "work that evicted jobs had done since their submission and lost, times "
      "the GPUs that they ask for"},
     SCALAR_TIME(struct evictions, lost, SPAN_HOUR)},
    {{"held_gpu_hours", "GPU h", "number, law evictions",
      "GPU time of the attempts that were evicted"},
     SCALAR_TIME(struct evictions, held, SPAN_HOUR)},
    {.column = {.name = NULL}},
};

static void count_hosts(struct evictions *e, const struct run_result *run)
{
    const struct ledger *ledger = &run->ledger;
    uint32_t *beside = mem_zalloc(run->jobset.n_jobs + 1, sizeof *beside);
    for (size_t i = 0; i < ledger->n_evictions; i++) {
        uint32_t n = ++beside[ledger->evictions[i].host];
        e->hosts += n == 1;
        if (n > e->host_most)
            e->host_most = n;
    }
    free(beside);
}

void evictions_measure(struct evictions *evictions,
                       const struct results *results)
{
    const struct run_result *run = results->run;
    const struct ledger *ledger = &run->ledger;
    struct evictions *e = evictions;
    *e = (struct evictions){.any = run->monitor != NULL};
    if (!e->any)
        return;
    e->evictions = ledger->n_evictions;
    e->jobs = ledger->n_evictions; /* an evicted job never shares again */
    for (size_t i = 0; i < ledger->n_evictions; i++) {
        uint32_t number = ledger->evictions[i].attempt;
        const struct attempt *a = &ledger->attempts[number];
        const struct attempt_cost *cost = ledger_cost(ledger, number);
        e->lost +=
            (gpu_time)(cost ? cost->lost : 0) * run->jobset.jobs[a->job].gpus;
        e->held += (gpu_time)(a->end - a->start) * ledger_gpus(ledger, a);
    }
    count_hosts(e, run);
}

void report_evictions(struct json_stream *js, const struct evictions *evictions)
{
    json_stream_object(js, "evictions");
    report_scalars(js, eviction_scalars, evictions);
    json_stream_object_end(js);
}

static double profiling_use(const void *part)
{
    const struct profiling *p = part;
    double whole = (double)p->gpus * (double)p->makespan + (double)p->lent;
    return whole > 0 ? (double)p->time / whole : NAN;
}

static double sharing_mean_of(const struct profiling *p, gpu_time sum)
{
    double n = (double)p->counted * (double)SPAN_SECOND;
    return n > 0 ? (double)sum / n : NAN;
}

static double profiling_wait_mean(const void *part)
{
    const struct profiling *p = part;
    return sharing_mean_of(p, p->wait_sum);
}

static double profiling_delay_mean(const void *part)
{
    const struct profiling *p = part;
    return sharing_mean_of(p, p->delay_sum);
}

static double profiling_delay_max(const void *part)
{
    const struct profiling *p = part;
    return p->counted ? span_seconds(p->delay_most) : NAN;
}

const struct scalar profiling_scalars[] = {
    {{"profiler_gpus", "GPUs", "count, law profiling",
      "GPUs of the nodes set aside for profiling"},
     SCALAR_FIELD(struct profiling, gpus)},
    {{"profiled_jobs", "jobs", "count, law profiling",
      "jobs profiled until the limit"},
     SCALAR_FIELD(struct profiling, profiled)},
    {{"finished_jobs", "jobs", "count, law profiling",
      "jobs that ran to their end while they were profiled"},
     SCALAR_FIELD(struct profiling, finished)},
    {{"cut_short", "", "count, law profiling",
      "profilings ended by a failure or a stop"},
     SCALAR_FIELD(struct profiling, cut_short)},
    {{"lent_gpu_hours", "GPU h", "number, law profiling",
      "GPU time of nodes for jobs while they were lent to the profiler"},
     SCALAR_TIME(struct profiling, lent, SPAN_HOUR)},
    {{"use", "", "number or null, law profiling",
      "GPU time of profilings / GPU time of the profiler nodes over the "
      "makespan and of lent nodes"},
     .compute = profiling_use},
    {{"wait_mean_s", "s", "time or null, law profiling",
      "submission to the start of the profiling, mean over the profiled"},
     .compute = profiling_wait_mean},
    {{"delay_mean_s", "s", "time or null, law profiling",
      "submission to the end of the profiling, before which the job is not "
      "scheduled: mean over the profiled"},
     .compute = profiling_delay_mean},
    {{"delay_max_s", "s", "time or null, law profiling",
      "longest time from submission to the end of the profiling"},
     .compute = profiling_delay_max},
    {.column = {.name = NULL}},
};

static uint32_t sharing_profiler_gpus(const struct cluster *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_nodes; i++)
        n += c->pools[c->nodes[i].pool].profiler && !cluster_is_lent(c, i)
                 ? c->nodes[i].gpus
                 : 0;
    return n;
}

static void add_profiled(struct profiling *p, const struct run_result *run,
                         const struct attempt *a)
{
    const struct job *job = &run->jobset.jobs[a->job];
    sim_span delay = a->end - job->submitted;
    p->profiled++;
    if (!counted_has(&run->counted, job))
        return;
    p->counted++;
    p->wait_sum += a->start - job->submitted;
    p->delay_sum += delay;
    if (delay > p->delay_most)
        p->delay_most = delay;
}

/* Returns the total GPU time of loans, which count up to `end`, the end of the
 * last attempt. */
static gpu_time sharing_lent_time(const struct run_result *run, sim_time end)
{
    const struct ledger *ledger = &run->ledger;
    gpu_time sum = 0;
    for (size_t i = 0; i < ledger->n_node_changes; i++) {
        const struct node_change *change = &ledger->node_changes[i];
        gpu_time gpus = run->cluster.nodes[change->node].gpus;
        if (change->at >= end)
            break;
        if (change->kind == LEDGER_NODE_LENT)
            sum += gpus * (end - change->at);
        else if (change->kind == LEDGER_NODE_BACK)
            sum -= gpus * (end - change->at);
    }
    return sum;
}

static bool has_loan(const struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->n_node_changes; i++) {
        if (ledger->node_changes[i].kind == LEDGER_NODE_LENT)
            return true;
    }
    return false;
}

void profiling_measure(struct profiling *p, const struct results *results)
{
    const struct run_result *run = results->run;
    *p = (struct profiling){
        .gpus = sharing_profiler_gpus(&run->cluster),
        .makespan = results->meter->last_end,
        .lent = sharing_lent_time(run, results->meter->last_end)};
    p->any = p->gpus > 0 || has_loan(&run->ledger);
    if (!p->any)
        return;
    for (uint32_t i = 0; i < run->ledger.n_attempts; i++) {
        const struct attempt *a = &run->ledger.attempts[i];
        if (!a->profiling)
            continue;
        sim_span length = facts_attempt_end(results, i) - a->start;
        p->time += (gpu_time)ledger_gpus(&run->ledger, a) * length;
        if (a->end == TIME_NEVER)
            continue;
        if (a->how == LEDGER_PROFILED)
            add_profiled(p, run, a);
        else if (a->how == LEDGER_FINISHED)
            p->finished++;
        else
            p->cut_short++;
    }
}
