/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row of jobs.csv while it is written. Its cells are put at a cursor that is
 * handed on and not through the stream, so that it stays in a register; what
 * all rows have in common, the words of a few columns, is kept ready to be
 * copied. */
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
    uint32_t *attempts; /* of the job at hand, first to last */
    size_t cap_attempts;
    struct names {
        struct kept_name *kept; /* by the last bits of the number */
        uint32_t mask;
    } names[NAME_KINDS];
};

void row_init(struct row *row, struct out *out, struct results results);
void row_fini(struct row *row);

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
/* All attempts of the job: "start-end@GPUs:how;..."; likewise. */
char *row_put_attempts(struct row *row, char *at);

#endif
