/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The users of a generated cluster, and the scripts that they run repeatedly.
 * arrivals.h decides when jobs are submitted; synthetic.h writes the rows. */
#ifndef TRACES_POPULATION_H
#define TRACES_POPULATION_H

#include "traces/generate/calibration.h"
#include "traces/generate/urn.h"

struct repo_choice; /* traces/evidence/choice.h */

#define POPULATION_REMEMBERED 8 /* scripts that a user may run again */

struct script {
    uint64_t number; /* the n-th script of the trace, from 1 */
    uint32_t gpus;   /* GPUs that its jobs ask for */
    uint32_t size;   /* calibration_class of `gpus` */
    uint32_t kind;   /* index of calibration.kinds */
    size_t count;    /* index of calibration.gpu_counts */
    bool ran;        /* true if the script has run at least once */
    uint32_t state; /* final state of its last run, as calibration_cell.state */
    /* By final state: typical duration in seconds; 0: not drawn yet. */
    double typical[CALIBRATION_STATES];
    double over;       /* declared limit / duration of the first run, >= 1 */
    sim_span declared; /* declared limit; 0: not drawn yet */
    const struct calibration_model *model; /* NULL: not drawn yet */
    /* what the last run ran of a repository; NULL: not drawn yet, or the trace
     * has no repositories (habits.h) */
    struct repo_choice *choice;
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
    /* Random streams: `people` chooses users and scripts, `shapes` makes new
     * scripts, `durations` decides how runs end and how long they take. */
    gsl_rng *people, *shapes, *durations;
    struct user *users; /* busiest first */
    struct urn who;     /* draws the user of a job */
    struct urn sizes;   /* draws an index of calibration.gpu_counts */
    /* by size class: draws a kind of job */
    struct urn kinds[CALIBRATION_CLASSES];
    struct population_group *groups; /* by size class, then kind */
    /* probability that two independent draws give the same user, 0..1 */
    double chance;
    double gpu_s; /* expected GPU time of a job, GPU seconds */
    /* number of leading entries of gpu_counts that fit the cluster */
    size_t n_sizes;
    uint32_t last_user; /* user of the last job; UINT32_MAX: none yet */
    uint64_t n_scripts; /* scripts so far, of all users */
};

/* One submission. `script` is valid until the next call of population_next. */
struct submission {
    uint32_t user;         /* index of population.users */
    struct script *script; /* its `state` is the final state of this job */
    double seconds;        /* duration, a whole number, at least 1 */
};

/* `gpus`: the most GPUs that a job may ask for. All pointer arguments are
 * borrowed and must outlive *out. */
void population_init(struct population *out,
                     const struct calibration *calibration,
                     const struct calibration_model *models, size_t n_models,
                     uint32_t gpus, uint64_t seed, struct arena *arena);
void population_fini(struct population *population); /* accepts all zeroes */

/* Returns the submission that comes `gap_s` seconds after the last one. */
struct submission population_next(struct population *population, double gap_s);

#endif
