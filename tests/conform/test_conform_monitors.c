/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks on random jobsets that each monitor of the registry keeps the promises
 * of its interface: two runs are equal, no job is evicted twice, no evicted job
 * shares again, and a policy that shares no GPUs is not affected. The engine
 * checks the times that a monitor names. */
#include <stdio.h>
#include <string.h>

#include "sim/run/registry.h"
#include "tests/support/draw.h"

enum { JOBSETS = 100 };

static struct run *run_with(const struct lab *lab, const char *policy,
                            const char *monitor, struct error *err)
{
    struct run *run;
    const struct run_config config = {.policy = policy,
                                      .monitor = monitor,
                                      .interference = "constant:slowdown=2",
                                      .overhead = "none",
                                      .seed = 1};
    enum status st = lab_run(lab, config, &run, err);
    return st == STATUS_OK || st == STATUS_INCOMPLETE ? run : NULL;
}

static bool is_same(const struct ledger *a, const struct ledger *b)
{
    if (a->n_attempts != b->n_attempts || a->n_where != b->n_where ||
        memcmp(a->where, b->where, a->n_where) != 0)
        return false;
    for (size_t i = 0; i < a->n_attempts; i++) {
        const struct attempt *x = &a->attempts[i], *y = &b->attempts[i];
        if (x->job != y->job || x->start != y->start || x->end != y->end ||
            x->how != y->how)
            return false;
    }
    return true;
}

/* Returns a message that says what is wrong with the evictions of a run; NULL
 * if nothing is. Adds the number of evictions to *n. */
static const char *check_evictions(const struct ledger *ledger, size_t *n)
{
    bool evicted[DRAW_JOBS_MAX] = {false};
    for (size_t i = 0; i < ledger->n_attempts; i++) {
        const struct attempt *a = &ledger->attempts[i];
        if (evicted[a->job] && a->shared)
            return "an evicted job shares again";
        evicted[a->job] |= a->how == LEDGER_EVICTED;
        *n += a->how == LEDGER_EVICTED;
    }
    return NULL;
}

static const char *check_runs(const struct lab *lab, const char *policy,
                              const char *monitor, const char *other, size_t *n,
                              struct error *err)
{
    struct run *a = run_with(lab, policy, monitor, err);
    struct run *b = a ? run_with(lab, policy, other, err) : NULL;
    const char *bad = b ? NULL : err->message;
    if (b && !is_same(&run_result(a)->ledger, &run_result(b)->ledger))
        bad = "two runs differ";
    if (!bad)
        bad = check_evictions(&run_result(a)->ledger, n);
    run_free(a);
    run_free(b);
    return bad;
}

static const char *check_monitor(struct lab *lab, const char *name)
{
    static struct error err;
    const char *bad = NULL;
    size_t n = 0, none = 0;
    for (uint64_t seed = 0; seed < JOBSETS && !bad; seed++) {
        gsl_rng *rng = rng_open(seed, "test monitors");
        lab_clear(lab);
        draw_lab(rng, lab);
        /* Runs are made 60 times longer, so that jobs share for some minutes.
         */
        for (size_t i = 0; i < lab->n_jobs; i++)
            lab->jobs[i].runs *= 60;
        rng_free(rng);
        bad = lab_write(lab, &err) == STATUS_OK ? NULL : err.message;
        if (!bad)
            bad = check_runs(lab, "random-pack", name, name, &n, &err);
        if (!bad)
            bad = check_runs(lab, "fifo", name, NULL, &none, &err);
    }
    if (!bad && none > 0)
        bad = "evicts jobs that share no GPUs";
    return bad || n >= JOBSETS / 10 ? bad : "hardly ever evicts a job";
}

int main(void)
{
    struct lab *lab = lab_new();
    int number = 0, failed = 0;
    if (!lab)
        return 1;
    for (size_t i = 0; monitors[i]; i++) {
        const char *bad = check_monitor(lab, monitors[i]->name);
        if (bad)
            printf("# %s\n", bad);
        printf("%sok %d - monitor %s\n", bad ? "not " : "", ++number,
               monitors[i]->name);
        failed += bad != NULL;
    }
    printf("1..%d\n", number);
    lab_free(lab);
    return failed > 0;
}
