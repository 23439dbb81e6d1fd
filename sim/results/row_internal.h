/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row of jobs.csv or attempts.csv while it is written. Functions take a
 * cursor and return it, instead of writing through the stream, so that it stays
 * in a register. Words that all rows share are kept ready to be copied. */
#ifndef SIM_ROW_INTERNAL_H
#define SIM_ROW_INTERNAL_H

#include "sim/base/digits.h"
#include "sim/results/report.h"

/* Room for the numbers and words of a row. For cells of unbounded length call
 * row_room. */
enum { ROW_BYTES = 2048 };

/* Words and names are copied whole at these sizes, which takes two moves
 * whatever their length. */
enum { WORD_MAX = 24, NAME_MAX_KEPT = 31 };
struct word {
    char text[WORD_MAX];
    uint8_t len;
};
#define WORD(s) \
    { \
        s, sizeof(s) - 1 \
    }

/* Names that occur in many rows, by kind and number. Either all names of a kind
 * are kept or a limited number of them. */
enum name_kind { NAME_STRING, NAME_VC, NAME_TYPE, NAME_FORMAT, NAME_KINDS };
enum { NAMES_KEPT = 4096 };
struct kept_name {
    uint64_t key; /* 1 + number; 0: empty slot */
    char text[NAME_MAX_KEPT];
    uint8_t len;
};

struct row {
    struct out *out;
    const struct run_result *run;
    struct facts_reader *reader; /* borrowed */
    const struct facts *facts;   /* of the current job */
    /* For attempts.csv: the attempts of the current job, first to last; the
     * index of the current one, from 0; and the time since which the job waited
     * for it. */
    uint32_t *attempts;
    size_t cap_attempts;
    uint32_t nth;
    struct stay stay;
    sim_time since;
    struct names {
        struct kept_name *kept; /* indexed by the last bits of the number */
        uint32_t mask;
    } names[NAME_KINDS];
};

/* The reader must outlive the row. */
void row_init(struct row *row, struct out *out, struct facts_reader *reader);
void row_fini(struct row *row);
/* Writes the names of the columns as the first line of the file. */
void row_write_head(struct row *row, const struct row_column *columns);
/* Writes one line: a cell for each column. The caller has set the fields of
 * `row` that the columns read. `head`: the text of the first ROW_BATSIM cells
 * if it is known, as row_write returned it for another file; otherwise empty.
 * Returns the text of these cells, valid until the next row of this file; empty
 * if it has left the buffer. */
enum { ROW_BATSIM = 17 };
struct text row_write(struct row *row, const struct row_column *columns,
                      struct text head);

/* Writes the row of a job; returns what row_write does. */
struct text row_write_job(struct row *row, const struct facts *facts);
/* Writes a row for each attempt of a job. `head`: as row_write_job returned it.
 */
void row_write_attempts(struct row *row, const struct facts *facts,
                        struct text head);

static inline char *row_room(struct row *row, char *at, size_t bytes)
{
    row->out->len = (size_t)(at - row->out->buf);
    return out_reserve(row->out, bytes);
}

static inline char *put_word(char *at, const struct word *word)
{
    return stpcpy(at, word->text);
}

/* Writes any text as a CSV cell, quoted if needed. Leaves ROW_BYTES of room. */
char *row_put_csv(struct row *row, char *at, struct text text);
/* Writes a name that is not kept, and may keep it from now on. Leaves ROW_BYTES
 * of room. */
char *row_put_new_name(struct row *row, char *at, enum name_kind kind,
                       uint32_t number);
static inline char *row_put_name(struct row *row, char *at, enum name_kind kind,
                                 uint32_t number)
{
    const struct names *names = &row->names[kind];
    const struct kept_name *name = &names->kept[number & names->mask];
    if (name->key != (uint64_t)number + 1)
        return row_put_new_name(row, at, kind, number);
    memcpy(at, name->text, NAME_MAX_KEPT);
    return at + name->len;
}

/* Writes the GPUs of an attempt as Batsim writes a set: "0-3 8". Leaves
 * ROW_BYTES of room. */
char *row_put_gpus(struct row *row, char *at, uint32_t attempt);
/* Writes the nodes of an attempt as a set: "0-3 8". Leaves ROW_BYTES of room.
 */
char *row_put_nodes(struct row *row, char *at, uint32_t attempt);

/* Cells that both files have. */
char *cell_job_id(struct row *row, char *at);
char *cell_format(struct row *row, char *at);
char *cell_profile(struct row *row, char *at);
char *cell_requested_number(struct row *row, char *at);
char *cell_requested_time(struct row *row, char *at);
char *cell_consumed_energy(struct row *row, char *at);
char *cell_metadata(struct row *row, char *at);
/* Batsim's words for the end of a job that has ended. */
char *cell_success(struct row *row, char *at);
char *cell_final_state(struct row *row, char *at);
/* Writes a string of the trace; nothing if there is none. */
char *row_put_symbol(struct row *row, char *at, uint32_t symbol);
/* Writes a ratio with six decimals. */
char *row_put_ratio(struct row *row, char *at, double value);

#endif
