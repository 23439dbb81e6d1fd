/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decayed means of values of jobs, by key. A key is a set of properties that
 * jobs share, such as user and name. Adding a value takes constant time. Keys
 * are compared in full, so two keys are never confused. The code is in
 * history.c. */
#ifndef MODELS_TALLY_H
#define MODELS_TALLY_H

#include <stdbool.h>

#include "base/error.h"
#include "base/state/job.h"

/* The properties that the jobs of one key share. These are bits of a set. */
enum tally_part {
    TALLY_USER = 1,
    TALLY_NAME = 2,
    TALLY_GPUS = 4,
    TALLY_VC = 8,
    TALLY_MODEL = 16, /* the model of the job in place of its name */
};

struct tally_key {
    uint64_t who;  /* symbols of the user and of the name or model */
    uint64_t what; /* `parts`, virtual cluster and GPUs; never 0 */
};
/* Makes the key of a job for `parts`, a set of enum tally_part. Returns false
 * if the job lacks one of them: its user, name or model is unknown. */
bool tally_key_of(const struct job *job, unsigned parts,
                  struct tally_key *out) MUST_USE;

struct tally_cell {
    struct tally_key key;
    /* number of values, each weighted by the decay since it was added */
    double weight;
    double sum, squares; /* sums of the values and of their squares, decayed */
    sim_time at;         /* argument `at` of the last tally_add for the key */
};

struct tally {
    struct tally_cell *cells; /* hash table with open addressing */
    /* number of used cells; number of cells, a power of two or 0 */
    size_t n, n_slots;
};

void tally_fini(struct tally *tally); /* accepts all zeroes */
/* Returns the cell of a key; NULL if no value was added for it. The pointer is
 * valid until the next tally_add. */
const struct tally_cell *tally_find(const struct tally *tally,
                                    struct tally_key key);
/* Adds a value with weight 1 to the key, after multiplying the weights of the
 * key's earlier values by `decay`. */
void tally_add(struct tally *tally, struct tally_key key, double value,
               double decay, sim_time at);

#endif
