/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that read what Slurm prints. */
#ifndef SIM_PRESENT_SLURM_INTERNAL_H
#define SIM_PRESENT_SLURM_INTERNAL_H

#include "base/text.h"
#include "sim/present/state.h"

/* A partition, from slurm.conf or scontrol. */
struct slurm_conf_partition {
    struct text name, state; /* borrowed from the text that was read */
    sim_span limit, usual;   /* MaxTime and DefaultTime, us; 0: none */
    uint32_t tier;           /* PriorityTier; jobs of a higher one go first */
};

/* What slurm.conf or `scontrol show config` says. Texts are borrowed from the
 * text that was read; an empty one is not set. */
struct slurm_conf {
    struct text scheduler, parameters, priority;
    struct text usual_partition; /* the one with Default=YES */
    sim_time at;                 /* "Configuration data as of"; 0: not said */
    struct slurm_conf_partition *partitions;
    size_t n_partitions, cap_partitions;
    struct slurm_conf_partition usual; /* PartitionName=DEFAULT */
    size_t n_includes;                 /* lines that include another file */
};

/* Reads lines as in slurm.conf, as `scontrol show config` and as `scontrol -o
 * show partition` print them, in any order. Lines about other things are passed
 * over. STATUS_BAD_INPUT with the line: a time that is none. slurm_conf_fini
 * frees it, after a failure too. */
enum status slurm_conf_read(struct text text, const char *path,
                            struct slurm_conf *out, struct error *err) MUST_USE;
void slurm_conf_fini(struct slurm_conf *conf);
/* NULL if it is not known. */
const struct slurm_conf_partition *slurm_conf_find(
    const struct slurm_conf *conf, struct text name);
/* Sets the policy of the state to the one that is most like the scheduler, and
 * why it is. Does nothing if the scheduler is not known. */
void slurm_conf_policy(const struct slurm_conf *conf, struct state *state);

/* The partitions, as sets that share no node. */
struct slurm_reader {
    struct state *state;
    struct slurm_conf conf;
    struct interner partitions;
    uint32_t *parent; /* by symbol: a partition of its set; itself: the first */
    size_t cap_parent;
    const char **names; /* by symbol of the first: name of the set */
    size_t cap_names;
};

/* What is counted for the notes. */
enum slurm_count {
    COUNT_NO_GPU,
    COUNT_PARTITIONS,
    COUNT_HET,
    COUNT_SUSPENDED,
    COUNT_BEGIN,
    COUNT_TASKS,
    COUNT_ORDER,
    COUNT_WHERE,
    COUNT_TWICE,
    COUNT_LIMIT,
    COUNT_AFTER,
    COUNT_NOT_OK,
    COUNT_ARRAY_LIMIT,
    SLURM_COUNTS
};

/* A waiting job and its place in the queue. */
struct slurm_waiter {
    size_t job; /* index in the state */
    uint32_t tier;
    double priority;
    struct text qos; /* borrowed */
};

/* A job that waits for others to end. */
struct slurm_dependent {
    size_t job;       /* index in the state */
    struct text text; /* such as "afterok:9(unfulfilled)"; borrowed */
    const char *held; /* state_job.held for as long as this alone holds it */
};

/* Pending tasks of an array that runs few at once. */
struct slurm_array {
    const char *name;
    size_t first, n; /* the jobs of the state */
    uint32_t at_once;
};

struct slurm_jobs_read {
    struct slurm_reader *r;
    uint64_t counts[SLURM_COUNTS];
    struct slurm_waiter *waiters;
    size_t n_waiters, cap_waiters;
    struct slurm_dependent *dependents;
    size_t n_dependents, cap_dependents;
    struct slurm_array *arrays;
    size_t n_arrays, cap_arrays;
    struct interner ids;
};

/* == slurm_depends.c: What waiting jobs wait for besides GPUs. */

/* Notes a job that is held for its dependency. It stays held unless
 * slurm_depends finds all its jobs. */
void slurm_depends_on(struct slurm_jobs_read *jobs, size_t job,
                      struct text text);
/* Called when all jobs are read: lets jobs wait for the ends of the jobs that
 * their dependencies name. */
void slurm_depends(struct slurm_jobs_read *jobs);

/* Notes that the last n jobs of the state are pending tasks of an array that
 * runs at most `at_once` at a time. `array` is in the arena of the state. */
void slurm_depends_array(struct slurm_jobs_read *jobs, const char *array,
                         size_t n, uint32_t at_once);

/* == slurm_text.c: What squeue and sinfo print as text, where Slurm has no
 * JSON. */

/* The commands that ask for it, with times in UTC and SLURM_BITSTR_LEN=0. */
extern const char *const slurm_text_jobs[], *const slurm_text_nodes[];
/* Sets *out to the object that their JSON would be, which the caller owns.
 * STATUS_BAD_INPUT with the line: a column that is missing, a value that is cut
 * off or not understood. */
enum status slurm_text_read(struct text text, bool nodes, const char *path,
                            json_t **out, struct error *err) MUST_USE;

/* == slurm_reservations.c */

/* Adds the reservations that have not ended to the state; called before the
 * nodes are read. STATUS_BAD_INPUT with the line: one without name and times.
 */
enum status slurm_reservations_read(struct slurm_reader *r, struct text text,
                                    const char *path,
                                    struct error *err) MUST_USE;
/* True if a reservation keeps the node at the present. */
bool slurm_is_reserved(const struct slurm_reader *r, struct text node);
/* Called when the nodes are read: leaves out those that the state does not
 * have, and notes the reservations for the user. */
void slurm_reservations_end(struct slurm_reader *r);

/* == sbatch.c: Reads the words of sbatch and the #SBATCH lines of its script.
 */

/* Sets *out to the record that squeue would print of the job at the present of
 * the state; the caller owns it. What is not followed is a note of the state.
 * STATUS_USAGE: words that sbatch does not know, or that cannot be followed;
 * the message names them. */
enum status sbatch_read(struct state *state, const char *const *words, size_t n,
                        json_t **out, struct error *err) MUST_USE;

/* Returns the number at a key, plain or {set, infinite, number}; 0 if it is not
 * set. */
double slurm_number(const json_t *object, const char *key);
/* Returns the text at a key; empty if there is none. */
struct text slurm_word(const json_t *object, const char *key);
/* True if the text at a key is this word, or the list at it has it; the case
 * does not count. */
bool slurm_has_flag(const json_t *object, const char *key, const char *flag);
/* Writes the identifier that a state gives a job: its number, with `_` and
 * the task for one of an array, with `+` and the offset for a part of a
 * heterogeneous job, whose number is that of the first. */
void slurm_job_id(const json_t *job, char *out, size_t room);
/* Returns a copy in the arena of the state. */
const char *slurm_copy(struct slurm_reader *r, struct text t);

/* Reads the nodes, and sets cluster, names and outs of the state. */
enum status slurm_read_nodes(struct slurm_reader *r, const json_t *root,
                             const char *path, struct error *err) MUST_USE;
/* Reads the partitions from the virtual clusters of the state, in place of
 * slurm_read_nodes. */
void slurm_cluster_partitions(struct slurm_reader *r);
/* Returns the name of the virtual cluster of a partition; the name of the
 * partition itself if no node is in it. */
const char *slurm_partition(struct slurm_reader *r, struct text name);
void slurm_reader_fini(struct slurm_reader *r);

#endif
