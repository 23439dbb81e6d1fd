/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/company.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

/* What is kept for a running job. */
struct stay {
    sim_time since; /* settled up to this time */
    double pace;
    uint32_t gpus, n_shared;  /* held; of these shared */
    uint16_t profile, beside; /* beside: on the GPU that changed last */
};

static const double least_pace[PACE_N] = {
#define PACE_ROW(name, least) least,
    PACE_CLASSES(PACE_ROW)
#undef PACE_ROW
};

static enum pace_class class_of(double pace)
{
    unsigned class = 0;
    while (class + 1 < PACE_N && pace < least_pace[class])
        class ++;
    return (enum pace_class) class;
}

void company_init(struct company *company, const struct cluster *c,
                  uint32_t n_jobs)
{
    *company = (struct company){
        .cluster = c,
        .stays = mem_zalloc(n_jobs, sizeof *company->stays),
        .holders = mem_zalloc((size_t)c->n_gpus * c->share_limit,
                              sizeof *company->holders),
        .n_holders = mem_zalloc(c->n_gpus, 1),
    };
}

void company_fini(struct company *company)
{
    free(company->stays);
    free(company->holders);
    free(company->n_holders);
    free(company->pairs);
    *company = (struct company){0};
}

static struct company_pair *pair_of(struct company *company, uint16_t profile,
                                    uint16_t beside)
{
    size_t lo = 0, hi = company->n_pairs;
    uint32_t key = (uint32_t)profile << 16 | beside;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        const struct company_pair *p = &company->pairs[mid];
        if (((uint32_t)p->profile << 16 | p->beside) < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    struct company_pair *at;
    if (lo < company->n_pairs) {
        at = &company->pairs[lo];
        if (at->profile == profile && at->beside == beside)
            return at;
    }
    company->pairs = mem_grow(company->pairs, &company->cap_pairs,
                              company->n_pairs + 1, sizeof *company->pairs);
    at = company->pairs + lo;
    memmove(at + 1, at, (company->n_pairs++ - lo) * sizeof *at);
    *at = (struct company_pair){.profile = profile, .beside = beside};
    return at;
}

static void advance(struct company *company, sim_time to)
{
    company->crowded += (gpu_time)company->gpus_crowded * (to - company->now);
    company->now = to;
}

static void settle(struct company *company, struct stay *stay)
{
    sim_span span = company->now - stay->since;
    stay->since = company->now;
    if (span <= 0 || stay->n_shared == 0)
        return;
    gpu_time time = (gpu_time)stay->gpus * span;
    double work = (double)time * stay->pace;
    struct company_pair *pair = pair_of(company, stay->profile, stay->beside);
    company->of_pace[class_of(stay->pace)] += time;
    company->work += work;
    pair->time += time;
    pair->work += work;
}

/* Called when a GPU of `job` gets its first other holder, loses its last one,
 * or gets a different one. */
static void meet(struct company *company, job_id job, job_id other, int change)
{
    struct stay *stay = &company->stays[job];
    settle(company, stay);
    stay->n_shared += (uint32_t)change;
    if (other != JOB_NONE)
        stay->beside = company->stays[other].profile;
}

static void take(struct company *company, gpu_id gpu, job_id job)
{
    uint32_t limit = company->cluster->share_limit;
    job_id *list = company->holders + (size_t)gpu * limit;
    uint32_t n = company->n_holders[gpu]++;
    CHECK(n < limit);
    list[n] = job;
    for (uint32_t i = 0; i < n; i++)
        meet(company, list[i], job, n == 1);
    if (n)
        meet(company, job, list[0], 1);
    company->gpus_crowded += n == 1;
}

static void give(struct company *company, gpu_id gpu, job_id job)
{
    uint32_t limit = company->cluster->share_limit, i = 0;
    job_id *list = company->holders + (size_t)gpu * limit;
    uint32_t n = company->n_holders[gpu]--;
    while (i < n && list[i] != job)
        i++;
    CHECK(i < n);
    for (; i + 1 < n; i++)
        list[i] = list[i + 1];
    for (i = 0; i + 1 < n; i++)
        meet(company, list[i], n > 2 ? list[i == 0] : JOB_NONE, -(n == 2));
    company->gpus_crowded -= n == 2;
}

static void begin(struct company *company, const struct ledger_move *move)
{
    const struct cluster *c = company->cluster;
    company->stays[move->job->id] = (struct stay){
        .since = move->at,
        .pace = move->pace,
        .gpus = gpu_set_size(move->where),
        .profile = move->job->profile,
    };
    for (uint32_t i = 0; i < move->where.count; i++) {
        struct gpu_slice s = move->where.at[i];
        for (uint64_t m = s.mask; m; m &= m - 1)
            take(company,
                 c->nodes[s.node].first_gpu + (uint32_t)__builtin_ctzll(m),
                 move->job->id);
    }
}

static void end(struct company *company, const struct ledger_move *move)
{
    const struct cluster *c = company->cluster;
    settle(company, &company->stays[move->job->id]);
    for (uint32_t i = 0; i < move->where.count; i++) {
        struct gpu_slice s = move->where.at[i];
        for (uint64_t m = s.mask; m; m &= m - 1)
            give(company,
                 c->nodes[s.node].first_gpu + (uint32_t)__builtin_ctzll(m),
                 move->job->id);
    }
    company->stays[move->job->id].n_shared = 0;
}

static void company_read(void *self, const struct ledger_move *move)
{
    struct company *company = self;
    advance(company, move->at);
    switch (move->kind) {
    case LEDGER_STARTED:
        begin(company, move);
        break;
    case LEDGER_STOPPED:
    case LEDGER_MOVED:
    case LEDGER_PROFILED:
    case LEDGER_FINISHED:
    case LEDGER_FAILED:
        end(company, move);
        break;
    case LEDGER_RATE:
        settle(company, &company->stays[move->job->id]);
        company->stays[move->job->id].pace = move->pace;
        break;
    case LEDGER_SUBMITTED:
    case LEDGER_HELD:
    case LEDGER_RETRIED:
    case LEDGER_GIVEN_UP:
    case LEDGER_REJECTED:
    case LEDGER_OPEN:
    case LEDGER_NODE_DOWN:
    case LEDGER_NODE_UP:
    case LEDGER_NODE_LENT:
    case LEDGER_NODE_BACK:
        break;
    }
}

struct ledger_reader company_reader(struct company *company)
{
    return (struct ledger_reader){company_read, company};
}

void company_close(struct company *company, const struct ledger *ledger,
                   sim_time until)
{
    if (until > company->now)
        advance(company, until);
    for (size_t i = 0; i < ledger->n_attempts; i++) {
        if (ledger->attempts[i].end == TIME_NEVER)
            settle(company, &company->stays[ledger->attempts[i].job]);
    }
}

gpu_time company_time(const struct company *company)
{
    gpu_time sum = 0;
    for (unsigned i = 0; i < PACE_N; i++)
        sum += company->of_pace[i];
    return sum;
}
