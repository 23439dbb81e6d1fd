/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The faults and failures of a run, in the order of time: one row for each
 * fault and job that it hit, one for a fault that hit nobody when it struck,
 * and one for each failure of a job's own. failures.csv and the part `failures`
 * of summary.json are made from these rows. */
#ifndef SIM_FAILURE_ROWS_H
#define SIM_FAILURE_ROWS_H

#include "sim/results/columns.h"
#include "sim/results/facts.h"

struct failure_line {
    sim_time at; /* when the job failed; of a row without a job, when the fault
                    struck */
    const struct fault_row *fault;     /* NULL: the job failed by itself */
    const struct failure_row *failure; /* NULL: the fault hit nobody */
    uint32_t fault_number;             /* from 1 */
    uint32_t attempt;   /* number of the failed attempt in its job, from 1 */
    sim_time restarted; /* next start of the job, TIME_NEVER: there is none */
    const struct job *job; /* NULL: the fault hit nobody */
    sim_span lost;         /* work that the failure undid */
};

/* Reads the rows from first to last. Faults after the end of the simulation are
 * left out, because a run that waits in vain can have any number of them. */
struct failure_rows {
    const struct run_result *run;
    size_t n_faults;     /* of the ledger, until the end of the simulation */
    uint32_t *attempt;   /* by failure: see failure_line */
    sim_time *restarted; /* by failure */
    size_t next_fault, next_failure;
    bool hit; /* a row of the next fault was read already */
};

/* True if results tell of failures: the run has a fault model, or a job
 * failed. */
bool failure_rows_exist(const struct run_result *run);

void failure_rows_init(struct failure_rows *rows,
                       const struct results *results);
void failure_rows_fini(struct failure_rows *rows);
/* Returns false after the last row. */
bool failure_rows_next(struct failure_rows *rows, struct failure_line *out);

/* A column of failures.csv. The last row has a NULL name. */
struct failure_column {
    struct column column;
    void (*put)(struct out *out, const struct run_result *run,
                const struct failure_line *line);
};
extern const struct failure_column failure_columns[];
void report_failures(struct out *out, struct results results);

#endif
