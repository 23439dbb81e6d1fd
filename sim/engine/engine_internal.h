/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the engine offer each other. */
#ifndef SIM_ENGINE_INTERNAL_H
#define SIM_ENGINE_INTERNAL_H

#include "models/failures/failure_truth.h"
#include "sim/engine/engine.h"

/* engine.c: asks for a decision of the policy at `at`. */
void engine_wake_at(struct engine *e, sim_time at);
/* True if no job runs or is to come, so that only nodes come and go. */
bool engine_is_stalled(const struct engine *e);
/* Adds an event to those that estimators, the forecast and the policy observe
 * at this instant. Does nothing if none of them observes. */
void engine_note(struct engine *e, enum event_kind kind, const struct job *job,
                 node_id node);

/* apply.c: applies one event taken from the queue, or the next arrival. */
void apply_event(struct engine *e, const struct evq_entry *entry);
void apply_arrival(struct engine *e, struct job *job);
/* The job has done all its work. */
void apply_finish(struct engine *e, struct job *job);

/* nodes.c: a node goes out of service and returns. */
/* Payload of EVENT_NODE_DOWN: a node (planned change of capacity), a node with
 * NODES_ISOLATE, or NODES_FAULT for the next fault. Of EVENT_NODE_UP: a node
 * (planned change, or a spare), or a node with NODES_REPAIRED. */
#define NODES_FAULT UINT32_MAX
#define NODES_ISOLATE UINT32_C(0x80000000)
#define NODES_REPAIRED UINT32_C(0x80000000)
void nodes_down(struct engine *e, node_id id, const char *why);
void nodes_up(struct engine *e, node_id id);
/* Takes a node out of service for `out`, because it failed or is tested. A
 * spare node takes its place, if one is ready. */
void nodes_out(struct engine *e, node_id id, sim_span out, const char *why);
/* A node that was out of service is whole again: it returns, or becomes a
 * spare if a spare took its place. */
void nodes_repaired(struct engine *e, node_id id);
/* Sets spare nodes aside: the last ones of each pool. Refuses if a pool would
 * keep no node. */
enum status nodes_init(struct engine *e, struct error *err) MUST_USE;
void nodes_fini(struct engine *e);
/* Counts faults (also of a node that is down) and returns of nodes in a row
 * between which no job moved. The first one after a move counts as 0. */
void nodes_count_change(struct engine *e);

/* faults.c: what the fault model says, and defects that it leaves. */
void faults_init(struct engine *e);
void faults_fini(struct engine *e);
/* Faults per second that a job on one node meets; 0: none, or not known. */
double faults_rate(const struct engine *e);
/* Puts the next fault into the queue, if there is one. */
void faults_draw(struct engine *e);
/* The next fault happens now. */
void faults_strike(struct engine *e);
/* Sets when the job that starts now fails by a hidden fault of its nodes, if
 * any makes it fail. */
void faults_break(struct engine *e, const struct job *job);
/* Takes a node out of service to be tested, and repaired if it is faulty. */
void faults_isolate(struct engine *e, node_id node);

/* fail.c: a job fails. */
struct fail_cause {
    enum failure_kind kind;
    const char *text;
    node_id node;   /* the node at fault, NODE_NONE: none */
    uint32_t fault; /* its number in the ledger, FAULT_NONE */
    sim_span gap;   /* recorded time until it was submitted again, -1 */
    bool node_goes; /* the fault takes the node out of service by itself */
};
/* Ends the attempt as failed and does as the recovery rules say. Returns false
 * if the job had done all its work, so that this is its end. */
bool fail_job(struct engine *e, struct job *job,
              const struct fail_cause *cause);
/* The failure that was queued for the job happens now: one of its own, or by a
 * hidden fault of a node. */
void fail_as_queued(struct engine *e, struct job *job);
/* Gives up a job that was started JOB_STARTS_MAX times. */
void fail_worn(struct engine *e, struct job *job);
/* Called when a job loses its GPUs. If its work is done and it holds them only
 * for the end lag, this is its end. Returns false if the job still has work. */
bool fail_ends_in_lag(struct engine *e, struct job *job);

/* commit.c: the plan must have at least one action. */
enum status commit_plan(struct engine *e, struct error *err) MUST_USE;
/* The running job leaves its GPUs. Its state is not changed. */
void commit_leave(struct engine *e, struct job *job, enum ledger_kind how,
                  sim_span lost, const char *why);
/* Ends the run now, at the horizon: books the running jobs until now. */
void commit_horizon(struct engine *e);

/* rates.c: returns all the work of the job. A model of throughput that
 * describes the job says how much it is, else the trace does. */
sim_span rates_work(const struct engine *e, const struct job *job);
/* Begins the work of a job that has just got its GPUs, and queues its end.
 * Returns false if the job makes no progress in this shape. */
bool rates_begin(struct engine *e, const struct job *job);
/* Begins the next phase of a running job whose phase has ended. */
void rates_next_phase(struct engine *e, const struct job *job);
/* Must be called when a job joins or leaves these GPUs. Notes the jobs on them
 * whose allocation has a serial below `before`, because their rates may change.
 */
#define RATES_EVERYBODY UINT64_MAX
void rates_note(struct engine *e, struct gpu_set where, uint64_t before);
/* Computes the rates of all noted jobs again and moves their ends. */
void rates_renew(struct engine *e);

#endif
