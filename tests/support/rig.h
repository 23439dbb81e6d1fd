/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An engine composed by hand from the files of a lab, for tests that need a
 * policy, an estimator or a model that is in no registry. The order of calls is
 * rig_load, changes to `parts`, rig_start, engine_step or rig_run,
 * rig_close. */
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
    /* the oracle, which is the top of the chain after rig_load */
    struct estimator estimator;
    /* the layer below the oracle: demands from the trace, or from profiling if
     * the policy of rig_policy profiles */
    struct estimator demand;
    struct engine engine;
    bool started;
};

/* Fills all parts with their defaults, except parts.policy, which stays empty.
 * The jobs of the lab must be in the order of submission. The caller must call
 * rig_close even if this fails. */
enum status rig_load(struct rig *rig, const struct lab *lab,
                     struct error *err) MUST_USE;
void rig_close(struct rig *rig);

enum status rig_start(struct rig *rig, struct error *err) MUST_USE;
/* Runs to the end. Returns STATUS_OK, or the error that ended the run. */
enum status rig_run(struct rig *rig, struct error *err) MUST_USE;

/* Sets the policy, with the settings of `text` (as on the command line). If the
 * policy shares GPUs, up to two jobs may share a GPU. A policy that profiles
 * gets a profiling time of 5 s, because the jobs of draw.h run only for
 * seconds; it lends nodes as soon as one job waits, and its only source of
 * demands is profiling. */
enum status rig_policy(struct rig *rig, const struct policy_ops *policy,
                       const char *text, struct error *err) MUST_USE;

/* rig_bytes returns zeroed memory; rig_defaults returns a config with the
 * default values of the options. Both are valid until rig_close. */
void *rig_bytes(struct rig *rig, size_t size);
void *rig_defaults(struct rig *rig, const struct option *rows, size_t size);

#endif
