/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who submits what: the users of a generated cluster and the scripts that they
 * run again and again. When they do so, and what a row says of it, is left to
 * others. */
#ifndef TRACES_POPULATION_H
#define TRACES_POPULATION_H

#include "traces/calibration.h"
#include "traces/demand.h"
#include "traces/urn.h"

#define POPULATION_REMEMBERED 8 /* scripts of a user that may come back */

struct script {
    uint64_t number;
    uint32_t gpus, size, kind;
    size_t count; /* of the published numbers of GPUs */
    bool ran;
    uint32_t state;
    double typical[CALIBRATION_STATES]; /* seconds, 0: not yet */
    double over;                        /* declared over typical duration */
    sim_span declared;
    const struct calibration_workload *workload;
};

struct user {
    struct script scripts[POPULATION_REMEMBERED];
    size_t n, current;
    size_t vc; /* n_vcs: none */
};

/* A size class and kind: how its jobs end, and how long each end takes. */
struct group {
    struct urn states;
    struct urn bins[CALIBRATION_STATES];
};

struct population {
    struct arena *arena;
    const struct calibration *calibration;
    const struct calibration_workload *workloads;
    size_t n_workloads;
    gsl_rng *people, *shapes, *durations;
    struct user *users;
    struct urn who, sizes, kinds[CALIBRATION_CLASSES];
    struct group *groups;               /* class-major */
    double chance;                      /* that two draws of a user agree */
    double gpu_s;                       /* expected GPU time of a job */
    double mean_s[CALIBRATION_CLASSES]; /* expected seconds of a job */
    double mean_gpus;
    double *factor; /* by size */
    struct demand demand;
    size_t n_sizes; /* sizes that fit the cluster */
    uint32_t last_user;
    uint64_t n_scripts;
};

/* One submission. Borrowed until the next. */
struct submission {
    uint32_t user;
    struct script *script;
    double seconds; /* whole, at least 1; ends as script->state says */
};

/* No job asks for more than `gpus`. What is pointed to is borrowed for the life
 * of *out. */
void population_init(struct population *out,
                     const struct calibration *calibration,
                     const struct calibration_workload *workloads,
                     size_t n_workloads, uint32_t gpus, uint64_t seed,
                     struct arena *arena);
void population_fini(struct population *population); /* accepts all zeroes */

/* The next one, so many seconds after the last. */
struct submission population_next(struct population *population, double gap_s,
                                  double elapsed);

#endif
