/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relations between a policy with the layers of SchedMate and the policy alone,
 * on random jobsets. Layers that know nothing change no attempt. Advice changes
 * nothing for a policy that uses none. A threshold of 0 evicts no job. Jobs
 * evicted at one rate of detection are evicted at each higher rate too. */
#include <stdio.h>
#include <string.h>

#include "policies/registry.h"
#include "tests/support/draw.h"
#include "tests/support/lab_replay.h"

enum { JOBSETS = 200, PAIRS = 24 };

/* Settings of layers that match, detect and recall nothing, answer without
 * delay, and take no GPUs from the cluster. */
#define KNOWS_NOTHING \
    "match=0,detection=0,recall=0,latency_s=0,tracker_latency_s=0," \
    "handler_latency_s=0,llm_gpus=0"

/* Returns the chain of estimators for the two runs that a law compares. */
static const char *chain_of(const struct policy_ops *policy)
{
    return policy->needs & POLICY_PROFILES       ? "ga2m,history,profiled"
           : policy->needs & POLICY_NEEDS_DEMAND ? "history,workload"
                                                 : "history";
}

/* Returns true if two runs have the same attempts of the same jobs on the same
 * GPUs. */
static bool same_attempts(const struct ledger *a, const struct ledger *b,
                          struct error *err)
{
    bool same = a->n_attempts == b->n_attempts;
    size_t i = 0;
    for (; same && i < a->n_attempts; i++) {
        const struct attempt *x = &a->attempts[i], *y = &b->attempts[i];
        same = x->job == y->job && x->start == y->start && x->end == y->end &&
               x->how == y->how && x->shared == y->shared &&
               x->profiling == y->profiling && x->where == y->where;
    }
    same = same && a->n_where == b->n_where &&
           memcmp(a->where, b->where, a->n_where) == 0;
    if (!same)
        error_set(err, STATUS_BROKEN, "%zu and %zu attempts, differ at %zu",
                  a->n_attempts, b->n_attempts, i);
    return same;
}

static bool same_runs(const struct lab *lab, struct run_config plain,
                      struct run_config with, struct error *err)
{
    struct replay a, b;
    if (!lab_replay(lab, plain, &a, err))
        return false;
    bool good = lab_replay(lab, with, &b, err);
    if (good) {
        good =
            same_attempts(&a.results.run->ledger, &b.results.run->ledger, err);
        replay_fini(&b);
    }
    replay_fini(&a);
    return good;
}

static void draw(struct lab *lab, uint64_t seed)
{
    gsl_rng *rng = rng_open(seed, "test laws schedmate");
    lab_clear(lab);
    draw_lab(rng, lab);
    for (size_t i = 0; i < lab->n_jobs; i++) {
        struct lab_job *job = &lab->jobs[i];
        job->util = 1 + rng_below(rng, 100);
        snprintf(job->model, sizeof job->model, "m%u", rng_below(rng, 3));
    }
    rng_free(rng);
}

/* Layers that know nothing change no attempt, even if nodes and jobs fail. */
static bool layers_that_know_nothing(struct lab *lab,
                                     const struct policy_ops *policy,
                                     struct error *err)
{
    char name[64];
    snprintf(name, sizeof name, "%s+schedmate", policy->name);
    for (uint64_t seed = 0; seed < draw_count(JOBSETS); seed++) {
        struct run_config plain = {
            .policy = policy->name,
            .estimators = chain_of(policy),
            .faults = seed % 2 ? "exponential:per_1000_node_days=1000000,"
                                 "repair_mu=-6,repair_sigma=0"
                               : NULL,
            .recovery = "retry:delay_s=3,sigma=0,attempts=3",
            .seed = seed,
        };
        struct run_config with = plain;
        with.policy = name;
        with.schedmate = KNOWS_NOTHING;
        draw(lab, seed);
        if (lab_write(lab, err) == STATUS_OK &&
            same_runs(lab, plain, with, err))
            continue;
        printf("# jobset %d: %s\n", (int)seed, err->message);
        return false;
    }
    return true;
}

/* A policy that uses no beliefs decides the same with any advice, however late.
 */
static bool advice_for_nobody(struct lab *lab, struct error *err)
{
    static const char *const settings[] = {
        "latency_s=600",
        "latency_s=600,beliefs=law,duration_sigma=5,wrong=1",
        "fidelity=oracle,latency_s=0",
        "latency_s=4000,match=0.5,servers=3",
    };
    for (uint64_t seed = 0; seed < draw_count(JOBSETS); seed++) {
        struct run_config plain = {.policy = "fifo", .seed = seed};
        struct run_config with = {
            .policy = "fifo+advisor",
            .schedmate = settings[seed % (sizeof settings / sizeof *settings)],
            .seed = seed,
        };
        draw(lab, seed);
        if (lab_write(lab, err) == STATUS_OK &&
            same_runs(lab, plain, with, err))
            continue;
        printf("# jobset %d: %s\n", (int)seed, err->message);
        return false;
    }
    return true;
}

/* A careful advisor that has not been compared on enough jobs yet leaves the
 * policy alone, however wrong it is; a jobset has fewer jobs than that. */
static bool careful_advice(struct lab *lab, const struct policy_ops *policy,
                           struct error *err)
{
    char name[64];
    snprintf(name, sizeof name, "%s+advisor", policy->name);
    for (uint64_t seed = 0; seed < draw_count(JOBSETS); seed++) {
        struct run_config plain = {.policy = policy->name,
                                   .estimators = chain_of(policy),
                                   .seed = seed};
        struct run_config with = plain;
        with.policy = name;
        with.schedmate = "careful,beliefs=law,random=1,match=1,latency_s=0";
        draw(lab, seed);
        if (lab_write(lab, err) == STATUS_OK &&
            same_runs(lab, plain, with, err))
            continue;
        printf("# jobset %d: %s\n", (int)seed, err->message);
        return false;
    }
    return true;
}

/* Sets out[id] to whether job `id` was evicted. Returns the number of
 * evictions. */
static size_t evicted(const struct ledger *ledger, bool *out, size_t n)
{
    size_t count = 0;
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < ledger->n_attempts; i++) {
        const struct attempt *a = &ledger->attempts[i];
        if (a->how == LEDGER_EVICTED) {
            out[a->job] = true;
            count++;
        }
    }
    return count;
}

static bool a_threshold_of_0(struct lab *lab, const struct policy_ops *policy,
                             struct error *err)
{
    char name[64];
    snprintf(name, sizeof name, "%s+tracker", policy->name);
    for (uint64_t seed = 0; seed < draw_count(JOBSETS); seed++) {
        struct run_config plain = {.policy = policy->name,
                                   .estimators = chain_of(policy),
                                   .interference = "constant:slowdown=2",
                                   .seed = seed};
        struct run_config with = plain;
        with.policy = name;
        with.schedmate = "threshold=0,check_s=1,detection=1";
        draw(lab, seed);
        if (lab_write(lab, err) == STATUS_OK &&
            same_runs(lab, plain, with, err))
            continue;
        printf("# jobset %d: %s\n", (int)seed, err->message);
        return false;
    }
    return true;
}

/* Draws pairs of jobs that cannot meet jobs of other pairs: one GPU and two
 * jobs per virtual cluster. */
static void draw_pairs(struct lab *lab)
{
    lab_clear(lab);
    lab->n_groups = PAIRS;
    lab->n_jobs = 2 * PAIRS;
    for (uint32_t i = 0; i < PAIRS; i++) {
        struct lab_group *g = &lab->groups[i];
        *g = (struct lab_group){
            .count = 1, .gpus = 1, .type = "gpu", .speed = 1};
        snprintf(g->vc, sizeof g->vc, "vc%u", i);
        for (uint32_t k = 0; k < 2; k++) {
            struct lab_job *job = &lab->jobs[2 * i + k];
            *job = (struct lab_job){.submitted = (i + k) * SPAN_SECOND,
                                    .runs = 500 * SPAN_SECOND,
                                    .gpus = 1,
                                    .util = 40,
                                    .end = "completed"};
            memcpy(job->vc, g->vc, sizeof job->vc);
            snprintf(job->name, sizeof job->name, "j%u", 2 * i + k);
        }
    }
}

/* The jobs that are evicted at one rate of detection are evicted at each higher
 * rate. At rate 0 no guest is, at rate 1 each guest is. */
static bool detection_is_nested(struct lab *lab, struct error *err)
{
    static const char *const rates[] = {"0", "0.25", "0.5", "0.75", "1"};
    draw_pairs(lab);
    if (lab_write(lab, err) != STATUS_OK)
        return false;
    for (uint64_t seed = 0; seed < 20; seed++) {
        bool lower[2 * PAIRS] = {0}, now[2 * PAIRS];
        size_t n = 0, last = 0;
        for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
            char settings[96];
            struct replay r;
            snprintf(settings, sizeof settings,
                     "detection=%s,reading_error=0,servers=254", rates[k]);
            struct run_config config = {.policy = "horus+tracker",
                                        .interference = "constant:slowdown=2",
                                        .schedmate = settings,
                                        .seed = seed};
            if (!lab_replay(lab, config, &r, err))
                return false;
            n = evicted(&r.results.run->ledger, now, 2 * PAIRS);
            replay_fini(&r);
            bool nested = n >= last && (k > 0 || n == 0);
            for (size_t i = 0; i < 2 * PAIRS; i++)
                nested &= now[i] || !lower[i];
            if (!nested) {
                error_set(err, STATUS_BROKEN, "seed %d, rate %s: %zu and %zu",
                          (int)seed, rates[k], last, n);
                return false;
            }
            memcpy(lower, now, sizeof lower);
            last = n;
        }
        if (n != PAIRS) {
            error_set(err, STATUS_BROKEN, "%zu evicted at rate 1", n);
            return false;
        }
    }
    return true;
}

static int number, failed;

static void say(bool good, const char *who, const char *law,
                const struct error *err)
{
    if (!good)
        printf("# %s\n", err->message);
    printf("%sok %d - %s: %s\n", good ? "" : "not ", ++number, who, law);
    failed += !good;
}

int main(void)
{
    static struct error err;
    struct lab *lab = lab_new();
    if (!lab)
        return 1;
    for (size_t i = 0; policies[i]; i++) {
        const struct policy_ops *policy = policies[i];
        say(layers_that_know_nothing(lab, policy, &err), policy->name,
            "layers that know nothing change no attempt", &err);
        if (policy->needs & POLICY_PROFILES)
            say(careful_advice(lab, policy, &err), policy->name,
                "careful advice waits until it is proven", &err);
        if (policy->needs & POLICY_SHARES)
            say(a_threshold_of_0(lab, policy, &err), policy->name,
                "a threshold of 0 evicts nobody", &err);
    }
    say(advice_for_nobody(lab, &err), "fifo", "advice changes nothing", &err);
    say(detection_is_nested(lab, &err), "horus",
        "a higher rate of detection evicts the same jobs and more", &err);
    printf("1..%d\n", number);
    lab_free(lab);
    return failed > 0;
}
