/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conditions of a run that do not depend on the policy, such as speeds,
 * interference, restarts, failures, recovery, what the jobs train, which nodes
 * are set aside, and the estimators. Comparing two policies is fair only if
 * these are equal. They are read from the settings that a run records
 * (run_result.settings), except those that count as the policy's own, such as
 * settings of the placer and of SchedMate.
 *
 * A setting counts only for runs that use it: interference, real and believed,
 * if GPUs may be shared; a forecast and beliefs about run times or demand if
 * the policy asks for them. */
#ifndef SIM_PHYSICS_H
#define SIM_PHYSICS_H

#include <stdio.h>

#include "base/json.h"
#include "base/out.h"
#include "sim/run/run.h"

#define PHYSICS_KINDS_MAX 16

struct physics_fact {
    unsigned kind;
    const char *key; /* NULL: `value` lists the names of the models, separated
                      * by commas */
    const char *value;
};

struct physics {
    /* name of the run in the table, such as "srtf"; borrowed */
    const char *row;
    struct physics_fact *facts;
    size_t n, cap;
    bool counts[PHYSICS_KINDS_MAX]; /* by kind: true if the run uses it */
};

/* Reads the conditions of a run. Texts are copied to the arena. Everything else
 * is freed by physics_fini, which accepts all zeroes. */
void physics_read(const struct run_result *run, const char *row,
                  struct arena *arena, struct physics *out);

void physics_fini(struct physics *physics);

/* A difference of two runs in one kind. `what`: the kind, such as "speeds".
 * `here`: model or settings of this run, such as "application". `there`: those
 * of run `row`, such as "rigid". Borrowed for the call. */
struct physics_difference {
    const char *what, *here, *there, *row;
};

/* Calls `found` for each kind in which run `at` differs from the first run
 * before it that uses the kind. Kinds that run `at` does not use are left out.
 * Returns the number of such kinds. `found` may be NULL. */
size_t physics_compare(const struct physics *const *runs, size_t at,
                       void (*found)(void *self,
                                     const struct physics_difference *d),
                       void *self);

/* Prints one sentence for each run that physics_compare finds to differ. */
void physics_print(const struct physics *const *runs, size_t n, FILE *to);

void physics_write_difference(struct json_stream *js,
                              const struct physics_difference *d);

/* Writes the differences of one run as JSON: [{"what", "here", "there",
 * "row"}], empty if nothing differs. */
void physics_write(struct json_stream *js, const char *key,
                   const struct physics *const *runs, size_t at);

/* Prints the reference page of results (docs/results.md) from the tables beside
 * the code that writes the results. */

void reference_print(struct out *out);

#endif
