/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of this folder. A *group* is a virtual cluster, or the
 * whole cluster if blocks are joint. A *place* is the position of a block in
 * time, from 0: the block at place 3 of the source may go to place 5 of the
 * result. */
#ifndef TRACES_RESAMPLE_INTERNAL_H
#define TRACES_RESAMPLE_INTERNAL_H

#include "base/text.h"
#include "traces/resample/resample.h"

/* Largest number of blocks of all groups together: a wrong date in a trace must
 * not use up the memory. */
#define BLOCKS_MAX 10000000u

struct source_row {
    struct trace_row row;
    uint64_t key;   /* key of the draws about the row */
    sim_time local; /* submission by the clock of the options, us */
    uint32_t group, place;
    uint32_t user; /* symbol; 0: none */
};

struct result_row {
    sim_time at;       /* submission, us since 1970 UTC */
    sim_span duration; /* run time, us; TRACE_NO_TIME: unknown */
    uint32_t source;   /* index of the row of the source */
    uint32_t copy;     /* number of earlier rows of the result that come from
                        * the same source */
    /* number that is part of the user's new name; 0: no user, or the user keeps
     * the name */
    uint32_t user;
};

struct resample {
    struct resample_options options;
    struct resample_counts counts;
    /* texts: all texts of rows. ids: identifiers of earlier rows. groups: names
     * of virtual clusters. users: names of users. */
    struct interner texts, ids, groups, users;
    struct source_row *sources; /* see sources_sort */
    size_t n_sources, cap_sources;
    struct result_row *results;
    size_t n_results, cap_results, next;
    uint32_t *copies; /* by source: number of its rows in the result so far */
    sim_time first;   /* first submission of the source, us since 1970 */
    sim_time origin;  /* local midnight at which place 0 begins */
    sim_time end;     /* local midnight after the last submission */
    uint32_t n_places, n_whole;
    uint32_t n_new_users;
    /* Streams of random draws (rng_stream), one for each purpose. */
    uint64_t order_stream, jitter_stream, noise_stream;
    struct arena arena; /* owns new names */
    struct shift_space *space;
};

/* source_add copies a row of the source, unless there is a reason to leave it
 * out. sources_sort sorts the copied rows by group, place, user and submission.
 * Both are in resample_rows.c. */
void source_add(struct resample *resample, const struct trace_row *row);
void sources_sort(struct resample *resample);

/* Sets the place of each source and the number of places. Removes the rows of a
 * partial last block if the options say so. Returns STATUS_BAD_INPUT if there
 * would be more than BLOCKS_MAX blocks. blocks_cut and blocks_order are in
 * resample_blocks.c. */
enum status blocks_cut(struct resample *resample, struct error *err) MUST_USE;
/* Sets from[p] to the place of the source whose block goes to place p of the
 * result, for each of the n_places places. */
void blocks_order(const struct resample *resample, uint32_t group,
                  uint32_t *from);

/* Appends the rows of one block to the result, at place `place`. begin .. end -
 * 1: the sources of the block, which have one group and one place. shift_block
 * and shift_free are in resample_shift.c. */
void shift_block(struct resample *resample, size_t begin, size_t end,
                 uint32_t place);
void shift_free(struct shift_space *space); /* accepts NULL */

#endif
