/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An engine composed by hand from a lab's files, for tests that need parts of
 * their own: a policy, an estimator or a model that is in no registry. Load,
 * change `parts`, start, step or run, close. */
#ifndef TESTS_SUPPORT_RIG_H
#define TESTS_SUPPORT_RIG_H

#include "sim/engine/engine.h"
#include "tests/support/lab.h"

struct rig {
    struct jobset jobset;
    struct cluster cluster;
    struct cluster_spec spec;
    struct ledger ledger;
    struct arena arena;
    struct engine_parts parts;
    struct plugins plugins;
    struct estimator estimator; /* parts.estimator after rig_load: the oracle */
    struct estimator demand;    /* below it: the demand that the trace states */
    struct engine engine;
    bool started;
};

/* Fills all parts with their defaults, except parts.policy, which is NULL. The
 * lab's jobs must be in order of submission. Call rig_close even if this fails.
 */
enum status rig_load(struct rig *rig, const struct lab *lab,
                     struct error *err) MUST_USE;
void rig_close(struct rig *rig);

enum status rig_start(struct rig *rig, struct error *err) MUST_USE;
/* STATUS_OK at the end of the run; otherwise what went wrong. */
enum status rig_run(struct rig *rig, struct error *err) MUST_USE;

/* Zeroed bytes, or options at their defaults; both live until rig_close. */
void *rig_bytes(struct rig *rig, size_t size);
void *rig_defaults(struct rig *rig, const struct option *rows, size_t size);

#endif
