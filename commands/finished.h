/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finished result directories, and the paired differences that `compare`
 * prints.
 *
 * A finished result directory, read for `compare DIR DIR...`: what its run was,
 * its metrics, and the values of each job that are compared job by job. */
#ifndef SIM_FINISHED_H
#define SIM_FINISHED_H

#include <jansson.h>

#include "base/json.h"
#include "commands/physics.h"
#include "commands/summary_table.h"
#include "commands/terminal.h"
#include "sim/results/difference.h"

/* Prints how each setting (a policy, a result, a row of a sweep) differs from
 * the one that it is compared with: as a table with one row for each setting
 * and metric, or as JSON. `compare` and `sweep` share it. */

struct differences {
    struct table table;
    size_t n_rows;
    bool any_noise, any_unknown, any_needed, any_by_parts, any_incomparable;
};

/* Starts a table. `what`: head of the column of settings, such as "policy".
 * `pairs`: what is paired, in the plural, such as "jobs". */
void differences_init(struct differences *all, const char *what,
                      const char *pairs);

/* Adds a row. `metric`: a name in docs/results.md; `unit`: "s" for times. */
void differences_add(struct differences *all, const char *setting,
                     const char *metric, const char *unit,
                     const struct difference *d);

/* Prints the table, unless it has no rows, and the meaning of "noise" and
 * "unknown" if a row has this word; then frees the table. */
void differences_finish(struct differences *all, FILE *to);

/* Writes a difference as an object. `count`: key under which it holds the
 * number of pairs. */
void difference_write(struct json_stream *js, const char *key,
                      const char *count, const struct difference *d);

/* Formats a mean with its interval, if it has one, such as "8.30 h [7.91,
 * 8.72]", or as plain numbers if `unit` is not "s"; "-" if there is no mean.
 * Returns `buf`. */
#define ESTIMATE_TEXT_MAX 128

const char *estimate_text(const struct estimate *e, const char *unit,
                          char buf[ESTIMATE_TEXT_MAX]);

/* The metrics that `compare` pairs job by job. */
enum { PAIRED_N = 2 };

struct paired_metric {
    enum metric_number metric;
    const char *key; /* key under which JSON output has the difference */
};

extern const struct paired_metric paired_metrics[PAIRED_N];

struct finished {
    const char *dir; /* as given; borrowed */
    const char *policy;
    /* of `knowledge` of summary.json; NULL: the policy asked for no belief, or
     * none came from the truth */
    const char *words, *mark;
    json_t *manifest, *summary;
    struct arena arena; /* owns the texts of remarks and physics */
    struct remarks remarks;
    struct physics physics;
    uint64_t seed;
    uint32_t n_unfinished;
    /* Rows of jobs.csv: a hash of identifier and submission, and by paired
     * metric the value in seconds, NaN if the job did not finish or does not
     * count (sim/run/counted.h). */
    size_t n_jobs, cap_jobs;
    uint64_t *jobs;
    double *values[PAIRED_N];
    sim_time count_from, count_to;
};

/* Reads a result. STATUS_BAD_INPUT, with the file, if it is not a whole result
 * or its summary.json or jobs.csv was changed since. Call finished_close in any
 * case. */
enum status finished_open(const char *dir, struct finished *out,
                          struct error *err) MUST_USE;

void finished_close(struct finished *finished);

/* Returns the numbers that the row of a result shows in the table of
 * `compare`. */
struct summary_line finished_line(const struct finished *finished);

/* Returns STATUS_BAD_INPUT, with what differs, if two results cannot be paired
 * job by job: another trace, other jobs of it, or other jobs that count. */
enum status finished_pairs(const struct finished *first,
                           const struct finished *own,
                           struct error *err) MUST_USE;

/* Calls `found` for each condition besides the policy in which result `at`
 * differs: from the first result in program, seed, cluster, conventions, files,
 * and settings of the policy, the placer, the monitor, SchedMate and its
 * language model that both results have; for the conditions of physics.h, from
 * the first result that uses the condition. Returns their number. `found` may
 * be NULL. */
size_t finished_differs(const struct finished *const *all, size_t at,
                        void (*found)(void *self,
                                      const struct physics_difference *d),
                        void *self);

#endif
