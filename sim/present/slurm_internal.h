/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that read what Slurm prints. */
#ifndef SIM_PRESENT_SLURM_INTERNAL_H
#define SIM_PRESENT_SLURM_INTERNAL_H

#include "base/text.h"
#include "sim/present/state.h"

/* The partitions, as sets that share no node. */
struct slurm_reader {
    struct state *state;
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
