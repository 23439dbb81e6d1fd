/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gates of `compare`: its options, and for each policy a row of differences
 * to a baseline or, without one, to the first policy. */
#ifndef SIM_GATES_H
#define SIM_GATES_H

#include "commands/args.h"
#include "commands/terminal.h"
#include "sim/results/difference.h"

struct gates {
    /* Filled from the command line by the rows gates_args. */
    struct arg_list paths, metrics;
    /* percent, for metrics without their own tolerance; NAN: not given */
    double tolerance;
    bool two_sided, any_baseline;
    /* Filled by gates_open. */
    struct gate all[ARG_LIST_MAX];
    struct baseline baselines[ARG_LIST_MAX];
    /* number of elements of `all`; number of open elements of `baselines` */
    size_t n, n_open;
};

struct gate_row {
    /* path of the baseline; NULL: the first policy */
    const char *against;
    /* differences are NaN if is_incomparable */
    double value[ARG_LIST_MAX], expected[ARG_LIST_MAX],
        difference[ARG_LIST_MAX];
    struct jobs_done done;
    /* true: the two did not finish the same jobs */
    bool is_incomparable;
};

extern const struct arg gates_args[];

void gates_fini(struct gates *gates);
/* Reads the metrics and the baselines. Call it after the command line is
 * parsed. Without --metric, mean JCT and makespan are compared. Call gates_fini
 * in any case. */
enum status gates_open(struct gates *gates, struct error *err) MUST_USE;

/* Fills *out with the differences of a run. `first`: row of the first policy;
 * NULL: this is the first. Returns STATUS_BAD_INPUT if no baseline belongs to
 * the run. With --any-baseline a baseline of another run is accepted, and
 * `remarks` says how that run differs. */
enum status gates_fill(const struct gates *gates, struct results results,
                       const struct summary *summary,
                       const struct gate_row *first, struct remarks *remarks,
                       struct gate_row *out, struct error *err) MUST_USE;

/* Returns the number of columns that the gates add to the table, 0 if neither
 * --baseline, --metric nor --tolerance is given. */
size_t gates_columns(const struct gates *gates);
void gates_heads(const struct gates *gates, struct table *table);
void gates_cells(const struct gates *gates, const struct gate_row *row,
                 bool first, struct table *table);
/* Writes "baseline" and "gates", an array with one object for each metric;
 * nothing if gates_columns returns 0. */
void gates_write(const struct gates *gates, const struct gate_row *row,
                 struct json_stream *js);

/* Adds the number of gates that failed in the row to *failed. Returns
 * STATUS_TOLERANCE if *failed is then above 0; *err describes the first failed
 * gate of all rows. */
enum status gates_judge(const struct gates *gates, const struct gate_row *row,
                        const char *policy, size_t *failed, struct error *err);

#endif
