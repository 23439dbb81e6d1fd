/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The GPUs of a pool in time slots to come, and the promises of them that a
 * policy with admission makes to jobs. A job is promised the slots that end
 * with its deadline, as few of them as its work needs, on as few GPUs as
 * suffice (ElasticFlow, ASPLOS'23, section 4.1: minimum satisfactory share). */
#ifndef POLICIES_DEADLINE_SLOTS_H
#define POLICIES_DEADLINE_SLOTS_H

#include "policies/decide/view.h"

#define LEVELS_MOST 17

/* The numbers of GPUs on which a job may run, ascending, each with the believed
 * work per time, which ascends too. */
struct levels {
    uint32_t n;
    uint32_t gpus[LEVELS_MOST];
    double rate[LEVELS_MOST];
};

/* Sets the levels of a job on GPUs of a pool: powers of two, at most `most` and
 * the batch size of the job, as far as each is faster than the one before. A
 * job without such levels has the number of GPUs that it asks for. `out` is
 * empty if the pool is too small or of a type that the job does not ask for. */
void levels_of(const struct view *view, const struct job *job,
               const struct pool *pool, uint32_t most, struct levels *out);
/* Returns the index of the highest level of at most `gpus` GPUs; -1: none. */
int levels_within(const struct levels *levels, uint32_t gpus);

/* What a job is promised: GPUs by slot. */
struct promise {
    int64_t first;  /* number of the slot of gpus[0] */
    uint32_t *gpus; /* owned by the promise; gpus[n - 1] > 0 */
    size_t n, cap;
};
void promise_free(struct promise *promise);
/* Returns the GPUs promised in a slot. */
uint32_t promise_at(const struct promise *promise, int64_t slot);

/* A deadline further away than this many slots counts as if it came with the
 * last of them. */
#define SLOTS_MOST 65536

struct slots {
    int64_t first;   /* number of the first slot; slot i begins at i x length */
    sim_span length; /* of a slot, us, > 0 */
    uint32_t gpus;   /* GPUs of the pool */
    uint32_t *free;  /* by slot: GPUs that are promised to nobody; owned */
    size_t n, cap;   /* later slots are wholly free */
};
void slots_free(struct slots *slots);
/* Forgets all promises. */
void slots_begin(struct slots *slots, int64_t first, uint32_t gpus);
/* Promises a job the slots for `work` us of work, to be done by `due`. Tries
 * one level after another, the fewest GPUs first: fills the slots backwards
 * from the deadline with the level or, where fewer GPUs are free, with the
 * highest lower level, until the work is done. Returns false and changes
 * nothing if no level suffices. */
bool slots_fill(struct slots *slots, const struct levels *levels, double work,
                sim_time due, struct promise *out);
/* Takes the GPUs of an old promise again, of which those of earlier slots are
 * dropped. Returns false and takes nothing if they are not free or do not
 * suffice for the work. */
bool slots_keep(struct slots *slots, const struct levels *levels, double work,
                sim_time due, struct promise *promise);

#endif
