/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The laws of quotas that lend, on random trees of quotas that add up to the
 * GPUs, with jobs of one GPU, which always find a place. At each instant, after
 * its decisions:
 *  - no virtual cluster holds more than its quota and borrowing limit allow;
 *  - none that holds less than its nominal quota has a waiting job: what was
 *    lent is taken back at once;
 *  - while a GPU is free, no job waits whose virtual cluster may have one. */
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "policies/quota/quota.h"
#include "tests/support/lab.h"

enum { QUOTA_RUNS = 400, QUOTA_VCS = 4 };

/* A tree of at most two levels: "site", which is node 0, perhaps a department
 * below it, and virtual clusters v0, v1... */
struct quota_draw {
    struct quota_tree tree;
    struct quota_node nodes[QUOTA_VCS + 2];
    uint32_t first, n_vcs; /* virtual cluster v is node first + v */
    uint32_t n_gpus;
};

static const char *const quota_names[] = {"v0", "v1", "v2", "v3"};

static void draw_tree(gsl_rng *rng, struct quota_draw *d)
{
    uint32_t departments = rng_below(rng, 2);
    d->first = 1 + departments;
    d->n_vcs = 2 + rng_below(rng, QUOTA_VCS - 1);
    d->tree = (struct quota_tree){d->nodes, d->first + d->n_vcs};
    for (uint32_t i = 0; i < d->tree.n; i++) {
        bool is_queue = i >= d->first;
        d->nodes[i] = (struct quota_node){
            .name = is_queue ? quota_names[i - d->first] : "",
            .parent = i == 0                          ? QUOTA_NO_PARENT
                      : is_queue && rng_below(rng, 2) ? departments
                                                      : 0,
            .is_queue = is_queue,
            .borrowing_limit = QUOTA_NO_LIMIT,
            .lending_limit = QUOTA_NO_LIMIT,
            .weight = 1,
            .reclaim = QUOTA_ANY,
        };
    }
    for (uint32_t g = 0; g < d->n_gpus; g++)
        d->nodes[d->first + rng_below(rng, d->n_vcs)].nominal++;
    for (uint32_t i = d->first; i < d->tree.n; i++) {
        struct quota_node *node = &d->nodes[i];
        if (rng_below(rng, 3) == 0)
            node->borrowing_limit = rng_below(rng, 6);
        if (rng_below(rng, 3) == 0)
            node->lending_limit = rng_below(rng, (uint32_t)node->nominal + 1);
    }
}

static void write_tree(struct lab *lab, const struct quota_draw *d)
{
    int n = 0;
    for (uint32_t i = d->first; i < d->tree.n; i++) {
        const struct quota_node *node = &d->nodes[i];
        char *out = lab->queues;
        const size_t room = sizeof lab->queues;
        n += snprintf(out + n, room - (size_t)n,
                      "%s{\"vc\": \"%s\", \"nominal\": %d, \"cohort\": \"c%u\"",
                      n ? "," : "", node->name, (int)node->nominal,
                      node->parent);
        if (node->borrowing_limit != QUOTA_NO_LIMIT)
            n +=
                snprintf(out + n, room - (size_t)n, ", \"borrowing_limit\": %d",
                         (int)node->borrowing_limit);
        if (node->lending_limit != QUOTA_NO_LIMIT)
            n += snprintf(out + n, room - (size_t)n, ", \"lending_limit\": %d",
                          (int)node->lending_limit);
        n += snprintf(out + n, room - (size_t)n, "}");
    }
    snprintf(lab->cohorts, sizeof lab->cohorts, "{\"name\": \"c0\"}%s",
             d->first > 1 ? ", {\"name\": \"c1\", \"parent\": \"c0\"}" : "");
}

static void draw_lab(gsl_rng *rng, struct lab *lab, struct quota_draw *d)
{
    lab_clear(lab);
    lab->n_groups = 1;
    lab->groups[0] = (struct lab_group){.count = 1 + rng_below(rng, 4),
                                        .gpus = 4,
                                        .speed = 1,
                                        .vc = "default",
                                        .type = "gpu"};
    d->n_gpus = 4 * lab->groups[0].count;
    draw_tree(rng, d);
    write_tree(lab, d);
    lab->n_jobs = 2 + rng_below(rng, 100);
    sim_time at = 0;
    for (size_t i = 0; i < lab->n_jobs; i++) {
        struct lab_job *job = &lab->jobs[i];
        *job = (struct lab_job){.end = "completed", .gpus = 1};
        snprintf(job->name, sizeof job->name, "j%zu", i);
        /* each virtual cluster has its rush */
        snprintf(job->vc, sizeof job->vc, "v%u",
                 i < d->n_vcs
                     ? (unsigned)i
                     : (unsigned)(i / 8 + (rng_below(rng, 4) == 0)) % d->n_vcs);
        at += SPAN_SECOND * rng_below(rng, 8);
        job->submitted = at;
        job->runs = SPAN_SECOND * (1 + rng_below(rng, 100));
        if (rng_below(rng, 3) == 0)
            snprintf(job->priority, sizeof job->priority, "%u",
                     rng_below(rng, 3));
    }
}

struct quota_tally {
    int above, below, idle; /* broken laws */
    int borrows, stops;     /* so that the laws say something */
};

/* Returns true if the job waits at the instant. *runs: it runs then. */
static bool quota_waits(const struct run_result *r, const struct job *job,
                        sim_time at, bool *runs)
{
    const struct attempt *attempts[256];
    size_t n = lab_attempts(&r->ledger, job->id, attempts, 256);
    *runs = false;
    if (job->submitted > at || n == 0 || n > 256)
        return false;
    for (size_t i = 0; i < n; i++)
        *runs |= attempts[i]->start <= at && at < attempts[i]->end;
    return !*runs && at < attempts[n - 1]->end;
}

static void check_instant(const struct run_result *r, struct quota_draw *d,
                          sim_time at, struct quota_tally *tally)
{
    bool waits[QUOTA_VCS] = {false}, runs;
    uint32_t n_held = 0;
    quota_tree_init(&d->tree);
    for (job_id id = 0; id < r->jobset.n_jobs; id++) {
        const struct job *job = &r->jobset.jobs[id];
        unsigned v = (unsigned)(r->cluster.vcs[job->vc][1] - '0');
        waits[v] |= quota_waits(r, job, at, &runs);
        n_held += runs;
        if (runs)
            quota_use(&d->tree, d->first + v, 1);
    }
    for (uint32_t v = 0; v < d->n_vcs; v++) {
        const struct quota_node *node = &d->nodes[d->first + v];
        tally->borrows += node->usage > node->nominal;
        tally->above += node->borrowing_limit != QUOTA_NO_LIMIT &&
                        node->usage > node->nominal + node->borrowing_limit;
        tally->below += waits[v] && node->usage < node->nominal;
        tally->idle += waits[v] && n_held < d->n_gpus &&
                       quota_available(&d->tree, d->first + v) > 0;
    }
    tally->above += n_held > d->n_gpus;
}

static void check_run(const struct run_result *r, struct quota_draw *d,
                      struct quota_tally *tally)
{
    const struct ledger *ledger = &r->ledger;
    for (job_id id = 0; id < r->jobset.n_jobs; id++)
        check_instant(r, d, r->jobset.jobs[id].submitted, tally);
    for (uint32_t i = 0; i < ledger->n_attempts; i++) {
        check_instant(r, d, ledger->attempts[i].end, tally);
        tally->stops += ledger->attempts[i].how == LEDGER_STOPPED;
    }
}

static bool run_holds(struct lab *lab, uint64_t seed, struct quota_tally *sum)
{
    static const char *const policies[] = {"fifo+quota", "sjf+quota",
                                           "srtf+quota", "backfill+quota"};
    static const char *const settings[] = {"fair=none", "victims=newest",
                                           "fair=both", "fair=division"};
    struct quota_draw d = {0};
    struct quota_tally tally = {0};
    struct error err = {0};
    struct run *run = NULL;
    gsl_rng *rng = rng_open(seed, "quotas");
    draw_lab(rng, lab, &d);
    const char *policy = policies[rng_below(rng, 4)];
    const char *quota = settings[rng_below(rng, 4)];
    rng_free(rng);
    enum status st = lab_write(lab, &err);
    if (st == STATUS_OK)
        st = lab_run(lab,
                     (struct run_config){.policy = policy,
                                         .quota = quota,
                                         .estimators = "oracle",
                                         .overhead = "none"},
                     &run, &err);
    bool ran = st == STATUS_OK || st == STATUS_INCOMPLETE;
    if (ran)
        check_run(run_result(run), &d, &tally);
    run_free(run);
    sum->borrows += tally.borrows;
    sum->stops += tally.stops;
    if (ran && !tally.above && !tally.below && !tally.idle)
        return true;
    printf("# run %d, %s, %s: %d above a limit, %d below the quota, %d idle: "
           "%s\n",
           (int)seed, policy, quota, tally.above, tally.below, tally.idle,
           err.message);
    return false;
}

int main(void)
{
    struct lab *lab = lab_new();
    struct quota_tally sum = {0};
    bool good = lab != NULL;
    int n_bad = 0;
    for (uint64_t seed = 0; seed < QUOTA_RUNS && lab; seed++)
        n_bad += !run_holds(lab, seed, &sum);
    /* without loans and stops the laws would hold for nothing */
    good &= n_bad == 0 && sum.borrows > QUOTA_RUNS && sum.stops > QUOTA_RUNS;
    printf("# %d bad, %d loans at instants, %d stops\n", n_bad, sum.borrows,
           sum.stops);
    printf("1..1\n%sok 1 - quotas are kept, taken back and used\n",
           good ? "" : "not ");
    lab_free(lab);
    return !good;
}
