/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A block bootstrap of the rows of a trace (Carlstein, Annals of Statistics
 * 1986, for blocks of dependent data). It cuts the trace into blocks, such as
 * weeks of a virtual cluster, and puts the blocks in another order, or draws
 * them. Dependences between jobs of one block survive. Equal rows and options
 * give equal results.
 *
 * A row keeps all its fields except: the submission moves with its block and by
 * a jitter, most run times are multiplied by a factor near 1, the user gets
 * another name and the job name is dropped unless the caller keeps them, the id
 * of a further copy of a row gets a number, and `record` is dropped. Fields
 * that are unknown in the source stay unknown. */
#ifndef TRACES_RESAMPLE_H
#define TRACES_RESAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "traces/columns.h"
#include "traces/trace.h"

enum resample_order {
    RESAMPLE_PERMUTE,  /* the whole blocks in another order */
    RESAMPLE_DRAW,     /* each place gets a whole block, drawn with
                        * replacement */
    RESAMPLE_WEEKDAYS, /* as RESAMPLE_DRAW, from the blocks that are a multiple
                        * of 7 places apart, which keeps the weekdays of blocks
                        * of a day; from all blocks if there are fewer than
                        * RESAMPLE_WEEKDAYS_MIN */
};
/* RESAMPLE_BLOCKS_FEW: with fewer blocks, draws vary less than the trace. */
enum { RESAMPLE_WEEKDAYS_MIN = 56, RESAMPLE_BLOCKS_FEW = 10 };

enum resample_users {
    RESAMPLE_USERS_BLOCK, /* a user gets a new name in each block */
    RESAMPLE_USERS_TRACE, /* a user has one new name in the whole trace */
    RESAMPLE_USERS_KEEP,  /* a user keeps the name of the source */
};

struct resample_options {
    uint64_t seed;
    unsigned order; /* enum resample_order */
    unsigned users; /* enum resample_users */
    bool joint;     /* true: blocks of the whole cluster, not of each virtual
                     * cluster */
    bool keep_names;
    bool drop_partial; /* true: drops the last block if the trace ends within
                        * it */
    struct clock zone; /* blocks begin at midnight of this clock */
    /* Length of a block, us. 0: a day, or longer if the work that is submitted
     * on neighbouring days is alike; at most a week. */
    sim_span block;
    /* Largest shift that is drawn for a submission, us; shifts are whole
     * seconds. Submissions of one user that are at most twice this time apart
     * shift together and keep their order. */
    sim_span jitter;
    /* A submission at most this long (us) after the end of a job of the same
     * user keeps its distance from that end. 0: no submission does. */
    sim_span link;
    double noise; /* standard deviation of the logarithm of the factor of run
                   * times; 0: run times stay */
    /* Keeps rows with from <= submitted <= to; TRACE_NO_TIME: no bound. */
    sim_time from, to;
};

/* Reasons why a row of the source is not in the result. */
#define RESAMPLE_REASONS(X) \
    X(NO_TIME, "no time of submission") \
    X(OUTSIDE, "submitted outside --from and --to") \
    X(REPEATED, "the id of an earlier row") \
    X(PARTIAL, "in the last block, which is not whole") \
    X(CUT, "drawn for the last place, but after the end of the trace")

enum resample_reason {
#define RESAMPLE_ENUM(name, words) RESAMPLE_##name,
    RESAMPLE_REASONS(RESAMPLE_ENUM)
#undef RESAMPLE_ENUM
        RESAMPLE_N_REASONS
};

/* Counts of a resampling, for messages. */
struct resample_counts {
    uint64_t n_rows; /* number of rows of the source */
    uint64_t n_out;  /* number of rows of the result */
    uint64_t dropped[RESAMPLE_N_REASONS];
    uint64_t n_without_user; /* rows of the result without a user */
    uint64_t n_linked;       /* rows that keep their distance from the end of
                              * a job */
    uint32_t n_groups;       /* number of virtual clusters with rows; 1 if
                              * joint */
    sim_span block;          /* length of a block, us */
    uint32_t n_whole;        /* number of whole blocks of each group */
    uint64_t n_partial;      /* rows of the source in a last block that is not
                              * whole; 0 if that block is dropped */
};

const char *resample_reason_words(enum resample_reason reason);

struct resample;

/* Returns a resampling without rows. The caller owns it. */
struct resample *resample_new(const struct resample_options *options);
/* Returns a resampling for another seed with the rows that were added to
 * `from`, on which resample_draw must not have been called. `from` lends the
 * texts of the rows and must outlive the result. Several threads may fork it at
 * once. The caller owns the result. */
struct resample *resample_fork(const struct resample *from, uint64_t seed);
/* Adds a copy of a row of the source, or counts the row as dropped if a reason
 * of RESAMPLE_REASONS applies. */
void resample_add(struct resample *resample, const struct trace_row *row);
/* Makes the rows of the result; called after the last row was added. Fails with
 * STATUS_BAD_INPUT if the dates of the rows lie too far apart for the length of
 * a block. */
enum status resample_draw(struct resample *resample,
                          struct error *err) MUST_USE;
/* Fills *row with the next row of the result; returns false at the end. Rows
 * come in order of submission. Their texts are valid until resample_free.
 * row->line is the line in the source. */
bool resample_next(struct resample *resample, struct trace_row *row) MUST_USE;
const struct resample_counts *resample_counts(const struct resample *resample);
void resample_free(struct resample *resample); /* accepts NULL */

#endif
