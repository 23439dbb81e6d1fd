/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws about answers of estimators that take simulated time, for each policy of
 * the registry, on random jobsets. */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "policies/registry.h"
#include "tests/support/advice.h"
#include "tests/support/draw.h"
#include "tests/support/rig.h"

enum { JOBSETS = 100, ATTEMPTS = 4096 };

/* The attempts of a run, in the order of their starts. */
struct outcome {
    struct attempt attempts[ATTEMPTS];
    size_t n;
    bool all_ended; /* true if each job has finished or was rejected */
};

static struct outcome plain, advised;

static enum status run(const struct lab *lab, const struct policy_ops *policy,
                       const char *text, const struct test_advice *advice,
                       struct outcome *out, struct error *err)
{
    struct rig rig;
    struct estimator layer;
    enum status st = rig_load(&rig, lab, err);
    if (st == STATUS_OK)
        st = rig_policy(&rig, policy, text, err);
    if (st == STATUS_OK && advice)
        advice_put(&layer, advice, &rig.parts);
    if (st == STATUS_OK)
        st = rig_start(&rig, err);
    if (st == STATUS_OK)
        st = rig_run(&rig, err);
    const struct ledger *ledger = &rig.ledger;
    if (st == STATUS_OK && ledger->n_attempts > ATTEMPTS)
        st = error_set(err, STATUS_BROKEN, "%zu attempts",
                       (size_t)ledger->n_attempts);
    if (st == STATUS_OK) {
        out->n = ledger->n_attempts;
        memcpy(out->attempts, ledger->attempts,
               out->n * sizeof *ledger->attempts);
        out->all_ended = true;
        for (uint32_t i = 0; i < rig.jobset.n_jobs; i++)
            out->all_ended &= job_is_terminal(&rig.jobset.jobs[i]);
    }
    rig_close(&rig);
    return st;
}

static enum status compare(struct error *err)
{
    for (size_t i = 0; i < plain.n && i < advised.n; i++) {
        const struct attempt *a = &plain.attempts[i], *b = &advised.attempts[i];
        if (a->job != b->job || a->start != b->start || a->end != b->end ||
            a->how != b->how || a->n_gpus != b->n_gpus ||
            a->shared != b->shared)
            return error_set(err, STATUS_BROKEN,
                             "attempt %zu is of job %u from %g to %g s, and of "
                             "job %u from %g to %g s",
                             i, a->job, span_seconds(a->start),
                             span_seconds(a->end), b->job,
                             span_seconds(b->start), span_seconds(b->end));
    }
    return plain.n == advised.n
               ? STATUS_OK
               : error_set(err, STATUS_BROKEN, "%zu attempts, and %zu", plain.n,
                           advised.n);
}

/* A law about one jobset. `advice` is drawn; a law may change it. Returns
 * STATUS_BROKEN if the law does not hold. */
typedef enum status (*law)(const struct lab *lab,
                           const struct policy_ops *policy, const char *text,
                           struct test_advice *advice, struct error *err);

static enum status compare_runs(const struct lab *lab,
                                const struct policy_ops *policy,
                                const char *text,
                                const struct test_advice *first,
                                const struct test_advice *second,
                                struct error *err)
{
    enum status st = run(lab, policy, text, first, &plain, err);
    if (st == STATUS_OK)
        st = run(lab, policy, text, second, &advised, err);
    return st == STATUS_OK ? compare(err) : st;
}

/* An answer that takes no time has the same effect as an answer that was there
 * before the job was submitted. */
static enum status no_delay_is_instant(const struct lab *lab,
                                       const struct policy_ops *policy,
                                       const char *text,
                                       struct test_advice *advice,
                                       struct error *err)
{
    struct test_advice instant[DRAW_JOBS_MAX];
    for (size_t i = 0; i < lab->n_jobs; i++) {
        advice[i].after = 0;
        instant[i] = advice[i];
        instant[i].after = ADVICE_INSTANT;
    }
    return compare_runs(lab, policy, text, instant, advice, err);
}

/* An answer that takes no time and tells nothing has no effect. */
static enum status nothing_changes_nothing(const struct lab *lab,
                                           const struct policy_ops *policy,
                                           const char *text,
                                           struct test_advice *advice,
                                           struct error *err)
{
    for (size_t i = 0; i < lab->n_jobs; i++) {
        advice[i].after = 0;
        advice[i].runs = 0;
        advice[i].util = ADVICE_NO_DEMAND;
    }
    return compare_runs(lab, policy, text, NULL, advice, err);
}

/* A policy that uses no beliefs decides the same, whatever the answers and
 * their times are. */
static enum status news_is_for_those_who_ask(const struct lab *lab,
                                             const struct policy_ops *policy,
                                             const char *text,
                                             struct test_advice *advice,
                                             struct error *err)
{
    if (policy->needs & (POLICY_NEEDS_DURATION | POLICY_NEEDS_DEMAND) ||
        strchr(text, ':'))
        return STATUS_OK;
    return compare_runs(lab, policy, text, NULL, advice, err);
}

/* No job is forgotten while it waits for an answer. */
static enum status all_jobs_end(const struct lab *lab,
                                const struct policy_ops *policy,
                                const char *text, struct test_advice *advice,
                                struct error *err)
{
    enum status st = run(lab, policy, text, advice, &advised, err);
    return st != STATUS_OK || advised.all_ended
               ? st
               : error_set(err, STATUS_BROKEN, "a job never ended");
}

static struct {
    const char *name;
    law holds;
    /* number of runs of a policy on a jobset in which it does not hold */
    int broken;
} laws[] = {
    {"an answer without delay is as an answer that was there before",
     no_delay_is_instant, 0},
    {"an answer without delay that says nothing changes nothing",
     nothing_changes_nothing, 0},
    {"answers do not change a policy that uses no beliefs",
     news_is_for_those_who_ask, 0},
    {"all jobs end when answers come late", all_jobs_end, 0},
};
enum { LAWS = sizeof laws / sizeof *laws };

/* Tests all laws for a policy on a jobset whose files are written. */
static void check(const struct lab *lab, const struct policy_ops *policy,
                  const char *text, const struct test_advice *drawn, int number)
{
    static struct error err;
    for (size_t i = 0; i < LAWS; i++) {
        struct test_advice advice[DRAW_JOBS_MAX];
        memcpy(advice, drawn, sizeof advice);
        if (laws[i].holds(lab, policy, text, advice, &err) != STATUS_OK &&
            laws[i].broken++ == 0)
            printf("# %s, %s, jobset %d: %s\n", laws[i].name, text, number,
                   err.message);
    }
}

/* Draws memory for GPUs and jobs, so that some pairs do not fit. */
static void draw_memory(gsl_rng *rng, struct lab *lab)
{
    for (size_t i = 0; i < lab->n_groups; i++)
        lab->groups[i].mem_mib = 16000;
    for (size_t i = 0; i < lab->n_jobs; i++)
        lab->jobs[i].mem_mib = 1000 * (1 + rng_below(rng, 12));
}

/* Tests all laws on one jobset: with a profiler node for the policies that
 * profile, then without one for the others. */
static void check_jobset(struct lab *lab, int number)
{
    static struct error err;
    struct test_advice advice[DRAW_JOBS_MAX] = {{0}};
    gsl_rng *rng = rng_open((uint64_t)number, "test advice");
    lab_clear(lab);
    draw_lab(rng, lab);
    draw_memory(rng, lab);
    advice_draw(rng, lab->n_jobs, advice);
    rng_free(rng);
    for (unsigned kind = 0; kind < 2; kind++) {
        unsigned profiles = kind == 0 ? POLICY_PROFILES : 0;
        lab->groups[lab->n_groups - 1].profiler = lab->n_groups > 1 && profiles;
        CHECK(lab_write(lab, &err) == STATUS_OK);
        for (size_t p = 0; policies[p]; p++) {
            const char *name = policies[p]->name;
            if ((policies[p]->needs & POLICY_PROFILES) != profiles)
                continue;
            check(lab, policies[p], name, advice, number);
            if (strcmp(name, "tiresias") == 0)
                check(lab, policies[p], "tiresias:aware=queue", advice, number);
        }
    }
}

int main(void)
{
    struct lab *lab = lab_new();
    int failed = 0;
    if (!lab)
        return 1;
    for (int number = 0; number < (int)draw_count(JOBSETS); number++)
        check_jobset(lab, number);
    printf("1..%d\n", LAWS);
    for (size_t i = 0; i < LAWS; i++) {
        printf("%sok %zu - %s\n", laws[i].broken ? "not " : "", i + 1,
               laws[i].name);
        failed += laws[i].broken > 0;
    }
    lab_free(lab);
    return failed > 0;
}
