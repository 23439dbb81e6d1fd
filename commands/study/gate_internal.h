/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of `gate` share: the file of cases, its inputs, how it is
 * read, run, reported and updated. */
#ifndef COMMANDS_STUDY_GATE_INTERNAL_H
#define COMMANDS_STUDY_GATE_INTERNAL_H

#include <jansson.h>

#include "base/arena.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/out.h"
#include "commands/run_options.h"
#include "commands/trust.h"
#include "sim/results/difference.h"

/* == gate_file.c: Reads the file of `schedsim gate`: the runs to make, the
 * metrics to check, and the expected values. docs/gates.md describes it for
 * users, docs/gate.schema.json for programs. */

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

/* == gate_cases.c: Executes the runs of a gate file and compares their values
 * with the expected ones. A case is one policy on one trace: one run, or one
 * for each replication. */

/* A run that the gate made: one policy on one trace or replication. */
struct gate_run {
    enum status status;
    char *message;  /* why the run failed; NULL: it did not fail */
    double *values; /* by metric of the trace; NaN: not defined */
    /* missing: the first metric of those with gate.is_path that summary.json
     * lacks; NULL: it has all. hint: what to append to a message about it, such
     * as "; did you mean 'PATH'?"; NULL: nothing. */
    char *missing, *hint;
    struct jobs_done done;
    /* digests of the trace and of the cluster. The first replication has the
     * digest of the file from which it was resampled; "" if that cannot be
     * read. */
    char sha256[DIGEST_HEX_MAX], cluster[DIGEST_HEX_MAX];
    int64_t jobs;
    /* other files that the run read; owned, with their paths */
    struct run_file *files;
    size_t n_files;
    struct arena arena; /* owns the texts of the remarks */
    struct remarks remarks;
};

/* One metric of a case. */
struct gate_outcome {
    struct gate_expected now, expected;
    /* of replications, paired by seed: the difference of now and expected,
     * which are then means over the pairs, without an interval */
    struct estimate difference;
    bool is_paired; /* false: not replications, or not recorded by seed */
    bool is_new; /* true: the file has no expected value for this metric yet */
    enum gate_verdict verdict;
};

struct gate_case {
    const struct gate_trace *trace;
    const struct gate_policy *policy;
    size_t row; /* index in file->rows; SIZE_MAX: nothing is expected */
    struct run_options options;
    struct gate_run *runs; /* one run, or one for each replication */
    uint32_t n_runs;
    /* Filled by gate_cases_judge. */
    const struct gate_run *failed; /* the first run that failed; NULL: none */
    struct gate_outcome *outcomes; /* outcomes by metric of the trace */
    /* What the runs finished: numbers of unfinished jobs, summed over them, and
     * the mean share. The expected share is NaN if the file does not say. */
    int64_t n_unfinished, expected_unfinished;
    double share, expected_share;
    /* true: the expected values are of other finished jobs */
    bool is_incomparable;
};

struct gate_cases {
    const struct gate_file *file; /* the gate file; borrowed */
    /* cases by trace, then by policy, as the file lists them */
    struct gate_case *at;
    size_t n;
    size_t n_runs; /* number of runs of all cases */
    /* Sentences about traces and other inputs that are not what they were when
     * the values were recorded, and about metrics that no run has. */
    struct remarks causes;
    /* indexes of the expected rows whose run is no longer in the file; none if
     * the user chose some of the cases */
    size_t *gone;
    size_t n_gone;
    /* Sentences about expected values whose metric the file no longer lists. */
    struct remarks stale;
    bool is_update; /* set by the caller: the values of the runs are recorded */
    /* tolerance in percent that replaces all tolerances of the file; NaN: the
     * file's tolerances are in force */
    double tolerance;
    /* Numbers of values with each verdict; failed cases do not count. n_outside
     * also counts values that are not defined although the expected ones are,
     * or the other way round. n_incomparable counts cases. */
    size_t n_equal, n_within, n_improved, n_outside, n_new, n_incomparable;
    /* numbers of values of replications that are judged without pairs, and over
     * only a part of the seeds, because the file lacks the others */
    size_t n_unpaired, n_partly;
    size_t n_failed; /* number of cases that failed */
    size_t n_left;   /* number of cases that the user left out */
    bool is_missing; /* true if some metric is in no run */
    /* number of cases with unfinished jobs, as many as expected */
    size_t n_incomplete;
    struct arena arena;
};

/* The cases that the user wants: those that match one of `only`, or all if it
 * is empty, without those that match one of `except`. A pattern (fnmatch)
 * matches the name of a trace, the name of a policy or "TRACE POLICY". */
struct gate_choice {
    struct arg_list only, except;
};

/* Makes the wanted cases of a file, which must outlive them. Returns
 * STATUS_USAGE if a pattern matches no case of the file or no case is left. The
 * caller calls gate_cases_free also after an error. */
enum status gate_cases_make(const struct gate_file *file,
                            const struct gate_choice *choice,
                            struct gate_cases *out, struct error *err) MUST_USE;
void gate_cases_free(struct gate_cases *cases);

/* Executes all runs on `threads` threads (0: one for each processor). A run
 * that fails does not stop the others. `progress`: draws a line on standard
 * error. Ends the program if a signal ends the runs. */
enum status gate_cases_execute(struct gate_cases *cases, unsigned threads,
                               bool progress, struct error *err) MUST_USE;
/* Compares the values with the expected ones. Call it once, after
 * gate_cases_execute. */
void gate_cases_judge(struct gate_cases *cases);
/* Returns a metric with the tolerance that is in force. */
struct gate gate_in_force(const struct gate_cases *cases,
                          const struct gate *gate);
/* True if the value makes the gate fail. */
bool gate_fails(const struct gate_outcome *outcome);

/* True if a value is outside its tolerance, if it is not defined although the
 * expected one is or the other way round, if a case did not finish the jobs
 * that it is expected to finish, if no value is expected yet for some metric,
 * or if an expected value belongs to no run or metric of the file. */
bool gate_cases_moved(const struct gate_cases *cases);
/* Returns the first run that failed and sets *whose to its case; NULL: no run
 * failed. Call it after gate_cases_judge. */
const struct gate_run *gate_cases_failed(const struct gate_cases *cases,
                                         const struct gate_case **whose);

/* == gate_init.c: Makes the text of a first gate file, which expects no values
 * yet. */

struct gate_first {
    const char *file; /* path of the new file; "-": standard output */
    struct arg_list traces, policies, metrics;
    double tolerance; /* percent, for metrics without their own */
    /* number of replications; 0: the traces themselves */
    uint32_t replications;
    struct run_options *options; /* options that become the settings */
};

/* Writes the text. Paths that are relative to the working directory become
 * relative to the directory of the file. Returns STATUS_USAGE if that directory
 * does not exist or a metric or its tolerance is not valid. */
enum status gate_init(const struct gate_first *first, struct out *out,
                      struct error *err) MUST_USE;

/* == json_items.c: Splits an array or object of a JSON text into a list of its
 * items, each with the blanks before it, so that a program can change single
 * items and leave every other byte as a person wrote it. The text has to be
 * valid JSON. */

/* An element of an array, or a member of an object with its key. */
struct json_item {
    struct text lead; /* blanks before the item, after the comma */
    struct text body;
    struct text after; /* blanks between the item and the comma after it */
};

struct json_items {
    char open, close;
    struct json_item *at; /* items; freed by json_items_free */
    size_t n, cap;
    struct text tail; /* blanks before the closing bracket */
};

/* Splits the text of a value, without blanks around it. The items are views
 * into `value`. Returns false if the value is neither an array nor an object.
 */
bool json_items_split(struct text value, struct json_items *out);
void json_items_free(struct json_items *items);
/* Writes the list as JSON. */
void json_items_join(const struct json_items *items, struct out *out);

/* Inserts an item before number i, or at the end if i is n. `body` and `lead`
 * must outlive the list. The item gets the blanks of the last item if the list
 * has two or more, or if its only item begins a line; else it gets `lead`,
 * which is "", or blanks, or a line feed and at least two blanks. In an empty
 * list such a line feed also moves the closing bracket to a line of its own,
 * with two blanks less. At the front, the item and the one after it swap their
 * blanks. */
void json_items_insert(struct json_items *items, size_t i, struct text body,
                       const char *lead);
/* Replaces the member with this key or, if there is none, inserts it before
 * number i, or at the end if i is n or more. `body`: the whole member with its
 * key; it must outlive the list. */
void json_items_put(struct json_items *items, const char *key, struct text body,
                    size_t i, const char *lead);
void json_items_remove(struct json_items *items, size_t i);

/* Returns the index of the member whose key is written as `key`, without
 * escapes; n if there is none. */
size_t json_items_find(const struct json_items *items, const char *key);
/* Returns the value of a member, without its key. */
struct text json_item_value(const struct json_item *item);

/* == gate_inputs.c: Updates the list "inputs" of a gate file: the traces and
 * other files from which the expected values were computed. */

/* Makes `list`, the items of "inputs", name what the cases have read. Removes
 * the other inputs, unless the user left out cases. Returns the number of
 * inputs that were changed, added or removed. New texts live in the arena. */
size_t gate_inputs_update(const struct gate_cases *cases, struct arena *arena,
                          struct json_items *list);

/* == gate_members.c: Makes members of JSON objects as texts, for lists of items
 * (gate_internal.h). The texts live in the arena. */

/* Returns a copy of what was written to a stream in memory, and frees the
 * stream. */
struct text gate_text_of(struct arena *arena, struct out *out);
/* Writes a list of n values, or the one value if n is 0; NaN as null. */
void gate_put_values(struct out *out, const double *values, size_t n);
/* Each of these three returns the member "KEY": VALUE; the first has values as
 * gate_put_values writes them. */
struct text gate_member(struct arena *arena, const char *key,
                        const double *values, size_t n);
struct text gate_whole_member(struct arena *arena, const char *key,
                              int64_t value);
struct text gate_text_member(struct arena *arena, const char *key,
                             const char *value);

/* == gate_read.c: Reads values of a JSON file and keeps the path of keys to the
 * present value, so that each error names line, column and path. */

enum { GATE_DEPTH_MAX = 8 };
struct gate_reader {
    const char *path;
    struct text text;
    struct arena *arena; /* receives copies of texts */
    struct trust *trust; /* notes what the settings do */
    struct error *err;
    /* keys and indexes on the path from the root to the present value */
    struct json_step steps[GATE_DEPTH_MAX];
    size_t depth;
};

/* gate_enter and gate_enter_row go to a value of the present object or array;
 * gate_leave goes back. */
void gate_enter(struct gate_reader *r, const char *key);
void gate_enter_row(struct gate_reader *r, size_t row);
void gate_leave(struct gate_reader *r);
struct json_place gate_here(const struct gate_reader *r);

/* Sets the error "FILE:LINE:COLUMN: PATH: ..." and returns STATUS_BAD_INPUT. */
enum status gate_bad(const struct gate_reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Prefixes *err, which another function has set, with the present place, and
 * makes its status STATUS_BAD_INPUT, which it returns. */
enum status gate_bad_here(const struct gate_reader *r);

/* This function and the next three set the error and return STATUS_BAD_INPUT if
 * a value is not as described. Checks that the value is an object whose keys
 * are all in `names`, which ends with NULL. If `names` is NULL, any key is
 * allowed. */
enum status gate_object(struct gate_reader *r, const json_t *value,
                        const char *const *names) MUST_USE;
/* Reads a member that must be a text and not empty. *out becomes a copy in the
 * arena. A missing member gives `deflt` itself, or an error if `deflt` is NULL.
 */
enum status gate_text(struct gate_reader *r, const json_t *object,
                      const char *key, const char *deflt,
                      const char **out) MUST_USE;
/* Reads a member that must be a whole number from lo to hi. A missing member
 * gives `deflt`, or an error if `deflt` is below lo. */
enum status gate_whole(struct gate_reader *r, const json_t *object,
                       const char *key, int64_t deflt, int64_t lo, int64_t hi,
                       int64_t *out) MUST_USE;
/* Reads a member that must be an array. *out becomes NULL if the member is
 * missing. */
enum status gate_array(struct gate_reader *r, const json_t *object,
                       const char *key, const json_t **out) MUST_USE;

/* == gate_parts.c: Reads the lists that a gate file may have for all traces or
 * for one trace: settings, policies and metrics. */

/* Each reads the member of `object` that its name says. If the member is
 * missing, *out and *n do not change. Returns STATUS_BAD_INPUT if it is not
 * valid. */
enum status gate_read_settings(struct gate_reader *r, const json_t *object,
                               struct gate_settings *out) MUST_USE;
enum status gate_read_policies(struct gate_reader *r, const json_t *object,
                               const struct gate_policy **out,
                               size_t *n) MUST_USE;
enum status gate_read_metrics(struct gate_reader *r, const json_t *object,
                              const struct gate **out, size_t *n) MUST_USE;

/* == gate_report.c: Writes the outcome of a gate as a table, as Markdown for a
 * pull request, as JUnit XML for a test report, and as JSON. */

/* Writes the counts of the outcome in words to `buf` and returns it: the last
 * line of the table, and the line below the heading of the Markdown. */
#define GATE_LINE_MAX 400
const char *gate_line(const struct gate_cases *cases, char buf[GATE_LINE_MAX]);

/* Says in `buf`, which it returns, that values of replications are not judged
 * in pairs of all seeds, and what records them. NULL: all are. */
const char *gate_pairs_note(const struct gate_cases *cases,
                            char buf[GATE_LINE_MAX]);

/* The texts of one metric of a case. expected: "" if no value is expected yet.
 * difference: "" if it is not defined. */
#define GATE_TEXT_MAX 128
struct gate_texts {
    char expected[GATE_TEXT_MAX], now[GATE_TEXT_MAX], difference[GATE_TEXT_MAX],
        tolerance[GATE_TEXT_MAX];
    /* "equal", "within", "better", "OUTSIDE", "UNKNOWN", "NEW" or "not
     * comparable" */
    const char *verdict;
};
void gate_texts(const struct gate_cases *cases, const struct gate_case *c,
                size_t metric, struct gate_texts *out);
/* Says in `buf`, which it returns, that a case is not comparable: how many jobs
 * did not finish, and which share of the work was done. */
const char *gate_done_text(const struct gate_case *c, char buf[GATE_LINE_MAX]);
/* Describes in `out` the first case with a value that fails or with more
 * unfinished jobs than expected or, if there is none, the first expected value
 * without a metric or, if there is none either, without a run. Call it only if
 * gate_cases_moved returns true. */
void gate_first_failure(const struct gate_cases *cases, char *out, size_t room);
/* True if the table shows the metric even without `all`, because its value is
 * new or is not equal to the expected one. */
bool gate_is_shown(const struct gate_outcome *outcome);

/* Prints the table, and below it causes, failures, notes and the counts. `all`:
 * also the metrics whose values are equal to the expected ones. `all_remarks`:
 * all remarks of the runs, not only the gravest. */
void gate_table(const struct gate_cases *cases, bool all, bool all_remarks,
                FILE *to);
void gate_markdown(const struct gate_cases *cases, struct out *out);
void gate_junit(const struct gate_cases *cases, struct out *out);
void gate_json(const struct gate_cases *cases, struct out *out);

/* == gate_update.c: Writes new expected values into the text of a gate file.
 * Replaces values that differ, inserts the row of a new run after that of the
 * run before it, removes rows and values without a run or metric, brings
 * "inputs" up to date, and adds an entry to "updates". All other bytes stay as
 * they are. */

struct gate_reason {
    const char *reason;
    const char *date; /* date of the update, as the user gave it; NULL: none */
};

struct gate_updated {
    /* number of values replaced, added or removed in rows that stay; numbers of
     * rows inserted and removed */
    size_t n_values, n_rows, n_removed;
    size_t n_inputs; /* number of inputs that were changed, added or removed */
    uint64_t number; /* number of the update; 0: nothing changed */
};

/* Writes the whole new file to `out`, a stream in memory; if nothing has
 * changed (updated->number is 0), the caller must not keep it. No case may have
 * failed. Returns STATUS_BAD_INPUT if the file has keys or names that are
 * written with escapes, so that they cannot be found in its text. */
enum status gate_update(const struct gate_cases *cases,
                        const struct gate_reason *reason, struct out *out,
                        struct gate_updated *updated,
                        struct error *err) MUST_USE;

#endif
