/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the estimator `advisor`: ended jobs by kind, and beliefs drawn
 * by the law of errors. */
#ifndef SCHEDMATE_ADVISOR_INTERNAL_H
#define SCHEDMATE_ADVISOR_INTERNAL_H

#include <math.h>

#include "schedmate/simulated/schedmate.h"

struct truth_book;

/* Largest number of similar jobs that a search returns. */
#define SIMILAR_MAX 8

/* Jobs that have ended, by kind. Two jobs are of one kind if they ask for the
 * same number of GPUs and have the same row of the usage table (model, data
 * set, batch size and precision) or, if they have none, the same model. A
 * search first takes jobs that repeat the new one: they also have the same name
 * and batch size. */
struct kinds {
    const struct job *jobs;
    /* Jobs of the past. Their ids here come after the ids of the jobs of the
     * run. */
    const struct past_job *past;
    uint32_t n_jobs;
    /* Hash table with open addressing: of the jobs with one name, kind and
     * batch size, the one that ended last; JOB_NONE: free. */
    job_id *named;
    size_t n_named, n_slots;
    /* By job: the job with the same name, kind and batch size that ended before
     * it; JOB_NONE: none. */
    job_id *before;
    /* The jobs of each kind, with any name, that ended last. */
    struct kind_ring {
        uint64_t key;
        uint32_t n; /* number of jobs of the kind that have ended so far */
        job_id last[SIMILAR_MAX];
    } * rings;
    size_t n_rings, cap_rings;
    uint32_t *ring_slots; /* hash table: 1 + index in `rings`; 0: free */
    size_t n_ring_slots;
};

/* Jobs that are similar to a new one, the most recently ended first. A replay
 * sets only `n` and `basis`. */
struct similar {
    job_id at[SIMILAR_MAX];
    uint32_t n;
    /* ADVICE_NOTHING, ADVICE_RESUBMISSION or ADVICE_SIMILAR; ADVICE_LAW if no
     * jobs were needed */
    enum advice_basis basis;
};

void kinds_init(struct kinds *kinds, const struct run_env *env);
void kinds_fini(struct kinds *kinds);
/* Returns true if it is known what the job trains or what it is called. */
bool kinds_know(const struct job *job);
/* Returns the job with this id: below n_jobs a job of the run, else of the
 * past. */
const struct job *kinds_job(const struct kinds *kinds, job_id id);
/* Adds a job that has ended to its kind and to its name, where these are
 * known. */
void kinds_add(struct kinds *kinds, job_id id);
/* Finds at most `top` similar jobs, top <= SIMILAR_MAX, the most recently ended
 * first: jobs of the same user with this name, kind and batch size; if there
 * are none, any user's jobs with these three; if there are none either, jobs of
 * this kind. Of the jobs with one name, kind and batch size, only the 32 that
 * ended last are searched. */
void kinds_find(const struct kinds *kinds, const struct job *job, uint32_t top,
                struct similar *out);
/* Finds at most `top` jobs of a wrong kind, as an advisor does that takes the
 * job for another one. `draw`, 0 <= draw < 1, chooses the kind. Finds none if
 * no job of another kind has ended. */
void kinds_mistake(const struct kinds *kinds, const struct job *job,
                   uint32_t top, double draw, struct similar *out);

/* A plain mean of the figures that are known; mean_of returns NaN if none
 * is. */
struct mean {
    double sum;
    uint32_t n;
};

static inline void mean_add(struct mean *mean, bool known, double value)
{
    if (known) {
        mean->sum += value;
        mean->n++;
    }
}

static inline float mean_of(const struct mean *mean)
{
    return mean->n ? (float)(mean->sum / mean->n) : NAN;
}

/* What the advisor believes about a job; a negative value is unknown. */
struct advice {
    double seconds; /* run time, s */
    double compute; /* share of the compute of a GPU, 0..1 */
    double mem_mib; /* memory of a GPU, MiB */
};
/* Draws the beliefs about a job from the truth with the errors of `config`.
 * Memory has no error. The utilisation stays unknown if the trace does not give
 * it; the memory, unless the trace gives both. `stream`: rng_stream of the
 * advisor. */
void advisor_law(const struct schedmate_config *config,
                 const struct truth_book *truth, uint64_t stream,
                 const struct job *job, sim_time now, struct advice *out);

#endif
