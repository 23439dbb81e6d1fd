/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row of jobs.csv or attempts.csv while it is written. Its cells are put at a
 * cursor that is handed on and not through the stream, so that it stays in a
 * register; what all rows have in common, the words of a few columns, is kept
 * ready to be copied. */
#ifndef SIM_REPORT_ROW_H
#define SIM_REPORT_ROW_H

#include "sim/base/digits.h"
#include "sim/report.h"

/* Room for the numbers and words of a row; row_room is asked for what is not
 * bounded. */
enum { ROW_BYTES = 2048 };

/* Words and names are copied whole, which takes two moves whatever their
 * length. */
enum { WORD_MAX = 24, NAME_MAX_KEPT = 31 };
struct word {
    char text[WORD_MAX];
    uint8_t len;
};
#define WORD(s) \
    { \
        s, sizeof(s) - 1 \
    }

/* Names that many rows have, by kind and number: all that there are, or so
 * many. */
enum name_kind { NAME_STRING, NAME_VC, NAME_TYPE, NAME_FORMAT, NAME_KINDS };
enum { NAMES_KEPT = 4096 };
struct kept_name {
    uint64_t key; /* 1 + number; 0: nothing here */
    char text[NAME_MAX_KEPT];
    uint8_t len;
};

struct row {
    struct out *out;
    const struct run_result *run;
    struct facts_reader reader;
    const struct facts *facts;
    /* Of attempts.csv: the attempts of the job at hand, first to last; the one
     * at hand, from 0 on, and since when the job waited for it. */
    uint32_t *attempts;
    size_t cap_attempts;
    uint32_t nth;
    struct stay stay;
    sim_time since;
    struct names {
        struct kept_name *kept; /* by the last bits of the number */
        uint32_t mask;
    } names[NAME_KINDS];
};

void row_init(struct row *row, struct out *out, struct results results);
void row_fini(struct row *row);
/* The names of columns, up to one without a name. */
void row_put_head(struct out *out, const struct column *columns);

static inline char *row_room(struct row *row, char *at, size_t bytes)
{
    row->out->len = (size_t)(at - row->out->buf);
    return out_reserve(row->out, bytes);
}

static inline char *put_word(char *at, const struct word *word)
{
    memcpy(at, word->text, WORD_MAX);
    return at + word->len;
}

/* Whatever it holds; leaves ROW_BYTES. */
char *row_put_csv(struct row *row, char *at, struct text text);
/* A name that is not kept, and may be from now on; likewise. */
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

/* The GPUs of an attempt as Batsim writes a set: "0-3 8"; likewise. */
char *row_put_gpus(struct row *row, char *at, uint32_t attempt);
/* The nodes of an attempt in the same way. */
char *row_put_nodes(struct row *row, char *at, uint32_t attempt);

/* Cells that rows of both files have. */
char *cell_job_id(struct row *row, char *at);
char *cell_workload_name(struct row *row, char *at);
char *cell_profile(struct row *row, char *at);
char *cell_requested_number(struct row *row, char *at);
char *cell_requested_time(struct row *row, char *at);
char *cell_consumed_energy(struct row *row, char *at);
char *cell_metadata(struct row *row, char *at);
/* In words of Batsim, of a job that has ended. */
char *cell_success(struct row *row, char *at);
char *cell_final_state(struct row *row, char *at);
/* A string of the trace; none: nothing. */
char *row_put_symbol(struct row *row, char *at, uint32_t symbol);
/* A ratio to six decimals. */
char *row_put_ratio(struct row *row, char *at, double value);

/* The rows of attempts.csv for a job. `head`: the cells of Batsim's columns, as
 * the row of jobs.csv has them, with a comma behind the last; empty: they are
 * to be written anew. */
void report_attempts_of(struct row *row, const struct facts *facts,
                        struct text head);

#endif
