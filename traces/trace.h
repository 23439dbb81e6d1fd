/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces: one normalised row, readers that translate a published format into
 * it, writers that translate back.
 *
 * A reader translates; it does not decide. Which rows count is decided once, in
 * load.c, which counts every row it drops by reason. The head of each reader
 * states the source's columns, units, time zone and known defects.
 *
 * To add a format: write traces/formats/NAME.c with one `const struct
 * trace_ops`, add the file to traces/formats/meson.build and the descriptor to
 * traces/registry.c. */
#ifndef TRACES_TRACE_H
#define TRACES_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/error.h"
#include "sim/base/option.h"
#include "sim/base/out.h"
#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/state/job.h"

struct rows; /* sim/base/rows.h: lines and CSV cells of a plain, gzip, zstd or
                standard-input source, with line and column numbers */

/* How a job ended in the recorded cluster. */
enum trace_end {
    TRACE_END_COMPLETED,
    TRACE_END_FAILED,
    TRACE_END_CANCELLED,
    TRACE_END_UNKNOWN, /* the source does not say */
};

/* A value that the source does not give is 0, an empty text, or TRACE_NO_TIME.
 * Texts are borrowed and valid until the next row. */
#define TRACE_NO_TIME INT64_MIN
struct trace_row {
    sim_time submitted; /* microseconds since 1970 UTC; traces without a date
                           count from 1970 */
    sim_span duration;  /* running time on `gpus` GPUs; negative values and
                           TRACE_NO_TIME pass through, load.c judges them */
    sim_span queue;     /* waiting time recorded by the source,
                           TRACE_NO_TIME if it does not say */
    sim_span declared;  /* the submitter's own estimate or limit; 0: none */
    uint32_t gpus;      /* 0: a CPU job */
    uint32_t cpus, nodes;
    uint32_t batch_size;
    uint32_t attempts; /* recorded attempts, 0 if the source does not say */
    enum trace_end end;
    enum job_elasticity elasticity;
    struct text source_id, user, vc, name;
    struct text model; /* model or application, e.g. "resnet50" */
    struct text dataset;
    struct text gpu_type; /* asked for; empty: any */
    struct text kind;     /* e.g. Acme's "Pretrain" */
    double gpu_util;      /* percent of one GPU, -1 if unknown */
    double gpu_mem_mib;   /* per GPU, -1 if unknown */
    bool amp;
    bool derived;  /* `duration` was not recorded but computed from what the job
                      trains */
    uint64_t line; /* line of the source, or element of a JSON array */
};

/* Sets every field to unknown. */
void trace_row_clear(struct trace_row *row);

/* Facts that a row may hold beyond its submission, and that a format may have
 * no place for. */
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

struct trace_column; /* traces/columns.h */
struct columns;

/* The columns by which the header of a CSV format is recognised, each written
 * as in struct rows_column. */
struct trace_signature {
    int sure;              /* see trace_ops.recognise; 0 ends the list */
    const char *names[10]; /* ends with NULL */
};

struct trace_ops {
    const char *name;    /* what --format takes, e.g. "philly" */
    const char *summary; /* one line for `list` */
    const struct option *options;
    size_t config_size, state_size;

    /* A CSV format is a table of columns and the headers by which it is
     * recognised; read.c opens and reads it (traces/columns.h). */
    const struct trace_column *columns;
    size_t n_columns;
    const struct trace_signature *signatures;
    /* Optional: after the header was read. Sets the clock and the epoch of
     * `columns`, checks the header further, keeps settings in `state`, which is
     * zeroed. */
    enum status (*begin)(void *state, const void *config,
                         struct columns *columns, struct error *err);
    /* Optional: changes what a row means beyond its cells. */
    void (*finish)(void *state, const struct columns *columns,
                   struct trace_row *row);

    /* Any other format reads by itself, and describes its files. */
    const char *layout;
    /* Returns 0 if a file that begins with `head` (up to 64 KiB, whole or cut
     * anywhere) is not of this format; a higher number is surer. */
    int (*recognise)(struct text head);
    /* `rows` is borrowed and outlives the reader. `state` is zeroed. */
    enum status (*open)(void *state, const void *config, struct rows *rows,
                        struct error *err);
    /* STATUS_OK with a row, STATUS_END, or STATUS_BAD_INPUT with a message
     * "path:line:column: field: what was expected". After an error the caller
     * may call again: the reader goes on after the bad row if it can, and
     * returns STATUS_END if it cannot. */
    enum status (*next)(void *state, struct trace_row *row, struct error *err);

    /* Optional: frees what `state` owns. */
    void (*close)(void *state);
    /* Optional: writes what the user should know about the rows so far, such as
     * a run time that is derived; empty if there is nothing to say. */
    void (*note)(const void *state, char *buf, size_t room);
    /* Name of the preset (sim/run/preset.c) of the cluster that traces of this
     * format were recorded on; NULL if the source can be any cluster. */
    const char *preset;
    /* Optional: overrides `preset` for what has been read. */
    const char *(*recorded_on)(const void *state);

    /* Writing. `holds`: the set of TRACE_BIT that the format has a place
     * for. `head`, `tail`: the first and last bytes of a file; NULL: none. */
    uint32_t holds;
    const char *head, *tail;
    /* Optional: names what else of a row the format has no place for ("a job
     * without a model"), or returns NULL. */
    const char *(*cannot_hold)(const struct trace_row *row);
    /* Optional: writes a head that is not constant. */
    void (*write_head)(struct out *out);
    void (*write_row)(struct out *out, const struct trace_row *row,
                      uint64_t index);
};

/* Names the first value of a row that the format has no place for ("a virtual
 * cluster"); NULL if there is none. */
const char *trace_cannot_hold(const struct trace_ops *ops,
                              const struct trace_row *row);
void trace_write_head(const struct trace_ops *ops, struct out *out);

/* A reader that has been opened on a source. */
struct trace_reader;

/* `spec` is NULL (recognise the format from the content) or "name[:key=value]".
 * `path` is a file, or "-" for standard input. Owned by the caller. */
enum status trace_open(const char *path, const char *spec,
                       struct trace_reader **out, struct error *err) MUST_USE;
enum status trace_next(struct trace_reader *reader, struct trace_row *row,
                       struct error *err) MUST_USE;
const struct trace_ops *trace_format(const struct trace_reader *reader);
/* SHA-256 of the source's bytes as stored (before decompression), 64
 * hexadecimal digits; known after STATUS_END. */
const char *trace_digest(const struct trace_reader *reader);
/* Returns about how many rows there are in all; 0 if it is not known. */
uint64_t trace_expected(const struct trace_reader *reader);
/* See trace_ops.recorded_on; NULL if it is not known. */
const char *trace_recorded_on(const struct trace_reader *reader);
/* See trace_ops.note; empty if there is nothing to say. */
#define TRACE_NOTE_MAX 256
void trace_note(const struct trace_reader *reader, char buf[TRACE_NOTE_MAX]);
void trace_close(struct trace_reader *reader); /* accepts NULL */

#endif
