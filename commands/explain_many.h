/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `explain` for many jobs: which jobs, in which order, and a row for each. */
#ifndef SIM_CLI_EXPLAIN_MANY_H
#define SIM_CLI_EXPLAIN_MANY_H

#include "commands/args.h"
#include "commands/explain_waits.h"

/* The jobs that the user asks for. */
struct explain_wish {
    struct arg_list jobs;
    const char *user;
    uint32_t worst; /* number of jobs to show, those with the longest queueing
                     * delays; 0: no limit */
    bool all;
};

/* Jobs, and why they waited. */
struct explain_many {
    const struct verify_data *data;
    struct explain_waits waits; /* of all jobs of the result */
    bool named; /* true: who held the GPUs and who blocked is told too */
    const struct verify_job **jobs;
    struct explain_reasons *reasons; /* by place in `jobs` */
    size_t n;
};

/* Finds the jobs: the named jobs, in the order given; without names, the jobs
 * of the user, or all jobs, in the order of submission. With `worst`, takes
 * only the jobs with the longest queueing delays, longest first. Measures why
 * each waited; of named jobs and of the longest delays also who was to blame.
 * STATUS_USAGE if a job or the user is not in the result. The
 * caller calls explain_many_fini, also after an error. */
enum status explain_many_find(const struct explain_wish *wish, const char *dir,
                              const struct verify_failures *failures,
                              struct explain_many *out,
                              struct error *err) MUST_USE;
void explain_many_fini(struct explain_many *many);
/* Prints a row for each job that waited or was rejected, and the sums by
 * reason. */
void explain_many_print(const struct explain_many *many);
/* Adds the members "n_jobs", "n_waited", "n_rejected", "queue_delay_s" and
 * "reasons". */
void explain_many_put(json_t *json, const struct explain_many *many);

#endif
