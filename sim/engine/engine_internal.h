/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that the files of the engine offer each other, grouped by file. */
#ifndef SIM_ENGINE_ENGINE_INTERNAL_H
#define SIM_ENGINE_ENGINE_INTERNAL_H

#include <stdint.h>

#include "models/failures/failure_truth.h"
#include "sim/engine/engine.h"

/* engine.c: asks for a decision of the policy at time `at`. */
void engine_wake_at(struct engine *e, sim_time at);

/* engine.c: what happened at this instant. */
/* engine_note adds an event to the list that estimators, the forecast and the
 * policy observe at this instant, unless none of them observes events.
 * engine_note_watched serves engine_note; call engine_note instead. */
void engine_note_watched(struct engine *e, enum event_kind kind,
                         const struct job *job, node_id node);
static inline void engine_note(struct engine *e, enum event_kind kind,
                               const struct job *job, node_id node)
{
    if (e->is_watched)
        engine_note_watched(e, kind, job, node);
}
/* As engine_note, for a job that has lost the work `lost`, us, which may be 0.
 * `from_start`: see struct event. */
void engine_note_lost(struct engine *e, enum event_kind kind,
                      const struct job *job, sim_span lost, bool from_start);
/* As engine_note, for a job that has finished. `aborted`: see struct event. */
void engine_note_end(struct engine *e, const struct job *job, bool aborted);

/* engine.c: limits at which a run ends early. */
/* True if no job runs, is held back or is still to arrive. */
bool engine_is_stalled(const struct engine *e);
/* True if the limit `faults_max` of faults and failures is reached. */
static inline bool limits_are_flooded(const struct engine *e)
{
    const struct ledger *ledger = e->parts.ledger;
    uint32_t limit = e->parts.config.faults_max;
    return limit && ledger->n_faults + ledger->n_failures >= limit;
}

/* apply.c: applies one event taken from the queue, or the next arrival. */
void apply_event(struct engine *e, struct evq_entry entry);
void apply_arrival(struct engine *e, struct job *job);
/* Makes a job pending that ran or was held back. */
void apply_pending(struct engine *e, struct job *job);
/* Rejects the waiting jobs that could not run on the empty cluster any more.
 * Called after the events of an instant if must_set_aside is true. */
void apply_set_aside(struct engine *e);
/* Gives an elastic job that has not run yet what another job has learned about
 * its throughput, if an estimator names such a job. Call it after the estimator
 * layers were shown the submission of the job or news about the job. Does
 * nothing once the job has a learner with data. */
void apply_introduction(struct engine *e, const struct job *job);
/* Handles the end of a job that has done all its work. */
void apply_finish(struct engine *e, struct job *job);

/* faults.c: nodes that go out of service and return. */
/* Payload of EVENT_NODE_DOWN: the index of a planned change, a node id
 * | NODES_ISOLATE (test of a suspected node), or NODES_FAULT (the next fault).
 * Payload of EVENT_NODE_UP: the index of a planned change, a node id
 * | NODES_SPARE (a spare that is ready), or a node id | NODES_REPAIRED. */
#define NODES_FAULT UINT32_MAX
#define NODES_ISOLATE UINT32_C(0x80000000)
#define NODES_REPAIRED UINT32_C(0x80000000)
#define NODES_SPARE UINT32_C(0x40000000)
/* Opens in the empty cluster the nodes that have left for good, or closes them
 * again. */
void nodes_open_gone(struct engine *e, bool open);
#define NODES_IS_GONE (-1) /* in gone_at: the node has left for good */
void nodes_up(struct engine *e, node_id id);
/* Carries out a planned change. Counts it in e->n_repeats if the node already
 * is in or out by that plan. If the node leaves and no later change brings it
 * back, it has left for good: jobs that can no longer run are set aside at this
 * instant. */
void nodes_planned(struct engine *e, size_t change);
/* Takes the draining nodes down on which no job runs any more. */
void nodes_take_drained(struct engine *e);
/* Called when a node that was out of service is whole again: it returns to
 * service, or becomes a spare if a spare took its place. */
void nodes_repaired(struct engine *e, node_id id);
/* Sets spare nodes aside, the last ones of each pool that is not for profiling.
 * Returns STATUS_USAGE if a pool would keep no node. */
enum status nodes_init(struct engine *e, struct error *err) MUST_USE;
void nodes_fini(struct engine *e);

/* faults.c: faults that the fault model draws, and the defects that they
 * leave. */
void faults_init(struct engine *e);
void faults_fini(struct engine *e);
/* Returns the mean number of faults per second that a job on one node meets; 0:
 * none, or unknown. */
double faults_rate(const struct engine *e);
/* Puts the next fault into the queue, if there is one. */
void faults_draw(struct engine *e);
/* Handles the fault that is due now. */
void faults_strike(struct engine *e);
/* Sets the time at which the job that starts now fails, if a hidden fault on
 * its nodes will make it fail. Must be called for each start once
 * faults.defects is set, and not before. */
void faults_break(struct engine *e, const struct job *job);
/* Takes a node out of service for a test, unless it is out of service already;
 * a node with a hidden fault is then also repaired. */
void faults_isolate(struct engine *e, node_id node);

/* faults.c: why a job fails. */
struct fail_cause {
    enum failure_kind kind;
    const char *text;
    node_id node;   /* node at fault; NODE_NONE: none */
    uint32_t fault; /* number of the fault in the ledger; FAULT_NONE: none */
    /* recorded time until the job was submitted again; -1: none */
    sim_span gap;
    bool node_goes; /* true if the fault itself takes the node out of service */
};
/* Handles the failure that was queued for the job: one that the trace records
 * for it, or one by a hidden fault of a node. */
void fail_as_queued(struct engine *e, struct job *job);
/* Gives up a job that was started JOB_STARTS_MAX times, unless it has finished
 * meanwhile. */
void fail_worn(struct engine *e, struct job *job);
/* Called when a job loses its GPUs. If all its work is done and it held the
 * GPUs only for the lag at its end, finishes the job. Returns false if the job
 * still has work. */
bool fail_ends_in_lag(struct engine *e, struct job *job);

/* company.c: jobs that share GPUs and that a monitor watches. */
void company_init(struct engine *e);
void company_fini(struct engine *e);
/* Notes a job that the plan being committed has started, if it shares GPUs.
 * Must be called for each started job, if a monitor exists. */
void company_note(struct engine *e, const struct job *guest);
/* Begins the companies of the noted jobs. Must be called when all rates are
 * set, if any job was noted. */
void company_begin(struct engine *e);
/* Ends the companies of a job whose attempt ends or moves to other GPUs. Must
 * be called if any company lasts. */
void company_end(struct engine *e, const struct job *job);
/* Handles the event of a watch: a look, or an eviction. */
void company_tracked(struct engine *e, uint32_t watch);

/* progress.c: asks the policy again. STATUS_BROKEN if it plans an action,
 * STATUS_BAD_PLAN if it breaks another rule of plan.h; the status that it gave
 * plan_refuse. */
enum status settle_ask(struct engine *e, struct error *err) MUST_USE;

/* commit.c: carries out a plan of at least one action. STATUS_BAD_PLAN if a job
 * makes no progress on the GPUs that it gets. */
enum status commit_plan(struct engine *e, struct error *err) MUST_USE;
/* Ends the attempt of a running job and frees its GPUs. `lost`: work that the
 * end undoes, us; the caller has added it to the work left. The caller changes
 * the state of the job. */
void commit_leave(struct engine *e, struct job *job, enum ledger_kind how,
                  sim_span lost, const char *why);
/* Ends the run now because a limit was reached: adds the attempts of running
 * jobs to the ledger, with the work done so far. */
void commit_horizon(struct engine *e);

/* rates.c: returns the total work of the job, us: from the model of throughput
 * if the model describes the job, otherwise from the trace. */
sim_span rates_work(const struct engine *e, const struct job *job);
/* Returns the work, us, that the running job had done and not lost when it was
 * settled last. */
sim_span rates_work_done(const struct engine *e, const struct job *job);
/* Returns the relative speed of a running job beside only those jobs whose
 * allocation has a serial below `before`. RATES_EVERYBODY: beside all jobs. */
double rates_speed_beside(const struct engine *e, const struct job *job,
                          uint64_t before);
/* Lists the holders of a GPU whose allocation has a serial below `before`
 * (RATES_EVERYBODY: all), in the order of their starts, because an interference
 * table may depend on which job was there first. Returns their number. */
uint32_t rates_holders(const struct engine *e, gpu_id gpu, uint64_t before,
                       const struct job *holders[SHARE_LIMIT_MAX]);
/* Begins the work of a job that has just got its GPUs, and queues the event
 * that ends its attempt or its phase. Returns false if the job makes no
 * progress in this shape. */
bool rates_begin(struct engine *e, const struct job *job,
                 struct allocation *alloc, struct progress *p);
/* Begins the next phase of a running job whose phase has ended. */
void rates_next_phase(struct engine *e, const struct job *job);
#define RATES_EVERYBODY UINT64_MAX
/* Must be called when a job joins or leaves these GPUs. Notes the jobs on them
 * whose allocation has a serial below `before`: their rates may change. */
void rates_note_holders(struct engine *e, struct gpu_set where,
                        uint64_t before);
static inline void rates_note(struct engine *e, struct gpu_set where,
                              uint64_t before)
{
    /* on exclusive GPUs no rate depends on other jobs */
    if (e->parts.cluster->share_limit > 1)
        rates_note_holders(e, where, before);
}
/* Computes the rates of all noted jobs again, moves the end events of those
 * whose rate changes, and forgets the notes. */
void rates_renew(struct engine *e);

/* A function of the law `countdown` that its unit test calls. */

/* Subtracts `rate` from *remain until *remain <= 0, at most `most` times.
 * Returns the number of subtractions. *remain is the result of single
 * subtractions, equal to the last bit, but the function takes larger steps. */
uint64_t countdown_run(double *remain, double rate, uint64_t most);

#endif
