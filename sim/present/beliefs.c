/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/present/beliefs.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

/* Levels of likeness, the closest first. */
enum { LIKE_NAME, LIKE_USER, LIKE_GPUS, LIKE_ALL, LIKE_LEVELS };

/* An ended job as a member of its class at one level. */
struct like {
    uint64_t class; /* hash of what the class has in common */
    size_t ended;   /* index in the state */
};

/* What may become of one job: run times, us, or shares of its limit, in
 * ascending order. */
struct belief_of_job {
    double *at;
    size_t n;
};

struct beliefs {
    const struct state *state;
    struct like *likes[LIKE_LEVELS]; /* by class, then index */
    size_t n;                        /* number of ended jobs that count */
    struct belief_of_job *jobs;      /* by job of the state */
    bool shares;                     /* values are shares of limits */
    bool limits_only;                /* beliefs_limits_only was called */
    char words[160];
    struct arena arena;
};

static int like_compare(const void *a, const void *b)
{
    const struct like *x = a, *y = b;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    return x->ended < y->ended ? -1 : x->ended > y->ended;
}

static int compare_values(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint64_t class_of(int level, const char *user, const char *name,
                         uint32_t gpus)
{
    uint64_t hash = (uint64_t)level;
    if (level <= LIKE_GPUS)
        hash = hash * UINT64_C(0x9e3779b97f4a7c15) + gpus + 1;
    if (level <= LIKE_USER)
        hash = hash * UINT64_C(0x9e3779b97f4a7c15) ^ text_hash(text_from(user));
    if (level <= LIKE_NAME)
        hash = hash * UINT64_C(0x9e3779b97f4a7c15) ^ text_hash(text_from(name));
    return hash;
}

static void beliefs_classes(struct beliefs *b)
{
    const struct state *state = b->state;
    for (int level = 0; level < LIKE_LEVELS; level++) {
        struct like *at = mem_alloc((state->n_ended + 1) * sizeof *at);
        b->likes[level] = at;
        b->n = 0;
        for (size_t i = 0; i < state->n_ended; i++) {
            const struct state_ended *e = &state->ended[i];
            if (e->ran > 0)
                at[b->n++] = (struct like){
                    class_of(level, e->user, e->name, e->gpus), i};
        }
        if (b->n)
            qsort(at, b->n, sizeof *at, like_compare);
    }
}

/* Returns the index of the first member of a class with this class or a higher
 * one. */
static size_t like_from(const struct beliefs *b, int level, uint64_t class)
{
    const struct like *at = b->likes[level];
    size_t lo = 0, hi = b->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (at[mid].class < class)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* An ended job that a job may resemble. */
struct resembling {
    double apart; /* distance of the limits: absolute value of the logarithm */
    double value;
    size_t ended;
};

static int resembling_compare(const void *a, const void *b)
{
    const struct resembling *x = a, *y = b;
    if (x->apart != y->apart)
        return x->apart < y->apart ? -1 : 1;
    return x->ended < y->ended ? -1 : x->ended > y->ended;
}

/* Collects the members of a class that ran longer than the job has; with shares
 * only those that have a limit. Returns their number. */
static size_t resembling_find(const struct beliefs *b,
                              const struct state_job *job, int level,
                              struct resembling *out)
{
    const uint64_t class = class_of(level, job->user, job->name, job->gpus);
    const sim_span elapsed = state_elapsed(b->state, job);
    size_t n = 0;
    for (size_t i = like_from(b, level, class);
         i < b->n && b->likes[level][i].class == class; i++) {
        const size_t k = b->likes[level][i].ended;
        const struct state_ended *e = &b->state->ended[k];
        const bool both = job->limit > 0 && e->limit > 0;
        const double value =
            b->shares ? (double)e->ran / (double)e->limit : (double)e->ran;
        if (b->shares ? !both || value * (double)job->limit <= (double)elapsed
                      : e->ran <= elapsed)
            continue;
        out[n++] = (struct resembling){
            both ? fabs(log((double)e->limit / (double)job->limit)) : 0, value,
            k};
    }
    return n;
}

/* Fills in what may become of a job. */
static void belief_make(struct beliefs *b, size_t number,
                        struct resembling *scratch)
{
    const struct state_job *job = &b->state->jobs[number];
    struct belief_of_job *out = &b->jobs[number];
    int level = !*job->user ? LIKE_GPUS : !*job->name ? LIKE_USER : LIKE_NAME;
    size_t n = 0;
    for (; level < LIKE_LEVELS && n < BELIEFS_LEAST; level++)
        n = resembling_find(b, job, level, scratch);
    if (n < BELIEFS_LEAST)
        return;
    if (n > BELIEFS_MOST && job->limit) {
        qsort(scratch, n, sizeof *scratch, resembling_compare);
        n = BELIEFS_MOST;
    }
    out->n = n;
    out->at = ARENA_ARRAY(&b->arena, double, n);
    for (size_t i = 0; i < n; i++)
        out->at[i] = scratch[i].value;
    qsort(out->at, n, sizeof *out->at, compare_values);
}

/* Returns the mean absolute error of the logarithm of the median of each number
 * of GPUs, for the ended jobs with a limit: the median of run times, or of
 * shares of limits. */
static double beliefs_error(const struct beliefs *b, bool shares)
{
    const struct like *at = b->likes[LIKE_GPUS];
    double *values = mem_alloc((b->n + 1) * sizeof *values), sum = 0;
    size_t n_all = 0;
    for (size_t i = 0, end; i < b->n; i = end) {
        size_t n = 0;
        for (end = i; end < b->n && at[end].class == at[i].class; end++) {
            const struct state_ended *e = &b->state->ended[at[end].ended];
            if (e->limit)
                values[n++] = (double)e->ran / (shares ? (double)e->limit : 1);
        }
        if (n)
            qsort(values, n, sizeof *values, compare_values);
        for (size_t k = 0; k < n; k++)
            sum += fabs(log(values[k] / values[n / 2]));
        n_all += n;
    }
    free(values);
    return n_all ? sum / (double)n_all : INFINITY;
}

struct beliefs *beliefs_new(const struct state *state)
{
    struct beliefs *b = mem_zalloc(1, sizeof *b);
    struct resembling *scratch =
        mem_alloc((state->n_ended + 1) * sizeof *scratch);
    b->state = state;
    arena_init(&b->arena);
    beliefs_classes(b);
    b->shares = beliefs_error(b, true) < beliefs_error(b, false);
    b->jobs = mem_zalloc(state->n_jobs + 1, sizeof *b->jobs);
    for (size_t i = 0; i < state->n_jobs; i++)
        belief_make(b, i, scratch);
    free(scratch);
    snprintf(b->words, sizeof b->words,
             b->n ? "%s of %zu ended jobs"
                  : "limits alone, because no ended job is known",
             b->shares ? "shares of the limits" : "run times", b->n);
    return b;
}

void beliefs_free(struct beliefs *b)
{
    for (int level = 0; b && level < LIKE_LEVELS; level++)
        free(b->likes[level]);
    if (b) {
        free(b->jobs);
        arena_fini(&b->arena);
    }
    free(b);
}

void beliefs_limits_only(struct beliefs *b)
{
    b->limits_only = true;
    snprintf(b->words, sizeof b->words, "limits alone");
}

/* Returns the run time of a job without ended jobs like it. */
static sim_span beliefs_default(const struct state_job *job, sim_span elapsed,
                                double share)
{
    const double ran = (double)elapsed;
    if (job->limit > elapsed)
        return elapsed + (sim_span)(share * (double)(job->limit - elapsed));
    const double floor = (double)BELIEFS_FLOOR;
    return (sim_span)((ran > floor ? ran : floor) / (1 - share));
}

sim_span beliefs_run(const struct beliefs *b, size_t number, double share)
{
    const struct state_job *job = &b->state->jobs[number];
    const struct belief_of_job *of = &b->jobs[number];
    const sim_span elapsed = state_elapsed(b->state, job);
    const size_t k = (size_t)(share * (double)of->n);
    sim_span run;
    if (job->limit && elapsed >= job->limit)
        return elapsed + BELIEFS_KILL;
    if (b->limits_only && job->limit)
        return job->limit;
    if (of->n)
        run = (sim_span)(of->at[k < of->n ? k : of->n - 1] *
                         (b->shares ? (double)job->limit : 1));
    else
        run = beliefs_default(job, elapsed, share);
    if (job->limit && run > job->limit)
        run = job->limit;
    return run > elapsed ? run : elapsed + 1;
}

void beliefs_draw(const struct beliefs *b, uint64_t seed, uint32_t draw,
                  sim_span *runs)
{
    const uint64_t stream = rng_stream(seed, "run time of a job of a state");
    const uint64_t shared = rng_stream(seed, "run times of a state");
    const double all = keyed_normal(shared, 0, draw);
    for (size_t i = 0; i < b->state->n_jobs; i++) {
        uint64_t key = text_hash(text_from(b->state->jobs[i].id));
        double own = keyed_normal(stream, key, draw);
        double share = gsl_cdf_ugaussian_P(sqrt(BELIEFS_SHARED) * all +
                                           sqrt(1 - BELIEFS_SHARED) * own);
        runs[i] = beliefs_run(b, i, fmin(fmax(share, 1e-9), 1 - 1e-9));
    }
}

void beliefs_plan(const struct beliefs *b, sim_span *plans)
{
    for (size_t i = 0; i < b->state->n_jobs; i++) {
        const struct state_job *job = &b->state->jobs[i];
        plans[i] = job->limit ? job->limit : beliefs_run(b, i, 0.5);
    }
}

const char *beliefs_words(const struct beliefs *b)
{
    return b->words;
}
