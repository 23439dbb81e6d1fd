/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/estimators/features.h"

#include <math.h>

/* Weight of the mean of all jobs when a mean is shrunk towards it, as a number
 * of values. CatBoost uses a default of similar size. */
#define PRIOR_WEIGHT 2.0
/* Decay per value of slow and fast means. Half of the weight of a slow mean is
 * on the last 35 values, half of that of a fast mean on the last 5. */
#define DECAY_MEAN 0.98
#define DECAY_RECENT 0.87

/* The sets of enum tally_part whose slow means are features. */
static const struct {
    enum feature feature;
    unsigned parts;
} encoded[] = {
    {FEATURE_USER, TALLY_USER},
    {FEATURE_VC, TALLY_VC},
    {FEATURE_NAME, TALLY_NAME},
    {FEATURE_MODEL, TALLY_MODEL},
    {FEATURE_USER_NAME, TALLY_USER | TALLY_NAME},
    {FEATURE_USER_GPUS, TALLY_USER | TALLY_GPUS},
    {FEATURE_VC_GPUS, TALLY_VC | TALLY_GPUS},
};
/* The sets of enum tally_part whose fast means are features. */
static const struct {
    enum feature feature;
    unsigned parts;
} lasts[] = {
    {FEATURE_LAST_USER, TALLY_USER},
    {FEATURE_LAST_NAME, TALLY_USER | TALLY_NAME},
    {FEATURE_LAST_GPUS, TALLY_VC | TALLY_GPUS},
    {FEATURE_RECENT, 0},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const char *feature_name(enum feature feature)
{
    static const char *const names[] = {
#define FEATURE_NAME(name, words) words,
        FEATURES(FEATURE_NAME)
#undef FEATURE_NAME
    };
    return names[feature];
}

void features_init(struct features *features, sim_time zero)
{
    *features = (struct features){.zero = zero};
}

void features_fini(struct features *features)
{
    tally_fini(&features->means);
    tally_fini(&features->lasts);
    tally_fini(&features->arrivals);
}

/* Returns the slow mean of the ended jobs that agree with this one in `parts`,
 * shrunk towards `prior`, the mean of all ended jobs; NaN if this job lacks a
 * part, such as a user. */
static float mean_of(const struct tally *tally, const struct job *job,
                     unsigned parts, double prior)
{
    struct tally_key key;
    if (!tally_key_of(job, parts, &key))
        return NAN;
    const struct tally_cell *cell = tally_find(tally, key);
    double weight = cell ? cell->weight : 0, sum = cell ? cell->sum : 0;
    return (float)((sum + PRIOR_WEIGHT * prior) / (weight + PRIOR_WEIGHT));
}

/* Returns the fast mean of the ended jobs that agree with this one in `parts`;
 * NaN if there are none or this job lacks a part. */
static float recent_of(const struct tally *tally, const struct job *job,
                       unsigned parts)
{
    struct tally_key key;
    if (!tally_key_of(job, parts, &key))
        return NAN;
    const struct tally_cell *cell = tally_find(tally, key);
    return cell ? (float)(cell->sum / cell->weight) : NAN;
}

/* Returns the mean of the log run times of all ended jobs; 0 if none has
 * ended. */
static double prior_of(const struct features *f, const struct job *job)
{
    struct tally_key key;
    if (!tally_key_of(job, 0, &key))
        return 0;
    const struct tally_cell *all = tally_find(&f->means, key);
    return all ? all->sum / all->weight : 0;
}

/* Returns ln(1 + s), s being the seconds since this user last submitted a job
 * with this number of GPUs; NaN if there was no such job. Records this
 * submission for later calls. For a job without a user, its virtual cluster
 * stands for the user. This is a feature because users submit jobs in
 * bursts. */
static float gap_of(struct features *f, const struct job *job)
{
    struct tally_key key;
    if (!tally_key_of(job, TALLY_USER | TALLY_GPUS, &key) &&
        !tally_key_of(job, TALLY_VC | TALLY_GPUS, &key))
        return NAN;
    const struct tally_cell *cell = tally_find(&f->arrivals, key);
    float gap = NAN;
    if (cell)
        gap = (float)log1p(span_seconds(job->submitted - cell->at));
    tally_add(&f->arrivals, key, 0, 0, job->submitted);
    return gap;
}

void features_submitted(struct features *f, const struct job *job,
                        float out[N_FEATURES])
{
    /* The remainder must not be negative: if a trace has no dates, the times of
     * jobs of the past are before 1970. 1 January 1970 was a Thursday. */
    sim_time at = f->zero + job->submitted;
    sim_time in_day = (at % SPAN_DAY + SPAN_DAY) % SPAN_DAY;
    sim_time day = (at - in_day) / SPAN_DAY;
    double prior = prior_of(f, job);
    out[FEATURE_GPUS] = (float)job->gpus;
    out[FEATURE_HOUR] = (float)(in_day / SPAN_HOUR);
    out[FEATURE_WEEKDAY] = (float)(((day + 3) % 7 + 7) % 7);
    out[FEATURE_DECLARED] =
        job->declared > 0 ? (float)log1p(span_seconds(job->declared)) : NAN;
    out[FEATURE_BATCH] = job->batch_size ? (float)job->batch_size : NAN;
    out[FEATURE_MEMORY] = job->mem_mib > 0 ? job->mem_mib : NAN;
    for (size_t i = 0; i < COUNT(encoded); i++)
        out[encoded[i].feature] =
            mean_of(&f->means, job, encoded[i].parts, prior);
    for (size_t i = 0; i < COUNT(lasts); i++)
        out[lasts[i].feature] = recent_of(&f->lasts, job, lasts[i].parts);
    out[FEATURE_GAP] = gap_of(f, job);
}

void features_ended(struct features *f, const struct job *job, sim_span ran,
                    sim_time at)
{
    struct tally_key key;
    double target = log1p(span_seconds(ran));
    if (tally_key_of(job, 0, &key))
        tally_add(&f->means, key, target, 1, at);
    for (size_t i = 0; i < COUNT(encoded); i++) {
        if (tally_key_of(job, encoded[i].parts, &key))
            tally_add(&f->means, key, target, DECAY_MEAN, at);
    }
    for (size_t i = 0; i < COUNT(lasts); i++) {
        if (tally_key_of(job, lasts[i].parts, &key))
            tally_add(&f->lasts, key, target, DECAY_RECENT, at);
    }
}
