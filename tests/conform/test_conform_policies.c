/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs each policy of the registry, with two placers, on 100 random jobsets. No
 * plan breaks a rule (the engine would end the run), each job comes to an end,
 * the audit finds nothing, and a second run gives equal results. 30 of the
 * jobsets are also run with elastic jobs and two GPU types. */
#include <stdio.h>
#include <string.h>

#include "policies/registry.h"
#include "tests/support/audit.h"
#include "tests/support/draw.h"

enum { JOBSETS = 100, ELASTIC = 30 };

static bool is_same_run(const struct run_result *a, const struct run_result *b)
{
    const struct ledger *x = &a->ledger, *y = &b->ledger;
    if (x->n_attempts != y->n_attempts || x->n_where != y->n_where ||
        a->n_decisions != b->n_decisions)
        return false;
    for (size_t i = 0; i < x->n_attempts; i++) {
        const struct attempt *p = &x->attempts[i], *q = &y->attempts[i];
        if (p->start != q->start || p->end != q->end || p->job != q->job ||
            p->how != q->how)
            return false;
    }
    return x->n_where == 0 || memcmp(x->where, y->where, x->n_where) == 0;
}

static enum status check(const struct lab *lab, const struct policy_ops *policy,
                         const char *placer, bool elastic, uint64_t seed,
                         struct error *err)
{
    struct run *run = NULL, *again = NULL;
    bool shares = policy->needs & POLICY_SHARES;
    struct run_config config = {
        .policy = policy->name,
        .placer = placer,
        .interference = shares ? "constant" : NULL,
        .engine = shares ? "share_limit=2" : NULL,
        .overhead = elastic ? "application"
                            : "fixed:stop_1_s=1,stop_8_s=2,stop_more_s=3",
        .throughput =
            elastic ? "application:tables=tests/applications" : "rigid",
        .seed = seed,
    };
    enum status st = lab_run(lab, config, &run, err);
    if (st == STATUS_OK || st == STATUS_INCOMPLETE)
        st = audit(lab, run_result(run), shares ? 2 : 1, err);
    if (st != STATUS_OK)
        goto out;
    st = lab_run(lab, config, &again, err);
    if (st == STATUS_INCOMPLETE)
        st = STATUS_OK;
    if (st == STATUS_OK && !is_same_run(run_result(run), run_result(again)))
        st = error_set(err, STATUS_BROKEN, "a second run differs");
out:
    run_free(run);
    run_free(again);
    return st;
}

/* Checks a policy with a placer on all jobsets and prints one TAP line. */
static bool check_policy(struct lab *lab, const struct policy_ops *policy,
                         const char *placer, bool elastic, int number)
{
    static struct error err;
    int failed = 0;
    uint64_t n = draw_count(elastic ? ELASTIC : JOBSETS);
    for (uint64_t seed = 0; seed < n; seed++) {
        gsl_rng *rng = rng_open(seed, "test conform");
        lab_clear(lab);
        draw_lab(rng, lab);
        if (elastic)
            draw_elastic(rng, lab);
        rng_free(rng);
        enum status st = lab_write(lab, &err);
        if (st == STATUS_OK)
            st = check(lab, policy, placer, elastic, seed, &err);
        if (st != STATUS_OK && failed++ == 0)
            printf("# jobset %d: %s\n", (int)seed, err.message);
    }
    printf("%sok %d - %s with placer %s%s\n", failed ? "not " : "", number,
           policy->name, placer, elastic ? ", elastic jobs" : "");
    return failed == 0;
}

/* Returns true if the command line names the policy or names none. */
static bool is_wanted(const char *policy, int argc, char **argv)
{
    int i = 1;
    while (i < argc && strcmp(argv[i], policy) != 0)
        i++;
    return argc < 2 || i < argc;
}

int main(int argc, char **argv)
{
    struct lab *lab = lab_new();
    int number = 0, failed = 0;
    if (!lab)
        return 1;
    for (size_t i = 0; policies[i]; i++) {
        if (!is_wanted(policies[i]->name, argc, argv))
            continue;
        /* Each policy runs with the default placer and with one other placer,
         * so that all policies together use all placers. */
        failed +=
            !check_policy(lab, policies[i], placers[0]->name, false, ++number);
        failed +=
            !check_policy(lab, policies[i], placers[0]->name, true, ++number);
        size_t n = 0;
        while (placers[n])
            n++;
        failed += !check_policy(
            lab, policies[i], placers[1 + i % (n - 1)]->name, false, ++number);
    }
    printf("1..%d\n", number);
    lab_free(lab);
    return failed > 0;
}
