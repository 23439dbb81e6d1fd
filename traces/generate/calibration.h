/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The published figures of a cluster: the files of traces/generate/calibration,
 * compiled in and read into plain arrays. The file gives the source of each
 * figure. */
#ifndef TRACES_CALIBRATION_H
#define TRACES_CALIBRATION_H

#include "sim/base/arena.h"
#include "sim/base/error.h"
#include "traces/trace.h"

/* Made from the JSON files when the program is built. The array ends with a
 * NULL name. */
struct calibration_file {
    const char *name, *json;
    size_t len;
};
extern const struct calibration_file calibration_files[];

#define CALIBRATION_CLASSES 8
#define CALIBRATION_STATES \
    3                       /* completed, failed, cancelled: enum trace_end \
                             */
#define CALIBRATION_BINS 22 /* durations in (2^(i-1), 2^i] seconds */
#define CALIBRATION_HOURS 24
#define CALIBRATION_DAYS 7

/* A value and a weight, share or probability. */
struct calibration_point {
    double value, weight;
};

struct calibration_name {
    const char *name;
    uint32_t nodes; /* size of a virtual cluster */
    double share;
    double mu, sigma; /* lognormal run time until this failure, s */
};

/* Jobs with one size class, kind and final state. */
struct calibration_cell {
    uint32_t size, kind, state;
    double share;
    double bins[CALIBRATION_BINS]; /* sum 1 */
};

struct calibration {
    const char *name;
    uint32_t gpus, gpus_per_node, cpus_per_gpu;
    sim_span zone; /* local time less UTC */
    sim_time start;

    double jobs_per_day;
    double hours[CALIBRATION_HOURS];   /* share of submissions by hour, sum 1 */
    double weekdays[CALIBRATION_DAYS]; /* rate; Monday first, mean 1 */
    struct calibration_point *gaps;    /* quantile, seconds; below the first
                                          quantile the gap is zero */
    size_t n_gaps;

    struct calibration_point *gpu_counts; /* number of GPUs, share of jobs */
    size_t n_gpu_counts;
    struct calibration_name *kinds, *vcs, *causes;
    size_t n_kinds, n_vcs, n_causes;
    struct calibration_cell *cells; /* sorted by size class, kind, state */
    size_t n_cells;
    double duration_cdf[CALIBRATION_BINS]; /* published, at 2^i seconds */
    double states[CALIBRATION_STATES];

    double *users; /* shares of jobs, largest first */
    size_t n_users;

    double keep, persist, jump, spread, back;
    struct calibration_point *stay; /* longest gap, probability; -1: any gap */
    size_t n_stay;
    double attempts[CALIBRATION_STATES]
                   [8]; /* probability of 1, 2, ... attempts */
    size_t n_attempts;
    const char *family;
};

/* A model that a job may train. */
struct calibration_model {
    const char *model, *dataset;
    uint32_t batch_size;
    double gpu_hours; /* least GPU hours of its jobs */
};

/* Loads the calibration `name`. `arena` owns everything in *out. An unknown
 * name is STATUS_USAGE. */
enum status calibration_load(const char *name, struct arena *arena,
                             struct calibration *out,
                             struct error *err) MUST_USE;
enum status calibration_models(const char *family, struct arena *arena,
                               struct calibration_model **out, size_t *count,
                               struct error *err) MUST_USE;

/* Returns the size class of a number of GPUs: up to 1, 2, 4, ..., 64, more. */
uint32_t calibration_class(uint32_t gpus);
/* Returns the bin of a duration in seconds. */
uint32_t calibration_bin(double seconds);

#endif
