/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models that learn run times: growing trees, the features of jobs, and the
 * estimators `gbdt` and `ga2m`.
 *
 * The only file that grows trees with XGBoost. The library is loaded when a run
 * needs trees: linking it would add 2 ms to each start of the program, which is
 * half the time of a small run. */
#include "models/estimators/trees.h"

#include <jansson.h>
#include <math.h>
#include <schedsim_features.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/library.h"
#include "models/estimators/pairwise.h"

#ifdef SCHEDSIM_WITHOUT_XGBOOST
#include "base/absent/xgboost_absent.h"
#else
#include <xgboost/c_api.h>
#endif

/* The functions of XGBoost that are used. Pointers to them are declared and
 * looked up by this list. */
#define XGBOOST(X) \
    X(XGBGetLastError) \
    X(XGBoosterCreate) \
    X(XGBoosterFree) \
    X(XGBoosterPredict) \
    X(XGBoosterSaveModelToBuffer) \
    X(XGBoosterSetParam) \
    X(XGBoosterUpdateOneIter) \
    X(XGDMatrixCreateFromMat_omp) \
    X(XGDMatrixFree) \
    X(XGDMatrixSetFloatInfo)

struct xgboost {
#define XGBOOST_MEMBER(name) __typeof__(name) *name;
    XGBOOST(XGBOOST_MEMBER)
#undef XGBOOST_MEMBER
};

static void submitted(struct tree_estimator *s, const struct job *job,
                      sim_time now);
static void ended(struct tree_estimator *s, const struct job *job, sim_time now,
                  sim_span ran);

static enum status trees_load_one(struct xgboost *xgb, struct error *err)
{
    static const char *const files[] = {"libxgboost.so.0", "libxgboost.so",
                                        NULL};
    static const char *const names[] = {
#define XGBOOST_NAME(name) #name,
        XGBOOST(XGBOOST_NAME)
#undef XGBOOST_NAME
    };
    return library_load(files, "libxgboost0", names,
                        sizeof names / sizeof *names, xgb, err);
}

/* Loads XGBoost, which trees_fit needs. STATUS_FAILED if it cannot be loaded. A
 * second call is cheap. */
static enum status trees_load(struct error *err)
{
    struct xgboost functions;
    return trees_load_one(&functions, err);
}

static enum status trees_failed(const struct xgboost *xgb, const char *what,
                                struct error *err)
{
    return error_set(err, STATUS_FAILED, "XGBoost: %s: %.500s", what,
                     xgb->XGBGetLastError());
}

void trees_fini(struct trees *trees)
{
    free(trees->nodes);
    free(trees->roots);
    *trees = (struct trees){0};
}

float trees_predict(const struct trees *trees, const float *row)
{
    float sum = trees->base;
    for (size_t t = 0; t < trees->n_trees; t++) {
        const struct tree_node *node = &trees->nodes[trees->roots[t]];
        while (node->left >= 0) {
            float x = row[node->feature];
            bool left = isnan(x) ? node->missing_left : x < node->split;
            node = &trees->nodes[left ? node->left : node->right];
        }
        sum += node->split;
    }
    return sum;
}

static bool set_params(const struct xgboost *xgb, BoosterHandle booster,
                       const struct trees_params *params, float base)
{
    char text[4][32];
    snprintf(text[0], sizeof text[0], "%u", params->depth);
    snprintf(text[1], sizeof text[1], "%.9g", params->eta);
    snprintf(text[2], sizeof text[2], "%.9g", params->min_child_weight);
    snprintf(text[3], sizeof text[3], "%.9g", (double)base);
    const char *const pairs[][2] = {
        {"booster", "gbtree"},
        {"objective", "reg:squarederror"},
        {"tree_method", "hist"},
        {"nthread", "1"},
        {"seed", "0"},
        {"verbosity", "0"},
        {"max_depth", text[0]},
        {"eta", text[1]},
        {"min_child_weight", text[2]},
        {"base_score", text[3]},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (xgb->XGBoosterSetParam(booster, pairs[i][0], pairs[i][1]) != 0)
            return false;
    }
    return true;
}

/* Returns element i of an array of a tree; 0 if the array is too short:
 * compare() then finds that the predictions differ. */
static double trees_number(const json_t *tree, const char *member, size_t i)
{
    return json_number_value(json_array_get(json_object_get(tree, member), i));
}

static void copy_tree(struct trees *trees, const json_t *tree)
{
    size_t n = json_array_size(json_object_get(tree, "left_children"));
    size_t first = trees->n_nodes;
    trees->nodes = mem_grow(trees->nodes, &trees->cap_nodes, first + n,
                            sizeof *trees->nodes);
    trees->roots = mem_grow(trees->roots, &trees->cap_trees, trees->n_trees + 1,
                            sizeof *trees->roots);
    trees->roots[trees->n_trees++] = (uint32_t)first;
    trees->n_nodes += n;
    for (size_t i = 0; i < n; i++) {
        int left = (int)trees_number(tree, "left_children", i);
        int right = (int)trees_number(tree, "right_children", i);
        trees->nodes[first + i] = (struct tree_node){
            .split = (float)trees_number(tree, "split_conditions", i),
            .left = left < 0 ? -1 : (int32_t)first + left,
            .right = left < 0 ? -1 : (int32_t)first + right,
            .feature = (uint16_t)trees_number(tree, "split_indices", i),
            .missing_left = trees_number(tree, "default_left", i) != 0,
        };
    }
}

static enum status copy_trees(const struct xgboost *xgb, struct trees *trees,
                              BoosterHandle booster, struct error *err)
{
    bst_ulong len;
    const char *text;
    if (xgb->XGBoosterSaveModelToBuffer(booster, "{\"format\": \"json\"}", &len,
                                        &text) != 0)
        return trees_failed(xgb, "save", err);
    json_error_t where;
    json_t *root = json_loadb(text, len, 0, &where);
    const json_t *model = json_object_get(
        json_object_get(json_object_get(root, "learner"), "gradient_booster"),
        "model");
    const json_t *list = json_object_get(model, "trees");
    for (size_t i = 0; i < json_array_size(list); i++)
        copy_tree(trees, json_array_get(list, i));
    json_decref(root);
    return STATUS_OK;
}

/* Compares the predictions of the copied trees with those of the library, for
 * at most 64 rows. A difference is an error: this program then misreads the
 * models of the installed version of XGBoost. */
static enum status trees_compare(const struct xgboost *xgb,
                                 const struct trees *trees,
                                 BoosterHandle booster, const float *rows,
                                 size_t n, size_t width, struct error *err)
{
    DMatrixHandle sample;
    bst_ulong count;
    const float *want;
    enum status st = STATUS_OK;
    size_t n_sample = n < 64 ? n : 64;
    if (xgb->XGDMatrixCreateFromMat_omp(rows, n_sample, width, NAN, &sample,
                                        1) != 0)
        return trees_failed(xgb, "sample", err);
    if (xgb->XGBoosterPredict(booster, sample, 0, 0, 0, &count, &want) != 0)
        st = trees_failed(xgb, "predict", err);
    for (size_t i = 0; i < n_sample && st == STATUS_OK; i++) {
        float got = trees_predict(trees, &rows[i * width]);
        if (fabsf(got - want[i]) > 1e-4f * (1 + fabsf(want[i])))
            st = error_set(err, STATUS_FAILED,
                           "XGBoost: this version's model is not understood");
    }
    xgb->XGDMatrixFree(sample);
    return st;
}

static enum status trees_grow(const struct xgboost *xgb, struct trees *trees,
                              BoosterHandle booster, DMatrixHandle data,
                              const struct trees_params *params,
                              struct error *err)
{
    if (!set_params(xgb, booster, params, trees->base))
        return trees_failed(xgb, "parameters", err);
    for (uint32_t i = 0; i < params->rounds; i++) {
        if (xgb->XGBoosterUpdateOneIter(booster, (int)i, data) != 0)
            return trees_failed(xgb, "train", err);
    }
    return copy_trees(xgb, trees, booster, err);
}

enum status trees_fit(struct trees *trees, const struct trees_params *params,
                      const float *rows, const float *targets, size_t n,
                      size_t width, struct error *err)
{
    struct xgboost functions;
    const struct xgboost *xgb = &functions;
    DMatrixHandle data = NULL;
    BoosterHandle booster = NULL;
    double sum = 0;
    enum status st = trees_load_one(&functions, err);
    if (st != STATUS_OK)
        return st;
    for (size_t i = 0; i < n; i++)
        sum += (double)targets[i];
    trees_fini(trees);
    trees->base = n ? (float)(sum / (double)n) : 0;
    if (xgb->XGDMatrixCreateFromMat_omp(rows, n, width, NAN, &data, 1) != 0 ||
        xgb->XGDMatrixSetFloatInfo(data, "label", targets, n) != 0 ||
        xgb->XGBoosterCreate(&data, 1, &booster) != 0)
        st = trees_failed(xgb, "data", err);
    if (st == STATUS_OK)
        st = trees_grow(xgb, trees, booster, data, params, err);
    if (st == STATUS_OK)
        st = trees_compare(xgb, trees, booster, rows, n, width, err);
    if (booster)
        xgb->XGBoosterFree(booster);
    if (data)
        xgb->XGDMatrixFree(data);
    if (st != STATUS_OK)
        trees_fini(trees);
    return st;
}

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
} trees_lasts[] = {
    {FEATURE_LAST_USER, TALLY_USER},
    {FEATURE_LAST_NAME, TALLY_USER | TALLY_NAME},
    {FEATURE_LAST_GPUS, TALLY_VC | TALLY_GPUS},
    {FEATURE_RECENT, 0},
};

#define TREES_COUNT(array) (sizeof(array) / sizeof *(array))

const char *feature_name(enum feature feature)
{
    static const char *const names[] = {
#define FEATURE_NAME(name, words) words,
        FEATURES(FEATURE_NAME)
#undef FEATURE_NAME
    };
    return names[feature];
}

static void features_init(struct features *features, sim_time zero)
{
    *features = (struct features){.zero = zero};
}

static void features_fini(struct features *features)
{
    tally_fini(&features->means);
    tally_fini(&features->lasts);
    tally_fini(&features->arrivals);
}

/* Returns the slow mean of the ended jobs that agree with this one in `parts`,
 * shrunk towards `prior`, the mean of all ended jobs; NaN if this job lacks a
 * part, such as a user. */
static float trees_mean_of(const struct tally *tally, const struct job *job,
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

/* Computes the features of a job that is submitted now. Also records the
 * submission, so call it once for each job, in the order of events. */
static void features_submitted(struct features *f, const struct job *job,
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
    for (size_t i = 0; i < TREES_COUNT(encoded); i++)
        out[encoded[i].feature] =
            trees_mean_of(&f->means, job, encoded[i].parts, prior);
    for (size_t i = 0; i < TREES_COUNT(trees_lasts); i++)
        out[trees_lasts[i].feature] =
            recent_of(&f->lasts, job, trees_lasts[i].parts);
    out[FEATURE_GAP] = gap_of(f, job);
}

/* Adds the run time `ran`, us, of a job that ended at `at`. */
static void features_ended(struct features *f, const struct job *job,
                           sim_span ran, sim_time at)
{
    struct tally_key key;
    double target = log1p(span_seconds(ran));
    if (tally_key_of(job, 0, &key))
        tally_add(&f->means, key, target, 1, at);
    for (size_t i = 0; i < TREES_COUNT(encoded); i++) {
        if (tally_key_of(job, encoded[i].parts, &key))
            tally_add(&f->means, key, target, DECAY_MEAN, at);
    }
    for (size_t i = 0; i < TREES_COUNT(trees_lasts); i++) {
        if (tally_key_of(job, trees_lasts[i].parts, &key))
            tally_add(&f->lasts, key, target, DECAY_RECENT, at);
    }
}

/* Decay of the running mean of squared errors, which covers about the last 200
 * jobs. */
#define ERROR_DECAY 0.995

const char *const tree_estimator_targets[] = {"log", "seconds", NULL};

static double to_target(const struct tree_estimator *s, sim_span ran)
{
    double seconds = span_seconds(ran);
    return s->config->target == TARGET_LOG ? log1p(seconds) : seconds;
}

/* Returns the number of rows to fit: the latest ones, at most config->most.
 * *rows and *targets point to the first of them and its target. */
static size_t tree_estimator_rows(const struct tree_estimator *s,
                                  const float **rows, const float **targets)
{
    size_t n = s->n_rows < s->config->most ? s->n_rows : s->config->most;
    *rows = &s->rows[(s->n_rows - n) * N_FEATURES];
    *targets = &s->targets[s->n_rows - n];
    return n;
}

/* Adds the features and target of a job that ended. When there are 2 x `most`
 * rows, drops the oldest `most` rows in one go, so that rows are rarely moved
 * in memory. */
static void trees_add_row(struct tree_estimator *s, const float *row,
                          double target)
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
    s->fresh_rows++;
}

/* Fits the model if enough jobs have ended and, since the last fit, either
 * their number has grown by `growth` or `refit_s` has passed. */
static void trees_refit(struct tree_estimator *s, sim_time now)
{
    struct error err = {0};
    bool grown =
        (double)s->fresh_rows >= s->config->growth * (double)s->fitted_rows;
    bool late = s->config->refit && now >= s->refit_at;
    if (s->n_rows < s->config->least || !(grown || late))
        return;
    s->refit_at = now + s->config->refit;
    s->fitted_rows = s->n_rows < s->config->most ? s->n_rows : s->config->most;
    s->fresh_rows = 0;
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

static int trees_by_end(const void *a, const void *b)
{
    const struct past_end *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->past < y->past ? -1 : x->past > y->past;
}

static void trees_learn_past(struct tree_estimator *s)
{
    uint32_t n = s->n_past, e = 0;
    float(*asked)[N_FEATURES] = mem_alloc((n + (size_t)1) * sizeof *asked);
    struct past_end *ends = mem_alloc((n + (size_t)1) * sizeof *ends);
    for (uint32_t i = 0; i < n; i++)
        ends[i] = (struct past_end){s->past[i].ended, i};
    qsort(ends, n, sizeof *ends, trees_by_end);
    for (uint32_t i = 0; i <= n; i++) {
        sim_time now = i < n ? s->past[i].job.submitted : TIME_NEVER;
        for (; e < n && ends[e].at <= now && ends[e].past < i; e++) {
            const struct past_job *past = &s->past[ends[e].past];
            trees_add_row(s, asked[ends[e].past], to_target(s, past->ran));
            features_ended(&s->features, &past->job, past->ran, past->ended);
        }
        if (i < n)
            features_submitted(&s->features, &s->past[i].job, asked[i]);
    }
    free(asked);
    free(ends);
}

/* Sets up the estimator, which learns nothing yet. The caller has set `fit`,
 * `predict` and `name`. `config` is a struct tree_estimator_config. */
static void tree_estimator_init(struct tree_estimator *s, const void *config,
                                const struct run_env *env)
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
}

static void submitted(struct tree_estimator *s, const struct job *job,
                      sim_time now)
{
    trees_refit(s, now);
    features_submitted(&s->features, job, s->asked[job->id]);
    if (s->fitted_rows)
        s->told[job->id] = s->predict(s, s->asked[job->id]);
}

static void ended(struct tree_estimator *s, const struct job *job, sim_time now,
                  sim_span ran)
{
    double target = to_target(s, ran);
    trees_add_row(s, s->asked[job->id], target);
    features_ended(&s->features, job, ran, now);
    if (isnan(s->told[job->id]))
        return;
    double error = target - (double)s->told[job->id];
    s->error_weight = s->error_weight * ERROR_DECAY + 1;
    s->error_squares = s->error_squares * ERROR_DECAY + error * error;
}

static void trees_learn(struct tree_estimator *s,
                        const struct tree_event *event)
{
    if (event->ran < 0)
        submitted(s, event->job, event->at);
    else
        ended(s, event->job, event->at, event->ran);
}

static void tree_estimator_observe(void *self, const struct event *event,
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
        trees_learn(s, &one);
        return;
    }
    s->listed =
        mem_grow(s->listed, &s->cap_listed, s->n_listed + 1, sizeof one);
    s->listed[s->n_listed++] = one;
}

/* Learns what was put off until somebody asks: the jobs of the past, if enough
 * with a fit, then the listed events. Called by each question. */
static void tree_estimator_wake(struct tree_estimator *s)
{
    if (!s->asleep)
        return;
    s->asleep = false;
    trees_learn_past(s);
    trees_refit(s, 0);
    for (size_t i = 0; i < s->n_listed; i++)
        trees_learn(s, &s->listed[i]);
    free(s->listed);
    s->listed = NULL;
}

static bool tree_estimator_remaining(void *self, const struct estimator *below,
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

static void tree_estimator_fini(void *self)
{
    struct tree_estimator *s = self;
    features_fini(&s->features);
    trees_fini(&s->trees);
    shapes_fini(&s->shapes);
    free(s->rows);
    free(s->targets);
    free(s->listed);
    s->rows = s->targets = NULL;
    s->listed = NULL;
}

/* A generalised additive model with pairwise terms
 * (models/estimators/pairwise.h), as in Lucid's workload estimator. Its terms
 * can be printed, so that people see why it predicts that a job is long. */

static const struct option trees_ga2m_options[] = {
    OPT_U32(struct tree_estimator_config, pairs, "pairs", 10, 0, 100,
            "number of pairs of features that may act together",
            "InterpretML's default, which Lucid uses"),
    OPT_U32(struct tree_estimator_config, rounds, "rounds", 10, 1, 10000,
            "number of rounds, each of one tree for each feature",
            "by measurement: docs/defaults.md"),
    OPT_U32(struct tree_estimator_config, rows, "rows", 20000, 2, 100000000,
            "number of the ended jobs, at even distances, that a fit uses",
            "by measurement: docs/defaults.md"),
    TREE_ESTIMATOR_OPTIONS(0.2, "by measurement: docs/defaults.md", 0.125,
                           "by measurement: docs/defaults.md", 0,
                           "by measurement: docs/defaults.md"),
    {0},
};

static enum status ga2m_fit(struct tree_estimator *s, struct error *err)
{
    const float *rows, *targets;
    size_t n = tree_estimator_rows(s, &rows, &targets);
    const struct pairwise_params params = {
        .rounds = s->config->rounds,
        .pairs = s->config->pairs,
        .rows = s->config->rows,
        .eta = s->config->eta,
        .min_child_weight = s->config->min_child_weight,
    };
    (void)err;
    pairwise_fit(&s->shapes, &params, rows, targets, n, N_FEATURES);
    return STATUS_OK;
}

static float ga2m_predict(const struct tree_estimator *s, const float *row)
{
    return (float)shapes_value(&s->shapes, row);
}

static enum status trees_ga2m_init(void *self, const void *config,
                                   const struct run_env *env, struct error *err)
{
    struct tree_estimator *s = self;
    (void)err;
    s->fit = ga2m_fit;
    s->predict = ga2m_predict;
    s->name = "ga2m";
    tree_estimator_init(s, config, env);
    return STATUS_OK;
}

/* Writes the effects of the terms, on the scale of the target: ln(1 + seconds),
 * or seconds. */
static void ga2m_explain(void *self, struct out *out)
{
    struct tree_estimator *s = self;
    const float *rows, *targets;
    tree_estimator_wake(s);
    size_t n = tree_estimator_rows(s, &rows, &targets);
    shapes_center(&s->shapes, rows, n);
    shapes_write(&s->shapes, out);
}

const struct estimator_ops estimator_ga2m = {
    .name = "ga2m",
    .summary = "an additive model that a person can read, as Lucid's",
    .options = trees_ga2m_options,
    .config_size = sizeof(struct tree_estimator_config),
    .basis = BASIS_LEARNED,
    .state_size = sizeof(struct tree_estimator),
    .init = trees_ga2m_init,
    .observe = tree_estimator_observe,
    .remaining = tree_estimator_remaining,
    .explain = ga2m_explain,
    .fini = tree_estimator_fini,
};

/* Predicts run times by gradient boosted trees on what is known of a job at its
 * submission. This is the model of QSSF (Helios, SC'21, section 4), which uses
 * LightGBM. The paper publishes which attributes of jobs it trains on, but no
 * other details of the training. */

static const struct option gbdt_options[] = {
    OPT_U32(struct tree_estimator_config, depth, "depth", 6, 1, 16,
            "largest depth of a tree",
            "XGBoost's default, 6; LightGBM's limit of 31 leaves is near"),
    OPT_U32(struct tree_estimator_config, rounds, "rounds", 100, 1, 10000,
            "number of boosted trees", "LightGBM's default is 100"),
    TREE_ESTIMATOR_OPTIONS(0.1, "LightGBM's default is 0.1", 1,
                           "assumed: twice as many", 604800, "Lucid: weekly"),
    {0},
};

static enum status gbdt_fit(struct tree_estimator *s, struct error *err)
{
    const float *rows, *targets;
    size_t n = tree_estimator_rows(s, &rows, &targets);
    const struct trees_params params = {
        .rounds = s->config->rounds,
        .depth = s->config->depth,
        .eta = s->config->eta,
        .min_child_weight = s->config->min_child_weight,
    };
    return trees_fit(&s->trees, &params, rows, targets, n, N_FEATURES, err);
}

static float gbdt_predict(const struct tree_estimator *s, const float *row)
{
    return trees_predict(&s->trees, row);
}

static enum status gbdt_init(void *self, const void *config,
                             const struct run_env *env, struct error *err)
{
    struct tree_estimator *s = self;
    s->fit = gbdt_fit;
    s->predict = gbdt_predict;
    s->name = "gbdt";
    enum status st = trees_load(err); /* fits need it */
    if (st == STATUS_OK)
        tree_estimator_init(s, config, env);
    return st;
}

const struct estimator_ops estimator_gbdt = {
    .name = "gbdt",
    .summary = "boosted trees, fitted to the jobs that have ended",
    .options = gbdt_options,
    .config_size = sizeof(struct tree_estimator_config),
    .basis = BASIS_LEARNED,
    .state_size = sizeof(struct tree_estimator),
    .init = gbdt_init,
    .observe = tree_estimator_observe,
    .remaining = tree_estimator_remaining,
    .fini = tree_estimator_fini,
};
