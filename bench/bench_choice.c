/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the multiple-choice solver on the problems recorded from Sia
 * (shared/golden/sia/ilp), and on larger problems made from them: k copies of
 * each job and k times the GPUs. The copies of a job differ in the cost of
 * leaving their configuration. Usage: `bench_choice [k...]`. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/rng.h"
#include "policies/sia/sia_internal.h"
#include "tests/support/ilp.h"

enum { REPEATS = 21 };

static double cpu_us(void)
{
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec * 1e6 + (double)at.tv_nsec * 1e-3;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void bench(const char *name, const struct choice_problem *p,
                  int64_t optimum)
{
    double us[REPEATS];
    struct choice_answer answer = {.chosen =
                                       mem_alloc(p->n_jobs * sizeof(uint32_t))};
    struct error err;
    uint32_t gpus = 0;
    for (uint32_t t = 0; t < p->n_types; t++)
        gpus += p->capacity[t];
    for (size_t i = 0; i < REPEATS; i++) {
        double start = cpu_us();
        if (choice_solve(p, &answer, &err) != STATUS_OK) {
            printf("%s: %s\n", name, err.message);
            goto out;
        }
        us[i] = cpu_us() - start;
    }
    qsort(us, REPEATS, sizeof *us, by_size);
    printf("%-14s %5u %5u %10.1f %8u %8u %9" PRIu64 " %4s %9.2f %s\n", name,
           gpus, p->n_jobs, us[REPEATS / 2], answer.ascents, answer.searches,
           answer.labels, answer.glpk ? "yes" : "no", (double)answer.cost / 100,
           optimum < 0              ? "-"
           : answer.cost == optimum ? "agrees"
                                    : "DIFFERS");
out:
    free(answer.chosen);
}

static void copy_job(const struct choice_problem *p, uint32_t job,
                     double leaving, int32_t *cost)
{
    for (uint32_t c = 0; c < p->n_configs; c++) {
        int32_t was = p->cost[(size_t)job * p->n_configs + c];
        cost[c] = c == p->current[job] ? was : (int32_t)lround(was * leaving);
    }
}

/* Measures the problem with k copies of each job. The copies are neighbours, as
 * jobs of one application are in a real round. */
static void bench_copies(const char *name, const struct choice_problem *p,
                         uint32_t k, gsl_rng *rng)
{
    struct choice_problem big = *p;
    big.n_jobs *= k;
    int32_t *cost = mem_alloc((size_t)big.n_jobs * p->n_configs * sizeof *cost);
    uint32_t *current = mem_alloc(big.n_jobs * sizeof *current);
    uint32_t *capacity = mem_alloc(p->n_types * sizeof *capacity);
    bool *forced = mem_alloc(big.n_jobs * sizeof *forced);
    for (uint32_t t = 0; t < p->n_types; t++)
        capacity[t] = k * p->capacity[t];
    for (uint32_t j = 0; j < big.n_jobs; j++) {
        double leaving = p->current[j / k] == CHOICE_NONE
                             ? 1
                             : 0.97 + 0.001 * rng_below(rng, 61);
        copy_job(p, j / k, leaving, cost + (size_t)j * p->n_configs);
        current[j] = p->current[j / k];
        forced[j] = p->forced[j / k];
    }
    big.cost = cost;
    big.current = current;
    big.capacity = capacity;
    big.forced = forced;
    bench(name, &big, -1);
    free(cost);
    free(current);
    free(capacity);
    free(forced);
}

static void bench_set(const char *name, const struct ilp_set *set, uint32_t k)
{
    char label[64];
    gsl_rng *rng = rng_open(k, name);
    for (uint32_t i = 0; i < set->n_rounds; i++) {
        const struct ilp_round *round = &set->rounds[i];
        snprintf(label, sizeof label, k == 1 ? "%s" : "%s x%u", name, k);
        if (k == 1)
            bench(label, &round->problem, round->optimum);
        else
            bench_copies(label, &round->problem, k, rng);
    }
    rng_free(rng);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"philly-1", "philly-2",   "saturn-1",
                                        "saturn-2", "newtrace-1", "scale-2x",
                                        "scale-8x"};
    const char *shared = getenv("SCHEDSIM_SHARED");
    char path[4096];
    printf("%-14s %5s %5s %10s %8s %8s %9s %4s %9s\n", "set", "GPUs", "jobs",
           "us", "ascents", "searches", "labels", "GLPK", "cost");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ilp_set set;
        snprintf(path, sizeof path, "%s/golden/sia/ilp/%s.json",
                 shared && *shared ? shared : "../shared", names[i]);
        if (access(path, R_OK) != 0) {
            puts("skipped: ../shared not present");
            return 0;
        }
        if (!ilp_read(path, &set))
            return 1;
        bench_set(names[i], &set, 1);
        for (int k = 1; k < argc; k++)
            bench_set(names[i], &set, (uint32_t)strtoul(argv[k], NULL, 10));
        ilp_free(&set);
    }
    return 0;
}
