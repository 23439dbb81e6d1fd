/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/registry.h"

static void draw_cluster(gsl_rng *rng, struct lab *lab)
{
    static const uint32_t widths[] = {1, 2, 4, 8};
    bool uniform = rng_below(rng, 2) == 0;
    uint32_t n_vcs = rng_below(rng, 3) == 0 ? 2 : 1;
    uint32_t width = widths[rng_below(rng, 4)];
    lab->n_groups = n_vcs + rng_below(rng, 6);
    for (uint32_t i = 0; i < lab->n_groups; i++) {
        struct lab_group *g = &lab->groups[i];
        *g = (struct lab_group){.count = 1,
                                .gpus =
                                    uniform ? width : widths[rng_below(rng, 4)],
                                .type = "gpu",
                                .speed = 1};
        snprintf(g->vc, sizeof g->vc, "vc%d",
                 n_vcs == 2 && i >= lab->n_groups / 2);
    }
}

void draw_lab(gsl_rng *rng, struct lab *lab)
{
    static const uint32_t sizes[] = {1, 1, 1, 2, 2, 3, 4, 4, 5, 8, 12, 16};
    draw_cluster(rng, lab);
    uint32_t gap = 1 + rng_below(rng, 4), longest = 2 + rng_below(rng, 20);
    sim_time now = 0;
    lab->n_jobs = 2 + rng_below(rng, DRAW_JOBS_MAX - 2);
    for (uint32_t i = 0; i < lab->n_jobs; i++) {
        struct lab_job *job = &lab->jobs[i];
        if (i > 0 && rng_below(rng, 2) == 0)
            now += rng_below(rng, gap + 1) * SPAN_SECOND;
        *job = (struct lab_job){.submitted = now,
                                .runs =
                                    (1 + rng_below(rng, longest)) * SPAN_SECOND,
                                .gpus = sizes[rng_below(rng, 12)],
                                .end = "completed"};
        uint32_t group = rng_below(rng, (uint32_t)lab->n_groups);
        memcpy(job->vc, lab->groups[group].vc, sizeof job->vc);
        snprintf(job->name, sizeof job->name, "j%u", i);
        if (lab->n_jobs % 2 && i % 3 == 1)
            snprintf(job->priority, sizeof job->priority, "spot");
    }
}

void draw_elastic(gsl_rng *rng, struct lab *lab)
{
    static const char *const words[] = {"adaptive", "scales", ""};
    for (size_t i = 0; i < lab->n_groups; i++)
        snprintf(lab->groups[i].type, sizeof lab->groups[i].type, "%s",
                 rng_below(rng, 2) ? "fast" : "slow");
    for (size_t i = 0; i < lab->n_jobs; i++) {
        struct lab_job *job = &lab->jobs[i];
        if (rng_below(rng, 4) == 0)
            continue;
        snprintf(job->model, sizeof job->model, "even");
        snprintf(job->elastic, sizeof job->elastic, "%s",
                 words[rng_below(rng, 3)]);
        job->batch = rng_below(rng, 2) ? 8 * job->gpus : 0;
    }
}

double draw_between(gsl_rng *rng, double low, double high)
{
    return low * exp(gsl_rng_uniform(rng) * log(high / low));
}

struct goodput draw_goodput(gsl_rng *rng)
{
    struct goodput job = {
        .model = {draw_between(rng, 1e-3, 1), draw_between(rng, 1e-4, 0.1),
                  draw_between(rng, 1e-3, 1), draw_between(rng, 1e-4, 0.1),
                  draw_between(rng, 1e-3, 1), draw_between(rng, 1e-4, 0.1),
                  draw_between(rng, 1, 10)},
        .gradient = {draw_between(rng, 1e-6, 1), draw_between(rng, 1e-3, 10)},
    };
    job.limits.local_min = 1 + rng_below(rng, 32);
    job.limits.local_max = job.limits.local_min + rng_below(rng, 200);
    job.limits.initial = job.limits.local_min * (1.0 + rng_below(rng, 4));
    job.limits.largest = job.limits.initial * (1.0 + rng_below(rng, 64));
    return job;
}

uint32_t draw_count(uint32_t n)
{
    const char *how = getenv("SCHEDSIM_TESTS");
    return how && strcmp(how, "short") == 0 ? n / 4 : n;
}

int draw_check_laws(size_t n, draw_law holds)
{
    static struct error err;
    struct lab *lab = lab_new();
    int number = 0, failed = 0;
    if (!lab)
        return 1;
    for (size_t i = 0; policies[i]; i++) {
        if (!(policies[i]->needs & POLICY_SHARES))
            continue;
        for (size_t k = 0; k < n; k++) {
            const char *name;
            bool good = holds(lab, policies[i], k, &name, &err);
            printf("%sok %d - %s: %s\n", good ? "" : "not ", ++number,
                   policies[i]->name, name);
            failed += !good;
        }
    }
    printf("1..%d\n", number);
    lab_free(lab);
    return failed > 0;
}
