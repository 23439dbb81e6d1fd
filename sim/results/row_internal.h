/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row of jobs.csv or attempts.csv while it is written. Functions take a
 * cursor and return the new one, instead of writing through the stream, so that
 * the cursor stays in a register. */
#ifndef SIM_ROW_INTERNAL_H
#define SIM_ROW_INTERNAL_H

#include "base/out.h"
#include "sim/results/report.h"

/* Room for all numbers and words of one row, in bytes. For cells of unbounded
 * length call row_room first. */
enum { ROW_BYTES = 2048 };

/* Kinds of names that occur in many rows. At most NAMES_KEPT names of each kind
 * are kept, by their number. A name is copied with the size NAME_MAX_KEPT,
 * whatever its length, because a copy of constant size takes only a few
 * instructions. */
enum name_kind { NAME_STRING, NAME_VC, NAME_TYPE, NAME_FORMAT, NAME_KINDS };
enum { NAMES_KEPT = 4096, NAME_MAX_KEPT = 27 };
struct kept_name {
    uint32_t number;
    uint8_t len; /* 0: empty slot */
    char text[NAME_MAX_KEPT];
};

struct row {
    struct out *out;
    const struct run_result *run;
    struct facts_reader *reader; /* borrowed */
    const struct facts *facts;   /* facts of the current job */
    /* For attempts.csv: the attempts of the current job, first to last; the
     * index of the current attempt, from 0; what this attempt did; and the time
     * since which the job waited for it. */
    uint32_t *attempts;
    size_t cap_attempts;
    uint32_t nth;
    struct stay stay;
    sim_time since;
    struct names {
        struct kept_name *kept; /* by the low bits of the number (`mask`) */
        uint32_t mask;
    } names[NAME_KINDS];
};

/* Begins a file: writes the names of its columns as the first line. The reader
 * must outlive the row. */
void row_init(struct row *row, struct out *out, struct facts_reader *reader,
              const struct column *columns);
void row_fini(struct row *row);
/* Writes cells, each followed by a comma. */
typedef char *row_cells(struct row *row, char *at);
/* Writes one line: the cells of `batsim`, then those of `own`. The caller has
 * set the fields of `row` that the cells read. `head`: text of the first cells
 * if the caller has that text from an equal row of the other file, otherwise
 * empty. Returns that text, valid until the next row of this file; empty if the
 * text has left the buffer. */
struct text row_write(struct row *row, row_cells *batsim, row_cells *own,
                      struct text head);

/* Writes the row of a job. Returns the text of its first cells, as row_write
 * does. */
struct text row_write_job(struct row *row, const struct facts *facts);
/* Writes a row for each attempt of a job. `head`: what row_write_job returned
 * for the job. */
void row_write_attempts(struct row *row, const struct facts *facts,
                        struct text head);

static inline char *row_room(struct row *row, char *at, size_t bytes)
{
    row->out->len = (size_t)(at - row->out->buf);
    return out_reserve(row->out, bytes);
}

/* Writes a text as a CSV cell, quoted if needed. Leaves ROW_BYTES of room. */
char *row_put_csv(struct row *row, char *at, struct text text);
/* Writes a name that is not kept yet. A short name that needs no quotes is kept
 * in place of the one in its slot; any other name is not kept, and ROW_BYTES of
 * room are left after it. */
char *row_put_new_name(struct row *row, char *at, enum name_kind kind,
                       uint32_t number);
static inline char *row_put_name(struct row *row, char *at, enum name_kind kind,
                                 uint32_t number)
{
    const struct names *names = &row->names[kind];
    const struct kept_name *name = &names->kept[number & names->mask];
    if (name->number != number || name->len == 0)
        return row_put_new_name(row, at, kind, number);
    memcpy(at, name->text, NAME_MAX_KEPT);
    return at + name->len;
}

/* Writes the GPUs of an attempt as Batsim writes a set: "0-3 8". Leaves
 * ROW_BYTES of room. */
char *row_put_gpus(struct row *row, char *at, uint32_t attempt);
/* Writes the nodes of an attempt as a set: "0-3 8". Leaves ROW_BYTES of room if
 * there are several nodes. */
char *row_put_nodes(struct row *row, char *at, uint32_t attempt);

/* Writes the identifier of a job that is not a number. Leaves ROW_BYTES of
 * room. */
char *row_put_named_id(struct row *row, char *at);
/* Writes a ratio that is negative or at least 1e9, and leaves ROW_BYTES of
 * room. Does nothing for NaN. */
char *row_put_odd_ratio(struct row *row, char *at, double value);

#endif
