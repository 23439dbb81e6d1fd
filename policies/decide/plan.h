/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy acts by filling a plan. Each action changes the cluster at once: a
 * start reserves GPUs, a stop frees them. So the cluster always shows the state
 * that committing the plan now would give. An action that is not possible
 * returns false and changes nothing. An undo reverts the changes, latest first.
 *
 * Rules
 *  1. Stops commit before starts; starts commit in the order they were planned.
 *  2. A stop and a start of one job on the same GPUs cancel out: the job is
 *     kept, at no cost, even if its co-located jobs change. plan_start and
 *     plan_start_as offer a stopped job its former GPUs first, if they are
 *     free.
 *  3. A job is started at most once in a plan, and only if it is pending or was
 *     stopped in this plan; it is stopped at most once, and only if running.
 *  4. A wake lies after now. While a wake is pending, a plan that asks for a
 *     later one changes nothing: the policy is asked again at the pending wake
 *     and can ask for the later one then. A plan that asks for an earlier one
 *     adds it. So a policy may ask at every decision for the next time at which
 *     it wants to decide.
 *  5. A policy must settle: if it is asked again at the same instant, it plans
 *     at most a wake.
 *  6. A plan that breaks a rule is a bug of the policy: the run ends with
 *     STATUS_BAD_PLAN. The first broken rule is remembered; later starts,
 *     stops, wakes and actions on nodes do nothing. */
#ifndef SIM_PLAN_H
#define SIM_PLAN_H

#include "policies/decide/bookings.h"
#include "policies/decide/placer.h"
#include "policies/decide/view.h"

enum plan_kind {
    PLAN_START,
    PLAN_SHARE,   /* a start on GPUs that other jobs may hold */
    PLAN_PROFILE, /* a start on a profiler node, with a time limit */
    PLAN_STOP,
    PLAN_IMAGINE, /* treats a job as ended; only in a what-if */
    PLAN_BAR,     /* keeps GPUs from the placer; only in a what-if */
    /* The kinds from here on act on a node; the job of the action is NULL. */
    PLAN_CLOSE,
    PLAN_OPEN,
    PLAN_LEND,      /* lends an ordinary node to the profiler */
    PLAN_TAKE_BACK, /* ends the loan */
};

/* Returns the name of the kind in messages, such as "take-back". */
const char *plan_kind_name(enum plan_kind kind);

struct plan_action {
    enum plan_kind kind;
    const struct job *job;
    node_id node; /* set for PLAN_CLOSE and the kinds after it */
    /* PLAN_CLOSE, PLAN_OPEN: true if the node went down or came up */
    bool moves;
    /* starts: GPUs that the job gets; PLAN_STOP, PLAN_IMAGINE: GPUs that it
     * held; PLAN_BAR: GPUs that nobody gets */
    struct gpu_set where;
    uint32_t gpus;  /* starts: number of GPUs in `where` */
    sim_span limit; /* PLAN_PROFILE: longest time of the attempt, > 0 */
};

/* What a layer between engine and policy lets the policy start
 * (policies/quota). GPUs count once for each job that holds them, but not those
 * of profiler nodes. */
struct plan_gate {
    void *self;
    /* True if the job may have this number of GPUs more now. */
    bool (*admits)(void *self, const struct job *job, uint32_t gpus);
    /* The job could not be started: the gate or a lack of GPUs prevents it. */
    void (*refused)(void *self, const struct job *job, uint32_t gpus);
    /* The plan gives the job GPUs, or takes them away (a negative number). */
    void (*uses)(void *self, const struct job *job, int64_t gpus);
    /* Return how many GPUs more the jobs of a virtual cluster may have, and how
     * many they may have together. */
    uint32_t (*room)(const void *self, uint16_t vc);
    uint32_t (*most)(const void *self, uint16_t vc);
};

struct plan {
    const struct view *view;
    struct cluster *cluster;
    const struct placer *placer;
    struct arena *scratch;       /* reset after the plan is committed */
    uint8_t *planned;            /* by job: bits PLANNED_* (plan.c) */
    struct plan_action *actions; /* in the order planned */
    size_t n_actions, cap_actions;
    struct gpu_slice *slices; /* scratch: a slice per GPU of the largest pool */
    /* number of calls of plan_share and plan_share_on in the whole run that
     * returned false because GPU memory did not suffice */
    uint64_t memory_refusals;
    sim_time wake; /* earliest wake that was asked for; TIME_NEVER: none */
    /* no decision before this time, except at a wake; 0: no rest */
    sim_time rest;
    const struct plan_gate *gate; /* NULL: every job that fits may start */
    struct bookings *bookings;    /* NULL: none */
    bool again;                   /* plan_ask_again was called */
    /* first broken rule or call of plan_refuse; status STATUS_OK: none */
    struct error broken;
    job_id broken_job; /* job that `broken` concerns, or JOB_NONE */
};

/* Starts the job on free GPUs of one pool of its virtual cluster, of the type
 * it asked for, on which its model can run. The placer chooses the GPUs.
 * Returns false and reserves nothing if the job does not fit. */
bool plan_start(struct plan *plan, const struct job *job);
/* Within a what-if: starts the job as if now were `at`, which matters to
 * bookings alone. */
bool plan_start_at(struct plan *plan, const struct job *job, sim_time at);
/* plan_start_as starts the job on shape.gpus GPUs of shape.gpu_type;
 * shape.nodes is ignored. plan_start_on starts it on chosen GPUs of any type
 * and number, and returns false if there are none, one of them is not free, or
 * the model of the job cannot run on them. GPUs of another virtual cluster, of
 * several pools or of a profiler node break a rule. */
bool plan_start_as(struct plan *plan, const struct job *job,
                   struct shape shape);
bool plan_start_on(struct plan *plan, const struct job *job, struct gpu_set on);
/* Starts the job on all GPUs of a running (or just planned) resident of its
 * virtual cluster. Returns false if these are not as many as the job asks for,
 * are not of the type that it asks for, are on a profiler node or on a node
 * that is down, or if the model of the job cannot run on them. Also returns
 * false if a GPU is at the share limit or lacks memory for all its jobs, or one
 * of these is barred from sharing (view_may_share). A resident that does not
 * run, or of another virtual cluster, breaks a rule. */
bool plan_share(struct plan *plan, const struct job *job,
                const struct job *resident);
/* Starts the job on chosen GPUs of one pool of its virtual cluster, held or
 * free, under the limits of plan_share except the number of GPUs. */
bool plan_share_on(struct plan *plan, const struct job *job, struct gpu_set on);
/* Starts the job on free GPUs of nodes set aside for profiling, of the type
 * that it asks for. Returns false if it does not fit. The attempt ends after
 * `limit`, us, > 0, if the job has not ended by then. */
bool plan_profile(struct plan *plan, const struct job *job, sim_span limit);
/* Profiles the job on chosen GPUs of one profiler pool. Returns false if there
 * are none or one of them is not free. Other GPUs, and a limit that is not
 * above 0, break a rule. */
bool plan_profile_on(struct plan *plan, const struct job *job,
                     struct gpu_set on, sim_span limit);
/* Takes a node without holders out of service: adds one reason for it to be
 * down. Returns false if a job holds GPUs of the node. plan_open takes one
 * reason away; it does nothing if the node is up. */
bool plan_close(struct plan *plan, node_id node);
void plan_open(struct plan *plan, node_id node);
/* Lends a node to the profiler until plan_take_back returns the node to the
 * jobs. plan_lend returns false unless the node is up, idle and not a profiler
 * node; plan_take_back returns false unless the node is up, idle and lent.
 * After a node was taken back, the policy is asked about all virtual clusters
 * again at this instant. */
bool plan_lend(struct plan *plan, node_id node);
bool plan_take_back(struct plan *plan, node_id node);
void plan_stop(struct plan *plan, const struct job *job);
/* Asks for a decision at `at`, which must lie after now, whatever happens until
 * then: see rule 4. If a plan asks several times, the earliest counts. */
void plan_wake_at(struct plan *plan, sim_time at);
/* For policies that act in rounds. The policy still observes each event when it
 * comes, but decide is called next at `at`, if anything has happened by then,
 * or at an earlier wake. */
void plan_rest_until(struct plan *plan, sim_time at);

/* Ends the run with `status` because the policy cannot decide, such as a
 * program that has died, or because its decision breaks a rule. `job`: the job
 * concerned, or JOB_NONE. Later calls do nothing, as after a broken rule. */
void plan_refuse(struct plan *plan, enum status status, job_id job,
                 const char *why);

/* For a layer: the engine commits this plan and asks again at this instant. */
void plan_ask_again(struct plan *plan);

/* Return the state after the actions planned so far. plan_free_gpus: the free
 * GPUs of a virtual cluster; under a gate, what the gate leaves, of which not
 * all need be free. plan_most_gpus: how many GPUs the jobs of the virtual
 * cluster may hold together. The others: whether this plan starts or stops a
 * job. */
uint32_t plan_free_gpus(const struct plan *plan, uint16_t vc);
uint32_t plan_most_gpus(const struct plan *plan, uint16_t vc);
bool plan_is_started(const struct plan *plan, const struct job *job);
bool plan_is_stopped(const struct plan *plan, const struct job *job);
/* Returns the GPUs that the job would hold after the actions planned so far:
 * those of a running job that is not stopped, or of a planned start. Empty if
 * there are none. Ignores plan_imagine_gone. */
struct gpu_set plan_where(const struct plan *plan, const struct job *job);

/* True if, with its bookings as they are now, the virtual cluster has too few
 * GPUs for the job even if no job held any. */
bool plan_is_booked_out(const struct plan *plan, const struct job *job);

/* For a what-if: plan_mark marks the end of the plan so far, and plan_undo_to
 * takes back every action added since that mark. */
size_t plan_mark(const struct plan *plan);
void plan_undo_to(struct plan *plan, size_t mark);
/* Within a what-if: frees the GPUs of a running or just planned job, as if it
 * had ended. Must be undone before decide returns. A job that does not run
 * breaks a rule. */
void plan_imagine_gone(struct plan *plan, const struct job *job);
/* Within a what-if: keeps those GPUs of a set that are free from the placer, as
 * if `job`, which does not run, held them. Must be undone before
 * decide returns. */
void plan_bar(struct plan *plan, const struct job *job, struct gpu_set set);

/* Returns zeroed memory, valid until decide returns. */
void *plan_scratch(struct plan *plan, size_t bytes);

/* For the engine only. plan_init makes an empty plan. */
void plan_init(struct plan *plan, const struct view *view,
               struct cluster *cluster, const struct placer *placer,
               uint8_t *planned, struct arena *scratch);
void plan_fini(struct plan *plan);
/* Empties the plan. Its reservations stay in the cluster. */
void plan_clear(struct plan *plan);

#endif
