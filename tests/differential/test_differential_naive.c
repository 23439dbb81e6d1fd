/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the engine with the naive simulator on 1,000 small random jobsets
 * with many ties, half of them with outages of nodes, under each policy and
 * placer that the naive simulator has. Each attempt of each job must begin and
 * end in the same second, on the same GPUs. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/differential/naive.h"
#include "tests/support/draw.h"

enum { JOBSETS = 1000 };

static const struct configuration {
    const char *policy;
    enum naive_policy naive;
} configurations[] = {
    {"fifo", NAIVE_FIFO},
    {"fjf", NAIVE_FIFO_SKIP},
    {"sjf", NAIVE_SJF},
    {"srtf", NAIVE_SRTF},
    {"srsf", NAIVE_SRSF},
    {"backfill", NAIVE_BACKFILL},
    {"backfill:depth=2", NAIVE_BACKFILL_TWO},
    /* The GPU time of a job can pass a limit between two seconds. With
     * round_s=1 the engine acts only at whole seconds, as the naive simulator
     * does. */
    {"tiresias:queues=6/20,round_s=1", NAIVE_TIRESIAS},
    {"tiresias:queues=6/20,service=time", NAIVE_TIRESIAS_TIME},
};
static const char *const placers[] = {"consolidate", "first-fit"};

enum { N_CONFIGURATIONS = sizeof configurations / sizeof *configurations };

/* Draws, for half of the jobsets, outages of some nodes, of which about half
 * last for good. */
static void draw_outages(gsl_rng *rng, struct lab *lab, struct naive *n)
{
    bool any = rng_below(rng, 2);
    n->keeps_place = rng_below(rng, 2);
    for (int node = 0; node < n->n_nodes; node++) {
        struct naive_outage *o = &n->outages[node];
        *o = (struct naive_outage){INT_MAX, INT_MAX};
        if (!any || rng_below(rng, 3) > 0)
            continue;
        o->from = (int)rng_below(rng, 40);
        lab->changes[lab->n_changes++] =
            (struct capacity_change){o->from * SPAN_SECOND, (node_id)node,
                                     false, PLAN_OF_CLUSTER, false};
        if (rng_below(rng, 2))
            continue;
        o->until = o->from + 1 + (int)rng_below(rng, 20);
        lab->changes[lab->n_changes++] =
            (struct capacity_change){o->until * SPAN_SECOND, (node_id)node,
                                     true, PLAN_OF_CLUSTER, false};
    }
}

/* Copies the cluster and the jobs to the naive simulator. */
static void copy_lab(const struct lab *lab, struct naive *n)
{
    n->n_nodes = (int)lab->n_groups;
    for (size_t i = 0; i < lab->n_groups; i++) {
        n->node_gpus[i] = (int)lab->groups[i].gpus;
        n->node_vc[i] = strcmp(lab->groups[i].vc, "vc1") == 0;
    }
    n->n_jobs = (int)lab->n_jobs;
    for (size_t i = 0; i < lab->n_jobs; i++) {
        const struct lab_job *job = &lab->jobs[i];
        n->jobs[i] = (struct naive_job){
            .submitted = (int)(job->submitted / SPAN_SECOND),
            .runs = (int)(job->runs / SPAN_SECOND),
            .gpus = (int)job->gpus,
            .vc = strcmp(job->vc, "vc1") == 0,
        };
    }
}

/* Marks the GPUs of a set in `out`, in which each node has NAIVE_WIDEST
 * entries, as in the naive simulator. */
static void spread(struct gpu_set where, bool out[NAIVE_GPUS])
{
    memset(out, 0, NAIVE_GPUS * sizeof *out);
    for (uint32_t i = 0; i < where.count; i++) {
        for (uint32_t g = 0; g < NAIVE_WIDEST; g++) {
            if (where.at[i].mask >> g & 1)
                out[where.at[i].node * NAIVE_WIDEST + g] = true;
        }
    }
}

static enum status compare_job(const struct naive *n, int id,
                               const struct run_result *result,
                               struct error *err)
{
    const struct attempt *attempts[NAIVE_ATTEMPTS];
    const struct naive_job *job = &n->jobs[id];
    size_t count =
        lab_attempts(&result->ledger, (job_id)id, attempts, NAIVE_ATTEMPTS);
    if (count != (size_t)job->n_attempts)
        return error_set(err, STATUS_BROKEN,
                         "job %d: %d attempts, the engine %zu", id,
                         job->n_attempts, count);
    for (size_t i = 0; i < count; i++) {
        const struct naive_attempt *want = &job->attempts[i];
        struct gpu_slice slices[NAIVE_GPUS];
        bool gpus[NAIVE_GPUS];
        uint32_t n_slices =
            ledger_where(&result->ledger, attempts[i], slices, NAIVE_GPUS);
        spread((struct gpu_set){slices, n_slices}, gpus);
        if (attempts[i]->start != want->start * SPAN_SECOND ||
            attempts[i]->end != want->end * SPAN_SECOND)
            return error_set(err, STATUS_BROKEN,
                             "job %d attempt %zu: %d..%d, the engine %g..%g",
                             id, i + 1, want->start, want->end,
                             span_seconds(attempts[i]->start),
                             span_seconds(attempts[i]->end));
        if (memcmp(gpus, want->gpus, sizeof gpus) != 0)
            return error_set(err, STATUS_BROKEN,
                             "job %d attempt %zu: on other GPUs", id, i + 1);
    }
    return STATUS_OK;
}

static enum status compare(const struct naive *n,
                           const struct run_result *result, struct error *err)
{
    if (result->jobset.n_jobs != (uint32_t)n->n_jobs)
        return error_set(err, STATUS_BROKEN, "%u jobs were loaded of %d",
                         result->jobset.n_jobs, n->n_jobs);
    for (int id = 0; id < n->n_jobs; id++) {
        bool rejected = result->jobset.jobs[id].state == JOB_REJECTED;
        if (rejected != n->jobs[id].rejected)
            return error_set(err, STATUS_BROKEN, "job %d: rejected or not", id);
        enum status st = compare_job(n, id, result, err);
        if (st != STATUS_OK)
            return st;
    }
    return STATUS_OK;
}

static enum status check(const struct lab *lab, struct naive *n,
                         const struct configuration *c, int placer,
                         struct error *err)
{
    struct run *run;
    char overhead[64];
    n->policy = c->naive;
    n->placer = (enum naive_placer)placer;
    if (!naive_run(n))
        return error_set(err, STATUS_BROKEN, "the naive simulator gave up");
    snprintf(overhead, sizeof overhead,
             "fixed:stop_1_s=%d,stop_8_s=%d,stop_more_s=%d", n->stop_cost,
             n->stop_cost, n->stop_cost);
    struct run_config config = {.policy = c->policy,
                                .estimators = "oracle",
                                .placer = placers[placer],
                                .overhead = overhead,
                                .engine =
                                    n->keeps_place ? "outage_place=keep" : NULL,
                                .seed = 1};
    enum status st = lab_run(lab, config, &run, err);
    if (st == STATUS_OK || st == STATUS_INCOMPLETE)
        st = compare(n, run_result(run), err);
    run_free(run);
    return st;
}

/* Takes the outages out of the jobset. The naive simulator has no rule for a
 * job of Tiresias that an outage stops. */
static enum status drop_outages(struct lab *lab, struct naive *n,
                                struct error *err)
{
    for (int node = 0; node < n->n_nodes; node++)
        n->outages[node] = (struct naive_outage){INT_MAX, INT_MAX};
    lab->n_changes = 0;
    return lab_write(lab, err);
}

struct tally {
    int failed, attempts, preempted, set_aside;
    char first[512];
};

/* Compares one jobset under all configurations and placers. */
static void check_workload(uint64_t seed, struct lab *lab,
                           struct tally tallies[N_CONFIGURATIONS][2])
{
    static const int costs[] = {0, 1, 7};
    static struct error err;
    struct naive drawn = {0};
    gsl_rng *rng = rng_open(seed, "test differential");
    lab_clear(lab);
    draw_lab(rng, lab);
    copy_lab(lab, &drawn);
    draw_outages(rng, lab, &drawn);
    drawn.stop_cost = costs[rng_below(rng, 3)];
    rng_free(rng);
    enum status written = lab_write(lab, &err);
    for (int c = 0; c < N_CONFIGURATIONS; c++) {
        if (configurations[c].naive >= NAIVE_TIRESIAS && lab->n_changes)
            written = drop_outages(lab, &drawn, &err);
        for (int p = 0; p < 2; p++) {
            struct tally *t = &tallies[c][p];
            static struct naive n;
            n = drawn;
            enum status st = written;
            if (st == STATUS_OK)
                st = check(lab, &n, &configurations[c], p, &err);
            for (int i = 0; i < n.n_jobs; i++) {
                t->attempts += n.jobs[i].n_attempts;
                t->preempted += n.jobs[i].n_attempts > 1;
                t->set_aside += n.jobs[i].rejected;
            }
            if (st != STATUS_OK && t->failed++ == 0)
                snprintf(t->first, sizeof t->first, "jobset %d: %.400s",
                         (int)seed, err.message);
        }
    }
}

/* Compares the jobset of the seed that the command line names, keeps its files,
 * and prints their names, so that somebody can examine a failure. */
static int keep_one(struct lab *lab, uint64_t seed)
{
    struct tally tallies[N_CONFIGURATIONS][2] = {0};
    check_workload(seed, lab, tallies);
    for (int c = 0; c < N_CONFIGURATIONS; c++) {
        for (int p = 0; p < 2; p++)
            printf("%s %s: %s\n", configurations[c].policy, placers[p],
                   tallies[c][p].failed ? tallies[c][p].first : "same");
    }
    printf("%s\n%s\n", lab->trace, lab->cluster);
    free(lab); /* lab_free would remove the files, which must stay */
    return 0;
}

int main(int argc, char **argv)
{
    static struct tally tallies[N_CONFIGURATIONS][2];
    struct lab *lab = lab_new();
    uint64_t seed;
    if (!lab)
        return 1;
    if (argc > 1)
        return text_to_u64(text_from(argv[1]), &seed) ? keep_one(lab, seed) : 2;
    for (seed = 0; seed < draw_count(JOBSETS); seed++)
        check_workload(seed, lab, tallies);
    lab_free(lab);
    int number = 0, failed = 0;
    printf("1..%d\n", N_CONFIGURATIONS * 2);
    for (int c = 0; c < N_CONFIGURATIONS; c++) {
        for (int p = 0; p < 2; p++) {
            const struct tally *t = &tallies[c][p];
            if (t->failed)
                printf("# %d jobsets differ; %s\n", t->failed, t->first);
            printf("# %d attempts, %d jobs preempted, %d rejected\n",
                   t->attempts, t->preempted, t->set_aside);
            printf("%sok %d - %s with placer %s\n", t->failed ? "not " : "",
                   ++number, configurations[c].policy, placers[p]);
            failed += t->failed;
        }
    }
    return failed > 0;
}
