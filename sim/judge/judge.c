/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checks, each a law that must hold for every policy, and the score. */
#include "sim/judge/judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/judge/judge_internal.h"

/* Runs a check on one jobset. STATUS_END: the check does not concern this
 * policy. */
typedef enum status (*trial)(const struct judge *judge, struct workload *w,
                             struct error *err);

/* Checks that each job ends and that no plan breaks a rule. */
static enum status judge_ends(const struct judge *judge, struct workload *w,
                              struct error *err)
{
    struct run *run;
    enum status st =
        judge_run(judge, w, judge->config->policy, false, &run, err);
    run_free(run);
    return st;
}

static enum status judge_repeats(const struct judge *judge, struct workload *w,
                                 struct error *err)
{
    const char *policy = judge->config->policy;
    struct run *a = NULL, *b = NULL;
    enum status st = judge_run(judge, w, policy, false, &a, err);
    if (st == STATUS_OK)
        st = judge_run(judge, w, policy, false, &b, err);
    if (st == STATUS_OK)
        st = judge_compare(a, b, TIME_NEVER, err);
    if (st == STATUS_OK &&
        run_result(a)->n_decisions != run_result(b)->n_decisions)
        st = error_set(err, STATUS_BROKEN,
                       "the second run has another number of decisions");
    run_free(a);
    run_free(b);
    return st;
}

static enum status settles(const struct judge *judge, struct workload *w,
                           struct error *err)
{
    struct run *run;
    enum status st =
        judge_run(judge, w, judge->config->policy, true, &run, err);
    run_free(run);
    return st;
}

/* Checks that jobs which are submitted later change nothing before their
 * submission. */
static enum status judge_blind(const struct judge *judge, struct workload *w,
                               struct error *err)
{
    const char *policy = judge->config->policy;
    struct run *whole = NULL, *part = NULL;
    sim_time until = w->jobs[w->n_jobs / 2].submitted;
    enum status st = judge_run(judge, w, policy, false, &whole, err);
    while (w->jobs[w->n_jobs - 1].submitted > until)
        w->n_jobs--;
    if (st == STATUS_OK)
        st = judge_run(judge, w, policy, false, &part, err);
    if (st == STATUS_OK)
        st = judge_compare(whole, part, until, err);
    if (st == STATUS_BROKEN)
        error_prefix(err, "without the jobs that come after %g s: ",
                     span_seconds(until));
    run_free(whole);
    run_free(part);
    return st;
}

/* Checks, for a policy that needs no beliefs, does not profile and is not
 * elastic, that no start before the first end of an attempt depends on how long
 * jobs run. */
static enum status blind_times(const struct judge *judge, struct workload *w,
                               struct error *err)
{
    const char *policy = judge->config->policy;
    struct run *a = NULL, *b = NULL;
    enum status st = judge_run(judge, w, policy, false, &a, err);
    if (st == STATUS_OK && run_result(a)->policy_needs &
                               (POLICY_NEEDS_DURATION | POLICY_NEEDS_DEMAND |
                                POLICY_PROFILES | POLICY_ELASTIC))
        st = STATUS_END;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        w->jobs[i].runs *= 2;
    if (st == STATUS_OK)
        st = judge_run(judge, w, policy, false, &b, err);
    if (st == STATUS_OK)
        st = judge_compare(a, b, judge_first_end(a) - 1, err);
    if (st == STATUS_BROKEN)
        error_prefix(err, "with jobs that run twice as long: ");
    run_free(a);
    run_free(b);
    return st;
}

static const struct {
    const char *name, *about, *skipped;
    trial try;
} checks[] = {
    {.name = "ends",
     .about = "each job ends and no plan breaks a rule",
     .try = judge_ends},
    {.name = "repeats",
     .about = "a second run is equal to the first",
     .try = judge_repeats},
    {.name = "settles",
     .about = "asked again at the same instant, it plans nothing but a wake",
     .try = settles},
    {.name = "blind",
     .about = "jobs to come change nothing before they are submitted",
     .try = judge_blind},
    {.name = "blind-times",
     .about = "run times change nothing before the first job ends",
     .skipped = "the policy asks for beliefs, which depend on run times",
     .try = blind_times},
};
enum { N_CHECKS = sizeof checks / sizeof *checks };

static void run_check(const struct judge *judge, size_t i)
{
    struct judge_check *check = &judge->verdict->checks[i];
    enum status st = STATUS_OK;
    for (uint32_t k = 0; k < judge->config->n_jobsets && st != STATUS_END;
         k++) {
        struct workload w;
        struct error err = {0};
        workload_draw(&w, judge->config->seed, k);
        check->n_done = k + 1;
        st = checks[i].try(judge, &w, &err);
        if (st == STATUS_OK || st == STATUS_END)
            continue;
        if (check->n_failed++ == 0) {
            check->first = k;
            snprintf(check->why, sizeof check->why, "%.500s", err.message);
        }
        if (st == STATUS_USAGE) { /* the policy fails in the same way on every
                                   * jobset */
            snprintf(judge->verdict->unusable, sizeof judge->verdict->unusable,
                     "%.500s", err.message);
            break;
        }
    }
    if (st == STATUS_END)
        snprintf(check->why, sizeof check->why, "%s", checks[i].skipped);
    check->state = st == STATUS_END      ? JUDGE_SKIPPED
                   : check->n_failed > 0 ? JUDGE_FAILED
                                         : JUDGE_PASSED;
}

/* Returns the mean JCT of a policy on workload k, seconds; 0 if its run fails.
 * Adds the number of its decisions to *n_decisions. */
static double jct_of(const struct judge *judge, const char *policy, uint32_t k,
                     uint64_t *n_decisions)
{
    struct workload w;
    struct error err;
    struct run *run;
    workload_draw_load(&w, judge->config->seed, k);
    if (judge_run(judge, &w, policy, false, &run, &err) != STATUS_OK)
        return 0;
    double jct = judge_mean_jct(run);
    *n_decisions += run_result(run)->n_decisions;
    run_free(run);
    return jct;
}

static void set_score(const struct judge *judge)
{
    static const char *const rivals[JUDGE_RIVALS] = {"fifo", "backfill",
                                                     "srtf"};
    struct judge_score *score = &judge->verdict->score;
    double fifo[JUDGE_WORKLOADS], logs = 0;
    uint64_t ignored = 0;
    sim_time begin = cell_clock();
    for (uint32_t k = 0; k < JUDGE_WORKLOADS; k++)
        score->jct_s[k] =
            jct_of(judge, judge->config->policy, k, &score->n_decisions);
    sim_span took = cell_clock() - begin;
    for (size_t r = 0; r < JUDGE_RIVALS; r++) {
        logs = 0;
        for (uint32_t k = 0; k < JUDGE_WORKLOADS; k++) {
            double jct = jct_of(judge, rivals[r], k, &ignored);
            if (r == 0)
                fifo[k] = jct;
            logs += log(fifo[k] / jct);
        }
        score->rivals[r] = rivals[r];
        score->rival_scores[r] = exp(logs / JUDGE_WORKLOADS);
    }
    logs = 0;
    for (uint32_t k = 0; k < JUDGE_WORKLOADS; k++) {
        if (!(score->jct_s[k] > 0))
            return;
        logs += log(fifo[k] / score->jct_s[k]);
    }
    score->score = exp(logs / JUDGE_WORKLOADS);
    score->decision_us = (double)took / (double)score->n_decisions;
    score->known = true;
}

void judge_all(const struct judge *judge)
{
    for (size_t i = 0; i < N_CHECKS; i++) {
        judge->verdict->checks[i].name = checks[i].name;
        judge->verdict->checks[i].about = checks[i].about;
    }
    judge->verdict->n_checks = N_CHECKS;
    for (size_t i = 0; i < N_CHECKS && !judge->verdict->unusable[0]; i++)
        run_check(judge, i);
    if (!judge->verdict->unusable[0])
        set_score(judge);
}
