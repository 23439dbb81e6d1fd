/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of this folder that make a run, such as run.c and
 * compose*.c: struct run, and the functions that make its parts. If the
 * user asks for something wrong, they return STATUS_USAGE with a message for
 * the user. */
#ifndef SIM_COMPOSE_INTERNAL_H
#define SIM_COMPOSE_INTERNAL_H

#include "policies/outside/program.h"
#include "policies/traced.h"
#include "sim/engine/engine.h"
#include "sim/run/partition.h"
#include "sim/run/run.h"
#include "sim/run/what_if.h"

#define CHAIN_MAX 8

/* The layers that a user puts on a policy, as in "lucid+schedmate". */
enum schedmate_layer {
    LAYER_ADVISOR = 1,
    LAYER_TRACKER = 2,
    LAYER_HANDLER = 4,
    LAYER_ALL = 7,
};

struct run {
    struct run_config config;
    struct run_result result;
    unsigned layers; /* set of enum schedmate_layer that the user asked for */
    struct cluster_spec spec;
    struct what_if what_if;
    struct engine_parts parts;
    struct estimator estimators[CHAIN_MAX];
    struct recovery recoveries[CHAIN_MAX];
    struct traced traced;
    struct spec policy_spec; /* the policy as the user names it */
    struct program *program; /* the program that decides; NULL: the policy is
                                not a program of its own */
    struct engine engine;
    struct plugins plugins; /* all parts that have state */
    struct past_job *past;  /* jobs of the past, from which estimators learn */
    uint32_t n_past;
    /* evidence of the jobs: what they submitted and log; NULL: not known */
    struct evidence *evidence;
    struct evidence *past_evidence; /* evidence of the jobs of `past`, by index
                                     * in `past`; NULL: not known */
    bool has_engine;
    /* ledger of the side run; all zeroes: there was none */
    struct ledger side_ledger;
    size_t cap_settings, cap_files;
    /* Settings that the user gave under old names of engine options, and the
     * law of time that they choose; moved_law NULL: they choose none. */
    struct moved_setting {
        const char *owner;
        struct spec_setting setting;
    } moved[SPEC_SETTINGS_MAX];
    size_t n_moved;
    const char *moved_law;
    struct partition partition; /* nodes to set aside for profiling */
    const char *profilers;      /* `partition` as text */
    bool asks_profilers;        /* true if the user asked for profilers */
    const struct model_recipe *recipe;
    void *recipe_config;
    bool (*on_instant)(void *self, sim_time now, uint32_t n_done);
    void *on_instant_self;
};

/* Records a setting in force for the manifest. Texts are copied except for key,
 * help and source, which must live as long as the run. */
void compose_note(struct run *run, const char *owner, const char *key,
                  const char *value, const char *help, const char *source);

/* Changes the cluster and the load as --what-if asks, and records the change.
 * `as_one`: the run ignores virtual clusters. */
enum status compose_what_if(struct run *run, bool as_one,
                            struct error *err) MUST_USE;

/* Reads the options --wait-over and --by (extras.h), and records them. */
enum status compose_extras(struct run *run, struct error *err) MUST_USE;

/* Records a file that the run reads. Texts are copied. If `sha256` is NULL, the
 * file is digested here. Returns its digest, valid until the next call; "" for
 * a file that cannot be read or that can be read only once. */
const char *compose_file(struct run *run, const char *what, const char *path,
                         const char *sha256);

/* In run.c. Makes the engine of a prepared run and initialises its parts. */
enum status run_start(struct run *run, struct error *err) MUST_USE;

/* Makes the parts of the engine from names and settings: those of the
 * conventions first, then those of the user, which override them. Records each
 * value in force for the manifest. Checks that the needs of the policy are
 * met. */
enum status compose_parts(struct run *run, struct error *err) MUST_USE;

/* In compose_profilers.c. Both set nodes aside for profiling, and return
 * STATUS_USAGE if the cluster cannot give those that the user asked for.
 * compose_set_aside_named takes nodes of named virtual clusters and GPU types,
 * from the cluster as described. compose_set_aside_any takes other nodes, when
 * it is known whether the virtual clusters count as one; it records the nodes
 * of both, and adds a remark on nodes for which the user did not ask. */
enum status compose_set_aside_named(struct run *run,
                                    struct error *err) MUST_USE;
enum status compose_set_aside_any(struct run *run, struct error *err) MUST_USE;

/* In compose_schedmate.c. Takes the GPUs of SchedMate's language model from the
 * nodes for jobs, if the cluster serves it, and adds a remark. */
enum status compose_llm(struct run *run, struct error *err) MUST_USE;

/* Gives each job its model and GPU demand. Call it after the jobs are bound to
 * the cluster. */
enum status compose_models(struct run *run, struct error *err) MUST_USE;

/* Returns the environment of the parts; the engine adds its own members. */
struct run_env compose_env(struct run *run);

/* Called after the parts have begun: adds a remark on the interference that is
 * assumed, and, if the model of throughput gives jobs their work, copies it
 * from the engine to the results. Returns STATUS_USAGE if the speed of a job
 * changes but the law of time needs a constant speed. */
enum status compose_work(struct run *run, struct error *err) MUST_USE;

/* In compose.c: the language model of a replay. Returns the error that
 * stops the run, if there is one. */
enum status compose_model_error(const struct run *run,
                                struct error *err) MUST_USE;
/* Adds a remark on the advisor's beliefs that came from the truth. If the run
 * has a language model, closes it and records the digest of its recording.
 * Called once, after the run. */
void compose_model_close(struct run *run);

/* In compose.c: ends a policy that is another program, after the run. */
enum status compose_policy_end(struct run *run, struct error *err) MUST_USE;

/* Records the files that the settings of a trace format name, such as a column
 * map. `format`: NAME:KEY=VALUE,...; NULL: none. */
void compose_note_format(struct run *run, const char *format);

/* The rest is for the files compose*.c only. */

/* Records all options of an owner. For an option that names a file, also
 * records the digest of the file. */
void compose_note_options(struct run *run, const char *owner,
                          const struct option *rows, const void *config);
/* Returns the plug-in or value that the conventions choose for an owner, such
 * as "placer" or "profilers"; `deflt` if they choose none. */
const char *compose_ruled(const struct run *run, const char *owner,
                          const char *deflt);
/* Returns "AB", the two texts without a space. */
const char *compose_prefix(struct arena *arena, const char *a, const char *b);
enum status compose_partition(struct run *run, struct error *err) MUST_USE;
/* In compose_schedmate.c: compose_layers reads the layers after the name of the
 * policy; compose_schedmate, after the chains are made, finds and configures
 * the plug-in that these layers share. */
enum status compose_layers(struct run *run, const struct spec *spec,
                           struct error *err) MUST_USE;
enum status compose_schedmate(struct run *run, struct error *err) MUST_USE;
/* In compose.c: refuses a language model that nothing in the run asks. */
enum status compose_model(const struct run *run, struct error *err) MUST_USE;
/* Sets *out to the monitor of the run: the tracker if the user asked for this
 * layer, else what the user named, or NULL. Returns STATUS_USAGE if the user
 * asked for this layer and named another monitor. */
enum status compose_tracker(struct run *run, const char **out,
                            struct error *err) MUST_USE;
/* Puts the plug-in of this layer on top of a chain: returns "NAME,CHAIN".
 * Returns the chain unchanged if the user did not ask for the layer, and
 * without a second NAME if it has one. */
const char *compose_layer(struct run *run, enum schedmate_layer layer,
                          const char *chain, bool is_named);

#endif
