/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by run.c and the files compose*.c: the run, and the functions that
 * make its parts. */
#ifndef SIM_COMPOSE_INTERNAL_H
#define SIM_COMPOSE_INTERNAL_H

#include "policies/traced.h"
#include "sim/engine/engine.h"
#include "sim/run/partition.h"
#include "sim/run/run.h"

#define CHAIN_MAX 8

struct run {
    struct run_config config;
    struct run_result result;
    struct cluster_spec spec;
    struct engine_parts parts;
    struct estimator estimators[CHAIN_MAX];
    struct recovery recoveries[CHAIN_MAX];
    struct traced traced;
    struct engine engine;
    struct plugins plugins; /* all parts that have a state */
    struct past_job *past; /* jobs from which estimators learn before the run */
    uint32_t n_past;
    bool has_engine;
    const struct policy_ops *first; /* see policy_ops.first; NULL: none */
    const void *first_config;
    struct ledger first_ledger;
    size_t cap_settings, cap_files;
    /* Settings that the user gave under the old name of an engine option, and
     * the law of time that they choose; NULL: that of the conventions. */
    struct moved_setting {
        const char *owner;
        struct spec_setting setting;
    } moved[SPEC_SETTINGS_MAX];
    size_t n_moved;
    const char *moved_law;
    struct partition partition; /* nodes to be set aside */
    const char *profilers;      /* `partition` as text */
    bool asks_profilers;        /* true if the user asked for profilers */
    const struct model_recipe *recipe;
    void *recipe_config;
    bool (*on_instant)(void *self, sim_time now, uint32_t n_done);
    void *on_instant_self;
};

/* Notes one setting in force. Texts are copied except for key, help and source.
 */
void compose_note(struct run *run, const char *owner, const char *key,
                  const char *value, const char *help, const char *source);

/* Notes a file that the run reads. Texts are copied. Without `sha256` the file
 * is digested here. Returns its digest, which is "" for a file that cannot be
 * read, or that can be read only once. */
const char *compose_file(struct run *run, const char *what, const char *path,
                         const char *sha256);

/* run.c: makes the engine of a prepared run and initialises its parts. */
enum status run_start(struct run *run, struct error *err) MUST_USE;

/* Makes the parts of the engine from names and settings: those of the
 * conventions first, then those of the user, which win. Every value in force is
 * noted in the result for the manifest. Checks that the needs of the policy are
 * met. */
enum status compose_parts(struct run *run, struct error *err) MUST_USE;

/* compose_profilers.c: sets nodes aside for profiling. compose_set_aside_named
 * takes those of the virtual clusters and GPU types that the user names, from
 * the cluster as it is described. compose_set_aside_any takes the others, once
 * it is known whether the virtual clusters count as one. What was set aside is
 * noted, and remarked if the user did not ask for it. */
enum status compose_set_aside_named(struct run *run,
                                    struct error *err) MUST_USE;
enum status compose_set_aside_any(struct run *run, struct error *err) MUST_USE;

/* Called once the jobs are bound to the cluster: gives each job its model and
 * GPU demand. */
enum status compose_models(struct run *run, struct error *err) MUST_USE;

/* Returns what the parts may use; the engine adds what is its own. */
struct run_env compose_env(struct run *run);

/* Called once the parts have begun: remarks what is assumed of jobs that share
 * GPUs, and copies the work of each job from the engine for the results.
 * STATUS_USAGE if the speed of a job changes and the law of time needs one
 * speed. */
enum status compose_work(struct run *run, struct error *err) MUST_USE;

/* The rest is for the files compose*.c only. */

/* Notes all options of an owner. For an option that names a file, notes the
 * digest of the file. */
void compose_note_options(struct run *run, const char *owner,
                          const struct option *rows, const void *config);
/* Merges the settings of one plug-in or of the engine: those of the
 * conventions, then those of the user. Settings of the conventions apply only
 * to the plug-in that they name. `text` is what the user wrote, or NULL. */
enum status compose_merge(const struct run *run, const char *owner,
                          const char *text, const char *deflt, struct spec *out,
                          struct error *err) MUST_USE;
/* Parses the settings of a plug-in into a config of its own, which lives as
 * long as the run, and notes them. */
enum status compose_config(struct run *run, const char *owner, const char *name,
                           const struct spec *spec, const struct option *rows,
                           size_t size, void **config,
                           struct error *err) MUST_USE;
/* Finds the plug-in of a kind that user, rules or default name, and parses its
 * settings. It has no state until engine_parts_make. */
enum status compose_part(struct run *run, const struct plugin_kind *kind,
                         const char *text, const char *deflt, struct part *out,
                         struct error *err) MUST_USE;
/* Returns what the conventions set for an owner that has no settings of its
 * own, or `deflt` if they set nothing. */
const char *compose_ruled(const struct run *run, const char *owner,
                          const char *deflt);
/* Returns "a b". */
const char *compose_join(struct arena *arena, const char *a, const char *b);
/* compose_engine.c: the settings of the engine, and the law of time. */
enum status compose_engine(struct run *run, struct error *err) MUST_USE;
enum status compose_time_law(struct run *run, struct error *err) MUST_USE;
enum status compose_partition(struct run *run, struct error *err) MUST_USE;
enum status compose_estimators(struct run *run, struct error *err) MUST_USE;
enum status compose_recoveries(struct run *run, struct error *err) MUST_USE;

#endif
