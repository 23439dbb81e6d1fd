/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine: one value, no globals, so that two engines can run side by side.
 * engine.c is the loop, apply.c turns events into state, commit.c turns a plan
 * into state. */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include "base/check.h"
#include "base/remarks.h"
#include "base/state/ledger.h"
#include "models/failures/fault.h"
#include "models/failures/overhead.h"
#include "models/failures/recovery.h"
#include "models/interference/monitor.h"
#include "policies/policy.h"
#include "sim/engine/progress.h"

/* Place in the queue of a job that stops because its node leaves. */
enum outage_place {
    OUTAGE_GOES_BACK,   /* after all jobs that wait */
    OUTAGE_KEEPS_PLACE, /* before all jobs that were submitted later */
};

struct engine_config {
    sim_span horizon;               /* option horizon_s, us; 0: no horizon */
    enum outage_place outage_place; /* option outage_place */
    /* option share_limit: largest number of jobs on one GPU */
    uint32_t share_limit;
    uint32_t spares; /* option spares: number of spare nodes of each pool */
    /* option swap_s: time until a spare node is in service, us */
    sim_span swap;
    /* option stall_changes: value of n_stalled at which the run ends; 0: no
     * limit */
    uint32_t stall;
    /* option faults_max: number of hardware faults and job failures after which
     * the run ends; 0: no limit */
    uint32_t faults_max;
};
extern const struct option engine_options[];

/* The parts that an engine is composed of. All are borrowed for the life of the
 * engine. */
struct engine_parts {
    struct engine_config config;
    struct job *jobs;
    const struct truth *truths;
    const struct own_failure *own_failures; /* NULL: no job fails by itself */
    uint32_t n_jobs;
    struct cluster *cluster;
    const struct capacity_change *changes;
    size_t n_changes;
    struct policy policy;
    struct part schedmate;       /* what SchedMate's layers share; plugin NULL:
                                  * the run has no layer of SchedMate */
    struct placer placer;        /* chooses the GPUs of planned starts */
    struct placer admission;     /* answers whether a job can ever be placed */
    struct estimator *estimator; /* top of the chain; NULL: no chain */
    struct interference interference, belief;
    struct monitor monitor; /* ops NULL: no monitor */
    struct throughput throughput;
    struct time_law law;
    struct overhead overhead;
    struct fault_source fault; /* ops NULL: nothing fails */
    sim_time faults_from;      /* faults before this time are left out */
    struct recovery *recovery; /* top of the chain; NULL: no chain */
    struct forecast forecast;  /* ops NULL: no forecast */
    struct plugins *plugins;   /* all plug-ins; see engine_parts_make */
    /* what plug-ins may use; engine_parts_make adds schedmate, engine_begin
     * fault_rate, truth, view, ledger and cluster */
    struct run_env env;
    struct ledger *ledger;
    uint64_t seed;
    bool asks_twice; /* true: tests rule 5 of plan.h, that a policy which is
                      * asked again plans at most a wake */
};

struct event_list {
    struct event *at;
    size_t count, cap;
};

/* Times at which the policy must be asked again, latest first. Policies ask for
 * many wakes, most of them soon: the next one is taken from the end, and a new
 * one is inserted close to the end. */
struct wake_list {
    sim_time *at;
    size_t count, cap;
};

/* What a hidden fault leaves on a node: jobs that start on the node may
 * fail. */
struct defect {
    sim_time until; /* end of the defect; 0: the node has no defect */
    /* time out of service after the test, us, if the node is isolated */
    sim_span repair;
    sim_span relapse; /* mean time from the start of a job to its failure, us */
    const char *cause;
    uint64_t key;
    uint32_t fault; /* number of the fault in the ledger */
    uint8_t scope, gpu;
};

struct faults {
    struct fault next;      /* the next fault; valid if waits is 1 */
    size_t waits;           /* number of faults in the queue, 0 or 1 */
    struct defect *defects; /* by node; NULL: no hidden fault has struck yet */
    /* by node: length of the next test, us; NULL: no ruling has suspected a
     * node yet */
    sim_span *tests;
    job_id *hit; /* jobs that the current fault hits */
    size_t cap_hit;
    uint64_t relapses; /* random stream: times until jobs fail again */
    uint64_t storage;  /* random stream: which jobs a storage fault hits */
    uint64_t rulings;  /* random stream: keys of failures */
};

/* Spare nodes, which are out of service until a node of their pool fails or is
 * isolated. */
struct spares {
    /* ready spares, by pool; each pool has room for config.spares */
    node_id *at;
    uint32_t *n; /* by pool: number of ready spares */
    /* by pool: number of nodes out of service that no spare has replaced */
    uint32_t *missed;
};

/* A company that the monitor watches. */
struct company_watch {
    struct company company;
    struct judgement judgement; /* the monitor's decision, valid if
                                 * `is_judged` */
    /* true: the queued event is the eviction; false: it is the look */
    bool is_judged;
    evq_handle event; /* the queued EVENT_TRACKED; EVQ_NONE while it is
                       * handled */
    /* by AS_RESIDENT and AS_GUEST (company.c): next watch of the resident and
     * of the newcomer; WATCH_NONE: this watch is the last. In a free entry,
     * next[0] is the index of the next free entry. */
    uint32_t next[2];
};
#define WATCH_NONE UINT32_MAX

struct companies {
    struct company_watch *at;
    size_t n, cap;
    uint32_t free;   /* first free entry of `at` */
    uint32_t *first; /* by allocation: the first watch of its attempt */
    size_t cap_first;
    job_id *guests; /* jobs that the plan being committed has started on GPUs
                       that others hold */
    size_t n_guests, cap_guests;
    job_id *met; /* residents found so far on the GPUs of the newcomer whose
                    companies begin now */
    size_t n_met, cap_met;
    size_t n_live;   /* number of companies that are watched now */
    uint64_t n_idle; /* number of looks so far that changed nothing */
};

struct engine {
    struct engine_parts parts;
    const struct cluster_spec *spec; /* borrowed */
    struct board board;
    struct progress_book book;
    struct evq queue;
    struct wake_list wakes;
    struct view view;
    struct plan plan;
    char *mine;
    uint8_t *asked; /* view.asked */
    job_id next_arrival;
    /* submission time of the next arrival; TIME_NEVER: all jobs have arrived */
    sim_time next_submitted;
    struct event_list events; /* events of this instant, for observers */
    /* true if an estimator layer observes events or names donors, or if the
     * forecast or the policy observes events */
    bool is_watched;
    /* true if an estimator layer observes events or names donors */
    bool layers_watch;
    struct wakeups wakeups;
    struct faults faults;
    struct spares spares;
    uint8_t *planned_out; /* by node: bits of the plans (enum capacity_plan) by
                             which the node is out */
    uint32_t n_draining;  /* number of nodes that drain */
    size_t n_repeats;     /* planned changes so far that changed no state */
    struct companies companies;
    /* by job: number of failures; NULL: no job has failed yet */
    uint32_t *failures;
    sim_time rest_until;
    bool asks;         /* the policy must be asked at this instant */
    size_t idle_wakes; /* number of decisions in a row that planned no action,
                          with only wakes and hardware faults still to come */
    /* Number of failures and returns of nodes since a job moved last, counted
     * only while the run is stalled (engine_is_stalled); and the number of
     * moves of jobs before the last of them. */
    uint32_t n_stalled;
    uint64_t moves_before;
    /* The cluster with no jobs on it, for admission. Spare nodes and nodes that
     * have left for good are closed in it. */
    struct cluster empty;
    /* By node: when it leaves for good by a planned change; TIME_NEVER: never;
     * NODES_IS_GONE: it has left. NULL: no change is planned. */
    sim_time *gone_at;
    uint32_t n_gone; /* number of nodes that have left for good */
    /* true if a waiting job may be one that can never run any more */
    bool must_set_aside;
    struct admission {
        uint64_t key;
        const char *why; /* why the job can never run; NULL: it can */
    } * admissions;
    size_t n_admissions, cap_admissions;
    job_id *changed; /* jobs whose rate may change at this instant */
    size_t n_changed, cap_changed;
    uint64_t n_renewals; /* renewals of rates so far */
    struct arena scratch;
    struct check_where where;
    uint64_t n_events, n_decisions;
    uint32_t n_worn; /* number of jobs given up after JOB_STARTS_MAX starts */
    job_id worn;     /* the first of these jobs; valid if n_worn > 0 */
};

/* Largest number of starts of one job. The job is given up at this start,
 * because job.attempts cannot count further. */
#define JOB_STARTS_MAX UINT16_MAX

/* Gives each chosen part its state, from the arena, and lists the parts in
 * parts->plugins in the order in which they begin. Call it when all parts are
 * chosen. */
void engine_parts_make(struct engine_parts *parts, struct arena *arena);

/* Makes an engine from its parts. Fails as cluster_init does; there is then
 * nothing to free. */
enum status engine_init(struct engine *e, const struct engine_parts *parts,
                        const struct cluster_spec *spec,
                        struct error *err) MUST_USE;
/* Begins all parts and sets spare nodes aside; call it once, before the first
 * step. Returns the error of plugins_begin or nodes_init. engine_fini does not
 * end the parts: their owner calls plugins_end. */
enum status engine_begin(struct engine *e, struct error *err) MUST_USE;
void engine_fini(struct engine *e);

/* Advances by one instant. Returns STATUS_END when no job can change state any
 * more, a limit of the config (horizon, stall, faults_max) ends the run, or the
 * policy has planned nothing at too many wakes in a row; STATUS_BAD_PLAN if the
 * policy breaks a rule of plan.h (STATUS_BROKEN for rule 5); the status that
 * the policy gave plan_refuse. */
enum status engine_step(struct engine *e, struct error *err) MUST_USE;
/* Returns the time of the next instant; TIME_NEVER: nothing more is to
 * happen. */
sim_time engine_next(const struct engine *e);
/* The two halves of engine_step. engine_reach goes to the next instant and up
 * to the question to the policy; e->asks is then false if the policy need not
 * be asked at this instant. It returns STATUS_END as engine_step does. If
 * e->asks is true, engine_decide must follow: it asks the policy and commits
 * the plan, to which the caller may have added actions before. */
enum status engine_reach(struct engine *e) MUST_USE;
enum status engine_decide(struct engine *e, struct error *err) MUST_USE;

/* Returns the first waiting job of the first virtual cluster that has one;
 * JOB_NONE if no job waits. */
job_id engine_first_stuck(const struct engine *e);
/* Writes for the user what is left at the end of the run: the waiting jobs of
 * one virtual cluster or, if no job waits, the number of running jobs; then
 * which of the limits stall_changes and faults_max ended the run, if one did.
 * `id` is the identifier in the trace of the job that engine_first_stuck
 * returns. */
void engine_explain_stuck(const struct engine *e, const char *id, char *out,
                          size_t room);

#endif
