/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Composes one run, from its options to its ledger: trace, jobs, cluster,
 * policy, placer, chains, models, engine. */
#ifndef SIM_RUN_RUN_H
#define SIM_RUN_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/option.h"
#include "base/remarks.h"
#include "base/state/cluster.h"
#include "base/state/ledger.h"
#include "base/units.h"
#include "models/usage/usage.h"
#include "policies/outside/program.h"
#include "policies/policy.h"
#include "policies/redo.h"
#include "sim/run/counted.h"
#include "traces/load.h"

/* == extras.c: Parts of the results that the user asks for (--wait-over, --by),
 * beside those that results always have. */

enum { EXTRAS_OVER_MAX = 8 };

struct extras {
    /* times of --wait-over, distinct and ascending, us; for each of them the
     * results have the share of jobs that wait longer */
    sim_span over[EXTRAS_OVER_MAX];
    size_t n_over;
    bool by_user, by_type; /* --by: groups of jobs in the summary */
};

/* Parses the texts of --wait-over, lengths of time separated by commas, and of
 * --by, "user" and "type" separated by commas. NULL: not given. Returns
 * STATUS_USAGE if a text is not understood or has more than EXTRAS_OVER_MAX
 * times. */
enum status extras_parse(const char *wait_over, const char *by,
                         struct extras *out, struct error *err) MUST_USE;

enum { EXTRAS_NAME_MAX = 64 };
/* Writes the name of the metric of a time, such as "share_waiting_over_600s",
 * to `buf`, and returns it. */
const char *extras_over_name(sim_span over, char buf[EXTRAS_NAME_MAX]);
enum { EXTRAS_TEXT_MAX = 256 };
/* Writes the times in seconds, separated by commas, to `buf`, and returns
 * it. */
const char *extras_over_text(const struct extras *extras,
                             char buf[EXTRAS_TEXT_MAX]);

/* == knowledge.c: What the policy of a run knew about its jobs: on what the
 * beliefs rested that it asked for. A result that rests on the truth is an
 * upper bound, so tables, JSON, pages and figures say it beside the numbers, in
 * these words. */

/* Texts live as long as the run. All NULL: the policy asked for nothing. */
struct knowledge {
    /* Kinds of beliefs about run times with their estimators, those asked first
     * first, such as "oracle" or "declared; learned: ga2m,history"; NULL: the
     * policy asked for no run time. */
    const char *run_times;
    const char *demand; /* as `run_times`, such as "trace: workload" */
    /* Goes beside the name of the policy if beliefs came from the truth:
     * "oracle, an upper bound" or "truth with errors"; NULL: they did not. */
    const char *mark;
    const char *words; /* all of it as a sentence without a stop */
    /* share of the jobs whose run time the policy asked for that got an answer,
     * 0..1; NaN: it asked for none */
    double answered;
};

struct run;
/* Fills the knowledge in the results, and adds a remark if fewer than half of
 * the jobs got an answer. Called once, after the last instant and before the
 * engine ends. */
void knowledge_find(struct run *run);

/* Returns a copy whose texts live in the arena. */
struct knowledge knowledge_copy(const struct knowledge *k, struct arena *arena);

/* Returns "NAME (MARK)", or NAME if there is no mark. */
const char *knowledge_name(const char *name, const char *mark,
                           struct arena *arena);

/* == run.c */

struct shelf;      /* traces/shelf.h */
struct state;      /* sim/present/state.h */
struct llm_client; /* schedmate/llm/llm.h */
struct quota_tree; /* policies/quota/quota.h */

/* A language model that the caller has opened. */
struct run_model {
    struct llm_client *client; /* borrowed; NULL: none */
    const char *recording;     /* path of its recording; NULL: none */
};

/* A present state that the caller has read, and how long its jobs run; all
 * borrowed. */
struct run_present {
    const struct state *state; /* NULL: none */
    /* by job of the state, us: how long it runs from its start on, and with
     * what a scheduler may plan */
    const sim_span *runs, *plans;
};

/* Everything that decides a result. A spec is NAME[:KEY=VALUE,...]. Strings are
 * borrowed until run_free. NULL or 0 means the default, which is named for each
 * field; the conventions can choose another one. */
struct run_config {
    const char *trace; /* path; "-": stdin; NULL with a state */
    /* state file from which the run begins, with jobs that run for the median
     * of what is believed of them; NULL: it begins with an empty cluster */
    const char *state;
    struct run_present present; /* in place of `state` */
    /* reader and its settings; NULL: recognised from the file */
    const char *format;
    /* preset, shorthand or path; NULL: the preset of the cluster that the trace
     * comes from, else the proposed one (traces/footprint.h) */
    const char *cluster;
    /* nodes set aside for profiling, see sim/run/run_internal.h; NULL: 1.48 %
     * of the nodes if the policy profiles and the cluster has no profiler nodes
     */
    const char *profilers;
    const char *policy; /* spec; NULL: fifo */
    /* a policy that is not in the registry, found under its name; NULL: none */
    const struct policy_ops *own_policy;
    const char *what_if; /* clauses of sim/run/what_if.h; NULL: none */
    const char *placer;  /* spec; NULL: consolidate */
    /* specs, comma-separated, top first; NULL: what is learned from ended jobs.
     * See compose_estimators. */
    const char *estimators;
    /* trace that estimators learn from before the run; NULL: none */
    const char *train;
    /* side-car of the trace, or "generated"; NULL: NAME.evidence.csv beside
     * NAME.csv, if there is one */
    const char *evidence;
    /* further folder in which the paths of the side-car may be; NULL: none */
    const char *evidence_root;
    /* spec; NULL: `application` if the model of throughput gives jobs their
     * work, else `fixed` */
    const char *overhead;
    /* spec; NULL: `none`; for a policy that shares GPUs `fitted`, or `constant`
     * under the conventions of another simulator */
    const char *interference;
    /* interference that the policy expects; NULL: as `interference` */
    const char *belief;
    const char *monitor; /* spec; NULL: none */
    /* spec; NULL: `application` for a policy that changes the shapes of jobs,
     * else `rigid` */
    const char *throughput;
    const char *time_law;     /* spec; NULL: exact */
    const char *model_recipe; /* recipe by which jobs get models; NULL: trace */
    /* forecast of submissions; NULL: that of the policy, if it has one */
    const char *forecast;
    const char *chains;      /* "off" or "linked[:link_s=S]"; NULL: off */
    const char *faults;      /* spec; NULL: none */
    const char *recovery;    /* specs, comma-separated; NULL: none */
    const char *conventions; /* preset of conventions; NULL: sound */
    const char *engine;      /* key=value,... of engine_options */
    const char *schedmate;   /* key=value,... of schedmate_options */
    const char *quota;       /* key=value,... of lending_options */
    /* The language model as the user names it; see schedmate/live/backend.h. */
    const char *llm, *llm_recording, *llm_recording_mode;
    struct run_model model; /* the language model of `llm`, which the caller has
                             * opened */
    bool asks_once;         /* a question of several runs is asked `llm` once */
    struct load_options load;
    /* parsed traces that several runs share, borrowed; NULL: the run parses its
     * traces itself. Changes no result. */
    struct shelf *shelf;
    /* jobs that are simulated and not counted; see sim/run/counted.h; NULL: all
     * jobs count */
    const char *warmup, *cooldown;
    /* parts of the results that exist on request; see sim/run/run.h; NULL:
     * none */
    const char *wait_over, *by;
    const char *classes; /* key=value,... of classes_options; NULL: none */
    uint64_t seed;
};

/* A setting in force, for the manifest. `owner`: kind, or kind and name, of a
 * plug-in, such as "policy sjf", or another owner of settings, such as
 * "engine". All settings of one owner point to one string. */
struct run_setting {
    const char *owner, *key, *value, *help, *source;
    bool idle; /* true if no other setting makes it effective (option.when) */
};

/* A file or a directory that a run reads. */
struct run_file {
    /* role, such as "trace", "cluster" or "estimator file: path" */
    const char *what;
    const char *path;
    /* digest of the content (of a directory as in base/digest.h); "": the
     * file was a pipe or could not be read */
    char sha256[65];
};

struct run_result {
    struct jobset jobset;   /* job.state is the state at the end of the run */
    struct counted counted; /* which jobs count in metrics of jobs */
    struct extras extras;   /* parts of the results that the user asked for */
    uint32_t n_spot;        /* jobs of class spot; 0: the run has no classes */
    sim_span guarantee;     /* see view_guarantee */
    struct cluster cluster;
    struct ledger ledger;
    /* ledger of the side run; NULL: there was none */
    const struct ledger *side_run;
    struct usage_table usage; /* indexed by job.usage */
    const char *cluster_name, *cluster_source;
    /* quotas that the run keeps, a queue for each virtual cluster; NULL: none
     */
    const struct quota_tree *quotas;
    /* `policy` includes the layers of SchedMate, as in "lucid+schedmate" */
    const char *policy, *placer, *conventions;
    unsigned policy_needs;      /* bits of enum policy_needs */
    bool policy_forecasts;      /* true if the policy wants a forecast */
    struct knowledge knowledge; /* valid after the run */
    const char *monitor; /* name of the monitor; NULL: no job is watched */
    /* model of throughput; never NULL after run_prepare */
    const struct throughput *throughput;
    struct run_setting *settings;
    size_t n_settings;
    struct run_file *files;
    size_t n_files;
    uint64_t n_events, n_decisions, n_memory_refusals;
    bool elastic; /* true if the model of throughput knows how jobs scale */
    struct policy_count counts[POLICY_COUNTS_MAX];
    size_t n_counts;
    uint64_t seed;
    /* Number of jobs that were rejected, had not ended when the run ended, or
     * were given up after 65,535 starts. If it is not 0, run_execute returns
     * STATUS_INCOMPLETE, and the results are valid. */
    uint32_t n_unfinished;
    /* one line: the first unfinished job and why; "": none */
    const char *unfinished;
    struct remarks remarks; /* what the user must know to read the result */
    /* with run_keep_plans: the plans, and how many settings were in force when
     * it was called */
    struct redo_log plans;
    size_t n_settings_kept;
    struct arena arena;
};

struct run; /* a run and its results; opaque */
/* run_prepare makes a run, run_execute executes it; readers of the ledger are
 * attached between the two calls. The run owns the results, and the caller
 * frees it with run_free. If run_prepare fails, there is nothing to free.
 * run_execute returns STATUS_INCOMPLETE if some job did not finish; the result
 * is then valid. */
enum status run_prepare(const struct run_config *config, struct run **out,
                        struct error *err) MUST_USE;
/* Makes the parts of a run and the description of its cluster from their names
 * and settings, and reads no trace: finds misspelt names at once. Settings that
 * only the jobs of a trace can contradict pass. */
enum status run_validate(const struct run_config *config,
                         struct error *err) MUST_USE;
/* Returns the results, borrowed from the run. */
struct run_result *run_result(struct run *run);
/* Sets a callback that is called after every instant. `n_done`: number of jobs
 * whose state will not change any more. If it returns false, the run stops. */
void run_on_instant(struct run *run,
                    bool (*call)(void *self, sim_time now, uint32_t n_done),
                    void *self);
struct out;
/* Makes the run write each action of its plans to `log` (decisions.log), which
 * must stay open until run_end. Call before the run begins. */
void run_log_decisions(struct run *run, struct out *log);
/* Keeps the plans of the run before `until`, us since 1970, in the results,
 * from which a later run can repeat them (sim/present/state.h). Call as
 * run_log_decisions, and after it. */
void run_keep_plans(struct run *run, sim_time until);
/* For a state file of the run: its cluster as --cluster takes it or as in a
 * cluster file, which the caller owns; by node, its number in there; and the
 * first `n_settings` settings with what else decides the results, one text
 * each. The last returns their number. */
json_t *run_cluster_text(const struct run *run);
void run_node_numbers(const struct run *run, uint32_t *numbers);
size_t run_setting_texts(const struct run_result *result, size_t n_settings,
                         struct arena *arena, const char ***out);
/* Returns the reservation of the state plus 1 that last kept the job from GPUs
 * that were free; 0: none has. */
uint32_t run_kept_by(const struct run *run, job_id job);
/* Asks the policy a second time at each instant, and ends the run with
 * STATUS_BROKEN if it then plans more than a wake. */
void run_ask_twice(struct run *run);
enum status run_execute(struct run *run, struct error *err) MUST_USE;
/* run_execute in steps, for a caller that is the policy or that stops between
 * instants: run_begin, then run_reach until it returns STATUS_END or an error,
 * then run_end, which returns STATUS_INCOMPLETE if some job did not finish.
 * run_reach first carries out the plan of the last question, if there was one,
 * then goes to the next question to the policy. `to`: the last instant that it
 * may enter; if the next instant is later, it returns STATUS_OK and
 * run_question is NULL. */
enum status run_begin(struct run *run, struct error *err) MUST_USE;
enum status run_reach(struct run *run, sim_time to, struct error *err) MUST_USE;
enum status run_end(struct run *run, struct error *err) MUST_USE;
/* Returns the plan that the caller may fill, with its view; NULL: no question
 * is open. The policy of the run is asked after the caller. */
struct plan *run_question(struct run *run);
/* Returns the time of the run; 0 before run_begin and after run_end. */
sim_time run_now(const struct run *run);
void run_free(struct run *run); /* accepts NULL */
/* The laws of time (sim/engine/time_law.h), for `list`; ends with NULL. */
extern const struct plugin *const time_laws[];
/* Returns the settings of the engine itself, for `list`, and sets *config_size
 * to the size of their config. */
const struct option *run_engine_options(size_t *config_size);
/* Returns the settings of the classes of jobs, for `list`, and sets
 * *config_size to the size of their config. */
const struct option *run_classes_options(size_t *config_size);
/* Returns the settings of SchedMate, for `list`, and sets *config_size to the
 * size of their config. */
const struct option *run_schedmate_options(size_t *config_size);
const struct option *run_quota_options(size_t *config_size);
/* Returns the word of layer `i` of a policy, as in NAME+LAYER, and what it
 * does, for `list`; NULL: there are no more. */
const char *run_layer(size_t i, const char **summary);

#endif
