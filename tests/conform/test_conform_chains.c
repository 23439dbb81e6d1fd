/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs each policy of the registry with chains of each estimator, including
 * chains that cannot answer for a long time. A run must succeed or be refused
 * in one sentence, the audit must find nothing, and a second run must give the
 * same attempts, because a policy that reads uninitialised memory would decide
 * at random. tests/run also runs this test under valgrind, which finds such
 * reads in a single run; then one process tests one jobset:
 * `test_conform_chains 0`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "policies/registry.h"
#include "sim/run/registry.h"
#include "tests/support/audit.h"
#include "tests/support/draw.h"

enum { CHAINS_MAX = 64, CHAIN_MAX = 256, RUNS_LEAST = 2, JOBSETS = 2 };

/* Chains written by hand: some with learners that are fitted after few jobs,
 * some with learners that are never fitted. */
static const char *const written[] = {
    "blend,gbdt,history",
    "blend:weight=0.5,gbdt:least=3,rounds=3,history,declared",
    "noisy:law=lognormal,gbdt:least=4,rounds=3,refit_s=60",
    "ga2m:least=4,rounds=3,pairs=2,refit_s=60,history",
    "profiled,workload:noise=0.5,noisy,history,oracle",
};

struct chains {
    char at[CHAINS_MAX][CHAIN_MAX];
    size_t n;
};

static void add_chain(struct chains *chains, const char *top, const char *below)
{
    if (chains->n == CHAINS_MAX)
        abort();
    snprintf(chains->at[chains->n++], CHAIN_MAX, "%s%s", top, below);
}

/* Lists the chains of `written`, then each estimator alone and each estimator
 * above those that always answer. So a new estimator is tested without a change
 * to this file. */
static void list_chains(const struct lab *lab, struct chains *chains)
{
    *chains = (struct chains){.n = 0};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        add_chain(chains, written[i], "");
    for (size_t i = 0; estimators[i]; i++) {
        char name[CHAIN_MAX / 2];
        bool file = strcmp(estimators[i]->name, "file") == 0;
        snprintf(name, sizeof name, "%s%s%s%s", estimators[i]->name,
                 file ? ":path=" : "", file ? lab->dir : "",
                 file ? "/predictions.csv" : "");
        add_chain(chains, name, "");
        add_chain(chains, name, ",workload");
        add_chain(chains, name, ",oracle,workload");
    }
}

/* Writes predictions for every second job. */
static enum status write_predictions(const struct lab *lab, struct error *err)
{
    char path[128];
    struct out *out;
    snprintf(path, sizeof path, "%s/predictions.csv", lab->dir);
    enum status st = out_open(path, &out, err);
    if (st != STATUS_OK)
        return st;
    out_text(out, "job_id,prediction\n");
    for (size_t i = 0; i < lab->n_jobs; i += 2)
        out_printf(out, "j%zu,%zu\n", i, 1 + i * 17 % 29);
    return out_close(out, err);
}

/* Adds a copy of the first group of nodes with the other GPU type. A virtual
 * cluster then has two pools, and policies that use GLPK must do so. */
static void add_other_type(struct lab *lab)
{
    struct lab_group *other = &lab->groups[lab->n_groups++];
    *other = lab->groups[0];
    snprintf(other->type, sizeof other->type, "%s",
             strcmp(lab->groups[0].type, "fast") == 0 ? "slow" : "fast");
}

/* Draws at most 12 jobs and writes their files. If the seed is even, some jobs
 * are elastic and there are two GPU types. All times are stretched, so that
 * runs include rounds of policies and refits of learners. */
static enum status draw_workload(struct lab *lab, uint64_t seed,
                                 struct error *err)
{
    gsl_rng *rng = rng_open(seed, "test chains");
    lab_clear(lab);
    draw_lab(rng, lab);
    lab->n_jobs = lab->n_jobs > 12 ? 12 : lab->n_jobs;
    if (seed % 2 == 0) {
        draw_elastic(rng, lab);
        add_other_type(lab);
    }
    for (size_t i = 0; i < lab->n_jobs; i++) {
        lab->jobs[i].submitted *= 100;
        lab->jobs[i].runs *= 50;
        lab->jobs[i].declared = span_from_seconds(rng_below(rng, 500));
    }
    rng_free(rng);
    enum status st = lab_write(lab, err);
    return st == STATUS_OK ? write_predictions(lab, err) : st;
}

static uint64_t hash(uint64_t sum, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ at[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    return sum;
}

static uint64_t hash_of(const struct run_result *result)
{
    const struct ledger *l = &result->ledger;
    uint64_t sum = hash(UINT64_C(0xcbf29ce484222325), &result->n_decisions,
                        sizeof result->n_decisions);
    for (size_t i = 0; i < l->n_attempts; i++) {
        const struct attempt *a = &l->attempts[i];
        const int64_t what[] = {a->start, a->end, a->job, a->how};
        sum = hash(sum, what, sizeof what);
    }
    return hash(sum, l->where, l->n_where);
}

static enum status run_once(const struct lab *lab,
                            const struct policy_ops *policy, const char *chain,
                            bool elastic, uint64_t *sum, struct error *err)
{
    struct run *run = NULL;
    bool shares = policy->needs & POLICY_SHARES;
    bool searches = strcmp(policy->name, "pollux") == 0;
    struct run_config config = {
        .policy =
            searches ? "pollux:population=10,generations=5" : policy->name,
        .estimators = chain,
        .interference = shares ? "constant" : NULL,
        .forecast = "recent",
        .overhead = elastic ? "application" : NULL,
        .throughput =
            elastic ? "application:tables=tests/applications" : "rigid",
    };
    enum status st = lab_run(lab, config, &run, err);
    if (st == STATUS_OK || st == STATUS_INCOMPLETE) {
        *sum = hash_of(run_result(run));
        st = audit(lab, run_result(run), shares ? 2 : 1, err);
    }
    run_free(run);
    return st;
}

/* Runs a policy with a chain, twice unless `once`. Returns true if the run is
 * refused as a usage error with a message, or if it passes the audit and a
 * second run is equal. */
static bool check(const struct lab *lab, const struct policy_ops *policy,
                  const char *chain, bool elastic, bool once, size_t *n_ran)
{
    static struct error err;
    uint64_t one = 0, two = 0;
    err.message[0] = '\0';
    enum status st = run_once(lab, policy, chain, elastic, &one, &err);
    if (st == STATUS_USAGE && err.message[0])
        return true;
    if (st == STATUS_OK && !once)
        st = run_once(lab, policy, chain, elastic, &two, &err);
    if (st != STATUS_OK)
        printf("# --estimators %s: %s\n", chain, err.message);
    else if (!once && one != two)
        printf("# --estimators %s: a second run differs\n", chain);
    ++*n_ran;
    return st == STATUS_OK && (once || one == two);
}

/* Checks a policy with all chains and prints one TAP line. */
static bool check_policy(const struct lab *lab, const struct chains *chains,
                         const struct policy_ops *policy, bool elastic,
                         bool once, int number)
{
    size_t n_ran = 0;
    bool good = true;
    for (size_t i = 0; i < chains->n; i++)
        good &= check(lab, policy, chains->at[i], elastic, once, &n_ran);
    good &= n_ran >= RUNS_LEAST;
    printf("%sok %d - %s with %zu of %zu chains%s\n", good ? "" : "not ",
           number, policy->name, n_ran, chains->n,
           elastic ? ", elastic jobs" : "");
    return good;
}

int main(int argc, char **argv)
{
    static struct error err;
    static struct chains chains;
    struct lab *lab = lab_new();
    int number = 0, failed = 0, only = argc > 1 ? argv[1][0] - '0' : -1;
    if (!lab)
        return 1;
    list_chains(lab, &chains);
    for (int seed = 0; seed < JOBSETS; seed++) {
        if (only >= 0 && seed != only)
            continue;
        if (draw_workload(lab, (uint64_t)seed, &err) != STATUS_OK) {
            printf("not ok %d - %s\n", ++number, err.message);
            failed++;
            continue;
        }
        for (size_t p = 0; policies[p]; p++)
            failed += !check_policy(lab, &chains, policies[p], seed == 0,
                                    only >= 0, ++number);
    }
    printf("1..%d\n", number);
    lab_free(lab);
    return failed > 0;
}
