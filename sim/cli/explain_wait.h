/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of `explain` about the times at which a job was pending. */
#ifndef SIM_CLI_EXPLAIN_WAIT_H
#define SIM_CLI_EXPLAIN_WAIT_H

#include "sim/base/json_out.h"
#include "sim/verify/verify.h"

/* The GPUs of a virtual cluster over time. */
struct explain_gpus {
    struct explain_edge
        *edges; /* changes of the number of free GPUs, by time */
    size_t n;
    int64_t all; /* GPUs of the virtual cluster's nodes for jobs */
};
void explain_gpus_init(struct explain_gpus *gpus, const struct verify_data *d,
                       uint32_t vc);
void explain_gpus_fini(struct explain_gpus *gpus);

/* An interval in which the job was pending, and the state of its virtual
 * cluster during it. */
struct waiting {
    sim_time from, to;
    /* true if a recovery rule may have held the job back first */
    bool after_failure;
    /* true if the wait ended with a start, false if with the end of the run */
    bool started;
    /* time with fewer free GPUs than the job needs, us, and the part of this
     * time in which even the nodes that were up had fewer GPUs than the job
     * needs */
    sim_span full, nodes_out;
    /* time with enough free GPUs that the job did not get, us */
    sim_span passed_over;
    uint32_t free_at_start; /* free GPUs when the job began to wait */
    /* number of jobs submitted earlier that were waiting when the job began to
     * wait */
    uint32_t queued_ahead;
    /* number of jobs submitted later that started while the job waited */
    uint32_t overtaken;
    uint64_t overtaken_gpus;
};

/* Measures the times with too few and with enough free GPUs for `need`. */
void explain_measure(const struct explain_gpus *gpus, uint32_t need,
                     struct waiting *w);
/* Adds an event to the member `events` of `json`; returns it. */
json_t *explain_event(json_t *json, const char *what, sim_time from,
                      sim_time to);
/* Shows why the job waited: how many GPUs were free, and which jobs were before
 * it or overtook it. Prints lines, or adds an event to `json` if that is not
 * NULL. */
void explain_wait(const struct verify_data *d, const struct verify_job *job,
                  const struct explain_gpus *gpus, struct waiting *w,
                  json_t *json);
/* Shows a wait to be profiled. */
void explain_profile_wait(const struct verify_data *d, const struct waiting *w,
                          json_t *json);

#endif
