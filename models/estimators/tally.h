/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decayed means by key, one step for each value: what the past says about all
 * jobs that share some of their identity. Keys are compared whole, so two keys
 * are never confused. */
#ifndef MODELS_TALLY_H
#define MODELS_TALLY_H

#include <stdbool.h>

#include "sim/base/error.h"
#include "sim/state/job.h"

/* The identity that jobs have in common, as a set of bits. */
enum tally_part {
    TALLY_USER = 1,
    TALLY_NAME = 2,
    TALLY_GPUS = 4,
    TALLY_VC = 8,
    TALLY_MODEL = 16, /* instead of the name: not both */
};

struct tally_key {
    uint64_t who, what; /* `what` is never 0 */
};
/* Returns false if the job lacks one of the parts: no user, no name, no
 * model. */
bool tally_key_of(const struct job *job, unsigned parts,
                  struct tally_key *out) MUST_USE;

struct tally_cell {
    struct tally_key key;
    double weight, sum; /* decayed */
    double squares;
    double last;
    sim_time at; /* time of the last value */
};

struct tally {
    struct tally_cell *cells;
    size_t n, n_slots;
};

void tally_fini(struct tally *tally); /* accepts all zeroes */
/* Returns NULL if no value was added for the key. Borrowed until the next
 * tally_add. */
const struct tally_cell *tally_find(const struct tally *tally,
                                    struct tally_key key);
/* Adds a value; all earlier ones then count `decay` times their weight
 * before. */
void tally_add(struct tally *tally, struct tally_key key, double value,
               double decay, sim_time at);

#endif
