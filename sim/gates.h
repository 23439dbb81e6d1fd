/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gates of `compare`: its options, and one row of differences a policy, to
 * a baseline or, without one, to the first policy. */
#ifndef SIM_GATES_H
#define SIM_GATES_H

#include "sim/baseline.h"
#include "sim/cli.h"
#include "sim/table.h"

enum { GATES_MAX = 16, BASELINES_MAX = 32 };

struct gates {
    struct gate all[GATES_MAX];
    const char *paths[BASELINES_MAX];
    struct baseline baselines[BASELINES_MAX];
    size_t n, n_baselines, n_open;
    double tolerance; /* percent, of all that have none of their own */
    bool two_sided, any_baseline;
};

struct gate_row {
    const char *against; /* NULL: the first policy */
    double value[GATES_MAX], expected[GATES_MAX], difference[GATES_MAX];
};

#define GATES_KEYS 0x400
extern const struct argp_option gates_options[]; /* ends with zeroes */

void gates_init(struct gates *gates);
void gates_fini(struct gates *gates);
/* In a parser callback; ARGP_ERR_UNKNOWN if the key is none of these. */
error_t gates_parse(struct gates *gates, int key, char *arg,
                    struct argp_state *state);
/* After the command line: reads the baselines; without --metric, mean JCT and
 * makespan are held. */
enum status gates_open(struct gates *gates, struct error *err) MUST_USE;

/* STATUS_BAD_INPUT if no baseline is of this run, unless --any-baseline says
 * that it need not be: then `remarks` tells what differs. */
enum status gates_fill(const struct gates *gates, const struct run_result *run,
                       const struct summary *summary,
                       const struct gate_row *first, struct remarks *remarks,
                       struct gate_row *out, struct error *err) MUST_USE;

/* Columns of the table, if there is something to hold against. */
size_t gates_columns(const struct gates *gates);
void gates_heads(const struct gates *gates, struct table *table);
void gates_cells(const struct gates *gates, const struct gate_row *row,
                 bool first, struct table *table);
/* "gates": one object each. */
void gates_write(const struct gates *gates, const struct gate_row *row,
                 struct json_stream *js);

/* Counts into *failed the gates of the row that do not hold; *err tells the
 * first of all that were counted. */
enum status gates_judge(const struct gates *gates, const struct gate_row *row,
                        const char *policy, size_t *failed, struct error *err);

#endif
