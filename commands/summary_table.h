/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary of a run as a table for people, its remarks, and the accuracy of
 * what was believed.
 *
 * Prints the summary of a run as a table for people. */
#ifndef SIM_SUMMARY_TABLE_H
#define SIM_SUMMARY_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/out.h"
#include "base/remarks.h"
#include "base/text.h"
#include "commands/terminal.h"
#include "sim/results/difference.h"
#include "sim/results/summary.h"
#include "sim/run/rehearse.h"

/* Measures how good predictions of run times and of GPU utilisation are. There
 * are several measures, because no single measure shows what a scheduler
 * gains. */

enum { ACCURACY_BINS = 5, ACCURACY_SHARES = 100 };

/* The relative errors of one figure: |predicted - true| / max(true, least),
 * where `least` keeps small true values from giving huge errors. */
struct relative_errors {
    /* number of jobs for which the figure is known and predicted */
    uint32_t n;
    double mean;      /* NaN if n is 0; so are below_100 and `at` */
    double below_100; /* share of the jobs whose error is below 100 %, 0..1 */
    /* at[p - 1]: the smallest error that at least p percent of the jobs do not
     * exceed */
    double at[ACCURACY_SHARES];
};

struct accuracy {
    /* number of jobs after the split; number of these for which an estimator
     * gave a run time */
    uint32_t jobs, answered;
    double mean_s, mean_predicted_s;
    double mae_s, medae_s;
    struct relative_errors run_time; /* relative errors of the run time; least =
                                      * 1 s */
    /* relative errors of the GPU utilisation; least = 1 %; jobs for which only
     * a layer's default is known are not counted */
    struct relative_errors utilisation;
    /* share of the answered jobs predicted within a factor of 2, 0..1; times
     * below 1 s count as 1 s */
    double within_factor_2;
    /* Spearman's rank correlation of predicted and true run times, and of GPU
     * times; NaN if one of the two is constant */
    double rank, rank_service;
    /* coefficient of determination of run times in seconds; NaN if all true
     * times are equal */
    double r2;
    /* number of answered jobs whose prediction has a spread */
    uint32_t with_spread;
    /* share of these jobs whose true time is within mean +- spread, 0..1; NaN
     * if there are none */
    double within_spread;
    struct {
        double predicted_s, true_s; /* mean over the jobs of a bin, seconds */
    } bins[ACCURACY_BINS]; /* fifths of the answered jobs, by prediction */
};

/* Measures the jobs from number `first` on. Returns false if no estimator
 * answered for any of them; only `jobs`, `answered` and `utilisation` are then
 * valid. */
bool accuracy_of(const struct jobset *jobset, const struct guess *guesses,
                 uint32_t first, struct accuracy *out) MUST_USE;

/* Writes the distributions of both relative errors as CSV. */
void accuracy_write_errors(const struct accuracy *accuracy, struct out *out);

void accuracy_print(const struct accuracy *accuracy, bool json,
                    struct out *out);

/* Remarks below a table whose rows are runs: each remark once, with the rows
 * that it is about, the gravest first. */

enum {
    ROW_REMARKS_SHOWN = 3, /* number of remarks that are printed unasked */
    ROW_REMARKS_NAMES = 3, /* most rows that a remark names; else it counts */
};

/* Help of --remarks. */
#define ROW_REMARKS_HELP \
    "print all remarks below the table; default: the three that matter most"

/* Remarks by symbol of `texts`; element 0 is not used. Zero is an empty list
 * that row_remarks_init must still prepare. */
struct row_remarks {
    struct interner texts;
    struct row_remark *at; /* owned */
    size_t cap;
};

void row_remarks_init(struct row_remarks *all);

void row_remarks_fini(struct row_remarks *all);

/* Adds a remark on a row of the table; `row` NULL: on the whole table; "": on a
 * row without a name, which is only counted. The names are not copied. Call it
 * once for a row and a remark. */
void row_remarks_add(struct row_remarks *all, const char *row,
                     enum remark_rank rank, const char *text);

/* Adds a remark on the whole table. */
void row_remarks_say(struct row_remarks *all, enum remark_rank rank,
                     const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds the remarks of the run that is `row`. */
void row_remarks_add_run(struct row_remarks *all, const char *row,
                         const struct remarks *remarks);

/* Prints by rank, and within a rank in the order of adding, "note: REMARK" or,
 * if only some of the `n_rows` rows have the remark, "note (ROW, ROW): REMARK";
 * at most ROW_REMARKS_SHOWN of them unless `is_full`, and then how many more
 * there are. */
void row_remarks_print(const struct row_remarks *all, size_t n_rows,
                       bool is_full, FILE *to);

struct row_words {
    const char *row;
    const char *words; /* what the policy knew; NULL: it asked for nothing */
};

/* Prints "ROW, ROW: WORDS", once for each different text. */
void row_words_print(const struct row_words *rows, size_t n, FILE *to);

/* `all_remarks`: print all remarks, not only the gravest. */
void summary_table_print(FILE *to, struct results results,
                         const struct summary *summary, bool all_remarks);

/* The cells that describe one policy in a table of `compare`. A column has one
 * unit, and a table of names up to 13 letters fits 80 columns; --json has the
 * other numbers. */
enum { SUMMARY_CELLS = 7 };

/* The numbers in these cells. */
struct summary_line {
    struct distribution jct, queue; /* count, mean, interval, p50 and p99 */
    double makespan_s;
    /* number of preemptions, of jobs that finished, and of all jobs */
    double preemptions, done, jobs;
    /* share of the GPU time that jobs ask for which the finished ones ask for;
     * NaN: unknown, or all jobs finished */
    double share;
    double restart_s; /* mean time from a failure of a job until the job started
                       * again; NaN: no job did */
};

struct summary_line summary_line_of(const struct summary *summary);

/* The units of a table's columns: of the JCT, the queueing delay and the
 * makespan. */
struct summary_units {
    struct summary_unit {
        double seconds;
        const char *name;
    } jct, queue, makespan;
};

/* Returns the units in which the smallest mean of n rows, if it is not 0, is at
 * least a half, and of those the one that suits the largest. */
struct summary_units summary_units_of(const struct summary_line *lines,
                                      size_t n);

/* Returns the unit for values from `least` (not 0) to `most`, seconds. */
struct summary_unit summary_unit_between(double least, double most);

/* Returns the mean JCT by which a row is ranked; NaN if not all jobs finished,
 * because a mean over other jobs does not rank. */
double summary_rank(const struct summary_line *line);

/* Sets order[] to the rows of a table, the smallest JCT first; rows with equal
 * ones as given, those with NaN last. */
void rows_by_jct(const double *jct, size_t n, size_t *order);

/* Formats a time in a unit with three digits or more; "-" for NaN. */
const char *summary_unit_text(double seconds, const struct summary_unit *unit,
                              char buf[TABLE_SPAN_MAX]);

/* Adds the heads of the cells. */
void summary_cells_heads(struct table *table, const struct summary_units *u);

void summary_cells(struct table *table, const struct summary_line *line,
                   const struct summary_units *u);

/* A further column, which a table has if jobs of any row failed and started
 * again. */
#define SUMMARY_RESTART_HEAD "failure to restart"

void summary_restart_cell(struct table *table, const struct summary_line *line);

/* Adds the cell "done" of several runs, whose numbers are means: "all", or how
 * much of the work they did. */
void summary_done_cell(struct table *table, const struct jobs_done *done);

/* Prints what "[-]" means, if `any` is true. */
void summary_note_lack(bool any, FILE *to);

/* Formats a mean with its interval, if it has one, such as "8.30 h [7.91,
 * 8.72]", or "8.30 h [-]" if the jobs are too much alike for one; "-" if there
 * is no value. Returns `buf`. */
#define SUMMARY_MEAN_MAX 128

const char *summary_mean(const struct distribution *d,
                         char buf[SUMMARY_MEAN_MAX]);

#endif
