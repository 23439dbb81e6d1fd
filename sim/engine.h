/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine: one value on the heap, no globals; two can run side by side.
 * engine.c is the loop, apply.c turns events into state, commit.c turns a plan
 * into state. */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include "models/fault.h"
#include "models/overhead.h"
#include "models/recovery.h"
#include "policies/policy.h"
#include "sim/base/check.h"
#include "sim/base/remarks.h"
#include "sim/ledger.h"
#include "sim/progress.h"

struct engine_config {
    sim_span end_lag;     /* end_lag_s */
    sim_span horizon;     /* horizon_s */
    sim_span cordon;      /* cordon_s  */
    sim_span grid;        /* end_grid_s */
    uint32_t share_limit; /* share_limit */
    uint32_t stall;       /* stall_changes */
    bool free_moves;      /* free_moves */
    bool profile_keeps;   /* profile_keeps_work */
    bool counts_down;     /* countdown */
    bool restores_both;   /* restore_both */
};
extern const struct option engine_options[];

/* What the engine is composed of; everything is borrowed for its life. */
struct engine_parts {
    struct engine_config config;
    struct job *jobs;
    const struct truth *truths;
    uint32_t n_jobs;
    struct cluster *cluster;
    const struct capacity_change *changes;
    size_t n_changes;
    const struct policy_ops *policy;
    const void *policy_config;
    struct placer placer;    /* of the plans */
    struct placer admission; /* asked whether a job can ever be placed */
    const struct estimator *estimator; /* initialised by engine_init */
    struct estimator_env env;          /* truth is filled in by engine_init */
    struct interference interference, belief;
    struct throughput throughput;
    struct overhead overhead;
    struct fault_source fault; /* ops NULL: nothing fails */
    const struct recovery *recovery;
    struct forecast forecast; /* ops NULL: there is none */
    struct ledger *ledger;
    const struct ledger *first; /* of the first stage; NULL: there was none */
    uint64_t seed;
    struct remarks *remarks; /* NULL: nobody listens */
};

struct event_list {
    struct event *at;
    size_t count, cap;
};

/* When the policy is to be asked again: much of what there is to come, and
 * mostly near. The latest first, so that the next one is at the end and a new
 * one is put in not far from there. */
struct wake_list {
    sim_time *at;
    size_t count, cap;
};

struct engine {
    struct engine_parts parts;
    struct board board;
    struct truth_book book;
    struct evq queue;
    struct wake_list wakes;
    struct view view;
    struct plan plan;
    void *policy_self;
    char *mine;
    job_id next_arrival;
    sim_time next_submitted;  /* its time, TIME_NEVER: all have arrived */
    struct event_list events; /* of this instant, for learn and observe */
    bool is_watched;          /* some layer or the policy observes */
    bool layers_watch;        /* some layer of the estimators does */
    struct wakeups wakeups;
    struct fault fault; /* the next, if it is in the queue */
    uint32_t *failures; /* by job; NULL: none has failed yet */
    sim_time rest_until;
    size_t idle_wakes; /* in a row, in vain */
    /* Failures and returns of nodes in a row while nobody runs nor anything but
     * nodes is to come, and the moves of jobs before them. */
    uint32_t n_stalled;
    uint64_t moves_before;
    size_t fault_waits;   /* 1 if the next failure is in the queue */
    struct cluster empty; /* for admission */
    struct admission {
        uint64_t key;
        const char *why; /* NULL: fits */
    } * admissions;
    size_t n_admissions, cap_admissions;
    job_id *changed; /* jobs whose rate must be looked at, this instant */
    size_t n_changed, cap_changed;
    struct arena scratch;
    struct check_where where;
    uint64_t n_events, n_decisions;
    uint32_t n_worn; /* jobs given up after JOB_STARTS_MAX starts */
    job_id worn;     /* the first of them */
};

/* As often as a job may be started: it is given up at the last. */
#define JOB_STARTS_MAX UINT16_MAX

/* On failure there is nothing to free. */
enum status engine_init(struct engine *e, const struct engine_parts *parts,
                        const struct cluster_spec *spec,
                        struct error *err) MUST_USE;
void engine_fini(struct engine *e);

/* One instant. STATUS_END when no job can change state any more or the horizon
 * is reached. */
enum status engine_step(struct engine *e, struct error *err) MUST_USE;

/* The first that waits, JOB_NONE if nobody does. */
job_id engine_first_stuck(const struct engine *e);
/* Why a job that is not terminal cannot go on, in words for a person, who
 * knows the first that waits as `id`. */
void engine_explain_stuck(const struct engine *e, const char *id, char *out,
                          size_t room);

/* What follows is for engine.c, apply.c, commit.c and their like only. */
void engine_wake_at(struct engine *e, sim_time at);
/* Only nodes come and go, and nobody runs or is to come. */
bool engine_is_stalled(const struct engine *e);
void engine_note(struct engine *e, enum event_kind kind, const struct job *job,
                 node_id node);

/* apply.c: one event taken from the queue, or the next arrival. */
void apply_event(struct engine *e, const struct evq_entry *entry);
void apply_arrival(struct engine *e, struct job *job);
void apply_first_fault(struct engine *e);

/* commit.c; a plan of at least one action */
enum status commit_plan(struct engine *e, struct error *err) MUST_USE;
/* The running job leaves its GPUs. Its state is not changed. */
void commit_leave(struct engine *e, struct job *job, enum ledger_kind how,
                  sim_span lost, const char *why);
/* The run ends now, at the horizon: whoever runs is booked until now. */
void commit_horizon(struct engine *e);

/* rates.c: a job that has just been seated begins to work, and its end is
 * queued. False: it makes no progress in this shape. */
bool rates_begin(struct engine *e, const struct job *job);
/* The phase of a running job has ended; the next begins. */
void rates_next_phase(struct engine *e, const struct job *job);
/* The company of those on these GPUs has changed; of those that were started
 * before `before`, a seat's serial, the rate must be looked at. */
#define RATES_EVERYBODY UINT64_MAX
void rates_note(struct engine *e, struct gpu_set where, uint64_t before);
/* Looks at the rates of all that were noted, and moves their ends. */
void rates_renew(struct engine *e);

#endif
