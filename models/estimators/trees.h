/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boosted regression trees. XGBoost grows them on one thread, without sampling
 * and from a fixed seed, so equal data give equal trees. The trees are copied
 * out of the library and evaluated by this program, because a single prediction
 * by XGBoost takes far longer than one row of a large batch. */
#ifndef SIM_TREES_H
#define SIM_TREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "models/estimators/elapsed.h"
#include "models/estimators/estimator.h"
#include "models/estimators/shapes.h"
#include "models/estimators/tally.h"

struct tree_node {
    /* values below `split` go left; for a leaf: the value of the leaf */
    float split;
    int32_t left, right; /* indices in `nodes`; < 0: this node is a leaf */
    uint16_t feature;
    bool missing_left; /* true if missing values go left */
};

struct trees {
    struct tree_node *nodes;
    uint32_t *roots; /* by tree: index of its root in `nodes` */
    size_t n_nodes, n_trees, cap_nodes, cap_trees;
    float base; /* prediction before any tree: the mean of the targets */
};

struct trees_params {
    uint32_t rounds, depth;
    double eta, min_child_weight;
};

/* Fits trees to n rows of `width` features. NaN marks a missing value. Replaces
 * *trees. STATUS_FAILED if XGBoost cannot be loaded, reports an error, or saves
 * its trees in a form that this program does not understand; *trees is then
 * unchanged or empty. */
enum status trees_fit(struct trees *trees, const struct trees_params *params,
                      const float *rows, const float *targets, size_t n,
                      size_t width, struct error *err) MUST_USE;

float trees_predict(const struct trees *trees, const float *row);

void trees_fini(struct trees *trees); /* accepts all zeroes */

/* The features of a job at its submission: what it asks for, the calendar, the
 * run times of similar jobs that have ended before, and the time since the last
 * similar submission. A user, a name or another category is represented by the
 * shrunk mean of the log run times of its ended jobs (ordered target
 * statistics, Prokhorenkova et al. 2018). So no feature uses the future, and
 * new users and names need no special case. Missing values are NaN. */

#define FEATURES(X) \
    X(GPUS, "gpus") \
    X(HOUR, "hour") \
    X(WEEKDAY, "weekday") \
    X(DECLARED, "log_declared_s") \
    X(BATCH, "batch_size") \
    X(MEMORY, "mem_mib") \
    X(USER, "user") \
    X(VC, "vc") \
    X(NAME, "name") \
    X(MODEL, "workload") \
    X(USER_NAME, "user_name") \
    X(USER_GPUS, "user_gpus") \
    X(VC_GPUS, "vc_gpus") \
    X(LAST_USER, "last_of_user") \
    X(LAST_NAME, "last_of_user_name") \
    X(LAST_GPUS, "last_of_gpus") \
    X(RECENT, "recent") \
    X(GAP, "log_gap_s")

enum feature {
#define FEATURE_ENUM(name, words) FEATURE_##name,
    FEATURES(FEATURE_ENUM)
#undef FEATURE_ENUM
        N_FEATURES
};

const char *feature_name(enum feature feature);

struct features {
    sim_time zero; /* start of the run, us since 1970 UTC */
    /* run times as ln(1 + seconds), slow decay; no decay in the mean of all
     * jobs */
    struct tally means;
    struct tally lasts;    /* run times as ln(1 + seconds), fast decay */
    struct tally arrivals; /* times of the last submissions */
};

/* Shared by the estimators that fit a model to ended jobs and predict submitted
 * jobs with it: rows, targets and the schedule of refits. These estimators
 * differ in their model.
 *
 * A refit is due when the number of ended jobs has grown by a share, so that
 * the time of all fits together is in proportion to the number of jobs.
 *
 * Nothing is learned until the first question: until then submissions and ends
 * are only listed. The first question learns the list in its order, so answers
 * do not depend on when it comes. */

enum { TARGET_LOG, TARGET_SECONDS };

extern const char *const tree_estimator_targets[];

struct tree_estimator_config {
    unsigned target;
    uint32_t rounds, depth, pairs, rows, least, most;
    double eta, min_child_weight, growth;
    sim_span refit, overrun;
};

/* The options of all these estimators. */
#define TREE_ESTIMATOR_OPTIONS(eta_, eta_source_, growth_, growth_source_, \
                               refit_, refit_source_) \
    OPT_CHOICE(struct tree_estimator_config, target, "target", TARGET_LOG, \
               tree_estimator_targets, \
               "scale of the squared error: log predicts the usual run time, " \
               "seconds the mean", \
               "assumed: log"), \
        OPT_DOUBLE(struct tree_estimator_config, eta, "eta", eta_, 1e-4, 1, \
                   "learning rate: weight of each new tree", eta_source_), \
        OPT_DOUBLE(struct tree_estimator_config, min_child_weight, \
                   "min_child_weight", 20, 0, 1e9, \
                   "least number of jobs in a leaf", \
                   "LightGBM's default is 20"), \
        OPT_U32(struct tree_estimator_config, least, "least", 100, 2, 1000000, \
                "number of ended jobs at which the first fit is made", \
                "assumed"), \
        OPT_U32( \
            struct tree_estimator_config, most, "most", 100000, 2, 100000000, \
            "number of ended jobs, the latest, that are fitted", "assumed"), \
        OPT_DOUBLE(struct tree_estimator_config, growth, "growth", growth_, \
                   1e-6, 1000, \
                   "a fit comes when as many jobs have ended since the last " \
                   "one as this share of the jobs that it fitted", \
                   growth_source_), \
        OPT_SPAN(struct tree_estimator_config, refit, "refit_s", refit_, 0, \
                 SECONDS_MAX, \
                 "a fit comes at the latest this time after the last one; " \
                 "0: time alone causes none", \
                 refit_source_), \
        OPT_SPAN( \
            struct tree_estimator_config, overrun, "overrun_s", 60, 0, 86400, \
            "believed remaining time of a job that outlives its estimate", \
            "assumed")

/* A submission or an end that the estimator learns from. */
struct tree_event {
    const struct job *job;
    sim_time at;
    sim_span ran; /* time on GPUs of a job that ended; -1: a submission */
};

struct tree_estimator {
    const struct tree_estimator_config *config;
    /* Fits the model to the rows that tree_estimator_rows returns. */
    enum status (*fit)(struct tree_estimator *s, struct error *err);
    /* Returns the predicted target for the features of a job. */
    float (*predict)(const struct tree_estimator *s, const float *row);
    /* name of the estimator, which its beliefs name as their source */
    const char *name;
    struct elapsed elapsed;
    /* Events since the run began that are not learned yet, and the jobs of the
     * past. Nobody has asked yet if `asleep` is true. */
    bool asleep;
    struct tree_event *listed;
    size_t n_listed, cap_listed;
    const struct past_job *past;
    uint32_t n_past;
    struct features features;
    struct trees trees;         /* the model of gbdt */
    struct shapes shapes;       /* the model of ga2m */
    float (*asked)[N_FEATURES]; /* by job: features at its submission */
    float *told;                /* by job: predicted target; NaN: none */
    /* features and targets of the latest ended jobs, in the order in which they
     * ended; at most 2 x config->most */
    float *rows, *targets;
    size_t n_rows, cap_rows, cap_targets;
    size_t fitted_rows; /* number of rows of the last fit; 0: no fit yet */
    size_t fresh_rows;  /* number of rows added since then */
    sim_time refit_at;  /* a submission at this time or later refits */
    /* Number of ended jobs that had a prediction, and sum of their squared
     * errors; both decayed. */
    double error_weight, error_squares;
};

#endif
