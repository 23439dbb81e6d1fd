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

/* Copied whole, which takes two moves, whatever its length. */
enum { WORD_MAX = 24, CELL_MAX = 31, CELL_BITS = 7 };
struct word {
    char text[WORD_MAX];
    uint8_t len;
};
#define WORD(s) \
    { \
        s, sizeof(s) - 1 \
    }

/* Names that many rows have: where to find the text, and the text. */
enum cell_kind { CELL_STRING, CELL_VC, CELL_TYPE, CELL_FORMAT };
struct cell {
    uint64_t key; /* of kind and number; 0: none yet */
    uint8_t len;
    bool ready; /* it fits and is written as it stands */
    char text[CELL_MAX];
};

struct row {
    struct out *out;
    const struct run_result *run;
    struct facts_reader reader;
    struct facts facts;
    uint32_t *attempts; /* of the job at hand, first to last */
    size_t cap_attempts;
    struct cell cells[1 << CELL_BITS]; /* by a hash of the key */
};

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
/* A name by its number; likewise. */
char *row_put_name(struct row *row, char *at, enum cell_kind kind,
                   uint32_t number);

/* The GPUs of an attempt as Batsim writes a set: "0-3 8"; likewise. */
char *row_put_gpus(struct row *row, char *at, uint32_t attempt);
/* All attempts of the job: "start-end@GPUs:how;..."; likewise. */
char *row_put_attempts(struct row *row, char *at);

#endif
