/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row of jobs.csv or attempts.csv while it is written. Functions take a
 * cursor and return the new one, instead of writing through the stream, so that
 * the cursor stays in a register. The code is in columns.c. */
#ifndef SIM_ROW_H
#define SIM_ROW_H

#include "base/out.h"
#include "sim/results/report.h"

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
    /* the columns of jobs.csv to write; NULL: all. Borrowed */
    const struct column_choice *choice;
    const struct facts *facts; /* facts of the current job */
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

/* Begin a file: write the names of its columns as the first line. The reader
 * must outlive the row. */
void row_init_jobs(struct row *row, struct out *out,
                   struct facts_reader *reader);
void row_init(struct row *row, struct out *out, struct facts_reader *reader,
              const struct column *columns);
void row_fini(struct row *row);
/* Writes the row of a job. Returns the text of its first cells, as row_write
 * does; empty if only some columns are written. */
struct text row_write_job(struct row *row, const struct facts *facts);
/* Writes a row for each attempt of a job. `head`: what row_write_job returned
 * for the job. */
void row_write_attempts(struct row *row, const struct facts *facts,
                        struct text head);

#endif
