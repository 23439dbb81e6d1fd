/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of `compare` share. */
#ifndef SIM_COMPARE_INTERNAL_H
#define SIM_COMPARE_INTERNAL_H

#include "commands/finished.h"
#include "commands/gates.h"
#include "sim/results/difference.h"

/* What is kept of the run of one policy after the run was freed. */
struct outcome_of_policy {
    const char *spec;
    const char *title; /* `spec`, with the mark of what the policy knew */
    struct summary summary;
    struct arena arena; /* owns the texts of remarks, physics and knowledge,
                         * which outlive the run */
    struct knowledge knowledge;
    struct remarks remarks;
    struct physics physics;
    struct gate_row gates;
    /* by paired metric, then by job: its value; NaN if it is not defined or the
     * job is not counted; owned */
    double *values[PAIRED_N];
    uint32_t n_jobs, n_unfinished;
    const char *unfinished; /* why; in the arena */
    uint64_t seed;
    struct difference minus_first[PAIRED_N];
};

/* The policies whose run failed, and why. */
struct failed_policies {
    struct {
        const char *spec;
        char *message; /* owned */
        enum status status;
    } at[ARG_LIST_MAX];
    size_t n;
};
void failed_policies_add(struct failed_policies *failed, const char *spec,
                         const struct error *why);
void failed_policies_fini(struct failed_policies *failed);
/* Adds a row for each policy that failed, with this word in column `done` and
 * no number in the others. */
void failed_policies_rows(const struct failed_policies *failed,
                          struct table *table, unsigned done);
/* Prints a line for each policy that failed. */
void failed_policies_say(const struct failed_policies *failed, FILE *to);
void failed_policies_write(const struct failed_policies *failed,
                           struct json_stream *js);

#endif
