/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the file of `schedsim gate`: the runs to make, the metrics to check,
 * and the expected values. docs/gates.md describes it for users,
 * docs/gate.schema.json for programs. */
#ifndef STUDY_GATE_FILE_H
#define STUDY_GATE_FILE_H

#include "base/json.h"
#include "sim/results/difference.h"

enum {
    GATE_METRICS_MAX = 32, /* metrics of one trace */
    GATE_RUNS_MAX = 10000, /* runs of a file */
    GATE_REPLICATIONS_MAX = 1000,
};

/* An option of `run` with its value, as typed on the command line. */
struct gate_setting {
    const char *name, *value;
};
/* Settings of the file, of a trace or of a policy. A setting of a trace
 * overrides the same setting of the file; a setting of a policy overrides
 * both. */
struct gate_settings {
    const struct gate_setting *at;
    size_t n;
};

struct gate_policy {
    /* name in the table; the specification if the file gives no name */
    const char *name;
    const char *spec;
    struct gate_settings settings;
    struct json_place place;
};

struct gate_trace {
    /* name in the table (the path if the file gives none); path, relative to
     * the directory of the gate file */
    const char *name, *path;
    struct gate_settings settings;
    const struct gate_policy *policies;
    size_t n_policies;
    const struct gate *metrics;
    size_t n_metrics;
    /* number of replications; 0: the trace itself is run */
    uint32_t replications;
    struct json_place place;
};

/* The expected values of one policy on one trace. */
struct gate_recorded {
    const char *trace, *policy; /* names of the trace and of the policy */
    const json_t *values;       /* the JSON object of the row; borrowed */
    /* Seeds of the replications whose values the lists of the row hold, rising;
     * n_seeds 0: a list is [mean, low, high], as older versions wrote it. */
    const uint32_t *seeds;
    size_t n_seeds;
    struct json_place place;
};

/* The identity of a trace or another file when the values were recorded. */
struct gate_input {
    const char *name; /* name of the trace, or path of the file */
    /* true: an input file; false: a trace of the gate file */
    bool is_file;
    const char *sha256;  /* digest of the file; "": not recorded */
    const char *cluster; /* identity of the cluster; "": not recorded */
    /* number of jobs that were simulated; -1: not recorded */
    int64_t jobs;
};

struct gate_file {
    struct arena arena; /* owns the members below, except text and root */
    const char *path;   /* path as the user gave it, for messages */
    char *text;         /* the bytes of the file */
    size_t len;
    json_t *root;
    struct gate_settings settings; /* settings of all runs */
    struct gate_trace *traces;
    struct gate_recorded *rows;
    struct gate_input *inputs;
    size_t n_traces, n_rows, n_inputs;
    uint64_t last_update; /* highest update number in the file; 0: none */
};

/* Reads a gate file. Returns STATUS_BAD_INPUT if the file cannot be read or is
 * larger than 64 MiB, and, with line and column, if it is not a valid gate
 * file. The caller calls gate_file_close also after an error. `trusts`: true if
 * the file may set what acts outside the simulation (commands/trust.h). */
enum status gate_file_open(const char *path, bool trusts, struct gate_file *out,
                           struct error *err) MUST_USE;
/* Reads a gate file from memory; else as gate_file_open. Messages name the file
 * `path`. `text` must come from mem_alloc; *out owns it, also after an error.
 */
enum status gate_file_parse(const char *path, char *text, size_t len,
                            bool trusts, struct gate_file *out,
                            struct error *err) MUST_USE;
void gate_file_close(struct gate_file *file);

/* Returns the index of the row of a run; SIZE_MAX: there is none. `from`: the
 * index at which the search begins, so that rows that stand in the same order
 * as the runs are found at once; after the last row it goes on at the first. */
size_t gate_file_row(const struct gate_file *file, const char *trace,
                     const char *policy, size_t from);
const struct gate_input *gate_file_input(const struct gate_file *file,
                                         bool is_file, const char *name);
/* Returns the expected value of a metric, the mean if the row has a list; NaN
 * if the row has none. Sets *known to whether the row names the metric. */
struct gate_expected gate_recorded_value(const struct gate_recorded *row,
                                         const char *metric, bool *known);
/* Returns the values of a metric by element of row->seeds, in the arena: NaN if
 * a value is not defined. NULL: the row does not have the value of each seed.
 */
const double *gate_recorded_values(const struct gate_recorded *row,
                                   const char *metric, struct arena *arena);
/* True for a key of a row that is not a metric. */
bool gate_recorded_is_own_key(const char *key);
/* Returns what is expected to finish: `unfinished` is 0 if the row does not
 * say, `share` NaN. */
struct jobs_done gate_recorded_done(const struct gate_recorded *row);

#endif
