/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/run_options.h"

#include <jansson.h>
#include <string.h>

#include "base/json.h"
#include "commands/cli_renamed.h"

const struct arg run_args[] = {
    TAKE_TEXT(struct run_config, policy, "policy", "SPEC",
              "which job runs next: NAME[+LAYER][:KEY=VALUE,...], or "
              "exec:COMMAND for a program of your own; LAYER is schedmate, "
              "advisor, tracker, handler or quota; default fifo",
              .group = RUN_OF_SCHEDULER,
              .settings_of = "policies policies-outside", .letter = 'p',
              .often = true),
    TAKE_TEXT(struct run_config, placer, "placer", "SPEC",
              "which GPUs a job gets; default consolidate",
              .group = RUN_OF_SCHEDULER, .settings_of = "placers",
              .often = true),
    TAKE_TEXT(struct run_config, cluster, "cluster", "SPEC",
              "a preset, a shorthand such as 8x8:A100 (8 nodes of 8 GPUs) or a "
              "JSON file; default: the cluster that the trace comes from",
              .group = RUN_OF_SCHEDULER, .letter = 'c', .often = true),
    TAKE_TEXT(struct run_config, profilers, "profilers", "N[:NAME+...]",
              "set aside N nodes for profiling, or N% of the nodes; NAME is "
              "the virtual cluster or GPU type that gives a node, each in "
              "turn; default 1.48% if the policy profiles, otherwise 0",
              .group = RUN_OF_SCHEDULER),
    TAKE_TEXT(
        struct run_config, what_if, "what-if", "CLAUSE",
        "change the cluster or the load, such as '-2 nodes until day 3', "
        "'x1.5 load'; also '+25 nodes of A800 in vc3 from day 10'; may be "
        "given more than once ('schedsim list --explain what-if')",
        .group = RUN_OF_SCHEDULER, .joint = "; ", .often = true),
    TAKE_TEXT(
        struct run_config, state, "state", "FILE",
        "begin from the present state of a cluster: running and waiting "
        "jobs, nodes that are out ('schedsim list --explain state-file'); "
        "TRACE gives their run times and later jobs, without it each job "
        "runs for the median of what is believed of it",
        .group = RUN_OF_TRACE),
    TAKE_TEXT(struct run_config, format, "format", "SPEC",
              "format of TRACE; default: recognised by content",
              .group = RUN_OF_TRACE, .settings_of = "formats", .letter = 'f'),
    TAKE_TEXT(struct run_config, estimators, "estimators", "SPECS",
              "what the policy knows of run times and demand; estimators asked "
              "first come first; default ga2m,history, which learn from jobs "
              "that have ended, and workload or profiled for demand, as the "
              "policy needs; oracle: the true run times, an upper bound",
              .group = RUN_OF_BELIEFS, .settings_of = "estimators",
              .often = true),
    TAKE_TEXT(struct run_config, train, "train", "TRACE",
              "an earlier log: estimators, and tiresias with queues=auto, "
              "learn from its jobs that ended before the first job of TRACE "
              "was submitted, so that they do not start cold",
              .group = RUN_OF_BELIEFS),
    TAKE_TEXT(struct run_config, evidence, "evidence", "FILE|generated",
              "side-car of TRACE: the directory, the command and the log of "
              "each job, for SchedMate; generated: made up from the models "
              "of the jobs; default NAME.evidence.csv beside NAME.csv, if "
              "there is one",
              .group = RUN_OF_BELIEFS),
    TAKE_TEXT(struct run_config, evidence_root, "evidence-root", "DIR",
              "directories and logs that the side-car names may be in DIR too; "
              "default: only in the folder of the side-car, or among the "
              "repositories that come with the program",
              .group = RUN_OF_BELIEFS,
              .reach = "lets the side-car name files outside its folder"),
    TAKE_TEXT(struct run_config, overhead, "overhead", "SPEC",
              "time that starts and stops of jobs cost; default fixed, or "
              "application with --throughput application",
              .group = RUN_OF_JOBS, .settings_of = "overheads"),
    TAKE_TEXT(struct run_config, interference, "interference", "SPEC",
              "how jobs that share GPUs slow each other down; default fitted "
              "if the policy shares GPUs (constant under the --conventions of "
              "another simulator), otherwise none",
              .group = RUN_OF_JOBS, .settings_of = "interferences"),
    TAKE_TEXT(struct run_config, belief, "belief", "SPEC",
              "how the policy expects jobs that share GPUs to slow each other "
              "down; default: as --interference says",
              .group = RUN_OF_BELIEFS, .settings_of = "interferences"),
    TAKE_TEXT(struct run_config, monitor, "monitor", "SPEC",
              "monitor that watches jobs that share GPUs and evicts those "
              "that slow others too much; default none",
              .group = RUN_OF_SCHEDULER, .settings_of = "monitors"),
    TAKE_TEXT(struct run_config, model_recipe, "workloads", "SPEC",
              "which model each job trains, and its GPU demand: trace "
              "(default), schedmate or lucid",
              .group = RUN_OF_JOBS, .settings_of = "workloads"),
    TAKE_TEXT(struct run_config, throughput, "throughput", "SPEC",
              "how fast a job runs on given GPUs; default application if the "
              "policy is elastic, otherwise rigid",
              .group = RUN_OF_JOBS, .settings_of = "throughputs"),
    TAKE_TEXT(
        struct run_config, time_law, "time-law", "SPEC",
        "how time becomes work: exact (default), or countdown or grid, as "
        "published simulators do it",
        .group = RUN_OF_JOBS, .settings_of = "time-laws"),
    TAKE_TEXT(struct run_config, forecast, "forecast", "SPEC",
              "forecast of submissions; default ga2m for lucid, otherwise none",
              .group = RUN_OF_BELIEFS, .settings_of = "forecasts"),
    TAKE_TEXT(struct run_config, chains, "chains", "off|linked",
              "linked[:link_s=S]: rows that continue a failed job within S "
              "(3600) seconds are part of it; default off",
              .group = RUN_OF_JOBS),
    TAKE_TEXT(struct run_config, faults, "faults", "SPEC",
              "when hardware fails; default none: it never fails",
              .group = RUN_OF_JOBS, .settings_of = "faults", .often = true),
    TAKE_TEXT(
        struct run_config, recovery, "recovery", "SPECS",
        "what happens to failed jobs, highest priority first; default none",
        .group = RUN_OF_JOBS, .settings_of = "recoveries"),
    TAKE_TEXT(struct run_config, conventions, "conventions", "NAME",
              "imitate a published simulator ('schedsim list conventions'); "
              "default sound: this simulator's own conventions",
              .group = RUN_OF_SCHEDULER),
    TAKE_TEXT(struct run_config, engine, "engine", "K=V,...",
              "settings of the engine ('schedsim list --explain engine')",
              .group = RUN_OF_SCHEDULER, .settings_of = "engine"),
    TAKE_TEXT(struct run_config, schedmate, "schedmate", "K=V,...",
              "settings of SchedMate, for a policy NAME+schedmate ('schedsim "
              "list --explain schedmate')",
              .group = RUN_OF_SCHEDULER, .settings_of = "schedmate"),
    TAKE_TEXT(struct run_config, quota, "quota", "K=V,...",
              "settings of the layer quota, for a policy NAME+quota ('schedsim "
              "list --explain quota')",
              .group = RUN_OF_SCHEDULER, .settings_of = "quota"),
    TAKE_TEXT(struct run_config, llm, "llm", "SPEC",
              "the language model of --schedmate fidelity=replay: rules "
              "(default: none is asked), http[:key=value,...] or replay; 'list "
              "llms' names the settings",
              .group = RUN_OF_BELIEFS, .settings_of = "llms sampling"),
    TAKE_TEXT(struct run_config, llm_recording, "llm-recording", "FILE",
              "a recording of the model's answers", .group = RUN_OF_BELIEFS),
    TAKE_TEXT(struct run_config, llm_recording_mode, "llm-recording-mode",
              "MODE", "off, auto, record, replay or strict",
              .group = RUN_OF_BELIEFS, .reach = "writes the recording",
              .reach_at = "auto|record"),
    TAKE_TIME(struct run_config, load.from, "from", "TIME",
              "keep jobs submitted at or after this time; a date of any length "
              "(2020, 2020-10, \"2020-10-03 12:00\"), a time after the first "
              "submission (2d, 36h, \"day 10\"), or seconds since 1970, but "
              "four digits from 1970 to 2200 are a year",
              .group = RUN_OF_TRACE, .often = true, .may_be_since = true),
    TAKE_TIME(struct run_config, load.to, "to", "TIME",
              "keep jobs submitted at or before this time; a short date is its "
              "first moment",
              .group = RUN_OF_TRACE, .often = true, .may_be_since = true),
    TAKE_TEXT(struct run_config, load.vc, "vc", "NAME",
              "keep jobs of this virtual cluster", .group = RUN_OF_TRACE),
    TAKE_U64(struct run_config, load.limit, "jobs", "N",
             "keep the first N jobs; default all", .group = RUN_OF_TRACE,
             .letter = 'n', .lo = 1, .hi = 1000000000, .often = true),
    TAKE_TEXT(struct run_config, classes, "job-classes", "K=V,...",
              "which jobs are spot and which guaranteed, by their priority "
              "('schedsim list --explain job-classes')",
              .group = RUN_OF_JOBS, .settings_of = "job-classes"),
    TAKE_TEXT(struct run_config, wait_over, "wait-over", "SPAN",
              "report also the share of jobs that wait longer than SPAN, such "
              "as 10min; may be given more than once",
              .group = RUN_OF_JOBS, .joint = ","),
    TAKE_TEXT(struct run_config, by, "by", "user|type",
              "report also groups of jobs by user or by GPU type; user: and "
              "Jain's index of fairness; may be given more than once",
              .group = RUN_OF_JOBS, .joint = ","),
    TAKE_TEXT(struct run_config, warmup, "warmup", "SPAN|PCT%",
              "leave the jobs of this first time, such as 2d, or of this share "
              "of the time in which jobs are submitted, such as 10%, out of "
              "metrics of jobs; they are simulated; default: all jobs count",
              .group = RUN_OF_TRACE),
    TAKE_TEXT(struct run_config, cooldown, "cooldown", "SPAN|PCT%",
              "leave the jobs of this last time out of metrics of jobs",
              .group = RUN_OF_TRACE),
    TAKE_U64(struct run_config, seed, "seed", "N",
             "seed of all random numbers; default 0", .group = RUN_OF_JOBS,
             .often = true),
    /* Headings come last, because loops over the options end at the first row
     * without a name. */
    TAKE_HEAD(RUN_OF_TRACE, "Which jobs:"),
    TAKE_HEAD(RUN_OF_SCHEDULER,
              "Which policy schedules them, on which cluster:"),
    TAKE_HEAD(RUN_OF_BELIEFS, "What the policy can know in advance:"),
    TAKE_HEAD(RUN_OF_JOBS, "How the jobs really run:"),
    TAKE_HEAD(RUN_OF_COMMAND, "This command:"),
    {0},
};
_Static_assert(sizeof run_args / sizeof *run_args <= RUN_ARGS_MAX,
               "a text for each row");

void run_options_init(struct run_options *options)
{
    *options = (struct run_options){0};
    args_defaults(run_args, &options->config);
}

static bool run_options_same_key(const char *name, const char *key)
{
    for (; *name && *key; name++, key++) {
        if (*name != *key && !(*name == '-' && *key == '_'))
            return false;
    }
    return *name == *key;
}

size_t run_options_row(const char *name)
{
    size_t row = 0;
    while (run_args[row].name &&
           !run_options_same_key(run_args[row].name, name))
        row++;
    return row;
}

/* Returns the known name that is nearest to `key`; NULL: none is near. */
static const char *run_options_nearest(const char *key)
{
    const char *names[RUN_ARGS_MAX];
    size_t n = 0;
    for (; run_args[n].name; n++)
        names[n] = run_args[n].name;
    names[n++] = "trace";
    return text_nearest(text_from(key), names, n);
}

static enum status run_options_unknown_key(const char *path, const char *key,
                                           struct error *err)
{
    char place[JSON_PLACE_MAX];
    const char *near = run_options_nearest(key);
    return error_set(err, STATUS_BAD_INPUT, "%s: no key '%.100s'%s",
                     json_key_place(path, key, place), key,
                     text_suggest(near).words);
}

enum status run_options_set(struct run_options *options, const char *name,
                            const char *value, struct arena *arena,
                            struct error *err)
{
    size_t row = run_options_row(name);
    const char *text = arena_copy(arena, value, strlen(value));
    if (strcmp(name, "trace") == 0) {
        options->config.trace = text;
        return STATUS_OK;
    }
    if (!run_args[row].name) {
        const char *near = run_options_nearest(name);
        return error_set(err, STATUS_USAGE, "no option '%.100s'%s", name,
                         text_suggest(near).words);
    }
    options->given[row] = text;
    return arg_store(&run_args[row], &options->config, text, NULL, NULL, err);
}

/* Copies the value of a member to the arena, as it would be typed on the
 * command line. Returns NULL if it is neither a text nor a whole number. */
static const char *run_options_value_text(const json_t *value,
                                          struct arena *arena)
{
    char number[32];
    const char *text = json_string_value(value);
    if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%lld",
                 (long long)json_integer_value(value));
        text = number;
    }
    return text ? arena_copy(arena, text, strlen(text)) : NULL;
}

/* Reads the list of policies, each a text. */
static enum status set_policies(struct arg_list *policies, struct trust *trust,
                                const json_t *list, struct arena *arena,
                                struct error *err)
{
    if (policies->n > 0)
        return STATUS_OK; /* the policies of the command line take precedence */
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text || i == ARG_LIST_MAX)
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: policy: expected at most %d texts",
                             trust->file, ARG_LIST_MAX);
        trust_see(trust, "policy", text);
        policies->at[policies->n++] = arena_copy(arena, text, strlen(text));
    }
    return STATUS_OK;
}

static enum status set_interval(struct run_options *options, const char *path,
                                const json_t *value, struct error *err)
{
    double seconds = json_is_number(value) ? json_number_value(value) : 0;
    if (!(seconds >= 1e-6 &&
          span_from_outside(seconds, SECONDS_MAX, &options->interval)))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: series_interval_s: expected seconds above 0",
                         path);
    return STATUS_OK;
}

static enum status set_member(struct run_options *options, struct trust *trust,
                              const char *key, const json_t *value,
                              struct arena *arena, struct error *err)
{
    const char *path = trust->file;
    key = cli_renamed_key(path, key);
    size_t row = run_options_row(key);
    if (strcmp(key, "series_interval_s") == 0)
        return set_interval(options, path, value, err);
    bool is_trace = strcmp(key, "trace") == 0;
    if (!is_trace && !run_args[row].name)
        return run_options_unknown_key(path, key, err);
    if (json_is_null(value))
        return STATUS_OK;
    const char *text = run_options_value_text(value, arena);
    if (!text)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: %s: expected text or a whole number", path, key);
    const char **known =
        is_trace ? &options->config.trace : &options->given[row];
    if (*known)
        return STATUS_OK;
    *known = text;
    if (!is_trace)
        trust_see(trust, run_args[row].name, text);
    if (is_trace || arg_store(&run_args[row], &options->config, text, NULL,
                              NULL, err) == STATUS_OK)
        return STATUS_OK;
    err->status = STATUS_BAD_INPUT;
    return error_prefix(err, "%s: ", path);
}

/* Finds the options in a JSON file. *out becomes "provenance.options" if the
 * file is a manifest, whose interval is then noted, else `root` itself.
 * Borrowed from `root`. */
static enum status options_of(struct run_options *options, const char *path,
                              const json_t *root, const json_t **out,
                              struct error *err)
{
    *out = root;
    if (!json_is_string(json_object_get(root, "schedsim")))
        return STATUS_OK;
    const json_t *interval = json_object_get(root, "series_interval_s");
    *out = json_object_get(json_object_get(root, "provenance"), "options");
    if (!json_is_object(*out) || !json_is_number(interval))
        return error_set(
            err, STATUS_BAD_INPUT,
            "%s: does not say which options its run had (no \"provenance\"): "
            "an older version wrote it, or it has been changed",
            path);
    return set_interval(options, path, interval, err);
}

enum status run_options_file(struct run_options *options, const char *path,
                             struct arg_list *policies, struct arena *arena,
                             struct error *err)
{
    const char *key;
    json_t *value;
    enum status st = STATUS_OK;
    const json_t *all;
    struct trust trust = {.file = path, .given = options->trusts};
    json_t *root = json_read_file(path, err);
    if (!root)
        return STATUS_BAD_INPUT;
    if (!json_is_object(root)) {
        st = error_set(err, STATUS_BAD_INPUT, "%s: expected an object", path);
        goto out;
    }
    st = options_of(options, path, root, &all, err);
    if (st != STATUS_OK)
        goto out;
    /* The macro of jansson needs a pointer without const, but changes
     * nothing. */
    json_object_foreach((json_t *)(uintptr_t)all, key, value)
    {
        if (policies && json_is_array(value) && strcmp(key, "policy") == 0)
            st = set_policies(policies, &trust, value, arena, err);
        else
            st = set_member(options, &trust, key, value, arena, err);
        if (st != STATUS_OK)
            goto out;
    }
    st = trust_ask(&trust, err);
out:
    json_decref(root);
    return st;
}

/* True if the policy has layers of SchedMate, as in "lucid+schedmate". */
static bool has_layers(const char *spec)
{
    return memchr(spec, '+', strcspn(spec, ":")) != NULL;
}

void run_options_of_policy(const struct arg_list *policies, const char *spec,
                           struct run_config *config)
{
    bool others = false;
    for (size_t i = 0; i < policies->n; i++)
        others |= has_layers(policies->at[i]);
    config->policy = spec;
    if (has_layers(spec) || !others)
        return;
    config->schedmate = config->llm = NULL;
    config->llm_recording = config->llm_recording_mode = NULL;
}
