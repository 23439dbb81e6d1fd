/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all plug-ins of a run have in common, and their one lifecycle.
 *
 * A plug-in is one file with one const descriptor. The descriptor begins with
 * PLUGIN_HEAD, whose fields are the same for all kinds; the hooks of its kind
 * come after them. A run has a *part* for each plug-in that it uses:
 * descriptor, state and config.
 *
 *   parse     settings are parsed into `config`, which is const from then on
 *   make      plugins_add gives the part `state_size` zeroed bytes
 *   begin     plugins_begin calls `init`, in the order of plugins_add
 *   end       plugins_end calls `fini`, in reverse, for each that has begun
 *
 * No other code calls init or fini. A new kind needs a descriptor that begins
 * with PLUGIN_HEAD, a struct that is a PART_OF it, and a line in
 * engine_parts_make (sim/engine/engine.c). */
#ifndef SIM_STATE_PLUGIN_H
#define SIM_STATE_PLUGIN_H

#include "base/error.h"
#include "base/option.h"
#include "base/remarks.h"
#include "base/state/job.h"
#include "base/text.h"

struct accounts; /* base/state/accounts.h */
struct arena;
struct cluster;
struct evidence;    /* schedmate/simulated/evidence/evidence.h */
struct ledger;      /* base/state/ledger.h */
struct llm_client;  /* schedmate/llm/llm.h */
struct past_job;    /* models/estimators/estimator.h */
struct policy_ops;  /* policies/policy.h */
struct schedmate;   /* schedmate/simulated/schedmate.h */
struct truth_book;  /* base/state/truth.h */
struct view;        /* policies/decide/view.h */
struct usage_table; /* models/usage/usage.h */

/* What a part may use when it begins. Everything is borrowed for the run. */
struct run_env {
    const struct job *jobs;
    const struct job_terms *terms;   /* by job; NULL: no job has any */
    const struct job_extras *extras; /* by job; NULL: not kept, or none */
    const sim_span *waits;           /* see view.waits */
    sim_span guarantee;              /* see view_guarantee */
    uint32_t n_jobs;
    const struct cluster *cluster;
    const struct accounts *accounts; /* of the cluster; may have none */
    /* CPUs, and main memory in MiB, of all nodes; 0: unknown for some node */
    double cpus, mem_mib;
    const struct view *view; /* what the policy may see of the board */
    /* Opaque except to the files that truth.h names. */
    const struct truth_book *truth;
    const struct usage_table *usage; /* indexed by job.usage; NULL: unknown */
    sim_time zero; /* start of the run, microseconds since 1970 UTC */
    const struct past_job *past; /* jobs that ended before the run, in the
                                    order of submission */
    uint32_t n_past;
    /* Returns the text of a symbol, such as job.user, job.name, job.model or
     * job_terms.priority or job_extras.kind. */
    const char *(*string)(const void *strings, uint32_t symbol);
    const void *strings;
    /* True if the trace recorded how long a job ran; NULL: it recorded this for
     * no job. */
    bool (*recorded)(const void *jobs, job_id job);
    const void *recorded_self;
    /* Mean number of faults per second that hit a job on one node, according to
     * the fault model; 0: nothing fails, or the model gives no rate. */
    double fault_rate;
    struct ledger *ledger;
    /* What the layers of SchedMate share; NULL: the run has none of them. */
    struct schedmate *schedmate;
    /* what the jobs submitted and log; NULL: not known */
    const struct evidence *evidence;
    /* evidence of the jobs of the past, whose ids are their indices in `past`;
     * NULL: not known */
    const struct evidence *past_evidence;
    struct llm_client *llm;  /* a language model; NULL: the run has none */
    uint64_t seed;           /* for rng_open under the part's own name */
    struct arena *arena;     /* lives as long as the run */
    struct remarks *remarks; /* for the user; NULL: remarks are dropped */
    /* For the init of a policy: simulates another policy on the jobs and nodes
     * of this run, without settings of the engine, shared GPUs, estimators, the
     * monitor, SchedMate, failures, recovery and changes of capacity. *out is
     * the ledger of that simulation and lives as long as the run. A second call
     * in a run fails with STATUS_USAGE. NULL: the caller offers no side run. */
    enum status (*side_run)(void *self, const struct policy_ops *policy,
                            const void *config, const struct ledger **out,
                            struct error *err);
    void *side_run_self;
    /* Optional. Records a value for the manifest under `owner`. NULL: values
     * are dropped. Of the texts only `value` is copied. */
    void (*note)(void *self, const char *owner, const char *key,
                 const char *value, const char *help, const char *source);
    void *note_self;
    const char *owner; /* name of the part that begins, such as "policy sjf" */
};
void env_note(const struct run_env *env, const char *key, const char *value,
              const char *help, const char *source);

#define PLUGIN_FIELDS \
    const char *name; /* name that the user writes */ \
    /* Optional. The former name, which is still accepted. */ \
    const char *old_name; \
    const char *summary; /* one line for `list` */ \
    /* Settings, parsed into `config_size` bytes. */ \
    const struct option *options; \
    size_t config_size; \
    size_t state_size; /* zeroed before init, passed as `self` */ \
    bool of_schedmate; /* true: it needs run_env.schedmate */ \
    /* Optional. Called by plugins_begin. */ \
    enum status (*init)(void *self, const void *config, \
                        const struct run_env *env, struct error *err); \
    /* Optional. Frees what the arena does not own. Also called if init \
     * failed. */ \
    void (*fini)(void *self)

struct plugin {
    PLUGIN_FIELDS;
};

#define PLUGIN_HEAD \
    union { \
        struct plugin plugin; \
        struct { \
            PLUGIN_FIELDS; \
        }; \
    }

/* One kind of plug-in. Gives access to the registry of the kind, whatever the
 * type of its elements. */
struct plugin_kind {
    const char *owner; /* word for the kind in the manifest, such as "faults" */
    const char *words; /* words in messages, such as "fault model" */
    const struct plugin *(*at)(size_t i); /* returns plug-in i; NULL after the
                                           * last */
};
/* Finds a plug-in by its name or old name. Fails as find_in does if none has
 * that name. */
enum status plugin_find(const struct plugin_kind *kind, struct text name,
                        const struct plugin **out, struct error *err) MUST_USE;

/* For a registry array of `const struct OPS *` that ends with NULL: defines the
 * plugin_kind of the array, and the function `find`, which works as plugin_find
 * does but sets *out to a `const struct OPS *`. */
#define PLUGIN_KIND(array, ops_type, find, owner, words) \
    static const struct plugin *array##_at(size_t i) \
    { \
        return array[i] ? &array[i]->plugin : NULL; \
    } \
    const struct plugin_kind array##_kind = {owner, words, array##_at}; \
    enum status find(struct text name, const struct ops_type **out, \
                     struct error *err) \
    { \
        const struct plugin *plugin; \
        enum status st = plugin_find(&array##_kind, name, &plugin, err); \
        for (size_t i = 0; st == STATUS_OK && array[i]; i++) { \
            if (&array[i]->plugin == plugin) \
                *out = array[i]; \
        } \
        return st; \
    }

struct part {
    const struct plugin *plugin; /* NULL: the run has none of this kind */
    void *self;
    const void *config;
};

/* The members of a part whose descriptor has a known type: `ops` points to the
 * descriptor; `self` and `config` are those of struct part. */
#define PART_OF(ops_type) \
    union { \
        struct part part; \
        struct { \
            const struct ops_type *ops; \
            void *self; \
            const void *config; \
        }; \
    }

/* The parts of one run, in the order in which they begin. */
struct plugins {
    struct plugin_entry {
        struct part part;
        const char *owner;
    } * at;
    size_t count, cap, n_begun;
};
/* Gives the part its state, from the arena, and adds the part to the list. The
 * manifest names the part "KIND NAME". */
void plugins_add(struct plugins *plugins, struct part *part, const char *kind,
                 struct arena *arena);
/* Begins the parts in the order of plugins_add. Stops at the first init that
 * fails and returns its status; the caller calls plugins_end in that case
 * too. */
enum status plugins_begin(struct plugins *plugins, const struct run_env *env,
                          struct error *err) MUST_USE;
void plugins_end(struct plugins *plugins); /* accepts all zeroes */

#endif
