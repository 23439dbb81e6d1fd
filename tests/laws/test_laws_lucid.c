/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of Lucid, on random jobsets. Different ways to switch off a part have
 * the same effect; without sharing, Lucid is qssf; with room for all jobs, none
 * share. */
#include <stdio.h>
#include <string.h>

#include "tests/support/draw.h"

enum { JOBSETS = 100 };

static const struct run_config pairs_off = {
    .policy = "lucid:profiling=none,pair_gpus=0",
    .profilers = "0",
    .estimators = "oracle,workload",
    .interference = "constant:slowdown=1.25",
    .overhead = "none",
};

static struct run *play(const struct lab *lab, struct run_config config,
                        struct error *err)
{
    struct run *run;
    enum status st = lab_run(lab, config, &run, err);
    return st == STATUS_OK || st == STATUS_INCOMPLETE ? run : NULL;
}

/* Returns true if both runs have the same attempts (job, start, end), and no
 * attempt shared a GPU. */
static bool same_alone(struct run *a, struct run *b)
{
    const struct ledger *x = &run_result(a)->ledger;
    const struct ledger *y = &run_result(b)->ledger;
    if (x->n_attempts != y->n_attempts || x->n_where != y->n_where)
        return false;
    for (size_t i = 0; i < x->n_attempts; i++) {
        const struct attempt *p = &x->attempts[i], *q = &y->attempts[i];
        if (p->job != q->job || p->start != q->start || p->end != q->end ||
            p->shared || q->shared)
            return false;
    }
    return true;
}

static bool same(const struct lab *lab, struct run_config one,
                 struct run_config two, struct error *err)
{
    struct run *a = play(lab, one, err), *b = play(lab, two, err);
    bool good = a && b && same_alone(a, b);
    run_free(a);
    run_free(b);
    return good;
}

/* If a GPU may hold only one job, the search for jobs that can share GPUs
 * changes nothing. */
static bool a_share_limit_of_one(const struct lab *lab, struct error *err)
{
    struct run_config config = pairs_off;
    config.policy = "lucid:profiling=none";
    config.engine = "share_limit=1";
    return same(lab, pairs_off, config, err);
}

/* If the scores of all jobs are too high for sharing, the search for jobs that
 * can share GPUs changes nothing. */
static bool heavy_jobs(const struct lab *lab, struct error *err)
{
    struct run_config config = pairs_off;
    config.policy = "lucid:profiling=none,score_sum=0,tiny_util=0";
    return same(lab, pairs_off, config, err);
}

/* Without sharing, Lucid starts the job with the smallest believed GPU time
 * first, as qssf does. */
static bool sharing_off(const struct lab *lab, struct error *err)
{
    struct run_config off = pairs_off, qssf = pairs_off;
    off.policy = "lucid:profiling=none,sharing=off";
    qssf.policy = "qssf";
    return same(lab, off, qssf, err);
}

/* If no job is small enough to be profiled, profiling changes nothing. */
static bool no_job_is_small_enough(const struct lab *lab, struct error *err)
{
    struct run_config config = pairs_off;
    config.policy = "lucid:pair_gpus=0,profile_max_gpus=0";
    return same(lab, pairs_off, config, err);
}

/* Lucid's sharing is indolent: jobs do not share GPUs while all jobs can have
 * their own GPUs. */
static bool room_for_all(const struct lab *lab, struct error *err)
{
    static struct lab roomy;
    struct run_config config = pairs_off;
    bool good = true;
    roomy = *lab;
    for (size_t i = 0; i < roomy.n_groups; i++)
        roomy.groups[i].count += (uint32_t)(16 * roomy.n_jobs);
    config.policy = "lucid:profiling=none,sharing=on";
    if (lab_write(&roomy, err) != STATUS_OK)
        return false;
    struct run *run = play(&roomy, config, err);
    for (size_t i = 0; run && i < run_result(run)->ledger.n_attempts; i++)
        good &= !run_result(run)->ledger.attempts[i].shared;
    good &= run != NULL;
    run_free(run);
    return good;
}

/* Returns the end of the last attempt that held GPUs of the virtual cluster,
 * other than for a profile, before the job started at `start`. */
static sim_time busy_until(const struct run_result *r, const struct job *job,
                           sim_time start)
{
    sim_time last = 0;
    for (size_t i = 0; i < r->ledger.n_attempts; i++) {
        const struct attempt *a = &r->ledger.attempts[i];
        if (!a->profiling && r->jobset.jobs[a->job].vc == job->vc &&
            a->start < start && a->end > last)
            last = a->end;
    }
    return last;
}

static uint32_t vc_gpus(const struct cluster *c, uint16_t vc)
{
    uint32_t gpus = 0;
    for (node_id id = 0; id < c->n_nodes; id++)
        gpus += c->pools[c->nodes[id].pool].vc == vc ? c->nodes[id].gpus : 0;
    return gpus;
}

enum { PROFILE_S = 7 };

/* A job that needs all nodes of its virtual cluster is not rejected. Once no
 * other job of it runs, profiles delay the job by at most their limit. Makes a
 * job in three such a job. */
static bool no_profile_starves_a_whole_cluster(const struct lab *lab,
                                               struct error *err)
{
    static struct lab wide;
    struct run_config config = {.policy = "lucid:profile_s=7",
                                .estimators = "oracle,profiled",
                                .overhead = "none"};
    bool good = true;
    wide = *lab;
    wide.groups[0].count = 4;
    wide.n_groups = 1;
    wide.n_changes = 0;
    const uint32_t all = 4 * wide.groups[0].gpus;
    for (size_t i = 0; i < wide.n_jobs; i++) {
        memcpy(wide.jobs[i].vc, wide.groups[0].vc, sizeof wide.jobs[i].vc);
        wide.jobs[i].type[0] = '\0';
        if (i % 3 == 0 || wide.jobs[i].gpus > all)
            wide.jobs[i].gpus = all;
    }
    if (lab_write(&wide, err) != STATUS_OK)
        return false;
    struct run *run = play(&wide, config, err);
    const struct run_result *r = run ? run_result(run) : NULL;
    for (size_t i = 0; r && i < r->ledger.n_attempts; i++) {
        const struct attempt *a = &r->ledger.attempts[i];
        const struct job *job = &r->jobset.jobs[a->job];
        sim_time from = busy_until(r, job, a->start);
        from = from > job->submitted ? from : job->submitted;
        good &= job->gpus < vc_gpus(&r->cluster, job->vc) ||
                a->start - from <= PROFILE_S * SPAN_SECOND;
    }
    good &= r && r->ledger.n_rejections == 0;
    run_free(run);
    return good;
}

static bool holds(bool (*law)(const struct lab *, struct error *),
                  struct lab *lab, struct error *err)
{
    for (uint64_t seed = 0; seed < JOBSETS; seed++) {
        gsl_rng *rng = rng_open(seed, "test laws lucid");
        *err = (struct error){0};
        lab_clear(lab);
        draw_lab(rng, lab);
        for (size_t i = 0; i < lab->n_jobs; i++)
            lab->jobs[i].util = 1 + rng_below(rng, 100);
        rng_free(rng);
        if (lab_write(lab, err) == STATUS_OK && law(lab, err))
            continue;
        printf("# jobset %d: %s\n", (int)seed, err->message);
        return false;
    }
    return true;
}

int main(void)
{
    static const struct {
        const char *name;
        bool (*law)(const struct lab *, struct error *);
    } laws[] = {
        {"with one job per GPU no jobs pair", a_share_limit_of_one},
        {"heavy jobs do not pair", heavy_jobs},
        {"without sharing it is qssf", sharing_off},
        {"a job that is too large is not profiled", no_job_is_small_enough},
        {"no profile starves a job that needs all nodes",
         no_profile_starves_a_whole_cluster},
        {"where there is room for all no jobs share", room_for_all},
    };
    enum { N = sizeof laws / sizeof *laws };
    static struct error err;
    struct lab *lab = lab_new();
    int failed = 0;
    if (!lab)
        return 1;
    printf("1..%d\n", N);
    for (int i = 0; i < N; i++) {
        bool good = holds(laws[i].law, lab, &err);
        printf("%sok %d - %s\n", good ? "" : "not ", i + 1, laws[i].name);
        failed += !good;
    }
    lab_free(lab);
    return failed > 0;
}
