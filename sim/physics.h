/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds for a run whatever its policy decides: speeds, interference,
 * restarts, failures, recovery, what the jobs train, which nodes are set aside
 * and what is believed of the jobs. Two policies are compared fairly only if
 * these are equal. They are read from the settings that a run notes
 * (run_result.settings): all that are not the policy's own (policy, placer).
 *
 * A setting counts only for runs that meet it: interference where a policy may
 * share GPUs, beliefs of run times and of demand where it asks for them. */
#ifndef SIM_PHYSICS_H
#define SIM_PHYSICS_H

#include <stdio.h>

#include "sim/json_stream.h"
#include "sim/run.h"

#define PHYSICS_KINDS_MAX 16

struct physics_fact {
    unsigned kind;
    const char *key; /* NULL: the names of the models, joined by commas */
    const char *value;
};

struct physics {
    const char *row; /* what the user calls the run, such as "srtf"; borrowed */
    struct physics_fact *facts;
    size_t n, cap;
    bool counts[PHYSICS_KINDS_MAX]; /* whether the run meets this kind */
};

/* Texts are copied to the arena; the rest is freed by physics_fini, which
 * accepts all zeroes. */
void physics_read(const struct run_result *run, const char *row,
                  struct arena *arena, struct physics *out);
void physics_fini(struct physics *physics);

/* What differs in one kind, such as "speeds": "application", where run `row`
 * has "rigid". Borrowed for the call. */
struct physics_difference {
    const char *what, *here, *there, *row;
};

/* Calls `found` for each kind in which run `at` differs from the first run that
 * meets the kind; returns how many there are. `found` may be NULL. */
size_t physics_compare(const struct physics *const *runs, size_t at,
                       void (*found)(void *self,
                                     const struct physics_difference *d),
                       void *self);

/* One sentence for each run that physics_compare finds to differ. */
void physics_print(const struct physics *const *runs, size_t n, FILE *to);
/* The same of one run: [{"what", "here", "there", "row"}], empty if nothing
 * differs. */
void physics_write(struct json_stream *js, const char *key,
                   const struct physics *const *runs, size_t at);

#endif
