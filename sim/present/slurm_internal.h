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
    sim_time at; /* "Configuration data as of"; 0: not said */
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

/* Returns the number at a key, plain or {set, infinite, number}; 0 if it is not
 * set. */
double slurm_number(const json_t *object, const char *key);
/* Returns the text at a key; empty if there is none. */
struct text slurm_word(const json_t *object, const char *key);
/* True if the text at a key is this word, or the list at it has it; the case
 * does not count. */
bool slurm_has_flag(const json_t *object, const char *key, const char *flag);
/* Returns a copy in the arena of the state. */
const char *slurm_copy(struct slurm_reader *r, struct text t);

/* Reads the nodes, and sets cluster, names and outs of the state. */
enum status slurm_read_nodes(struct slurm_reader *r, const json_t *root,
                             const char *path, struct error *err) MUST_USE;
/* Returns the name of the virtual cluster of a partition; the name of the
 * partition itself if no node is in it. */
const char *slurm_partition(struct slurm_reader *r, struct text name);
void slurm_reader_fini(struct slurm_reader *r);

#endif
