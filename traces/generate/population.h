/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The users of a generated cluster and the scripts that they run again and
 * again. arrivals.h decides when they submit; synthetic.h writes the rows. */
#ifndef TRACES_POPULATION_H
#define TRACES_POPULATION_H

#include "traces/generate/calibration.h"
#include "traces/generate/urn.h"

#define POPULATION_REMEMBERED 8 /* scripts of a user that may come back */

struct script {
    uint64_t number;
    uint32_t gpus, size, kind;
    size_t count; /* index into the published numbers of GPUs */
    bool ran;
    uint32_t state;
    double typical[CALIBRATION_STATES]; /* typical seconds by final state, 0:
                                           not drawn yet */
    double over; /* declared limit over typical duration */
    sim_span declared;
    const struct calibration_model *model;
};

struct user {
    struct script scripts[POPULATION_REMEMBERED];
    size_t n, current;
    size_t vc; /* n_vcs: none */
};

/* A size class and kind: how its jobs end, and how long they run for each final
 * state. */
struct population_group {
    struct urn states;
    struct urn bins[CALIBRATION_STATES];
};

struct population {
    struct arena *arena;
    const struct calibration *calibration;
    const struct calibration_model *models;
    size_t n_models;
    gsl_rng *people, *shapes, *durations;
    struct user *users;
    struct urn who, sizes, kinds[CALIBRATION_CLASSES];
    struct population_group *groups; /* class-major */
    double chance;  /* probability that two draws of a user agree */
    double gpu_s;   /* expected GPU time of a job */
    size_t n_sizes; /* sizes that fit the cluster */
    uint32_t last_user;
    uint64_t n_scripts;
};

/* One submission. Borrowed until the next call. */
struct submission {
    uint32_t user;
    struct script *script;
    double seconds; /* whole, at least 1; how it ends: script->state */
};

/* No job asks for more than `gpus` GPUs. The arguments that are pointers are
 * borrowed and must outlive *out. */
void population_init(struct population *out,
                     const struct calibration *calibration,
                     const struct calibration_model *models, size_t n_models,
                     uint32_t gpus, uint64_t seed, struct arena *arena);
void population_fini(struct population *population); /* accepts all zeroes */

/* Returns the next submission, `gap_s` seconds after the last. */
struct submission population_next(struct population *population, double gap_s);

#endif
