/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between run.c and the files of compose: the run and the making of its
 * parts. */
#ifndef SIM_COMPOSE_H
#define SIM_COMPOSE_H

#include "policies/traced.h"
#include "sim/engine.h"
#include "sim/partition.h"
#include "sim/run.h"

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
    struct past_job *past; /* what estimators learn from before the run */
    uint32_t n_past;
    bool has_engine;
    const struct policy_ops *first; /* see policy_ops.first; NULL: none */
    const void *first_config;
    struct ledger first_ledger;
    size_t cap_settings, cap_files;
    struct partition partition; /* nodes to be set aside */
    const char *profilers;      /* the same as text */
    bool asks_profilers;        /* by the user */
    const struct workload_recipe *recipe;
    void *recipe_config;
    bool (*on_instant)(void *self, sim_time now, uint32_t n_done);
    void *on_instant_self;
};

/* Notes one value in force; texts are copied but for key, help and source. */
void compose_note(struct run *run, const char *owner, const char *key,
                  const char *value, const char *help, const char *source);

/* Notes a file that the run reads; texts are copied. Without `sha256` it is
 * digested. Returns its digest, which is "" if it cannot be read, or only
 * once. */
const char *compose_file(struct run *run, const char *what, const char *path,
                         const char *sha256);

/* A symbol of the interner `strings` as text. */
const char *compose_symbol(const void *strings, uint32_t symbol);

/* run.c: makes the engine of a prepared run and initialises its parts. */
enum status run_start(struct run *run, struct error *err) MUST_USE;

/* Names and settings become the engine's parts: the rules speak first, then
 * the user; every value in force is noted in the result for the manifest. The
 * policy's needs are checked. */
enum status compose_parts(struct run *run, struct error *err) MUST_USE;

/* compose_profilers.c: sets aside the nodes of virtual clusters and GPU types
 * that the user names, as the cluster is described; then, once it is known
 * whether the virtual clusters count as one, those that nobody named. What was
 * set aside is noted, and said if nobody asked for it. */
enum status compose_set_aside_named(struct run *run,
                                    struct error *err) MUST_USE;
enum status compose_set_aside_any(struct run *run, struct error *err) MUST_USE;

/* Once the jobs are bound to the cluster: they get their workloads, and the
 * models of interference meet them. */
enum status compose_workloads(struct run *run, struct error *err) MUST_USE;

/* Once there is a cluster: the model of throughput meets jobs and GPUs, and
 * says how much work the jobs are that it knows. Undone by run_free. */
enum status compose_throughput(struct run *run, struct error *err) MUST_USE;

/* What follows is for the files of compose only. */

/* Notes all options of an owner; of a file what is in it. */
void compose_note_options(struct run *run, const char *owner,
                          const struct option *rows, const void *config);
/* Parses a plug-in's settings into a config of its own, which lives as long as
 * the run, and notes them. */
enum status compose_config(struct run *run, const char *owner, const char *name,
                           const struct spec *spec, const struct option *rows,
                           size_t size, void **config,
                           struct error *err) MUST_USE;
/* What the rules name for an owner that has no settings of its own. */
const char *compose_ruled(const struct run *run, const char *owner,
                          const char *deflt);
/* "a b" */
const char *compose_join(struct arena *arena, const char *a, const char *b);
enum status compose_partition(struct run *run, struct error *err) MUST_USE;
enum status compose_estimators(struct run *run, struct error *err) MUST_USE;
enum status compose_recoveries(struct run *run, struct error *err) MUST_USE;

#endif
