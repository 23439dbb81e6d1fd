/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine: one value on the heap, no globals, so that two engines can run
 * side by side. engine.c is the loop, apply.c turns events into state, commit.c
 * turns a plan into state. */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include "models/failures/fault.h"
#include "models/failures/overhead.h"
#include "models/failures/recovery.h"
#include "policies/policy.h"
#include "sim/base/check.h"
#include "sim/base/remarks.h"
#include "sim/engine/progress.h"
#include "sim/state/ledger.h"

struct engine_config {
    sim_span horizon;     /* horizon_s */
    uint32_t share_limit; /* share_limit */
    uint32_t spares;      /* spares */
    sim_span swap;        /* swap_s */
    uint32_t stall;       /* stall_changes */
};
extern const struct option engine_options[];

/* What the engine is composed of. Everything is borrowed for the life of the
 * engine. */
struct engine_parts {
    struct engine_config config;
    struct job *jobs;
    const struct truth *truths;
    const struct own_failure *own_failures; /* NULL: no job has any */
    uint32_t n_jobs;
    struct cluster *cluster;
    const struct capacity_change *changes;
    size_t n_changes;
    struct policy policy;
    struct placer placer;        /* chooses the GPUs of planned starts */
    struct placer admission;     /* answers whether a job can ever be placed */
    struct estimator *estimator; /* top of the chain; NULL: no chain */
    struct interference interference, belief;
    struct throughput throughput;
    struct time_law law;
    struct overhead overhead;
    struct fault_source fault; /* ops NULL: nothing fails */
    struct recovery *recovery; /* top of the chain; NULL: none */
    struct forecast forecast;  /* ops NULL: no forecast */
    struct plugins *plugins;   /* all of them, see engine_parts_make */
    struct run_env env; /* what they may use; the engine adds truth, view and
                           cluster */
    struct ledger *ledger;
    const struct ledger *first; /* NULL: no first stage */
    uint64_t seed;
};

struct event_list {
    struct event *at;
    size_t count, cap;
};

/* Times at which the policy must be asked again. Policies ask for many, most of
 * them near. Sorted with the latest first, so that the next one is at the end
 * and a new one is inserted close to the end. */
struct wake_list {
    sim_time *at;
    size_t count, cap;
};

/* What a hidden fault leaves on a node: jobs that start there fail again. */
struct defect {
    sim_time until;   /* healed by then; 0: the node is whole */
    sim_span repair;  /* time out of service once it is isolated */
    sim_span relapse; /* mean time until a job that starts there fails */
    const char *cause;
    uint64_t key;
    uint32_t fault; /* its number in the ledger */
    uint8_t scope, gpu;
};

struct faults {
    struct fault next;      /* the next fault, if it is in the queue */
    size_t waits;           /* 1 if it is in the queue */
    struct defect *defects; /* by node; NULL: there was no hidden fault yet */
    sim_span *tests; /* by node: time for which it is tested next; NULL: no
                        node was isolated yet */
    job_id *hit;     /* jobs that a fault hits */
    size_t cap_hit;
    uint64_t relapses; /* stream of the times until jobs fail again */
    uint64_t storage;  /* stream of the jobs that storage hits */
    uint64_t rulings;  /* stream of the keys of failures */
};

/* Nodes that are kept out of service until one in service fails. */
struct spares {
    node_id *at;      /* by pool, `spares` per pool: those that are ready */
    uint32_t *n;      /* by pool: how many are ready */
    uint32_t *missed; /* by pool: failed nodes that no spare replaced */
};

struct engine {
    struct engine_parts parts;
    struct board board;
    struct truth_book book;
    struct evq queue;
    struct wake_list wakes;
    struct view view;
    struct plan plan;
    char *mine;
    job_id next_arrival;
    sim_time next_submitted;  /* time of the next arrival, TIME_NEVER: all have
                                 arrived */
    struct event_list events; /* at this instant, for learn, observe */
    bool is_watched;   /* an estimator layer or the policy observes events */
    bool layers_watch; /* an estimator layer observes events */
    struct wakeups wakeups;
    struct faults faults;
    struct spares spares;
    uint32_t *failures; /* by job; NULL: no job has failed yet */
    sim_time rest_until;
    size_t idle_wakes; /* consecutive wakes at which nothing was planned */
    /* Failures and returns of nodes in a row, while no job runs and only node
     * events are to come; and the number of job moves before them. */
    uint32_t n_stalled;
    uint64_t moves_before;
    struct cluster empty; /* for admission */
    struct admission {
        uint64_t key;
        const char *why; /* NULL: fits */
    } * admissions;
    size_t n_admissions, cap_admissions;
    job_id *changed; /* jobs whose rate may change at this instant */
    size_t n_changed, cap_changed;
    struct arena scratch;
    struct check_where where;
    uint64_t n_events, n_decisions;
    uint32_t n_worn; /* jobs given up after JOB_STARTS_MAX starts */
    job_id worn;     /* the first of these jobs */
};

/* Most starts of one job. The job is given up at the last of them, because
 * job.attempts cannot count further. */
#define JOB_STARTS_MAX UINT16_MAX

/* Once all parts are chosen: gives each its state from the arena, and lists
 * them in parts->plugins in the order in which they begin. */
void engine_parts_make(struct engine_parts *parts, struct arena *arena);

/* On failure there is nothing to free. */
enum status engine_init(struct engine *e, const struct engine_parts *parts,
                        const struct cluster_spec *spec,
                        struct error *err) MUST_USE;
/* Begins all parts, which engine_fini does not end: their owner calls
 * plugins_end. To be called once, before the first step. */
enum status engine_begin(struct engine *e, struct error *err) MUST_USE;
void engine_fini(struct engine *e);

/* Advances by one instant. Returns STATUS_END when no job can change state any
 * more or the horizon is reached. */
enum status engine_step(struct engine *e, struct error *err) MUST_USE;

/* The first waiting job, JOB_NONE if no job waits. */
job_id engine_first_stuck(const struct engine *e);
/* Writes, in words for a person, why the jobs that are not terminal cannot go
 * on. `id` is the name of the first waiting job in the trace. */
void engine_explain_stuck(const struct engine *e, const char *id, char *out,
                          size_t room);

#endif
