/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The present state of a cluster: which jobs hold which GPUs since when, which
 * jobs wait, which nodes are out and until when, and what is known of run
 * times. A state holds no truth: how long a job will run is a belief (limits,
 * and the run times of jobs that have ended; beliefs.h).
 *
 * A state is a JSON file. `state_keys` describes its keys; a key of another
 * name is an error. slurm_state.h makes one from what Slurm prints.
 *
 * How a run begins from a state. If a run wrote the state, and the trace of
 * that run is given, the run repeats the whole past by the plans in the state,
 * through the engine: so progress, faults and all that plug-ins learn come out
 * as they did. Otherwise the jobs of the state become a trace, in which each
 * waits or runs since its recorded times, so that waits and JCTs count from the
 * submission; what a plug-in would have learned from jobs that are not in the
 * state is not known to it, and earlier attempts of the jobs are left out. From
 * the present on the policy decides (policies/resumed.h), which need not be the
 * one that the cluster has had so far. No plug-in saves or reads a state of its
 * own. */
#ifndef SIM_PRESENT_STATE_H
#define SIM_PRESENT_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "base/out.h"
#include "base/units.h"

/* GPUs of a node. */
struct state_slice {
    const char *node;
    uint64_t mask;  /* the GPUs, bit by bit; 0: only their number is known */
    uint32_t count; /* number of GPUs, >= 1 */
};

/* What a waiting job waits for: the end of a job of the state, or `delay` after
 * its start. */
struct state_after {
    const char *job;
    bool start;
    sim_span delay; /* us, >= 0; 0 for an end */
};

struct state_job {
    const char *id;
    /* "": not known; vc "": the cluster has one; gpu_type "": any */
    const char *user, *name, *vc, *gpu_type;
    uint32_t gpus;
    sim_time submitted; /* us since 1970 */
    sim_time started;   /* us since 1970; TIME_NEVER: it waits */
    sim_span limit;     /* us; 0: none */
    /* all must have come, or with after_any one of them; none if it runs */
    struct state_after *after;
    uint32_t n_after;
    bool after_any;
    const char *held; /* why no scheduler may start it yet; NULL: it may */
    const char *reservation;   /* the one that it runs in; "": none */
    struct state_slice *where; /* n_where slices; none if it waits */
    uint32_t n_where;
};

/* A job that has ended, from which run times are learned. */
struct state_ended {
    const char *user, *name;
    uint32_t gpus;
    sim_span limit, ran; /* us; limit 0: none */
};

struct state_out {
    const char *node, *why;
    sim_time until; /* us since 1970; TIME_NEVER: not known */
};

/* Nodes that are kept for the jobs of a reservation, such as for maintenance:
 * policies/decide/bookings.h. */
struct state_reservation {
    const char *name;
    sim_time from, until; /* us since 1970; until > from */
    const char **nodes;
    size_t n_nodes; /* >= 1 */
};

/* A plan that a run carried out before the present. Each of the n texts is one
 * action: "start NODE:MASK,... JOB", with the GPUs of a node as a bit mask in
 * hexadecimal; "share ..." in the same form; "profile LIMIT_S NODE:MASK,...
 * JOB"; "stop JOB"; "close NODE", "open NODE", "lend NODE", "take-back NODE".
 */
struct state_plan {
    sim_time at; /* us since 1970 */
    const char **does;
    size_t n;
};

/* A job that the policy has rejected. */
struct state_refusal {
    const char *job, *why;
};

/* All texts and arrays are in the arena. */
struct state {
    const char *path; /* of the file, or a word for messages */
    sim_time at;      /* the present, us since 1970 */
    json_t *cluster;  /* owned: a text as --cluster takes it, or an object as in
                       * a cluster file */
    const char *policy; /* policy that is most like the cluster's scheduler, as
                         * --policy takes it; "": not known */
    const char *policy_why; /* why it is, for the user; "": not said */
    const char **names;     /* names of the nodes, in the order of the cluster
                             * file; none: nodes have the numbers of results */
    struct state_job *jobs;
    struct state_ended *ended;
    struct state_out *outs;
    struct state_reservation *reservations;
    const char **notes; /* what was assumed or left out, for the user */
    /* The past, if a run wrote the state: its settings, one text each, all its
     * plans and the jobs that its policy rejected. */
    bool has_past;
    const char **settings;
    struct state_plan *plans;
    struct state_refusal *refusals;
    size_t n_names, n_jobs, n_ended, n_outs, n_notes, n_reservations;
    size_t n_settings, n_plans, n_refusals;
    size_t cap_names, cap_jobs, cap_ended, cap_outs, cap_notes;
    size_t cap_reservations;
    size_t cap_settings, cap_plans, cap_refusals;
    struct arena arena;
};

struct state_key {
    const char *list; /* list of the elements that have the key; "": the root */
    const char *key;  /* NULL: the last row of the table */
    const char *unit;
    bool required;
    const char *help;
};
extern const struct state_key state_keys[];

void state_init(struct state *state, const char *path);
void state_fini(struct state *state); /* accepts all zeroes */

/* Each adds one element, zeroed, to its list. The pointer is valid until the
 * next is added. */
struct state_job *state_add_job(struct state *state);
struct state_ended *state_add_ended(struct state *state);
struct state_out *state_add_out(struct state *state);
struct state_reservation *state_add_reservation(struct state *state);
struct state_plan *state_add_plan(struct state *state);
struct state_refusal *state_add_refusal(struct state *state);
void state_add_name(struct state *state, const char *name);
void state_add_setting(struct state *state, const char *text);
void state_note(struct state *state, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns the reservation plus 1; 0: the state has none of that name. */
size_t state_find_reservation(const struct state *state, struct text name);

/* Reads a state file. Returns STATUS_BAD_INPUT with file, line and column. On
 * failure there is nothing to free. */
enum status state_read(const char *path, struct state *out,
                       struct error *err) MUST_USE;
/* Reads the text of a state file; `path` is for messages, and borrowed. */
enum status state_read_text(const char *path, struct text json,
                            struct state *out, struct error *err) MUST_USE;
/* Writes the state as a state file. */
void state_write(const struct state *state, struct out *out);
/* Writes its notes as the array "notes". */
void state_write_notes(const struct state *state, struct json_stream *js);

/* Writes the jobs that wait or run as a trace of format `native`, without those
 * that are held or wait for the end of others. By job: `runs` is how long it
 * runs from its start on, us, and `plans` the run time that a scheduler may
 * plan with. */
void state_write_trace(const struct state *state, const sim_span *runs,
                       const sim_span *plans, struct out *out);

/* Returns when a job comes to wait, us since 1970: at its submission, but not
 * before its reservation begins. */
sim_time state_job_comes(const struct state *state,
                         const struct state_job *job);

/* Time that a running job has run at the present; 0 for one that waits. */
static inline sim_span state_elapsed(const struct state *state,
                                     const struct state_job *job)
{
    return job->started == TIME_NEVER ? 0 : state->at - job->started;
}

#endif
