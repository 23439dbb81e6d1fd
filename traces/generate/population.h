/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All submissions of a generated cluster in their order: who submits what, and
 * when. Made at once, because every part depends on the whole: the counts of
 * all jobs are fixed first (sizes.h), then dealt to users and sessions
 * (people.h, deal.h), then put on the times of arrivals.h (timetable.h). */
#ifndef TRACES_POPULATION_H
#define TRACES_POPULATION_H

#include "base/units.h"
#include "traces/generate/calibration.h"
#include "traces/generate/timetable.h"
#include "traces/generate/traits.h"

struct repo_choice; /* traces/evidence/choice.h */

/* What a user runs repeatedly, in one session or in several. */
struct script {
    uint64_t number;   /* 1 + index of the session that runs it first */
    uint32_t gpus;     /* GPUs that its jobs ask for */
    uint32_t kind;     /* index of calibration.kinds */
    double over;       /* limit before rounding / duration of the first run,
                        * >= 1 */
    sim_span declared; /* declared limit, us; 0: none yet */
    const struct calibration_model *model;
    /* what the last run ran of a repository; NULL: not drawn yet, or the trace
     * has no repositories (habits.h) */
    struct repo_choice *choice;
};

struct population_options {
    /* number of submissions, without the jobs that run at the beginning */
    uint32_t jobs;
    double span;   /* length in seconds; 0: as the published rate says */
    uint32_t gpus; /* GPUs of the cluster; no job asks for more */
    bool warm;     /* true: the trace begins with running jobs */
    /* True: the mean GPU time of a job is always scaled to population_mean,
     * although that changes the waits. False: only if it is far from it. */
    bool exact;
    uint64_t seed;
};

struct population {
    const struct calibration *calibration;
    struct traits traits;
    struct people people;
    struct timetable timetable;
    struct script *scripts;
    uint32_t *script_of; /* by session: index of its script in `scripts` */
    double span;         /* length of the trace, seconds */
    size_t next;         /* index of the next entry of the timetable */
};

/* One submission. `script` is valid as long as the population. */
struct submission {
    double at;     /* seconds since the start, whole */
    uint32_t user; /* index of calibration.users */
    uint32_t vc;   /* index of calibration.vcs; 0 if there are none */
    enum trace_end end;
    struct script *script;
    double seconds; /* duration, a whole number, at least 1 */
};

/* Returns the mean GPU time of a job, GPU seconds, in a trace for a cluster
 * with `gpus` GPUs: the published mean, lowered because jobs that ask for more
 * GPUs are left out. */
double population_mean(const struct calibration *calibration, uint32_t gpus);

/* Makes all submissions. The calibration, the models and the arena are borrowed
 * and must outlive *out. population_close frees the rest. STATUS_USAGE if no
 * job is small enough for options->gpus, STATUS_BAD_INPUT if the calibration
 * has no fitted traits. */
enum status population_open(const struct calibration *calibration,
                            const struct calibration_model *models,
                            size_t n_models,
                            const struct population_options *options,
                            struct arena *arena, struct population *out,
                            struct error *err) MUST_USE;
void population_close(struct population *population); /* accepts all zeroes */

/* Fills *out with the next submission; returns false after the last one. */
bool population_next(struct population *population,
                     struct submission *out) MUST_USE;

#endif
