/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of this room. A *group* is a virtual cluster, or the
 * whole cluster if blocks are joint. A *place* is the number of a block in
 * time, from 0: the block of place 3 of the source may go to place 5 of the
 * result. */
#ifndef TRACES_RESAMPLE_INTERNAL_H
#define TRACES_RESAMPLE_INTERNAL_H

#include "sim/base/text.h"
#include "traces/resample/resample.h"

/* Largest number of blocks of all groups together: a wrong date in a trace must
 * not cost all memory. */
#define BLOCKS_MAX 10000000u

/* A row of the source. */
struct source_row {
    struct trace_row row;
    uint64_t key;   /* what draws about the row are keyed by */
    sim_time local; /* submission by the clock of the options */
    uint32_t group, place;
    uint32_t user; /* symbol; 0: none */
};

/* A row of the result. */
struct result_row {
    sim_time at;       /* submission, us since 1970 UTC */
    sim_span duration; /* run time, as in struct trace_row */
    uint32_t source;   /* index of the row of the source */
    uint32_t copy;     /* 0: the first row made from that source */
    uint32_t user;     /* number in the new name; 0: no user, or kept */
};

struct resample {
    struct resample_options options;
    struct resample_counts counts;
    /* texts: everything that rows say; ids: identifiers seen; groups: names of
     * virtual clusters; users: names of users */
    struct interner texts, ids, groups, users;
    struct source_row *sources; /* sorted by group, place, user, submission */
    size_t n_sources, cap_sources;
    struct result_row *results;
    size_t n_results, cap_results, next;
    uint32_t *copies; /* by source: rows of the result so far */
    sim_time first;   /* first submission of the source */
    sim_time origin;  /* local midnight at which place 0 begins */
    sim_time end;     /* local midnight after the last submission */
    uint32_t n_places, n_whole;
    uint32_t n_new_users;
    /* streams of draws, by purpose */
    uint64_t order_stream, jitter_stream, noise_stream;
    struct arena arena; /* owns new names */
    struct shift_space *space;
};

/* resample_rows.c: copies the texts of a row and judges it. */
void source_add(struct resample *resample, const struct trace_row *row);
void sources_sort(struct resample *resample);

/* resample_blocks.c: sets the places of the sources. */
enum status blocks_cut(struct resample *resample, struct error *err) MUST_USE;
/* Fills `from`, one entry for each place: the place of the source whose block
 * goes there. UINT32_MAX: nothing goes there. */
void blocks_order(const struct resample *resample, uint32_t group,
                  uint32_t *from);

/* resample_shift.c: appends the rows of one block, sources begin .. end - 1,
 * which all are of one group and place, to the result, at another place. */
void shift_block(struct resample *resample, size_t begin, size_t end,
                 uint32_t place);
void shift_free(struct shift_space *space); /* accepts NULL */

#endif
