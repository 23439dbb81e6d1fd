/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drives a real Slurm by a policy. Each cycle reads the present of Slurm
 * (sim/present/slurm_live.h), asks the policy for its plan at that instant, as
 * a run that begins from the state does (sim/run/resume.c), and carries it out
 * by scontrol.
 *
 * What it may do, and to which jobs
 *   by release   a job that is held by its owner (JobHeldUser, as `sbatch -H`
 *                makes it), has the mark as a word of its comment, and is of
 *                the named partitions and users, is released when the policy
 *                starts it: `scontrol release IDS`. A running job of the same
 *                kind that the policy stops is put back: `scontrol requeuehold
 *                Incomplete IDS`, if `requeue` is true; it loses its work. The
 *                word Incomplete keeps Slurm from running a job again that has
 *                just ended.
 *   by nice      no job is held. Waiting jobs of the named partitions and users
 *                get the smallest nice, from that of their owner up, by which
 *                Slurm's order becomes that in which the policy starts them:
 *                `scontrol update jobid=IDS nice=N`.
 *   never        Nothing is done to jobs of other partitions or users, to jobs
 *                held by an operator (JobHeldAdmin), to a job that was held
 *                again after it had been free, nor to nodes,
 *                partitions, priorities and limits. A job that the policy does
 *                not see, because it asks for no GPU or is heterogeneous, is
 *                released at once.
 * Only identifiers made of digits and one `_` are passed to scontrol, without a
 * shell. Names and comments of jobs are compared and printed, never passed on.
 *
 * Rights. For jobs of others: Operator (sacctmgr), SlurmUser or root. For own
 * jobs: none. The commands must be the first of their name in $PATH.
 *
 * Fail open. A second process, the guard, begins before the first action and
 * outlives the driver. It releases all jobs that the driver may release and
 * restores all nices if the driver was killed `release_after` ago or hangs (no
 * sign for `release_after`, and for six times `answer`, as long as its commands
 * may take); not if another driver has taken over meanwhile. Each
 * end of the driver, also by SIGTERM and SIGINT, does the same first, and so
 * does drive_undo. A driver that cannot log, plan or act for `release_after`,
 * though Slurm answers, ends so too. While Slurm does not answer, nothing can
 * be done, and all three wait for it.
 *
 * Files, in `dir`, readable by their owner only
 *   decisions.jsonl  the log of decisions, appended to. A decision is on the
 *                    disk before it is carried out; without it nothing is done.
 *                    One line per driver (what was asked for), per decision
 *                    (state, plan, actions with the reason for each), and per
 *                    outcome. It may be moved away at any time.
 *   book.json        which jobs were seen free, were put back, had which nice;
 *                    replaced whole before and after actions
 *   guard.log        what the guard did
 *   lock             held by the driver; a second driver is refused
 *
 * Time is that of slurmctld (scontrol show config). Only the lengths of waits
 * are measured here, by a clock that no one sets. */
#ifndef SIM_DRIVE_H
#define SIM_DRIVE_H

#include <jansson.h>

#include "base/error.h"
#include "sim/present/slurm_state.h"
#include "sim/run/run.h"

enum drive_by { DRIVE_BY_RELEASE, DRIVE_BY_NICE };
extern const char *const drive_by_names[]; /* ends with NULL */

struct drive_names {
    const char *const *at;
    size_t n;
};

/* The jobs that the driver may touch. */
struct drive_scope {
    struct drive_names partitions; /* at least one to act; a job that names
                                    * several must name only these */
    struct drive_names users;      /* none: all users */
    const char *mark;              /* word of the comment */
};

/* All is borrowed. */
struct drive_options {
    struct run_config config; /* policy and so on; no trace, no state */
    json_t *settings;         /* the options of `config` as the user gave them,
                               * for the log */
    struct drive_scope scope;
    enum drive_by by;
    /* in place of asking Slurm; squeue NULL: Slurm is asked */
    struct slurm_files files;
    const char *dir; /* of the files above; NULL only if nothing is acted on */
    const char *log; /* NULL: DIR/decisions.jsonl, or none without `execute` */
    bool execute;    /* false: says what it would do, touches nothing */
    bool requeue;    /* true: the policy may stop jobs */
    uint32_t cycles; /* 0: until a signal */
    uint32_t nice_max; /* largest nice that is added, >= 1 */
    uint32_t per_hour; /* largest number of jobs that are changed in an hour */
    sim_span every, release_after;
    sim_span answer; /* longest time for one command */
    /* Prints a line: a decision, or a note if `note` is true. */
    void (*say)(const char *line, bool note);
};

/* Drives. STATUS_USAGE if the policy plans what Slurm cannot follow (shares
 * GPUs, profiles, changes shapes, or stops jobs without `requeue`). */
enum status drive_run(const struct drive_options *options,
                      struct error *err) MUST_USE;

/* Releases all jobs that the driver of `dir` may release, and restores the
 * nices that it changed. The scope is that of the book in `dir`, else that of
 * the options. Asks until nothing is left to do, at most for an hour. */
enum status drive_undo(const struct drive_options *options,
                       struct error *err) MUST_USE;

/* Makes the configuration of a run from the settings of a log; `self` is the
 * caller's. */
struct drive_configure {
    enum status (*call)(void *self, const json_t *settings,
                        struct run_config *out, struct error *err);
    void *self;
};

/* Plans again from each state of a log and compares. *n_plans: number of equal
 * plans. STATUS_TOLERANCE with the first difference, STATUS_BAD_INPUT if the
 * file is no log. A last line that was cut off by a kill is passed over. */
enum status drive_replay(const char *log, const struct drive_configure *make,
                         uint64_t *n_plans, struct error *err) MUST_USE;

#endif
