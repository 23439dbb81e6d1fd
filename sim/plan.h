/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a policy may do: fill a plan. Each call reserves at once in the cluster
 * and says whether it fitted, so the cluster always shows what would be if the
 * plan were committed now; an undo plays the reservations backwards.
 *
 * Rules
 *  1. Stops commit before starts; starts commit in the order they were planned.
 *  2. A stop and a start of one job on the same GPUs cancel out: the job is
 *     kept, at no cost, whoever shares them with it before or after.
 *     plan_start offers a stopped job its former GPUs first, if they are free.
 *  3. A job is started at most once in a plan, and only if it is pending or was
 *     stopped in this plan; it is stopped at most once, and only if running.
 *  4. A wake lies after now. It does not last: while one is pending, to ask for
 *     a later one changes nothing, because the policy is asked anew at the
 *     pending one and can ask for the later one then; to ask for an earlier one
 *     adds that. So a policy may ask at every decision for the next time at
 *     which it wants to think.
 *  5. A policy settles: asked again at the same instant, it plans nothing but a
 *     wake.
 *  6. A plan that breaks a rule is a bug of the policy: the run ends with
 *     STATUS_BAD_PLAN. The first broken rule is remembered; later calls do
 *     nothing. */
#ifndef SIM_PLAN_H
#define SIM_PLAN_H

#include "policies/placer.h"
#include "sim/view.h"

enum plan_kind {
    PLAN_START,
    PLAN_SHARE,   /* a start on GPUs that others may hold */
    PLAN_PROFILE, /* a start on a profiler node, with a time limit */
    PLAN_STOP,
    PLAN_REJECT,
    PLAN_IMAGINE, /* what-if only */
    PLAN_CLOSE,   /* of a node, job NULL */
    PLAN_OPEN,
    PLAN_LEND, /* likewise */
    PLAN_TAKE_BACK,
};

/* One word, e.g. "take-back". */
const char *plan_kind_name(enum plan_kind kind);

struct plan_action {
    enum plan_kind kind;
    const struct job *job;
    node_id node;         /* of PLAN_CLOSE and behind; of it and PLAN_OPEN,
                             whether it went */
    bool moves;           /* down or up by that */
    struct gpu_set where; /* of starts: where to; of stops: where from */
    sim_span limit;       /* of profilings */
    const char *why;      /* of rejections */
};

struct plan {
    const struct view *view;
    struct cluster *cluster;
    const struct placer *placer;
    struct arena *scratch; /* reset after the plan is committed */
    uint8_t *planned;      /* board's flags by job */
    struct plan_action *actions;
    size_t n_actions, cap_actions;
    struct gpu_slice *slices; /* room for the largest gang */
    uint64_t memory_refusals; /* plan_share and _on, for want of memory */
    sim_time wake;            /* earliest wake asked for, TIME_NEVER if none */
    sim_time rest;            /* nothing is to be decided before, 0: no rest */
    struct error broken;      /* first broken rule */
};

/* False, and nothing reserved, if it does not fit. The job runs on GPUs of its
 * virtual cluster, of the type it asked for, and on which what it trains can
 * run. */
bool plan_start(struct plan *plan, const struct job *job);
/* The same in another shape or on chosen GPUs: all free, of one pool, which is
 * not set aside for profiling. */
bool plan_start_as(struct plan *plan, const struct job *job,
                   struct shape shape);
bool plan_start_on(struct plan *plan, const struct job *job, struct gpu_set on);
/* Joins the GPUs of a running (or just planned) job, as many as it asks for.
 * Fails at the share limit, when the GPUs' memory does not hold both, when they
 * are not of the type it asked for, and on profiler nodes. */
bool plan_share(struct plan *plan, const struct job *job,
                const struct job *host);
/* The same on chosen GPUs of one pool, held or free. */
bool plan_share_on(struct plan *plan, const struct job *job, struct gpu_set on);
/* On a node set aside for profiling; ends after `limit` if the job has not
 * ended by then. */
bool plan_profile(struct plan *plan, const struct job *job, sim_span limit);
/* The same on chosen GPUs: all free, of one profiler pool. */
bool plan_profile_on(struct plan *plan, const struct job *job,
                     struct gpu_set on, sim_span limit);
/* Takes a node out of service that nobody holds: one reason more for it to be
 * down. False if somebody holds it. plan_open takes one reason away. */
bool plan_close(struct plan *plan, node_id node);
void plan_open(struct plan *plan, node_id node);
/* A node for jobs joins the profiler, until it is taken back. False unless it
 * is up and wholly idle (and for jobs, or lent). When a node is taken back, all
 * virtual clusters are asked again at this instant. */
bool plan_lend(struct plan *plan, node_id node);
bool plan_take_back(struct plan *plan, node_id node);
/* A running job goes on in another shape: a stop and a start, work kept. */
bool plan_resize(struct plan *plan, const struct job *job, struct shape shape);
void plan_stop(struct plan *plan, const struct job *job);
void plan_reject(struct plan *plan, const struct job *job, const char *why);
/* Asks to decide at `at` whatever happens: rule 4. Of several in one plan the
 * earliest counts. */
void plan_wake_at(struct plan *plan, sim_time at);
/* For policies that act in rounds: they still observe each event when it comes,
 * but decide is called next at `at`, if anything has happened by then, or at a
 * wake before. */
void plan_rest_until(struct plan *plan, sim_time at);

/* What the plan says so far. */
uint32_t plan_free_gpus(const struct plan *plan, uint16_t vc);
bool plan_is_started(const struct plan *plan, const struct job *job);
bool plan_is_stopped(const struct plan *plan, const struct job *job);
/* Where a job would be: running and not stopped, or started; empty if not. */
struct gpu_set plan_where(const struct plan *plan, const struct job *job);

/* What-if: mark, try, take back everything since the mark. */
size_t plan_mark(const struct plan *plan);
void plan_undo_to(struct plan *plan, size_t mark);
/* Within a what-if: as if a running or just planned job had ended. Must be
 * undone before decide returns. */
void plan_imagine_gone(struct plan *plan, const struct job *job);

/* Zeroed memory, gone after decide. */
void *plan_scratch(struct plan *plan, size_t bytes);

/* For the engine: an empty plan on a board, and the check of rules at the end
 * of decide. */
void plan_init(struct plan *plan, const struct view *view,
               struct cluster *cluster, const struct placer *placer,
               uint8_t *planned, struct arena *scratch);
void plan_fini(struct plan *plan);
void plan_clear(struct plan *plan); /* empty again; reservations stay */

#endif
