/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Solves the multiple-choice problem: drops options that the answer cannot
 * contain, finds prices, then searches for an answer within a limit on the
 * cost. The limit starts at the lower bound and grows until there is an answer.
 * If the search grows too large, GLPK solves the problem by branch and
 * bound. */
#include "policies/sia/sia_internal.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/check.h"

static bool is_forced(const struct choice_problem *p, uint32_t job)
{
    return p->forced && p->forced[job];
}

static uint32_t current_of(const struct choice_problem *p, uint32_t job)
{
    return p->current ? p->current[job] : CHOICE_NONE;
}

static int32_t choice_cost_of(const struct choice_problem *p, uint32_t job,
                              uint32_t config)
{
    return p->cost[(size_t)job * p->n_configs + config];
}

static enum status check_cost(int32_t cost, struct error *err)
{
    if (cost == CHOICE_NEVER ||
        (cost >= -CHOICE_COST_MAX && cost <= CHOICE_COST_MAX))
        return STATUS_OK;
    return error_set(
        err, STATUS_BAD_INPUT,
        "a cost of %d is out of range: expected at most %d in size", cost,
        CHOICE_COST_MAX);
}

static enum status check_forced(const struct choice_problem *p,
                                struct error *err)
{
    uint64_t *used = mem_zalloc(p->n_types, sizeof *used);
    enum status st = STATUS_OK;
    for (uint32_t j = 0; j < p->n_jobs && st == STATUS_OK; j++) {
        if (!is_forced(p, j))
            continue;
        uint32_t config = current_of(p, j);
        CHECK(config < p->n_configs);
        used[p->configs[config].type] += p->configs[config].gpus;
        if (choice_cost_of(p, j, config) == CHOICE_NEVER)
            st = error_set(err, STATUS_BAD_INPUT,
                           "job %u must keep configuration %u, which is not on "
                           "offer to it",
                           j, config);
    }
    for (uint32_t t = 0; t < p->n_types && st == STATUS_OK; t++) {
        if (used[t] > p->capacity[t])
            st = error_set(err, STATUS_BAD_INPUT,
                           "jobs that must keep their configurations hold %lu "
                           "GPUs of type %u, which has %u",
                           (unsigned long)used[t], t, p->capacity[t]);
    }
    free(used);
    return st;
}

static enum status choice_check(const struct choice_problem *p,
                                struct error *err)
{
    CHECK(p->n_types > 0);
    enum status st = check_cost(p->none_cost, err);
    size_t cells = (size_t)p->n_jobs * p->n_configs;
    for (size_t i = 0; i < cells && st == STATUS_OK; i++)
        st = check_cost(p->cost[i], err);
    for (uint32_t c = 0; c < p->n_configs; c++)
        CHECK(p->configs[c].type < p->n_types && p->configs[c].gpus > 0);
    return st == STATUS_OK ? check_forced(p, err) : st;
}

/* True if another option is at least as good in each answer: it costs no more,
 * needs no GPUs or at most as many of the same type, and comes first if the
 * costs are equal. Replacing this option by the other one makes an answer
 * cheaper, or leaves its cost and moves it forward in the order of answers. */
static bool is_beaten(const struct choice_option *options, uint32_t n,
                      uint32_t i)
{
    const struct choice_option *mine = &options[i];
    for (uint32_t k = 0; k < n; k++) {
        const struct choice_option *other = &options[k];
        bool fits = other->gpus == 0 ||
                    (other->type == mine->type && other->gpus <= mine->gpus);
        if (k != i && fits &&
            (other->cost < mine->cost || (other->cost == mine->cost && k < i)))
            return true;
    }
    return false;
}

static uint32_t drop_beaten(struct choice_option *options, uint32_t n)
{
    /* One bit for each option. Options after the first 4096 are never
     * dropped. */
    uint64_t beaten[64] = {0};
    uint32_t kept = 0, looked = n < 4096 ? n : 4096;
    for (uint32_t i = 0; i < looked; i++)
        beaten[i / 64] |= (uint64_t)is_beaten(options, n, i) << i % 64;
    for (uint32_t i = 0; i < n; i++) {
        if (i >= looked || !(beaten[i / 64] >> i % 64 & 1))
            options[kept++] = options[i];
    }
    return kept;
}

/* Lists the options of a job in the order in which it prefers them, without
 * those that the answer cannot contain. Returns their number. */
static uint32_t choice_offer(const struct choice_problem *p, uint32_t job,
                             struct choice_option *out)
{
    uint32_t n = 0, current = current_of(p, job);
    for (uint32_t i = 0; i <= p->n_configs; i++) {
        /* The current configuration comes first, then the others by index. */
        uint32_t c = i == 0 ? current : i - 1;
        if (c >= p->n_configs || (i > 0 && c == current) ||
            (c != current && is_forced(p, job)) ||
            choice_cost_of(p, job, c) == CHOICE_NEVER ||
            p->configs[c].gpus > p->capacity[p->configs[c].type])
            continue;
        out[n++] = (struct choice_option){.config = c,
                                          .type = p->configs[c].type,
                                          .gpus = p->configs[c].gpus,
                                          .cost = choice_cost_of(p, job, c)};
    }
    if (p->none_cost != CHOICE_NEVER && !is_forced(p, job))
        out[n++] =
            (struct choice_option){.config = CHOICE_NONE, .cost = p->none_cost};
    return drop_beaten(out, n);
}

static enum status reduce(const struct choice_problem *p,
                          struct choice_core *core, struct error *err)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        core->start[j] = n;
        n += choice_offer(p, j, core->option + n);
        if (core->start[j] == n)
            return error_set(err, STATUS_BAD_INPUT,
                             "no configuration is on offer to job %u, and it "
                             "must get one",
                             j);
    }
    core->start[p->n_jobs] = n;
    return STATUS_OK;
}

/* Replaces `picked`, any one of the cheapest answers, by the first of them,
 * with GLPK. GLPK alone would return an arbitrary one of them. For each job in
 * turn, asks whether there is an equally cheap answer with an option that the
 * job prefers. */
static enum status choice_put_first(const struct choice_core *core,
                                    int64_t cost, uint32_t *picked,
                                    struct error *err)
{
    uint32_t *only = mem_alloc((core->n_jobs + 1) * sizeof *only);
    uint32_t *other = mem_alloc((core->n_jobs + 1) * sizeof *other);
    enum status st = STATUS_OK;
    for (uint32_t j = 0; j < core->n_jobs; j++)
        only[j] = UINT32_MAX;
    for (uint32_t j = 0; j < core->n_jobs && st == STATUS_OK; j++) {
        for (uint32_t o = core->start[j]; o < picked[j] && st == STATUS_OK;
             o++) {
            int64_t at = INT64_MAX;
            only[j] = o;
            st = choice_branch(core, only, other, &at, err);
            for (uint32_t k = 0; at == cost && k < core->n_jobs; k++)
                picked[k] = other[k];
        }
        only[j] = picked[j];
    }
    free(only);
    free(other);
    return st;
}

static enum status branch(struct choice_search *search, struct error *err)
{
    int64_t tried = search->limit;
    enum status st =
        choice_branch(search->core, NULL, search->picked, &search->cost, err);
    if (st != STATUS_OK)
        return st;
    search->limit = search->cost;
    if (search->cost < tried && choice_search(search) == CHOICE_FOUND)
        return STATUS_OK;
    return choice_put_first(search->core, search->cost, search->picked, err);
}

/* Searches with a growing limit, which starts at the lower bound. A search
 * finds an answer as soon as the limit reaches the lowest possible cost, which
 * is usually at or just above the lower bound. The steps grow, because a search
 * with too high a limit also finds the cheapest answer. */
static enum status deepen(struct choice_search *search,
                          struct choice_answer *answer, struct error *err)
{
    int64_t bound = search->prices->bound;
    int64_t first = bound / CHOICE_SCALE + (bound % CHOICE_SCALE > 0);
    for (int64_t above = 0;; above += 1 + above / 3) {
        search->limit = first + above;
        enum choice_outcome outcome = choice_search(search);
        answer->searches++;
        if (outcome == CHOICE_FOUND)
            return STATUS_OK;
        answer->glpk = outcome == CHOICE_TOO_LARGE;
        if (answer->glpk)
            return branch(search, err);
    }
}

static enum status choice_solve_one(const struct choice_problem *p,
                                    struct choice_answer *answer,
                                    struct error *err)
{
    size_t options = (size_t)p->n_jobs * (p->n_configs + 1);
    struct choice_core core = {
        .n_jobs = p->n_jobs,
        .n_types = p->n_types,
        .capacity = p->capacity,
        .start = mem_alloc((p->n_jobs + 1) * sizeof *core.start),
        .option = mem_alloc((options + 1) * sizeof *core.option)};
    struct choice_prices prices = {
        .price = mem_zalloc(p->n_types, sizeof *prices.price)};
    struct choice_search search = {
        .core = &core,
        .prices = &prices,
        .max_labels = p->max_labels ? p->max_labels : CHOICE_LABELS,
        .picked = mem_alloc((p->n_jobs + 1) * sizeof *search.picked)};
    enum status st = reduce(p, &core, err);
    if (st != STATUS_OK)
        goto out;
    choice_ascend(&core, &prices);
    answer->ascents += prices.steps;
    answer->bound = (double)prices.bound / (double)CHOICE_SCALE;
    st = deepen(&search, answer, err);
    answer->labels += search.labels;
    answer->cost = search.cost;
    for (uint32_t j = 0; j < p->n_jobs && st == STATUS_OK; j++)
        answer->chosen[j] = core.option[search.picked[j]].config;
out:
    free(core.start);
    free(core.option);
    free(prices.price);
    free(search.picked);
    return st;
}

/* Checks that all jobs can get GPUs if all must get some. The check solves
 * another multiple-choice problem, in which the cost is the number of jobs
 * without GPUs. */
static enum status check_room(const struct choice_problem *p,
                              struct choice_answer *answer, struct error *err)
{
    size_t cells = (size_t)p->n_jobs * p->n_configs;
    int32_t *cost = mem_alloc((cells + 1) * sizeof *cost);
    struct choice_problem left_out = *p;
    for (size_t i = 0; i < cells; i++)
        cost[i] = p->cost[i] == CHOICE_NEVER ? CHOICE_NEVER : 0;
    left_out.cost = cost;
    left_out.none_cost = 1;
    enum status st = choice_solve_one(&left_out, answer, err);
    if (st == STATUS_OK && answer->cost > 0)
        st = error_set(err, STATUS_BAD_INPUT,
                       "all %u jobs must get GPUs, and there is room for %ld",
                       p->n_jobs, (long)(p->n_jobs - answer->cost));
    free(cost);
    return st;
}

enum status choice_solve(const struct choice_problem *problem,
                         struct choice_answer *answer, struct error *err)
{
    *answer = (struct choice_answer){.chosen = answer->chosen};
    enum status st = choice_check(problem, err);
    if (st == STATUS_OK && problem->none_cost == CHOICE_NEVER)
        st = check_room(problem, answer, err);
    return st == STATUS_OK ? choice_solve_one(problem, answer, err) : st;
}
