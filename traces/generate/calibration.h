/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The published figures of a cluster, read from JSON files into plain arrays.
 * The files are in traces/generate/calibration, are compiled in, and give the
 * source of each figure. */
#ifndef TRACES_GENERATE_CALIBRATION_H
#define TRACES_GENERATE_CALIBRATION_H

#include <jansson.h>

#include "base/arena.h"
#include "base/error.h"
#include "traces/trace.h"

/* A compiled-in JSON file. The build generates the array of these files, which
 * ends with a NULL name. */
struct calibration_file {
    const char *name, *json;
    size_t len;
};
extern const struct calibration_file calibration_files[];

#define CALIBRATION_CLASSES 8
/* The final states completed, failed and cancelled, numbered as in enum
 * trace_end. */
#define CALIBRATION_STATES 3
/* Bin i holds durations in (2^(i-1), 2^i] seconds; bin 0 begins at 0. */
#define CALIBRATION_BINS 22
#define CALIBRATION_HOURS 24
#define CALIBRATION_DAYS 7

/* A value with its share, weight or probability. */
struct calibration_point {
    double value, weight;
};

/* A named part of a distribution: a kind of job, a virtual cluster or a cause
 * of failure. */
struct calibration_name {
    const char *name;
    uint32_t nodes;   /* nodes of the virtual cluster; 0 for kinds and causes */
    double share;     /* share of the jobs; for causes, of the failures; 0..1 */
    double mu, sigma; /* causes: parameters of the lognormal run time until the
                         failure, in seconds */
    double gpu_time;  /* virtual clusters: share of the GPU time, 0..1 */
    /* virtual clusters: (number of GPUs, share of the jobs of the virtual
     * cluster that ask for it), ascending by GPUs */
    struct calibration_point *sizes;
    size_t n_sizes;
};

/* The share and durations of the jobs of one size class, kind and final
 * state. */
struct calibration_cell {
    uint32_t size;                 /* calibration_class of their GPUs */
    uint32_t kind;                 /* index of calibration.kinds */
    uint32_t state;                /* 0 completed, 1 failed, 2 cancelled */
    double share;                  /* share of all jobs, 0..1 */
    double bins[CALIBRATION_BINS]; /* shares of the durations, sum 1 */
};

struct calibration {
    const char *name;
    uint32_t gpus, gpus_per_node, cpus_per_gpu;
    sim_span zone;  /* local time minus UTC, us */
    sim_time start; /* first instant of the published log, us since 1970 UTC */

    double jobs_per_day;
    double hours[CALIBRATION_HOURS];   /* share of submissions by hour, sum 1 */
    double weekdays[CALIBRATION_DAYS]; /* rate by day, Monday first, mean 1 */
    /* (gap in seconds, share of the gaps that are not longer), ascending; the
     * first gap is 0 */
    struct calibration_point *gaps;
    size_t n_gaps;

    /* (number of GPUs, share of the jobs that ask for it), ascending by GPUs */
    struct calibration_point *gpu_counts;
    size_t n_gpu_counts;
    struct calibration_name *kinds, *vcs, *causes;
    size_t n_kinds, n_vcs, n_causes;
    struct calibration_cell *cells; /* sorted by size class, kind, state */
    size_t n_cells;
    /* Published share of the jobs that run at most 2^i seconds. */
    double duration_cdf[CALIBRATION_BINS];
    double states[CALIBRATION_STATES]; /* share of the jobs by final state */
    double gpu_s; /* published mean GPU time of a job, GPU seconds */

    double *users; /* shares of jobs, largest first */
    size_t n_users;
    /* of the busiest users, busiest first: the mean of the normal scores of
     * the durations of their jobs */
    double *busiest_durations;
    size_t n_busiest;
    /* probability that a session of a user runs the script of a recent one with
     * its number of GPUs and its kind, if there is one */
    double back;
    /* by final state: the probabilities of 1, 2, ... attempts */
    double attempts[CALIBRATION_STATES][8];
    size_t n_attempts; /* probabilities in each row of `attempts` */
    /* family of models to use by default; see calibration_models */
    const char *family;
};

/* A model that a job may train. */
struct calibration_model {
    const char *model, *dataset;
    uint32_t batch_size;
    /* by size class: share of the jobs that train this model, 0..1; the shares
     * of a family sum to 1 in each class */
    double share[CALIBRATION_CLASSES];
};

/* Loads the calibration `name`. `arena` owns everything in *out. An unknown
 * name is STATUS_USAGE, a value that is missing or wrong STATUS_BAD_INPUT. */
enum status calibration_load(const char *name, struct arena *arena,
                             struct calibration *out,
                             struct error *err) MUST_USE;
/* Loads the models that the jobs of `family` train. `arena` owns *out. *count:
 * their number. An unknown family is STATUS_USAGE, a malformed row
 * STATUS_BAD_INPUT. */
enum status calibration_models(const char *family, struct arena *arena,
                               struct calibration_model **out, size_t *count,
                               struct error *err) MUST_USE;

/* Returns the size class of a number of GPUs: 0 for 1, 1 for 2, 2 for 3 to 4,
 * ..., 6 for 33 to 64, 7 for more. */
uint32_t calibration_class(uint32_t gpus);

/* == fields.c: Reads the values of a calibration file by their path, such as
 * "arrivals.hours.value". A value that is missing or of a wrong type is
 * recorded as a failure; the caller looks at `st` once, after it has read
 * everything. */

struct fields {
    struct arena *arena; /* owns what is read */
    const char *file;    /* name of the file, for messages */
    enum status st;      /* the first failure */
    struct error *err;
};

/* Records that there is no `expected` at `path`, if nothing failed before. */
void fields_fail(struct fields *r, const char *path, const char *expected);

/* These functions return the value at `path`; fields_copy returns a copy of the
 * text `at`. If the value is missing or of a wrong type, they record a failure
 * and return something that the other functions accept. fields_count accepts 0
 * to 1e6. */
double fields_number(struct fields *r, json_t *root, const char *path);
uint32_t fields_count(struct fields *r, json_t *root, const char *path);
const char *fields_copy(struct fields *r, json_t *at, const char *path);
const char *fields_string(struct fields *r, json_t *root, const char *path);
json_t *fields_array(struct fields *r, json_t *root, const char *path,
                     size_t *n);
/* Returns element `i` of `list`. If it is missing or no number, records a
 * failure at `path` and returns 0. */
double fields_element(struct fields *r, json_t *list, size_t i,
                      const char *path);
/* Reads a list of exactly `want` numbers; another length is a failure. */
void fields_fixed(struct fields *r, json_t *root, const char *path, double *out,
                  size_t want);
double *fields_list(struct fields *r, json_t *root, const char *path,
                    size_t *n);
/* Reads a list of pairs [value, weight]. */
struct calibration_point *fields_points(struct fields *r, json_t *root,
                                        const char *path, size_t *n);
/* Records a failure if `value` is outside lo..hi. */
void fields_within(struct fields *r, const char *path, double value, double lo,
                   double hi);

#endif
