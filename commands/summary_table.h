/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the summary of a run as a table for people. */
#ifndef SIM_SUMMARY_TABLE_H
#define SIM_SUMMARY_TABLE_H

#include <stdio.h>

#include "commands/table.h"
#include "sim/results/difference.h"
#include "sim/results/summary.h"

/* `all_remarks`: print all remarks, not only the gravest. */
void summary_table_print(FILE *to, struct results results,
                         const struct summary *summary, bool all_remarks);

/* The heads of the cells that describe one policy in a table of `compare`. */
extern const char *const summary_cells_head[];
enum { SUMMARY_CELLS = 9 };
/* The numbers in the cells of summary_cells_head. */
struct summary_line {
    struct distribution jct, queue; /* count, mean, interval, p50 and p99 */
    double makespan_s;
    double allocation; /* share of the GPU time of nodes that were up, 0..1;
                        * NaN: no node was up */
    /* number of preemptions, of jobs that finished, and of all jobs */
    double preemptions, done, jobs;
    /* share of the GPU time that jobs ask for which the finished ones ask for;
     * NaN: unknown, or all jobs finished */
    double share;
    double restart_s; /* mean time from a failure of a job until the job started
                       * again; NaN: no job did */
};
struct summary_line summary_line_of(const struct summary *summary);
void summary_cells(struct table *table, const struct summary_line *line);
/* A further column, which a table has if jobs of any row failed and started
 * again. */
#define SUMMARY_RESTART_HEAD "failure to restart"
void summary_restart_cell(struct table *table, const struct summary_line *line);
/* Adds the cell "done" of several runs, whose numbers are means: "all", or how
 * much of the work they did. */
void summary_done_cell(struct table *table, const struct jobs_done *done);
/* Prints what "[-]" means, if `any` is true. */
void summary_note_lack(bool any, FILE *to);
/* Formats a mean with its interval, if it has one, such as "8.30 h [7.91,
 * 8.72]", or "8.30 h [-]" if the jobs are too much alike for one; "-" if there
 * is no value. Returns `buf`. */
#define SUMMARY_MEAN_MAX 128
const char *summary_mean(const struct distribution *d,
                         char buf[SUMMARY_MEAN_MAX]);

#endif
