/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a state from what Slurm prints: `squeue --json`, and the nodes from
 * `sinfo --json` (Slurm 22.05, or 23.11 and later, which prints groups of
 * nodes) or `scontrol show nodes --json`. Numbers are plain, or {set, infinite,
 * number}; a state is a word, or a list of words.
 *
 * What becomes of the jobs:
 *   waiting     a job that no pass of the scheduler may start now (held,
 *               dependency, limits, reservation, array limit) is `held`, with
 *               Slurm's reason; one with a begin time comes at that time. A
 *               pending array is one job per task.
 *   running     the GPUs are those of gres_detail, else their number by nodes.
 *               A job that completes has ended.
 *   ended       those that squeue still lists, and those of the history, are
 *               what run times are learned from.
 *   other       a job without GPUs is left out.
 * Waiting jobs are in the order of Slurm's priorities: if that is not the order
 * of submission, submission times are exchanged between jobs.
 *
 * Partitions that share a node become one virtual cluster. A node that is down,
 * drained, failing, in maintenance or reserved is out until a time that Slurm
 * does not tell; one that a reservation keeps which is known is not out, but
 * kept for its jobs (policies/decide/bookings.h). CPUs, memory, features and
 * licences are not followed. All that is left out or assumed is a note of the
 * state. */
#ifndef SIM_PRESENT_SLURM_STATE_H
#define SIM_PRESENT_SLURM_STATE_H

#include "sim/present/state.h"

/* What Slurm has answered. */
struct slurm_answers {
    const char *jobs_name, *nodes_name, *conf_name; /* borrowed: file or command
                                                     * of each, for messages */
    json_t *jobs, *nodes;                           /* owned */
    struct text conf;    /* owned: lines as in slurm.conf, as `scontrol show
                          * config` and as `scontrol -o show partition` print
                          * them; empty: not known */
    struct text history; /* owned: what sacct --json printed; empty: nothing */
    char *no_history;    /* owned: why sacct gave no answer; NULL: it did */
    const char *reservations_name; /* borrowed: file or command */
    struct text reservations;      /* owned: what scontrol -o show reservation
                                    * printed, with times in UTC; empty: none */
    char *no_reservations;    /* owned: why scontrol gave no answer; NULL: it
                               * did, or was not asked */
    const char *const *words; /* borrowed: words of sbatch of a job that is
                               * added, "new", and what `when` is asked about */
    size_t n_words;           /* 0: none */
    sim_time at; /* the present, us since 1970; TIME_NEVER: the latest time in
                  * `jobs` and `conf` */
};

/* Files in place of asking: the outputs of squeue, of sinfo or scontrol,
 * slurm.conf, and the output of scontrol -o show reservation with times in UTC;
 * the last two may be NULL. */
struct slurm_files {
    const char *squeue, *nodes, *conf, *reservations;
};

/* Reads them. On failure there is nothing to free. */
enum status slurm_answers_read(const struct slurm_files *files,
                               struct slurm_answers *out,
                               struct error *err) MUST_USE;
void slurm_answers_fini(struct slurm_answers *answers);

/* Makes the state. Returns STATUS_BAD_INPUT if an answer is not what it should
 * be. On failure there is nothing to free. */
enum status slurm_state_make(const struct slurm_answers *answers,
                             struct state *out, struct error *err) MUST_USE;

/* Adds a waiting job, "new", to a state: the one that sbatch would submit with
 * these words. An array has one job per task. STATUS_USAGE: words
 * that sbatch does not know or that are not understood; the message names them.
 */
enum status state_add_sbatch(struct state *state, const char *const *words,
                             size_t n, struct error *err) MUST_USE;

/* Adds what a command printed, as state_add_history does; `name` is for
 * messages. */
enum status state_add_history_text(struct state *state, const char *name,
                                   struct text text,
                                   struct error *err) MUST_USE;

/* Adds the ended jobs of a trace in any format, such as `sacct --json`, to
 * those of the state. Rows without a run time or GPUs, and jobs that ended
 * after the present, are left out. */
enum status state_add_history(struct state *state, const char *path,
                              struct error *err) MUST_USE;

#endif
