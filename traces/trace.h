/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces: one common form of a row (struct trace_row), readers that translate
 * published formats into it, and writers that translate back.
 *
 * A reader translates; it does not decide. Which rows count is decided in one
 * place, load.c, which counts the rows that it drops by reason. The comment at
 * the top of each reader states the columns, units, time zone and known defects
 * of its source.
 *
 * To add a format: write traces/formats/NAME.c with one `const struct
 * trace_ops`, add the file to traces/formats/meson.build and the descriptor to
 * traces/registry.c. The code is in read.c. */
#ifndef TRACES_TRACE_H
#define TRACES_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/option.h"
#include "base/out.h"
#include "base/state/job.h"
#include "base/text.h"
#include "base/units.h"

struct rows; /* base/rows.h: lines and CSV cells of a plain, gzip, zstd or
                standard-input source, with line and column numbers */

/* How a job ended in the recorded cluster. */
enum trace_end {
    TRACE_END_COMPLETED,
    TRACE_END_FAILED,
    TRACE_END_CANCELLED,
    TRACE_END_UNKNOWN, /* the source does not say, or uses an unknown word */
};

/* Facts of a job that a scheduler's accounting has and struct trace_row lacks.
 * No simulation uses them; `history import` stores them. A text that the source
 * does not give is empty. */
struct trace_record {
    struct text cluster; /* name of the cluster; job ids are unique within a
                          * cluster */
    struct text workdir, command;
    struct text state;     /* the scheduler's word for the end */
    struct text exit_code; /* exit status and signal, such as "1:0" */
    struct text hosts;     /* nodes of the job, in the scheduler's notation */
};

/* A time or a length of time that is unknown. */
#define TRACE_NO_TIME INT64_MIN

/* A row of a trace. A field that the source does not give keeps the value of
 * trace_row_clear: 0, -1, false, NULL, an empty text, TRACE_NO_TIME,
 * TRACE_END_UNKNOWN or JOB_RIGID. Texts are borrowed and valid until the next
 * row. */
struct trace_row {
    /* us since 1970 UTC. If the trace has no dates: us since the instant from
     * which it counts. */
    sim_time submitted;
    /* Running time on `gpus` GPUs, us; TRACE_NO_TIME: unknown. Readers pass
     * negative and unknown times on, because load.c decides about them. */
    sim_span duration;
    /* Waiting time in the recorded cluster, us; TRACE_NO_TIME: unknown. */
    sim_span queue;
    /* Run time that the submitter estimated or set as a limit, us; 0: none. */
    sim_span declared;
    uint32_t gpus; /* 0: a CPU job */
    uint32_t cpus, nodes;
    uint32_t batch_size;
    uint32_t attempts; /* number of recorded attempts; 0: unknown */
    enum trace_end end;
    enum job_elasticity elasticity;
    struct text source_id, user, vc, name;
    struct text model; /* model or application, such as "resnet50" */
    struct text dataset;
    struct text gpu_type; /* GPU type asked for; empty: any */
    struct text kind;     /* kind of the job, such as Acme's "Pretrain" */
    /* Priority as the source writes it: a number or a word, such as "Spot".
     * Sources disagree on whether a high number comes first. */
    struct text priority;
    /* Cluster that recorded the trace, as --cluster takes it. Only the first
     * row of a trace that has one counts (trace_recorded_on). */
    struct text cluster;
    /* Time from the submission by which the job should have ended, us. 0 or
     * less: the deadline was missed from the start. TRACE_NO_TIME: none. */
    sim_span deadline;
    double gpu_util;    /* mean over its GPUs, percent; -1: unknown */
    double gpu_mem_mib; /* MiB per GPU; -1: unknown */
    double mem_mib;     /* main memory of the whole job, MiB; -1: unknown */
    /* Further facts of an accounting system; NULL: none. Borrowed and valid
     * until the next row. */
    const struct trace_record *record;
    bool amp; /* true: it trains in mixed precision; false: not, or unknown */
    /* True: `duration` was not recorded but computed from what the job trains.
     */
    bool derived;
    uint64_t line; /* line in the source on which the job begins; for a
                    * generated trace, number of the job */
};

/* Sets each field to its value for an unknown fact; see struct trace_row. */
void trace_row_clear(struct trace_row *row);

/* Facts, besides the submission, that a row may have and that some formats
 * cannot store. */
#define TRACE_FACTS(X) \
    X(ID, "a job id") \
    X(USER, "a user") \
    X(VC, "a virtual cluster") \
    X(NAME, "a job name") \
    X(MODEL, "a model") \
    X(DATASET, "a data set") \
    X(GPU_TYPE, "a GPU type") \
    X(KIND, "a kind of job") \
    X(QUEUE, "a recorded waiting time") \
    X(DECLARED, "a declared run time") \
    X(CPUS, "a number of CPUs") \
    X(NODES, "a number of nodes") \
    X(BATCH_SIZE, "a batch size") \
    X(ATTEMPTS, "a number of attempts") \
    X(END, "how the job ended") \
    X(GPU_UTIL, "a GPU utilisation") \
    X(GPU_MEM, "a GPU memory demand") \
    X(AMP, "mixed precision") \
    X(DEADLINE, "a deadline") \
    X(PRIORITY, "a priority") \
    X(MEM, "a main memory demand") \
    /* no format is refused for lacking it */ \
    X(CLUSTER, "a cluster") \
    X(ELASTIC, "elasticity") \
    X(FRACTION, "a time finer than a second") \
    X(NO_DURATION, "a job without a run time") \
    X(NEGATIVE, "a negative run time") \
    X(NO_GPU, "a job without GPUs")

enum trace_fact {
#define TRACE_FACT(name, words) TRACE_HAS_##name,
    TRACE_FACTS(TRACE_FACT)
#undef TRACE_FACT
        TRACE_N_FACTS
};
#define TRACE_BIT(name) (UINT32_C(1) << TRACE_HAS_##name)

struct trace_column; /* defined in traces/columns.h */
struct columns;

/* Column names by which the header of a CSV format is recognised, each written
 * as in struct rows_column. */
struct trace_signature {
    /* How sure a match is, as trace_ops.recognise returns it. 0 ends the list.
     */
    int sure;
    const char *names[10]; /* ends with NULL */
};

struct trace_ops {
    const char *name;    /* name for --format, such as "philly" */
    const char *summary; /* one line for `list` */
    const struct option *options;
    size_t config_size, state_size;

    /* For CSV formats: a table of columns, and the headers by which the format
     * is recognised. read.c opens and reads such files (traces/columns.h). */
    const struct trace_column *columns;
    size_t n_columns;
    const struct trace_signature *signatures;
    /* Optional. Called after the header was read. May set the clock and the
     * epoch of `columns`, check the header further, and store settings in
     * `state`, which is zeroed before the call. */
    enum status (*begin)(void *state, const void *config,
                         struct columns *columns, struct error *err);
    /* Optional. Changes a row after its cells were read, where the row means
     * more than its cells say. */
    void (*finish)(void *state, const struct columns *columns,
                   struct trace_row *row);

    /* For other formats: the format has a reader of its own, and `layout`
     * describes its files. */
    const char *layout;
    /* Returns how sure it is, 1..100, that a file which begins with `head` has
     * this format; 0: it has not. `head`: the first 64 KiB of the file, cut at
     * any byte, or the whole file if it is shorter. NULL: it has no file. */
    int (*recognise)(struct text head);
    /* Opens the reader. `rows` outlives the reader. `state` is zeroed before
     * the call. */
    enum status (*open)(void *state, const void *config, struct rows *rows,
                        struct error *err);
    /* Reads the next row. Returns STATUS_OK with a row, STATUS_END, or
     * STATUS_BAD_INPUT with a message "path:line:column: field: what was
     * expected". After an error the caller may call again: the reader goes on
     * after the bad row if it can, and otherwise returns STATUS_END. */
    enum status (*next)(void *state, struct trace_row *row, struct error *err);

    /* Optional. Returns the setting that says what rows of one id are
     * (same_rule_find); NULL or empty: each row is a job. */
    const char *(*same)(const void *config);

    /* Optional. Frees what `state` owns. Also called if `begin` or `open`
     * failed. */
    void (*close)(void *state);
    /* Optional. Writes what the user should know about the rows so far, such as
     * that run times are derived. Writes an empty text if there is nothing to
     * say. */
    void (*note)(const void *state, char *buf, size_t room);
    /* Name of the preset (sim/run/conventions.c) of the cluster that recorded
     * all traces of this format; NULL if different clusters did. */
    const char *preset;
    /* Optional. Returns the preset for the rows read so far, in place of
     * `preset`. */
    const char *(*recorded_on)(const void *state);

    /* For writing; a format without `write_row` cannot be written. `holds`: set
     * of TRACE_BIT of the facts that the format can store. `head`, `tail`:
     * bytes with which each file begins and ends; NULL: none. */
    uint32_t holds;
    const char *head, *tail;
    /* Optional. Returns the name of a fact beyond `holds` that keeps the format
     * from storing this row, such as "a job without a model". NULL: the format
     * can store the row. */
    const char *(*cannot_hold)(const struct trace_row *row);
    /* Optional. Writes the beginning of the file if it is not constant. */
    void (*write_head)(struct out *out);
    /* Writes a row. Leaves out the facts that the format cannot store, which
     * the user allows with --lossy. `index`: number of the row in the file,
     * from 0. */
    void (*write_row)(struct out *out, const struct trace_row *row,
                      uint64_t index);
    /* Optional. Descriptor that also writes the facts of TRACE_RARE, in columns
     * that files without them do not have. */
    const struct trace_ops *wide;
    /* Optional. Returns the facts of TRACE_RARE that the rows of this file may
     * have; for readers without a table of columns. */
    uint32_t (*rare)(const void *state);
};

/* Facts that few sources have. */
#define TRACE_RARE \
    (TRACE_BIT(DEADLINE) | TRACE_BIT(PRIORITY) | TRACE_BIT(MEM) | \
     TRACE_BIT(CLUSTER))

/* Returns the name of a fact of the row that the format cannot store, such as
 * "a virtual cluster"; NULL if the format can store the row. */
const char *trace_cannot_hold(const struct trace_ops *ops,
                              const struct trace_row *row);
void trace_write_head(const struct trace_ops *ops, struct out *out);

/* An open trace and its reader; opaque. */
struct trace_reader;

/* Opens a trace. `path`: a file, or "-" for standard input. `spec`:
 * "name[:key=value,...]"; NULL: recognise the format from the content. The
 * caller must call trace_close on *out, which is set only on success. */
enum status trace_open(const char *path, const char *spec,
                       struct trace_reader **out, struct error *err) MUST_USE;
enum status trace_next(struct trace_reader *reader, struct trace_row *row,
                       struct error *err) MUST_USE;
const struct trace_ops *trace_format(const struct trace_reader *reader);
/* Returns the facts of TRACE_RARE that rows of this trace may have. */
uint32_t trace_rare_facts(const struct trace_reader *reader);
/* Returns the SHA-256 of the source file as stored (before decompression), as
 * 64 hexadecimal digits. Valid after trace_next returned STATUS_END. */
const char *trace_digest(const struct trace_reader *reader);
/* Returns an estimate of the total number of rows, which becomes better while
 * the trace is read; 0 if there is none. */
uint64_t trace_expected(const struct trace_reader *reader);
/* Returns the cluster that recorded the trace, as --cluster takes it, as far as
 * the rows read until now tell it: that of a row, else the preset of the format
 * (trace_ops.recorded_on, otherwise trace_ops.preset); NULL if it is unknown.
 * Valid until trace_close. */
const char *trace_recorded_on(const struct trace_reader *reader);
/* Writes the note of the reader (trace_ops.note). `buf` becomes empty if there
 * is nothing to say. */
#define TRACE_NOTE_MAX 256
void trace_note(const struct trace_reader *reader, char buf[TRACE_NOTE_MAX]);
void trace_close(struct trace_reader *reader); /* accepts NULL */

#endif
