/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of `explain` about the times at which a job was pending. */
#ifndef SIM_CLI_EXPLAIN_WAIT_H
#define SIM_CLI_EXPLAIN_WAIT_H

#include "sim/base/json_out.h"
#include "sim/verify/verify.h"

/* The GPUs of a virtual cluster over time. */
struct explain_gpus {
    struct explain_edge
        *edges; /* changes of the number of free GPUs, by time; owned */
    size_t n;
    /* GPUs of the nodes of the virtual cluster that are not set aside for
     * profiling */
    int64_t all;
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
    /* true if the wait ended with a start; false: with the end of the job or of
     * the run */
    bool started;
    /* time with fewer free GPUs than the job needs, us, and the part of this
     * time in which even the nodes that were up had fewer GPUs than the job
     * needs */
    sim_span full, nodes_out;
    /* time with enough free GPUs that the job did not get, us */
    sim_span passed_over;
    uint32_t free_at_start; /* free GPUs when the job began to wait */
    /* number of jobs of the virtual cluster submitted earlier that were waiting
     * when the job began to wait */
    uint32_t queued_ahead;
    /* starts of jobs of the virtual cluster submitted later, while the job
     * waited: their number, and the sum of their GPUs */
    uint32_t overtaken;
    uint64_t overtaken_gpus;
};

/* Adds to *w the times `full`, `nodes_out` and `passed_over` of a job that
 * needs `need` GPUs, and sets free_at_start. `from` and `to` must be set. */
void explain_measure(const struct explain_gpus *gpus, uint32_t need,
                     struct waiting *w);
/* Adds an event to the member `events` of `json`; returns the event, which
 * `json` owns. */
json_t *explain_event(json_t *json, const char *what, sim_time from,
                      sim_time to);
/* Shows why the job waited: how many GPUs were free, and how many jobs were
 * before it or overtook it. Prints lines, or adds an event to `json` if that is
 * not NULL. */
void explain_wait(const struct verify_data *d, const struct verify_job *job,
                  const struct explain_gpus *gpus, struct waiting *w,
                  json_t *json);
/* Shows a wait to be profiled, as explain_wait does. */
void explain_profile_wait(const struct verify_data *d, const struct waiting *w,
                          json_t *json);

#endif
