/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the line that a sweep keeps of a run: cells with their names, from the
 * numbers of summary.json. */
#ifndef STUDY_ROW_H
#define STUDY_ROW_H

#include "commands/study/journal.h"
#include "commands/study/runs.h"
#include "sim/results/facts.h"

/* A line, and the files that the run read. The arena owns the texts that
 * row_of_run made. */
struct row_kept {
    struct arena arena;
    struct journal_record record; /* the caller sets key and version */
};

/* Makes the line of a run that has ended. Its columns: status, error,
 * knowledge and knowledge_mark (its words and mark in summary.json), the
 * numbers of summary.json except those of its identity and of groups of jobs
 * (nested names are joined by _, without the name "metrics"), remarks,
 * remark_ranks, jobs_sha256 (of jobs.csv as `run --out` writes it). A run that
 * failed has the columns status and error. `is_made`: true if the trace is not
 * a file of the user, so that its digest is not kept. */
struct row_kept *row_of_run(const struct study_run *run, bool is_made);
void row_kept_free(struct row_kept *row); /* accepts NULL */

/* Separates two remarks of a run. */
#define ROW_BETWEEN_REMARKS " | "

/* Splits a line of CSV into cells without quotes, which live in the arena.
 * Returns the number of cells. */
size_t row_split(const char *line, struct arena *arena, const char ***cells);

#endif
