/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of a sweep (runs.csv), as settings with replications: rows that
 * differ only in the columns `replication` and `seed`, or for windows of one
 * trace also in `from` and `to`, are replications of one setting. Differences
 * are paired by replication and seed. */
#ifndef SIM_RUNS_FILE_H
#define SIM_RUNS_FILE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/results/difference.h"

enum { RUNS_METRICS_MAX = 16 };

/* A row; `replication` is a symbol that stands for replication and seed. */
struct runs_row {
    size_t setting; /* index in runs_file.settings */
    uint32_t replication;
    struct jobs_done done;
    double values[RUNS_METRICS_MAX]; /* value of each metric; NaN: not
                                      * defined */
};

struct runs_setting {
    const char **cells; /* text of each cell, by column of runs_file.names */
    /* what the policy knew in the first run, and its mark
     * (sim/run/run.h); "": nothing, or the file does not say */
    const char *knowledge, *mark;
    size_t first, n;  /* first row and number of rows of the setting in
                       * runs_file.rows, which are sorted by replication */
    size_t reference; /* index of the setting that it is compared with; its
                       * own index: it is compared with none */
};

struct runs_file {
    struct arena arena;
    const char *path;
    /* columns that describe a setting: those before `status`, without
     * replication and seed */
    const char **names;
    size_t n_names;
    bool *varies; /* by name: true if settings differ in this column */
    /* names of the columns that are compared */
    const char *metrics[RUNS_METRICS_MAX];
    size_t n_metrics;
    /* in the order in which they first appear in the file */
    struct runs_setting *settings;
    size_t n_settings, cap_settings;
    struct runs_row *rows;
    size_t n_rows, cap_rows;
    size_t n_twins;      /* number of rows left out because their run stands in
                          * another row */
    size_t n_failed;     /* number of rows left out because their run failed */
    size_t n_unfinished; /* number of rows of runs in which some job did not
                          * finish */
    /* used only while the file is read */
    struct interner texts, replications;
};

/* The user's choice of metrics, and of what each setting is compared with. */
struct runs_wishes {
    /* names of columns, with "." or "_" before mean, p99 and so on; a name of a
     * distribution alone means its mean. n_metrics 0: JCT, queueing delay and
     * slowdown. */
    const char *const *metrics;
    size_t n_metrics;
    /* KEY=VALUE: each setting is compared with the setting that has VALUE in
     * the column KEY and is equal in the others; NULL: with the first setting
     * of the same trace */
    const char *against;
};

/* True if the path is a file whose name ends with "runs.csv", or a directory
 * with a runs.csv. */
bool runs_file_is(const char *path);
/* Reads a runs.csv, or that of a directory. Call runs_file_close in any
 * case. */
enum status runs_file_open(const char *path, const struct runs_wishes *wishes,
                           struct runs_file *out, struct error *err) MUST_USE;
void runs_file_close(struct runs_file *file);

/* True if `made`, how a trace was made, says that it is a resample of recorded
 * rows: the replications of a setting are then no independent traces. */
bool runs_are_resampled(const char *made);
/* Returns the spread if the setting runs on resamples, else the mean over
 * independent replications (sim/results/difference.h). */
struct estimate runs_estimate(const struct runs_file *file, size_t setting,
                              size_t metric);
/* Returns the mean of what the runs of a setting finished. */
struct jobs_done runs_done(const struct runs_file *file, size_t setting);
/* Returns the difference to the reference of the setting, over the replications
 * that both have. */
struct difference runs_difference(const struct runs_file *file, size_t setting,
                                  size_t metric);

/* A setting relative to another one, over the replications that both have: the
 * median of the ratios of a metric and its 95 % interval. The interval of
 * resamples is their spread (difference.h). That of independent replications
 * lies between two of the ratios, counted from both ends, which holds for any
 * distribution (David and Nagaraja 2003, "Order Statistics", 7.1); fewer than
 * six have none of 95 %, and it lies between the smallest and the largest. */
struct runs_ratio {
    double median; /* NaN: no pairs, or the settings finished other jobs */
    struct interval interval; /* NaN: one pair, or all are equal */
    bool other_jobs; /* true if the settings did not finish the same jobs */
};
struct runs_ratio runs_relative(const struct runs_file *file, size_t setting,
                                size_t reference, size_t metric);

#endif
