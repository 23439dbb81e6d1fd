/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the solutions of the linear program of the fairness policies with a
 * formula and with an exhaustive search. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "policies/gavel/gavel_internal.h"

enum { JOBS = 12, POOLS = 3 };

struct problem {
    double rate[JOBS * POOLS], gpus[JOBS], capacity[POOLS], need[JOBS];
    double x[JOBS * POOLS];
    struct share_lp lp;
};

/* Draws a problem. All problems of one test share `solver`. */
static void draw(gsl_rng *rng, struct share_solver *solver, struct problem *p,
                 uint32_t jobs, uint32_t pools)
{
    *p = (struct problem){0};
    p->lp = (struct share_lp){.n_jobs = jobs,
                              .n_pools = pools,
                              .rate = p->rate,
                              .gpus = p->gpus,
                              .capacity = p->capacity,
                              .need = p->need,
                              .x = p->x,
                              .solver = solver};
    for (uint32_t i = 0; i < jobs * pools; i++)
        p->rate[i] = i % pools && rng_below(rng, 4) == 0
                         ? 0
                         : 0.25 * (1 + rng_below(rng, 12));
    for (uint32_t j = 0; j < jobs; j++) {
        p->gpus[j] = 1u << rng_below(rng, 3);
        p->need[j] = 1 + rng_below(rng, 100000);
    }
    for (uint32_t i = 0; i < pools; i++)
        p->capacity[i] = 4 + rng_below(rng, 5);
}

/* Checks that the fractions x keep to all limits, and that t is the smallest
 * work per need of a job. */
static void expect_solved(const struct problem *p, double t)
{
    const struct share_lp *lp = &p->lp;
    double used[POOLS] = {0}, least = INFINITY;
    for (uint32_t j = 0; j < lp->n_jobs; j++) {
        double time = 0, work = 0;
        for (uint32_t i = 0; i < lp->n_pools; i++) {
            double x = p->x[j * lp->n_pools + i];
            assert_true(x >= 0);
            assert_true(x <= 0 || p->rate[j * lp->n_pools + i] > 0);
            time += x;
            work += x * p->rate[j * lp->n_pools + i];
            used[i] += x * p->gpus[j];
        }
        assert_true(time <= 1 + 1e-6);
        least = fmin(least, work / p->need[j]);
    }
    for (uint32_t i = 0; i < lp->n_pools; i++)
        assert_true(used[i] <= p->capacity[i] * (1 + 1e-6));
    assert_true(fabs(least - t) <= 1e-6 * t);
}

static void the_formula_and_the_simplex_agree(void **state)
{
    gsl_rng *rng = rng_open(1, "test share_lp");
    struct problem p;
    for (int i = 0; i < 500; i++) {
        draw(rng, *state, &p, 1 + rng_below(rng, JOBS), 1);
        double t = share_lp_one_pool(&p.lp);
        expect_solved(&p, t);
        assert_true(fabs(share_lp_simplex(&p.lp) - t) <= 1e-6 * t);
        expect_solved(&p, t);
    }
    rng_free(rng);
}

static void several_pools_keep_all_limits(void **state)
{
    gsl_rng *rng = rng_open(2, "test share_lp");
    struct problem p;
    for (int i = 0; i < 500; i++) {
        draw(rng, *state, &p, 1 + rng_below(rng, JOBS), 2 + rng_below(rng, 2));
        double t = share_lp_solve(&p.lp);
        assert_true(t > 0);
        expect_solved(&p, t);
    }
    rng_free(rng);
}

enum { GRID = 16 };

/* Returns the highest objective for two jobs in two pools if all fractions are
 * multiples of 1/GRID. */
static double best_on_grid(const struct problem *p)
{
    double best = 0, step = 1.0 / GRID;
    for (int a = 0; a <= GRID; a++)
        for (int b = 0; a + b <= GRID; b++)
            for (int c = 0; c <= GRID; c++)
                for (int d = 0; c + d <= GRID; d++) {
                    double first = p->gpus[0] * a + p->gpus[1] * c;
                    double second = p->gpus[0] * b + p->gpus[1] * d;
                    if (first * step > p->capacity[0] ||
                        second * step > p->capacity[1])
                        continue;
                    double t = fmin(
                        (p->rate[0] * a + p->rate[1] * b) * step / p->need[0],
                        (p->rate[2] * c + p->rate[3] * d) * step / p->need[1]);
                    best = fmax(best, t);
                }
    return best;
}

/* If the needs are the remaining work, 1/t is the shortest makespan. An
 * exhaustive search on a grid confirms this: rounding the best fractions down
 * to the grid costs a job less than one step of the grid in each pool. */
static void the_least_makespan_is_that_of_trying_everything(void **state)
{
    gsl_rng *rng = rng_open(3, "test share_lp");
    struct problem p;
    for (int i = 0; i < 200; i++) {
        draw(rng, *state, &p, 2, 2);
        p.capacity[0] = 1 + rng_below(rng, 4);
        p.capacity[1] = 1 + rng_below(rng, 4);
        double t = share_lp_solve(&p.lp), grid = best_on_grid(&p);
        double loss = fmax((p.rate[0] + p.rate[1]) / p.need[0],
                           (p.rate[2] + p.rate[3]) / p.need[1]) /
                      GRID;
        expect_solved(&p, t);
        assert_true(grid <= t * (1 + 1e-9));
        assert_true(t <= grid + loss);
    }
    rng_free(rng);
}

static void equal_jobs_get_equal_shares(void **state)
{
    gsl_rng *rng = rng_open(4, "test share_lp");
    struct problem p;
    for (uint32_t jobs = 1; jobs <= JOBS; jobs++) {
        draw(rng, *state, &p, jobs, 1);
        for (uint32_t j = 1; j < jobs; j++) {
            p.rate[j] = p.rate[0];
            p.gpus[j] = p.gpus[0];
            p.need[j] = p.need[0];
        }
        share_lp_solve(&p.lp);
        double fair = fmin(1, p.capacity[0] / (jobs * p.gpus[0]));
        for (uint32_t j = 0; j < jobs; j++)
            assert_true(fabs(p.x[j] - fair) < 1e-9);
    }
    rng_free(rng);
}

static void who_can_run_nowhere_holds_all_back(void **state)
{
    gsl_rng *rng = rng_open(5, "test share_lp");
    struct problem p;
    draw(rng, *state, &p, 3, 2);
    p.rate[2] = p.rate[3] = 0;
    assert_true(fabs(share_lp_solve(&p.lp)) < 1e-12);
    draw(rng, *state, &p, 3, 1);
    p.rate[1] = 0;
    assert_true(fabs(share_lp_solve(&p.lp)) < 1e-12);
    rng_free(rng);
}

enum { MANY = 60 };

struct large {
    double rate[MANY * POOLS], gpus[MANY], capacity[POOLS], need[MANY];
    double x[MANY * POOLS];
    struct share_lp lp;
};

/* Draws a problem of up to MANY jobs in two or three pools. Some pools are
 * closed, some pools and some jobs are alike, some needs are tiny. */
static void draw_large(gsl_rng *rng, struct share_solver *solver,
                       struct large *p)
{
    uint32_t jobs = 1 + rng_below(rng, MANY), pools = 2 + rng_below(rng, 2);
    uint32_t rates = 1 + rng_below(rng, 12), sizes = 1 + rng_below(rng, 4);
    p->lp = (struct share_lp){.n_jobs = jobs,
                              .n_pools = pools,
                              .rate = p->rate,
                              .gpus = p->gpus,
                              .capacity = p->capacity,
                              .need = p->need,
                              .x = p->x,
                              .solver = solver};
    for (uint32_t i = 0; i < jobs * pools; i++)
        p->rate[i] = i % pools && rng_below(rng, 4) == 0
                         ? 0
                         : 0.25 * (1 + rng_below(rng, rates));
    for (uint32_t j = 0; j < jobs; j++) {
        p->gpus[j] = 1u << rng_below(rng, sizes);
        p->need[j] = rng_below(rng, 5) ? 1 + rng_below(rng, 100000) : 1e-3;
    }
    for (uint32_t i = 0; i < pools; i++)
        p->capacity[i] =
            i && rng_below(rng, 10) == 0 ? 0 : 8 << rng_below(rng, 5);
}

static void columns_and_the_simplex_agree(void **state)
{
    gsl_rng *rng = rng_open(6, "test share_lp");
    static struct large p;
    for (int i = 0; i < 2000; i++) {
        draw_large(rng, *state, &p);
        double plain = share_lp_simplex(&p.lp);
        double t = share_lp_columns(&p.lp, INFINITY);
        assert_true(t > 0);
        assert_true(fabs(t - plain) <= 1e-7 * plain);
        for (uint32_t j = 0; j < p.lp.n_jobs; j++) {
            double time = 0, work = 0;
            for (uint32_t k = 0; k < p.lp.n_pools; k++) {
                double x = p.x[j * p.lp.n_pools + k];
                assert_true(x >= 0);
                time += x;
                work += x * p.rate[j * p.lp.n_pools + k];
            }
            assert_true(time <= 1 + 1e-9);
            assert_true(fabs(work / p.need[j] - t) <= 1e-7 * t);
        }
        for (uint32_t k = 0; k < p.lp.n_pools; k++) {
            double used = 0;
            for (uint32_t j = 0; j < p.lp.n_jobs; j++)
                used += p.gpus[j] * p.x[j * p.lp.n_pools + k];
            assert_true(used <= p.capacity[k] + 1e-6);
        }
    }
    rng_free(rng);
}

static void a_t_is_reached_up_to_the_largest(void **state)
{
    gsl_rng *rng = rng_open(7, "test share_lp");
    static struct large p;
    for (int i = 0; i < 500; i++) {
        draw_large(rng, *state, &p);
        double t = share_lp_simplex(&p.lp);
        assert_true(share_lp_reaches(&p.lp, t * 0.5));
        assert_true(share_lp_reaches(&p.lp, t * (1 - 1e-6)));
        assert_false(share_lp_reaches(&p.lp, t * (1 + 1e-6)));
        assert_false(share_lp_reaches(&p.lp, t * 2));
    }
    rng_free(rng);
}

/* Returns the weighted work of x, and checks that x meets the needs within all
 * limits. */
static double weighted_work(const struct large *p)
{
    const struct share_lp *lp = &p->lp;
    double used[POOLS] = {0}, sum = 0;
    for (uint32_t j = 0; j < lp->n_jobs; j++) {
        double time = 0, work = 0;
        for (uint32_t k = 0; k < lp->n_pools; k++) {
            double x = p->x[j * lp->n_pools + k];
            assert_true(x >= 0);
            time += x;
            work += x * p->rate[j * lp->n_pools + k];
            used[k] += p->gpus[j] * x;
        }
        assert_true(time <= 1 + 1e-9);
        assert_true(work >= p->need[j] * (1 - 1e-7));
        sum += lp->weight[j] * work;
    }
    for (uint32_t k = 0; k < lp->n_pools; k++)
        assert_true(used[k] <= p->capacity[k] * (1 + 1e-8));
    return sum;
}

static void what_is_left_over_does_the_most_work(void **state)
{
    gsl_rng *rng = rng_open(8, "test share_lp");
    static struct large p;
    double weight[MANY];
    for (int i = 0; i < 1000; i++) {
        draw_large(rng, *state, &p);
        /* from needs that leave nothing over to needs that leave nearly all */
        double t = share_lp_simplex(&p.lp),
               part = i % 4 ? (1 + rng_below(rng, 1000)) / 1001.0 : 1 - 1e-6;
        for (uint32_t j = 0; j < p.lp.n_jobs; j++) {
            p.need[j] *= t * part;
            weight[j] = 1e-5 * (1 + rng_below(rng, 1 + 999 * (i % 3 > 0)));
        }
        p.lp.weight = weight;
        double plain = share_lp_simplex(&p.lp);
        assert_true(plain > 0);
        assert_true(share_lp_columns_weighted(&p.lp));
        assert_true(fabs(weighted_work(&p) - plain) <= 1e-7 * plain);
        for (uint32_t j = 0; j < p.lp.n_jobs; j++)
            p.need[j] *= 1.001 / part;
        assert_false(share_lp_columns_weighted(&p.lp));
        assert_false(share_lp_spend(&p.lp));
    }
    rng_free(rng);
}

static void one_pool_meets_needs_or_says_no(void **state)
{
    gsl_rng *rng = rng_open(9, "test share_lp");
    struct problem p;
    for (int i = 0; i < 100; i++) {
        draw(rng, *state, &p, 1 + rng_below(rng, JOBS), 1);
        double t = share_lp_solve(&p.lp);
        for (uint32_t j = 0; j < p.lp.n_jobs; j++)
            p.need[j] *= t * 0.999;
        assert_true(share_lp_spend(&p.lp));
        for (uint32_t j = 0; j < p.lp.n_jobs; j++)
            p.need[j] *= 1.01;
        assert_false(share_lp_spend(&p.lp));
    }
    rng_free(rng);
}

static int load_solver(void **state)
{
    struct share_solver *solver;
    if (share_solver_new(&solver, NULL) != STATUS_OK)
        return -1;
    *state = solver;
    return 0;
}

static int free_solver(void **state)
{
    share_solver_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_formula_and_the_simplex_agree),
        cmocka_unit_test(one_pool_meets_needs_or_says_no),
        cmocka_unit_test(several_pools_keep_all_limits),
        cmocka_unit_test(the_least_makespan_is_that_of_trying_everything),
        cmocka_unit_test(equal_jobs_get_equal_shares),
        cmocka_unit_test(columns_and_the_simplex_agree),
        cmocka_unit_test(a_t_is_reached_up_to_the_largest),
        cmocka_unit_test(what_is_left_over_does_the_most_work),
        cmocka_unit_test(who_can_run_nowhere_holds_all_back),
    };
    return cmocka_run_group_tests_name("share_lp", tests, load_solver,
                                       free_solver);
}
