/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The users of a generated cluster and the scripts that they run again and
 * again. arrivals.h decides when they submit; synthetic.h writes the rows. */
#ifndef TRACES_POPULATION_H
#define TRACES_POPULATION_H

#include "traces/generate/calibration.h"
#include "traces/generate/urn.h"

#define POPULATION_REMEMBERED 8 /* scripts that a user may run again */

struct script {
    uint64_t number; /* the n-th script of the trace, from 1 */
    uint32_t gpus;   /* GPUs that its jobs ask for */
    uint32_t size;   /* calibration_class of `gpus` */
    uint32_t kind;   /* index of calibration.kinds */
    size_t count;    /* index of calibration.gpu_counts */
    bool ran;        /* it has run at least once */
    uint32_t state; /* final state of its last run, as calibration_cell.state */
    /* By final state: typical duration in seconds; 0: not drawn yet. */
    double typical[CALIBRATION_STATES];
    double over;       /* declared limit / duration of the first run, >= 1 */
    sim_span declared; /* declared limit; 0: not drawn yet */
    const struct calibration_model *model; /* NULL: not drawn yet */
};

struct user {
    struct script scripts[POPULATION_REMEMBERED];
    size_t n;       /* scripts so far, at most POPULATION_REMEMBERED */
    size_t current; /* index of the script that ran last */
    size_t vc;      /* index of calibration.vcs; 0 if there are none */
};

/* The jobs of one size class and kind. */
struct population_group {
    struct urn states;                   /* how the jobs end */
    struct urn bins[CALIBRATION_STATES]; /* how long they run, by final state */
};

struct population {
    struct arena *arena;
    const struct calibration *calibration;
    const struct calibration_model *models;
    size_t n_models;
    /* Random streams: who submits, what a new script is, how a run ends. */
    gsl_rng *people, *shapes, *durations;
    struct user *users;                    /* busiest first */
    struct urn who;                        /* users */
    struct urn sizes;                      /* calibration.gpu_counts */
    struct urn kinds[CALIBRATION_CLASSES]; /* kinds of job, by size class */
    struct population_group *groups;       /* by size class, then kind */
    double chance;      /* probability that two draws give one user, 0..1 */
    double gpu_s;       /* expected GPU time of a job, GPU seconds */
    size_t n_sizes;     /* numbers of GPUs that fit the cluster */
    uint32_t last_user; /* user of the last job; UINT32_MAX: none yet */
    uint64_t n_scripts; /* scripts so far, of all users */
};

/* One submission. The script is borrowed until the next call. */
struct submission {
    uint32_t user;         /* index of population.users */
    struct script *script; /* its `state` is the final state of this job */
    double seconds;        /* duration, a whole number, at least 1 */
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
