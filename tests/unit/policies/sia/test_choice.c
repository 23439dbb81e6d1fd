/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the multiple-choice solver with an exhaustive search, with a dynamic
 * program over the numbers of free GPUs, with its own second method (GLPK), and
 * with the optima recorded from Sia's simulator. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "policies/sia/sia_internal.h"
#include "tests/support/ilp.h"

enum { JOBS = 10, CONFIGS = 6, TYPES = 3, ROOM = 16 };

struct tiny {
    struct choice_config configs[CONFIGS];
    uint32_t capacity[TYPES], current[JOBS];
    int32_t cost[JOBS * CONFIGS];
    bool forced[JOBS];
    struct choice_problem p;
};

static void draw_jobs(gsl_rng *rng, struct tiny *tiny, uint32_t range)
{
    struct choice_problem *p = &tiny->p;
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        tiny->current[j] =
            rng_below(rng, 2) ? rng_below(rng, p->n_configs) : CHOICE_NONE;
        for (uint32_t c = 0; c < p->n_configs; c++)
            tiny->cost[j * p->n_configs + c] =
                rng_below(rng, 8) ? (int32_t)rng_below(rng, range)
                                  : CHOICE_NEVER;
        tiny->forced[j] =
            tiny->current[j] != CHOICE_NONE && rng_below(rng, 6) == 0;
    }
}

static void draw(gsl_rng *rng, struct tiny *tiny, uint32_t jobs, uint32_t range)
{
    *tiny = (struct tiny){0};
    tiny->p = (struct choice_problem){
        .n_jobs = jobs,
        .n_configs = 1 + rng_below(rng, CONFIGS),
        .n_types = 1 + rng_below(rng, TYPES),
        .configs = tiny->configs,
        .capacity = tiny->capacity,
        .cost = tiny->cost,
        .current = tiny->current,
        .forced = tiny->forced,
        .none_cost = rng_below(rng, 3) ? (int32_t)rng_below(rng, 2 * range)
                                       : CHOICE_NEVER};
    for (uint32_t t = 0; t < tiny->p.n_types; t++)
        tiny->capacity[t] = rng_below(rng, ROOM);
    for (uint32_t c = 0; c < tiny->p.n_configs; c++)
        tiny->configs[c] =
            (struct choice_config){.type = rng_below(rng, tiny->p.n_types),
                                   .gpus = 1 + rng_below(rng, 6)};
    draw_jobs(rng, tiny, range);
}

/* Returns the k-th choice of a job in its order of preference: first its
 * current configuration, then the others in their order, last none. */
static uint32_t preferred(const struct choice_problem *p, uint32_t job,
                          uint32_t k)
{
    uint32_t current = p->current[job];
    if (k == p->n_configs)
        return CHOICE_NONE;
    if (current == CHOICE_NONE)
        return k;
    if (k == 0)
        return current;
    return k <= current ? k - 1 : k;
}

static int32_t cost_at(const struct choice_problem *p, uint32_t job, uint32_t c)
{
    if (p->forced[job] && c != p->current[job])
        return CHOICE_NEVER;
    return c == CHOICE_NONE ? p->none_cost : p->cost[job * p->n_configs + c];
}

struct tried {
    uint32_t chosen[JOBS], best[JOBS];
    int64_t least;
};

/* Tries all answers in the order of preference and keeps the first one among
 * those with the lowest cost. */
static void try_all(const struct choice_problem *p, uint32_t job, int64_t cost,
                    const uint32_t *left, struct tried *tried)
{
    if (job == p->n_jobs) {
        if (cost < tried->least) {
            tried->least = cost;
            memcpy(tried->best, tried->chosen, sizeof tried->best);
        }
        return;
    }
    for (uint32_t k = 0; k <= p->n_configs; k++) {
        uint32_t c = preferred(p, job, k), rest[TYPES];
        int32_t add = cost_at(p, job, c);
        memcpy(rest, left, sizeof rest);
        if (add == CHOICE_NEVER ||
            (c != CHOICE_NONE && p->configs[c].gpus > rest[p->configs[c].type]))
            continue;
        if (c != CHOICE_NONE)
            rest[p->configs[c].type] -= p->configs[c].gpus;
        tried->chosen[job] = c;
        try_all(p, job + 1, cost + add, rest, tried);
    }
}

static void the_answer_is_the_first_of_the_cheapest(void **state)
{
    gsl_rng *rng = rng_open(1, "test choice");
    uint32_t solved = 0, refused = 0;
    struct error err;
    (void)state;
    for (uint32_t i = 0; i < 4000; i++) {
        struct tiny tiny;
        uint32_t chosen[JOBS], ways = i % 2 ? 1 : 0;
        struct choice_answer answer = {.chosen = chosen};
        struct tried tried = {.least = INT64_MAX};
        draw(rng, &tiny, 1 + rng_below(rng, 5), i % 3 ? 6 : 200);
        tiny.p.max_labels = ways;
        try_all(&tiny.p, 0, 0, tiny.capacity, &tried);
        enum status st = choice_solve(&tiny.p, &answer, &err);
        assert_int_equal(st == STATUS_OK, tried.least < INT64_MAX);
        if (st != STATUS_OK) {
            assert_int_equal(st, STATUS_BAD_INPUT);
            refused++;
            continue;
        }
        solved++;
        assert_int_equal(answer.cost, tried.least);
        assert_memory_equal(chosen, tried.best, tiny.p.n_jobs * sizeof *chosen);
        assert_true(answer.bound <= (double)answer.cost);
    }
    assert_true(solved > 1000 && refused > 100);
    rng_free(rng);
}

/* The number of free GPUs of each type, encoded as one number: the sum over
 * types t of free[t] times step[t]. */
enum { CELLS = ROOM * ROOM * ROOM };
static const uint32_t step[TYPES] = {1, ROOM, ROOM *ROOM};

/* Extends a state by job j: `left` encodes the free GPUs, `cost` is the lowest
 * cost so far. Tries each configuration of the job and none, and lowers next[]
 * of the state that results. */
static void try_each(const struct choice_problem *p, uint32_t j, uint32_t left,
                     int64_t cost, int64_t *next)
{
    for (uint32_t k = 0; k <= p->n_configs; k++) {
        uint32_t c = k < p->n_configs ? k : CHOICE_NONE, to = left;
        int32_t add = cost_at(p, j, c);
        if (c != CHOICE_NONE) {
            const struct choice_config *config = &p->configs[c];
            if (left / step[config->type] % ROOM < config->gpus)
                continue;
            to -= config->gpus * step[config->type];
        }
        if (add != CHOICE_NEVER && cost + add < next[to])
            next[to] = cost + add;
    }
}

/* Solves by dynamic programming. now[i] is the lowest cost of the jobs so far
 * that leaves the free GPUs which i encodes. Returns the lowest cost of all
 * jobs; INT64_MAX if there is no solution. */
static int64_t by_what_is_left(const struct choice_problem *p)
{
    int64_t *now = malloc(2 * CELLS * sizeof *now), *next = now + CELLS;
    uint32_t full = 0;
    int64_t least = INT64_MAX;
    for (uint32_t t = 0; t < p->n_types; t++)
        full += p->capacity[t] * step[t];
    for (uint32_t i = 0; i < CELLS; i++)
        now[i] = i == full ? 0 : INT64_MAX;
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        for (uint32_t i = 0; i < CELLS; i++)
            next[i] = INT64_MAX;
        for (uint32_t i = 0; i < CELLS; i++) {
            if (now[i] < INT64_MAX)
                try_each(p, j, i, now[i], next);
        }
        memcpy(now, next, CELLS * sizeof *now);
    }
    for (uint32_t i = 0; i < CELLS; i++)
        least = now[i] < least ? now[i] : least;
    free(now);
    return least;
}

static void a_program_over_the_gpus_left_agrees(void **state)
{
    gsl_rng *rng = rng_open(2, "test choice");
    struct error err;
    (void)state;
    for (uint32_t i = 0; i < 300; i++) {
        struct tiny tiny;
        uint32_t chosen[JOBS];
        struct choice_answer answer = {.chosen = chosen};
        draw(rng, &tiny, JOBS, i % 2 ? 10 : 1000);
        int64_t least = by_what_is_left(&tiny.p);
        enum status st = choice_solve(&tiny.p, &answer, &err);
        assert_int_equal(st == STATUS_OK, least < INT64_MAX);
        if (st == STATUS_OK)
            assert_int_equal(answer.cost, least);
    }
    rng_free(rng);
}

/* If the search may keep only one label, it gives up in most cases, and GLPK
 * solves the problem. */
static void both_ways_give_the_same_answer(void **state)
{
    gsl_rng *rng = rng_open(3, "test choice");
    struct error err;
    uint32_t asked = 0;
    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        struct tiny tiny;
        uint32_t chosen[JOBS], again[JOBS];
        struct choice_answer answer = {.chosen = chosen},
                             other = {.chosen = again};
        draw(rng, &tiny, JOBS, 6);
        enum status st = choice_solve(&tiny.p, &answer, &err);
        tiny.p.max_labels = 1;
        assert_int_equal(st, choice_solve(&tiny.p, &other, &err));
        if (st != STATUS_OK)
            continue;
        asked += other.glpk;
        assert_false(answer.glpk);
        assert_int_equal(answer.cost, other.cost);
        assert_memory_equal(chosen, again, sizeof chosen);
    }
    assert_true(asked > 100);
    rng_free(rng);
}

static void what_cannot_be_is_refused(void **state)
{
    const struct choice_config configs[] = {{0, 2}, {0, 4}};
    uint32_t capacity[] = {6}, current[] = {1, 1, CHOICE_NONE}, chosen[3];
    int32_t cost[] = {5, 1, 5, 1, 5, 1};
    bool forced[] = {true, true, false};
    struct choice_answer answer = {.chosen = chosen};
    struct error err;
    struct choice_problem p = {.n_jobs = 3,
                               .n_configs = 2,
                               .n_types = 1,
                               .configs = configs,
                               .capacity = capacity,
                               .cost = cost,
                               .current = current,
                               .forced = forced,
                               .none_cost = 110};
    (void)state;
    assert_int_equal(choice_solve(&p, &answer, &err), STATUS_BAD_INPUT);
    assert_string_equal(err.message, "jobs that must keep their configurations "
                                     "hold 8 GPUs of type 0, which has 6");
    forced[1] = false;
    assert_int_equal(choice_solve(&p, &answer, &err), STATUS_OK);
    assert_int_equal(answer.cost, 1 + 5 + 110);
    /* jobs 1 and 2 have equal costs: the earlier job gets the GPUs */
    assert_int_equal(chosen[1], 0);
    assert_int_equal(chosen[2], CHOICE_NONE);
    p.none_cost = CHOICE_NEVER;
    assert_int_equal(choice_solve(&p, &answer, &err), STATUS_BAD_INPUT);
    assert_string_equal(err.message,
                        "all 3 jobs must get GPUs, and there is room for 2");
    cost[0] = CHOICE_COST_MAX + 1;
    assert_int_equal(choice_solve(&p, &answer, &err), STATUS_BAD_INPUT);
    cost[0] = 5;
    cost[1] = CHOICE_NEVER;
    assert_int_equal(choice_solve(&p, &answer, &err), STATUS_BAD_INPUT);
    assert_string_equal(err.message,
                        "job 0 must keep configuration 1, which is "
                        "not on offer to it");
}

/* The sum of the jobs' cheapest options at a price, less the price of all GPUs
 * of the one type. */
static double bound_at(const struct choice_core *core, double price)
{
    double sum = -price * core->capacity[0];
    for (uint32_t j = 0; j < core->n_jobs; j++) {
        double least = INFINITY;
        for (uint32_t o = core->start[j]; o < core->start[j + 1]; o++)
            least = fmin(least, (double)core->option[o].cost +
                                    price * core->option[o].gpus);
        sum += least;
    }
    return sum;
}

/* With one type, the bound is highest at a price at which some job is of two
 * minds, or at 0. */
static void the_bound_is_that_of_the_best_price(void **state)
{
    enum { OPTIONS = 5 };
    gsl_rng *rng = rng_open(9, "test choice");
    struct choice_option all[JOBS * OPTIONS];
    uint32_t start[JOBS + 1], n_dear = 0;
    (void)state;
    for (uint32_t round = 0; round < 500; round++) {
        uint32_t capacity = 5 + rng_below(rng, ROOM);
        struct choice_core core = {.n_jobs = 1 + rng_below(rng, JOBS),
                                   .n_types = 1,
                                   .capacity = &capacity,
                                   .start = start,
                                   .option = all};
        for (uint32_t j = 0; j <= core.n_jobs; j++)
            start[j] = j * OPTIONS;
        for (uint32_t o = 0; o < start[core.n_jobs]; o++)
            all[o] = o % OPTIONS
                         ? (struct choice_option){.gpus = 1 + rng_below(rng, 6),
                                                  .cost = rng_below(rng, 1000)}
                         : (struct choice_option){.cost = 1000};
        double best = bound_at(&core, 0);
        for (uint32_t o = 0; o < start[core.n_jobs]; o++) {
            for (uint32_t k = o - o % OPTIONS; k < o; k++) {
                double more = (double)all[o].gpus - all[k].gpus;
                double at = (double)(all[k].cost - all[o].cost) / more;
                if (all[o].gpus != all[k].gpus && at > 0)
                    best = fmax(best, bound_at(&core, at));
            }
        }
        n_dear += best > bound_at(&core, 0) + 1;
        int64_t price;
        struct choice_prices prices = {.price = &price};
        choice_ascend(&core, &prices);
        double bound = (double)prices.bound / (double)CHOICE_SCALE;
        assert_true(bound <= best + 1e-3 && bound >= best - 0.05);
    }
    assert_true(n_dear > 200);
    rng_free(rng);
}

static void expect_recorded(const struct ilp_round *round)
{
    uint32_t n = round->problem.n_jobs;
    struct choice_answer answer = {.chosen = malloc(n * sizeof(uint32_t))};
    struct error err;
    assert_int_equal(choice_solve(&round->problem, &answer, &err), STATUS_OK);
    assert_int_equal(answer.cost, round->optimum);
    assert_false(answer.glpk);
    /* the dual prices must prove the optimum of the linear program */
    assert_true(answer.bound <= round->relaxed + 1e-3);
    assert_true(answer.bound >= round->relaxed - 0.05);
    free(answer.chosen);
}

static void the_optima_of_sias_simulator_are_found(void **state)
{
    static const char *const files[] = {"philly-1", "philly-2",   "saturn-1",
                                        "saturn-2", "newtrace-1", "scale-2x",
                                        "scale-8x"};
    const char *shared = getenv("SCHEDSIM_SHARED");
    char path[4096];
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct ilp_set set;
        snprintf(path, sizeof path, "%s/golden/sia/ilp/%s.json",
                 shared && *shared ? shared : "../shared", files[i]);
        if (access(path, R_OK) != 0) {
            print_message("skipped: ../shared not present\n");
            skip();
        }
        assert_true(ilp_read(path, &set));
        assert_int_equal(set.n_rounds, 2);
        for (uint32_t r = 0; r < set.n_rounds; r++)
            expect_recorded(&set.rounds[r]);
        ilp_free(&set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_is_the_first_of_the_cheapest),
        cmocka_unit_test(a_program_over_the_gpus_left_agrees),
        cmocka_unit_test(both_ways_give_the_same_answer),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(the_bound_is_that_of_the_best_price),
        cmocka_unit_test(the_optima_of_sias_simulator_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
