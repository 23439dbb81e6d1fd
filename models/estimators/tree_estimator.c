/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/estimators/tree_estimator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

/* Decay of the running mean of squared errors, which covers about the last 200
 * jobs. */
#define ERROR_DECAY 0.995

const char *const tree_estimator_targets[] = {"log", "seconds", NULL};

static double to_target(const struct tree_estimator *s, sim_span ran)
{
    double seconds = span_seconds(ran);
    return s->config->target == TARGET_LOG ? log1p(seconds) : seconds;
}

size_t tree_estimator_rows(const struct tree_estimator *s, const float **rows,
                           const float **targets)
{
    size_t n = s->n_rows < s->config->most ? s->n_rows : s->config->most;
    *rows = &s->rows[(s->n_rows - n) * N_FEATURES];
    *targets = &s->targets[s->n_rows - n];
    return n;
}

/* Adds the features and target of a job that ended. When there are 2 x `most`
 * rows, drops the oldest `most` rows in one go, so that rows are rarely moved
 * in memory. */
static void add_row(struct tree_estimator *s, const float *row, double target)
{
    size_t most = s->config->most;
    if (s->n_rows == 2 * most) {
        memmove(s->rows, &s->rows[most * N_FEATURES],
                most * N_FEATURES * sizeof *s->rows);
        memmove(s->targets, &s->targets[most], most * sizeof *s->targets);
        s->n_rows = most;
    }
    s->rows = mem_grow(s->rows, &s->cap_rows, (s->n_rows + 1) * N_FEATURES,
                       sizeof *s->rows);
    s->targets = mem_grow(s->targets, &s->cap_targets, s->n_rows + 1,
                          sizeof *s->targets);
    memcpy(&s->rows[s->n_rows * N_FEATURES], row, N_FEATURES * sizeof *row);
    s->targets[s->n_rows++] = (float)target;
}

/* Fits the trees if enough jobs have ended and, since the last fit, either
 * `refit_s` has passed or the number of ended jobs has doubled. After a fit to
 * `most` jobs, doubling no longer counts. */
static void refit(struct tree_estimator *s, sim_time now)
{
    struct error err = {0};
    bool grown =
        s->n_rows >= 2 * s->fitted_rows && s->fitted_rows < s->config->most;
    if (s->n_rows < s->config->least || (now < s->refit_at && !grown))
        return;
    s->refit_at = now + s->config->refit;
    s->fitted_rows = s->n_rows;
    /* This cannot fail: XGBoost accepts all sizes and values that occur
     * here. */
    enum status st = s->fit(s, &err);
    CHECK(st == STATUS_OK);
}

/* The end of a job of the past. Submissions and ends are processed in order of
 * time, so that the features of a job use only what was known at its
 * submission. */
struct past_end {
    sim_time at;
    uint32_t past; /* index of the job in env->past */
};

static int by_end(const void *a, const void *b)
{
    const struct past_end *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->past < y->past ? -1 : x->past > y->past;
}

static void learn_past(struct tree_estimator *s)
{
    uint32_t n = s->n_past, e = 0;
    float(*asked)[N_FEATURES] = mem_alloc((n + (size_t)1) * sizeof *asked);
    struct past_end *ends = mem_alloc((n + (size_t)1) * sizeof *ends);
    for (uint32_t i = 0; i < n; i++)
        ends[i] = (struct past_end){s->past[i].ended, i};
    qsort(ends, n, sizeof *ends, by_end);
    for (uint32_t i = 0; i <= n; i++) {
        sim_time now = i < n ? s->past[i].job.submitted : TIME_NEVER;
        for (; e < n && ends[e].at <= now && ends[e].past < i; e++) {
            const struct past_job *past = &s->past[ends[e].past];
            add_row(s, asked[ends[e].past], to_target(s, past->ran));
            features_ended(&s->features, &past->job, past->ran, past->ended);
        }
        if (i < n)
            features_submitted(&s->features, &s->past[i].job, asked[i]);
    }
    free(asked);
    free(ends);
}

enum status tree_estimator_init(struct tree_estimator *s, const void *config,
                                const struct run_env *env, struct error *err)
{
    s->config = config;
    s->asleep = true;
    s->past = env->past;
    s->n_past = env->n_past;
    elapsed_init(&s->elapsed, env);
    features_init(&s->features, env->zero);
    s->asked = arena_alloc(env->arena, env->n_jobs * sizeof *s->asked);
    s->told = ARENA_ARRAY(env->arena, float, env->n_jobs);
    for (uint32_t i = 0; i < env->n_jobs; i++)
        s->told[i] = NAN;
    enum status st = trees_load(err); /* fits need it */
    if (st != STATUS_OK)
        tree_estimator_fini(s);
    return st;
}

static void submitted(struct tree_estimator *s, const struct job *job,
                      sim_time now)
{
    refit(s, now);
    features_submitted(&s->features, job, s->asked[job->id]);
    if (s->fitted_rows)
        s->told[job->id] = trees_predict(&s->trees, s->asked[job->id]);
}

static void ended(struct tree_estimator *s, const struct job *job, sim_time now,
                  sim_span ran)
{
    double target = to_target(s, ran);
    add_row(s, s->asked[job->id], target);
    features_ended(&s->features, job, ran, now);
    if (isnan(s->told[job->id]))
        return;
    double error = target - (double)s->told[job->id];
    s->error_weight = s->error_weight * ERROR_DECAY + 1;
    s->error_squares = s->error_squares * ERROR_DECAY + error * error;
}

static void learn(struct tree_estimator *s, const struct tree_event *event)
{
    if (event->ran < 0)
        submitted(s, event->job, event->at);
    else
        ended(s, event->job, event->at, event->ran);
}

void tree_estimator_observe(void *self, const struct event *event,
                            struct wakeups *wakeups)
{
    struct tree_estimator *s = self;
    (void)wakeups;
    elapsed_observe(&s->elapsed, event);
    /* A retry is skipped: it is not a new submission, and its time of
     * submission would be out of order. */
    bool is_new = event->kind == EVENT_SUBMITTED && event->job->attempts == 0;
    if (!is_new && event->kind != EVENT_FINISHED)
        return;
    const struct tree_event one = {
        event->job, event->at, is_new ? -1 : s->elapsed.ran[event->job->id]};
    if (!s->asleep) {
        learn(s, &one);
        return;
    }
    s->listed =
        mem_grow(s->listed, &s->cap_listed, s->n_listed + 1, sizeof one);
    s->listed[s->n_listed++] = one;
}

void tree_estimator_wake(struct tree_estimator *s)
{
    if (!s->asleep)
        return;
    s->asleep = false;
    learn_past(s);
    refit(s, 0);
    for (size_t i = 0; i < s->n_listed; i++)
        learn(s, &s->listed[i]);
    free(s->listed);
    s->listed = NULL;
}

bool tree_estimator_remaining(void *self, const struct estimator *below,
                              const struct job *job, sim_time now,
                              struct belief *out)
{
    struct tree_estimator *s = self;
    (void)below;
    tree_estimator_wake(s);
    float told = s->told[job->id];
    if (isnan(told))
        return false;
    double total = (double)told, scale = 1;
    if (s->config->target == TARGET_LOG) {
        total = expm1(total);
        scale = total + 1;
    }
    total = fmin(fmax(total, 0), SECONDS_MAX);
    *out = elapsed_belief(&s->elapsed, job, now, span_from_seconds(total),
                          s->config->overrun);
    if (s->error_weight >= 8)
        out->spread = span_from_seconds(fmin(
            SECONDS_MAX, scale * sqrt(s->error_squares / s->error_weight)));
    out->source = s->name;
    return true;
}

void tree_estimator_fini(void *self)
{
    struct tree_estimator *s = self;
    features_fini(&s->features);
    trees_fini(&s->trees);
    free(s->rows);
    free(s->targets);
    free(s->listed);
    s->rows = s->targets = NULL;
    s->listed = NULL;
}
