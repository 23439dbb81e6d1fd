/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of a run share: how it is composed, its intake of jobs,
 * parts, runs beside it. */
#ifndef SIM_RUN_RUN_INTERNAL_H
#define SIM_RUN_RUN_INTERNAL_H

#include "base/state/cluster.h"
#include "base/text.h"
#include "policies/outside/program.h"
#include "policies/quota/lending.h"
#include "policies/traced.h"
#include "sim/engine/engine.h"
#include "sim/run/classes.h"
#include "sim/run/run.h"
#include "sim/run/what_if.h"

/* == partition.c: Sets nodes of a described cluster aside for profiling, and
 * takes GPUs away for a language model. For profiling whole nodes are taken,
 * the last ones of a virtual cluster and GPU type first, so that no node
 * changes its number. */

/* What the user asked for, as N[:NAME[+NAME...]] or P%[:NAME...]. N is a number
 * of nodes, P a share of the nodes of the cluster. The named virtual clusters
 * or GPU types give one node each in turn. If none is named, each node comes
 * from the virtual cluster and GPU type that then has the most nodes. */
struct partition {
    uint32_t nodes;
    double percent; /* share of all nodes, 0..100, used if nodes is 0 */
    struct text names;
};

/* Returns STATUS_USAGE if the text is not a partition. out->names is a view
 * into the text, empty if it names none. */
enum status partition_parse(struct text text, struct partition *out,
                            struct error *err) MUST_USE;

bool partition_has_profilers(const struct cluster_spec *spec);

/* Returns the number of nodes asked for. A share above 0 is rounded up, to at
 * least one node. */
uint32_t partition_nodes(const struct partition *p,
                         const struct cluster_spec *spec);

/* Takes the nodes from the named virtual clusters and GPU types. For a GPU
 * type, the node comes from the virtual cluster that has the most nodes of that
 * type. Returns STATUS_USAGE if a name is unknown or has no node left. */
enum status partition_take_named(const struct partition *p,
                                 struct cluster_spec *spec, struct arena *arena,
                                 struct error *err) MUST_USE;

/* Takes up to `nodes` nodes. Each comes from the virtual cluster and GPU type
 * that then has the most nodes (the first in the description if equal), but a
 * virtual cluster keeps at least one node of each type. A node must have at
 * least `gpus` GPUs or, if no node that can be spared has that many, as many as
 * the widest of them; 0: any number. Returns the number of nodes taken. The
 * choice does not depend on the jobs, so that the parts of a trace run on the
 * same cluster. */
uint32_t partition_take_any(uint32_t nodes, uint32_t gpus,
                            struct cluster_spec *spec, struct arena *arena);

/* What partition_take_gpus has taken. */
struct partition_gpus {
    uint32_t gpus;  /* number of GPUs taken */
    uint32_t nodes; /* number of nodes that gave all their GPUs */
    uint32_t parts; /* number of nodes that gave some and kept others */
};
/* Takes GPUs away from nodes for jobs, for a language model that the cluster
 * serves. Goes node by node: each time to the last node of the virtual cluster
 * and GPU type that then has the most GPUs (the last in the description if
 * equal). `name`: the only virtual cluster or GPU type to take from; empty:
 * any. A node that keeps a GPU keeps its number; a node that keeps none leaves
 * the description, so that each node after it has a number lower by one. A
 * virtual cluster keeps at least one GPU of each type. Returns STATUS_USAGE if
 * the name is unknown, if not enough GPUs can be spared, or if a node that
 * would be taken whole is to leave or return in a planned change; the caller
 * puts the name of its option before the message. After an error the
 * description is changed in part. */
enum status partition_take_gpus(uint32_t gpus, struct text name,
                                struct cluster_spec *spec, struct arena *arena,
                                struct partition_gpus *out,
                                struct error *err) MUST_USE;

/* Shared by the files of this folder that make a run, such as run.c and
 * compose*.c: struct run, and the functions that make its parts. If the
 * user asks for something wrong, they return STATUS_USAGE with a message for
 * the user. */

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
    bool lends;      /* the user asked for the layer quota */
    bool nameless_nodes; /* under `lends`: nodes name no virtual cluster */
    struct lending lending;
    struct lending_config lending_config;
    struct cluster_spec spec;
    /* the cluster as --cluster takes it; NULL: that of the state */
    const char *cluster;
    struct what_if what_if;
    struct engine_parts parts;
    struct estimator estimators[CHAIN_MAX];
    struct recovery recoveries[CHAIN_MAX];
    struct traced traced;
    struct redo redo;
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
    struct resume *resume; /* the state from which it begins; NULL: none */
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

/* Reads --job-classes (classes.h), marks the spot jobs, and records the
 * settings if there are any. */
enum status compose_classes(struct run *run, struct error *err) MUST_USE;
/* Reads the options --wait-over and --by (run.h), and records them. */
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

/* In compose_quota.c: the layer quota. compose_quota_read reads its settings;
 * compose_quota_merge, once the jobs are bound to virtual clusters, puts all
 * nodes together and the layer around the policy. Both do nothing without the
 * layer, but add a remark on quotas that are ignored. */
enum status compose_quota_read(struct run *run, struct error *err) MUST_USE;
/* False if the cluster states quotas, and none for this virtual cluster: its
 * jobs are dropped with the layer and without, so that both run the same. */
bool compose_quota_knows(const struct run *run, const char *vc);
/* Tells the cluster of the run the quota of each virtual cluster. */
void compose_quota_note_nominal(struct run *run);
/* Gives a cluster whose nodes name no virtual clusters those of its queues. */
void compose_quota_name_vcs(struct run *run);
enum status compose_quota_merge(struct run *run, struct error *err) MUST_USE;

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

/* == compose_schedmate.c: Finds the evidence of the jobs of a run
 * (schedmate/simulated/evidence/evidence.h): the side-car that the user names,
 * the side-car beside the trace, or, if the user says "generated", evidence
 * that is made up from the repositories of traces/evidence. */

/* Returns the path of the side-car beside a trace, in the arena of the run;
 * NULL: there is none. `trace` may be NULL. */
const char *gather_sidecar(struct run *run, const char *trace);

/* Sets run->evidence and, for the jobs of --train, run->past_evidence, each
 * NULL if there is no evidence, and records the files. The jobs must be final.
 * Returns the error of reading or of making up the evidence. */
enum status gather_evidence(struct run *run, struct error *err) MUST_USE;

/* == intake.c: Checks the input of a run: which jobs of the trace remain and
 * why others do not, and whether the cluster can be simulated as described.
 * Wrong input is refused here; assumptions and dropped rows become remarks. */

struct run; /* defined in sim/run/run_internal.h */

/* Returns STATUS_USAGE with the known names if --vc names a virtual cluster
 * that the trace does not have. */
enum status intake_check_vc(const struct run *run, struct error *err) MUST_USE;
/* Returns the cluster for a run whose user names none: the one that the trace
 * comes from, or else the proposed one (traces/footprint.h), with a remark. */
const char *intake_default_cluster(struct run *run);
/* Called after the jobs are bound to the cluster. Adds the note of the trace
 * reader, and remarks on the rows that did not become jobs, except those that
 * the user chose to leave out. Returns STATUS_BAD_INPUT with the time window of
 * the trace if no job is left. */
enum status intake_check_jobs(struct run *run, struct error *err) MUST_USE;
/* Called after the models are bound. If jobs may run on several GPU types whose
 * relative speeds are not stated, returns STATUS_USAGE with the option text
 * that would state them. Adds a remark if a preset states equal speeds for
 * them. */
enum status intake_check_speeds(struct run *run, struct error *err) MUST_USE;
/* Called after the cluster is made. Adds a first remark if the jobs, were none
 * to wait, would need more than 95 % of the GPU time of the cluster between
 * the first and the last submission. Says nothing of a trace of fewer than 20
 * jobs, or that is submitted within less than the mean run time, because these
 * have no rate. */
void intake_remark_load(struct run *run);
/* Returns why a job was rejected, for the user: the reason in the ledger, or
 * that the job needs nodes that are set aside for profiling. */
const char *intake_cause(struct run *run, const struct rejection *rejection);
/* Called after the run: adds a remark for each reason for which jobs were
 * rejected, 16 at most. */
void intake_remark_rejected(struct run *run);

/* == The past of a run: jobs of another trace from which estimators may learn
 * before the run begins. A job belongs to the past if it would have ended,
 * without waiting, by the first submission of the run. The code is in intake.c.
 */

/* Reads the trace `config.train`, if there is one, into run->past. The jobs of
 * the run must be bound to its cluster. Returns the error of reading the trace.
 * run_free frees the array. */
enum status past_load(struct run *run, struct error *err) MUST_USE;

/* == resume.c: A run that begins from the present state of a cluster. */

/* Called first of all: reads the state, if there is one, and makes its jobs the
 * trace of the run. */
enum status resume_open(struct run *run, struct error *err) MUST_USE;
void resume_close(struct run *run);
/* Returns the state from which --what-if counts; NULL: it counts from the first
 * submission, as the run does not begin from a state, or repeats a past with
 * the same --what-if. */
const struct state *resume_state(const struct run *run);
/* True if a trace gives its jobs. */
bool resume_has_trace(const struct run *run);
/* Called when the policy is known. If it is not the one that wrote the state,
 * what the past depends on and the user does not say is as it was then. */
void resume_inherit(struct run *run);
/* Reads the description of the cluster from the state. */
enum status resume_describe(struct run *run, struct error *err) MUST_USE;
/* Called when the cluster is made: wraps the policy, which then repeats the
 * starts of the running jobs; does nothing without a state. Returns
 * STATUS_BAD_INPUT if a job holds GPUs that
 * the cluster does not have or that another job holds. */
enum status resume_bind(struct run *run, struct error *err) MUST_USE;
/* Called when all settings are known: decides whether the policy is asked again
 * for the plans of the past, or the past is repeated from the state. */
void resume_compare(struct run *run);

/* == The option --chains: rows of a trace that continue a failed job become
 * part of that job (traces/chains.h). The code is in intake.c. */

/* Reads --chains into the options of the loader, and records it for the
 * manifest. Returns STATUS_USAGE if it is not understood. */
enum status resubmissions_read(struct run *run, struct load_options *options,
                               struct error *err) MUST_USE;
/* Draws a cause for each recorded failure of a job. The random number depends
 * only on the seed, the job and the number of the failure. Adds a remark with
 * the numbers of these jobs and failures. Returns STATUS_USAGE if a model of
 * throughput replaces the recorded work of one of them, or if the law of time
 * rounds times of work or needs a constant speed. */
enum status resubmissions_finish(struct run *run, struct error *err) MUST_USE;

/* == A side run: the simulation of another policy on the jobs, nodes and models
 * of a run, in an engine of its own. A policy asks for one in its init
 * (run_env.side_run) and reads the ledger, which is all that is kept. The code
 * is in run.c. */

/* The hook run_env.side_run; `self` is a struct run whose parts are complete.
 * The ledger belongs to the run. Returns STATUS_USAGE if the run has had a side
 * run already, else the error of the simulation. */
enum status side_run(void *self, const struct policy_ops *policy,
                     const void *config, const struct ledger **out,
                     struct error *err) MUST_USE;

#endif
