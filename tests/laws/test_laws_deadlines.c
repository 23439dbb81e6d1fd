/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The law of policies that promise deadlines, on random jobsets: if run times
 * and speeds are as believed, stops cost nothing and nothing fails, then every
 * job that elasticflow started ends by its deadline, the others with a deadline
 * were rejected, and no promise was broken on the way. */
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "tests/support/lab.h"

enum { JOBSETS = 300 };

/* Nodes of 4 GPUs, and jobs of a power of two, which always find a place
 * (policies/gangs.h). Half of them scale. */
static void draw_deadlines(gsl_rng *rng, struct lab *lab)
{
    lab_clear(lab);
    lab->n_groups = 1;
    lab->groups[0] = (struct lab_group){.count = 1 + rng_below(rng, 4),
                                        .gpus = 4,
                                        .speed = 1,
                                        .vc = "default",
                                        .type = "gpu"};
    lab->n_jobs = 2 + rng_below(rng, 60);
    sim_time at = 0;
    for (size_t i = 0; i < lab->n_jobs; i++) {
        struct lab_job *job = &lab->jobs[i];
        *job = (struct lab_job){.end = "completed", .epoch = 1000};
        snprintf(job->name, sizeof job->name, "j%zu", i);
        at += SPAN_SECOND * rng_below(rng, 50);
        job->submitted = at;
        job->gpus = 1u << rng_below(rng, 3);
        job->runs = SPAN_SECOND * (1 + rng_below(rng, 300));
        if (rng_below(rng, 5))
            job->deadline = job->runs * (3 + rng_below(rng, 30)) / 8;
        if (rng_below(rng, 2))
            snprintf(job->model, sizeof job->model, "curve");
    }
}

/* Writes throughputs that rise with the number of GPUs, by a power of it. */
static bool write_curve(gsl_rng *rng, const char *path)
{
    double throughput = 1, by = 1.01 + gsl_rng_uniform(rng);
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fprintf(file, "model,gpus,throughput\n");
    for (unsigned gpus = 1; gpus <= 16; gpus *= 2, throughput *= by)
        fprintf(file, "curve,%u,%.17g\n", gpus, throughput);
    return fclose(file) == 0;
}

struct tally {
    uint64_t in_time, rejected, late, other;
};

/* Counts how the jobs with a deadline ended, and the promises that the policy
 * says it broke. */
static void tally_run(const struct run_result *r, struct tally *tally)
{
    const struct jobset *set = &r->jobset;
    for (size_t i = 0; i < r->n_counts; i++) {
        if (strcmp(r->counts[i].name, "broken") == 0 ||
            strcmp(r->counts[i].name, "unplaced") == 0)
            tally->other += r->counts[i].value;
    }
    for (job_id id = 0; id < set->n_jobs; id++) {
        const struct job *job = &set->jobs[id];
        uint32_t at = r->ledger.last_attempt[id];
        if (!set->terms || set->terms[id].deadline == JOB_NO_DEADLINE)
            tally->other += job->state != JOB_FINISHED;
        else if (job->state == JOB_REJECTED)
            tally->rejected++;
        else if (job->state == JOB_FINISHED &&
                 r->ledger.attempts[at].end <=
                     job->submitted + set->terms[id].deadline)
            tally->in_time++;
        else
            tally->late++;
    }
}

static bool jobset_holds(struct lab *lab, uint64_t seed, const char *curve,
                         struct tally *sum)
{
    struct error err = {0};
    char throughput[256], policy[64];
    struct tally tally = {0};
    struct run *run = NULL;
    gsl_rng *rng = rng_open(seed, "deadlines");
    draw_deadlines(rng, lab);
    snprintf(throughput, sizeof throughput, "table:file=%s", curve);
    snprintf(policy, sizeof policy, "elasticflow:round_s=%u",
             10 + rng_below(rng, 50));
    bool written = write_curve(rng, curve);
    rng_free(rng);
    enum status st = lab_write(lab, &err);
    if (written && st == STATUS_OK)
        st = lab_run(lab,
                     (struct run_config){.policy = policy,
                                         .throughput = throughput,
                                         .estimators = "oracle",
                                         .overhead = "none"},
                     &run, &err);
    bool ran = st == STATUS_OK || st == STATUS_INCOMPLETE;
    if (ran)
        tally_run(run_result(run), &tally);
    run_free(run);
    sum->in_time += tally.in_time;
    sum->rejected += tally.rejected;
    if (ran && !tally.late && !tally.other)
        return true;
    printf("# jobset %d: %d late, %d broken: %s\n", (int)seed, (int)tally.late,
           (int)tally.other, err.message);
    return false;
}

int main(void)
{
    struct lab *lab = lab_new();
    char curve[96];
    struct tally sum = {0};
    bool good = lab != NULL;
    snprintf(curve, sizeof curve, "%s/curve.csv", good ? lab->dir : "");
    for (uint64_t seed = 0; seed < JOBSETS && good; seed++)
        good = jobset_holds(lab, seed, curve, &sum);
    /* a policy that rejects all, or nobody, would keep the law */
    good &= sum.in_time > JOBSETS && sum.rejected > JOBSETS;
    printf("# %d in time, %d rejected\n", (int)sum.in_time, (int)sum.rejected);
    printf("1..1\n%sok 1 - who is admitted is in time\n", good ? "" : "not ");
    remove(curve);
    lab_free(lab);
    return !good;
}
