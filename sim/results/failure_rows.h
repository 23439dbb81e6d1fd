/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of failures.csv, ordered by time: one for each failure of a
 * job, with the fault that caused it if there is one, and one for each fault
 * that made no job fail when it struck. The part `failures` of summary.json is
 * computed from these rows. */
#ifndef SIM_FAILURE_ROWS_H
#define SIM_FAILURE_ROWS_H

#include "sim/results/columns.h"
#include "sim/results/facts.h"

struct failure_line {
    /* time of the failure; in a row without a job, time of the fault */
    sim_time at;
    /* the fault of the row; NULL: the job failed by itself */
    const struct fault_row *fault;
    /* the failure of the row; NULL: the fault made no job fail */
    const struct failure_row *failure;
    uint32_t fault_number; /* number of the fault, from 1; 0: none */
    /* number of the failed attempt in its job, from 1; 0: none */
    uint32_t attempt;
    /* next start of the job; TIME_NEVER: there is none */
    sim_time restarted;
    const struct job *job; /* NULL: the fault made no job fail */
    sim_span lost;         /* work that the failure undid, us */
};

/* Reads the rows from first to last. Leaves out faults after the end of the
 * simulation, because a run whose waiting jobs can never start may have any
 * number of them. */
struct failure_rows {
    const struct run_result *run;
    size_t n_faults;     /* number of faults up to the end of the simulation */
    uint32_t *attempt;   /* by failure: failure_line.attempt */
    sim_time *restarted; /* by failure: failure_line.restarted */
    size_t next_fault, next_failure;
    bool hit; /* true if a row of the next fault has been read already */
};

/* True if results must report failures: the run has a fault model, or a job
 * failed. */
bool failure_rows_exist(const struct run_result *run);

void failure_rows_init(struct failure_rows *rows,
                       const struct results *results);
void failure_rows_fini(struct failure_rows *rows);
/* Reads the next row. Returns false after the last one. */
bool failure_rows_next(struct failure_rows *rows, struct failure_line *out);

/* A column of failures.csv. The array failure_columns ends with a column whose
 * name is NULL. */
struct failure_column {
    struct column column;
    void (*put)(struct out *out, const struct run_result *run,
                const struct failure_line *line);
};
extern const struct failure_column failure_columns[];
void report_failures(struct out *out, struct results results);

#endif
