/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/coloc.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

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

static enum speed_class class_of(double rel_speed)
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

static void advance(struct coloc *coloc, sim_time to)
{
    coloc->crowded += (gpu_time)coloc->gpus_crowded * (to - coloc->now);
    coloc->now = to;
}

static void settle(struct coloc *coloc, struct coloc_job *j)
{
    sim_span span = coloc->now - j->since;
    j->since = coloc->now;
    if (span <= 0 || j->n_shared == 0)
        return;
    gpu_time time = (gpu_time)j->gpus * span;
    double work = (double)time * j->rel_speed;
    struct coloc_pair *pair = pair_of(coloc, j->usage, j->beside);
    coloc->of_speed[class_of(j->rel_speed)] += time;
    coloc->work += work;
    pair->time += time;
    pair->work += work;
}

/* Updates the state of `job` when the holders of one of its GPUs change.
 * `change`: 1 if the job begins to share the GPU, -1 if it ceases to share it,
 * otherwise 0. `other`: a job that now shares the GPU with it; JOB_NONE: there
 * is none. */
static void meet(struct coloc *coloc, job_id job, job_id other, int change)
{
    struct coloc_job *j = &coloc->jobs[job];
    settle(coloc, j);
    j->n_shared += (uint32_t)change;
    if (other != JOB_NONE)
        j->beside = coloc->jobs[other].usage;
}

static void take(struct coloc *coloc, gpu_id gpu, job_id job)
{
    uint32_t limit = coloc->cluster->share_limit;
    job_id *list = coloc->holders + (size_t)gpu * limit;
    uint32_t n = coloc->n_holders[gpu]++;
    CHECK(n < limit);
    list[n] = job;
    for (uint32_t i = 0; i < n; i++)
        meet(coloc, list[i], job, n == 1);
    if (n)
        meet(coloc, job, list[0], 1);
    coloc->gpus_crowded += n == 1;
}

static void give(struct coloc *coloc, gpu_id gpu, job_id job)
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
        meet(coloc, list[i], n > 2 ? list[i == 0] : JOB_NONE, -(n == 2));
    coloc->gpus_crowded -= n == 2;
}

static void begin(struct coloc *coloc, const struct ledger_move *move)
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
            take(coloc, w.gpu, move->job->id);
    }
}

static void end(struct coloc *coloc, const struct ledger_move *move)
{
    const struct cluster *c = coloc->cluster;
    settle(coloc, &coloc->jobs[move->job->id]);
    for (uint32_t i = 0; i < move->where.count; i++) {
        struct gpu_slice s = move->where.at[i];
        for (struct gpu_walk w = gpu_walk(c->nodes[s.node].first_gpu, s.mask);
             gpu_walk_next(&w);)
            give(coloc, w.gpu, move->job->id);
    }
    coloc->jobs[move->job->id].n_shared = 0;
}

static void coloc_read(void *self, const struct ledger_move *move)
{
    struct coloc *coloc = self;
    advance(coloc, move->at);
    if (move->kind == LEDGER_STARTED) {
        begin(coloc, move);
    } else if (ledger_ends_attempt(move->kind)) {
        end(coloc, move);
    } else if (move->kind == LEDGER_RATE) {
        settle(coloc, &coloc->jobs[move->job->id]);
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
        advance(coloc, until);
    for (size_t i = 0; i < ledger->n_attempts; i++) {
        if (ledger->attempts[i].end == TIME_NEVER)
            settle(coloc, &coloc->jobs[ledger->attempts[i].job]);
    }
}

gpu_time coloc_time(const struct coloc *coloc)
{
    gpu_time sum = 0;
    for (unsigned i = 0; i < SPEED_N; i++)
        sum += coloc->of_speed[i];
    return sum;
}
