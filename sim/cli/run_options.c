/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/run_options.h"

#include <jansson.h>
#include <string.h>

#include "sim/base/check.h"
#include "sim/base/json_out.h"
#include "sim/cli/cli_renamed.h"
#include "traces/trace.h"

#define TEXT_AT(field) OPTION_FIELD(struct run_config, field, const char *)
#define U64_AT(field) OPTION_FIELD(struct run_config, field, uint64_t)
#define TIME_AT(field) OPTION_FIELD(struct run_config, field, sim_time)

enum {
    KEY_ESTIMATORS = RUN_OPTION_KEYS,
    KEY_OVERHEAD,
    KEY_INTERFERENCE,
    KEY_BELIEF,
    KEY_THROUGHPUT,
    KEY_FAULTS,
    KEY_RECOVERY,
    KEY_CONVENTIONS,
    KEY_ENGINE,
    KEY_FROM,
    KEY_TO,
    KEY_VC,
    KEY_JOBS,
    KEY_SEED,
    KEY_PLACER,
    KEY_TRAIN,
    KEY_MODELS,
    KEY_FORECAST,
    KEY_PROFILERS,
};

const struct run_option run_options[] = {
    {"policy", 'p', "SPEC",
     "which job runs next: NAME[:KEY=VALUE,...]; default fifo", TEXT_AT(policy),
     RUN_TEXT, RUN_OF_SCHEDULER},
    {"placer", KEY_PLACER, "SPEC", "which GPUs a job gets; default consolidate",
     TEXT_AT(placer), RUN_TEXT, RUN_OF_SCHEDULER},
    {"cluster", 'c', "SPEC",
     "a preset, a shorthand such as 8x8:A100 (8 nodes of 8 GPUs) or a JSON "
     "file; default: the cluster that the trace comes from",
     TEXT_AT(cluster), RUN_TEXT, RUN_OF_SCHEDULER},
    {"profilers", KEY_PROFILERS, "N[:NAME+...]",
     "set aside N nodes for profiling, or N% of the nodes; NAME is the virtual "
     "cluster or GPU type that gives a node, each in turn; default 1.48% if "
     "the policy profiles, otherwise 0",
     TEXT_AT(profilers), RUN_TEXT, RUN_OF_SCHEDULER},
    {"format", 'f', "SPEC", "format of TRACE; default: recognised by content",
     TEXT_AT(format), RUN_TEXT, RUN_OF_TRACE},
    {"estimators", KEY_ESTIMATORS, "SPECS",
     "estimators of run times and demand, highest priority first; default "
     "oracle, with workload or profiled for demand where the policy needs it; "
     "lucid: ga2m,history,profiled",
     TEXT_AT(estimators), RUN_TEXT, RUN_OF_BELIEFS},
    {"train", KEY_TRAIN, "TRACE",
     "a trace of the past: estimators learn from its jobs that ended before "
     "the first job of TRACE was submitted",
     TEXT_AT(train), RUN_TEXT, RUN_OF_BELIEFS},
    {"overhead", KEY_OVERHEAD, "SPEC",
     "time that starts and stops cost; default fixed, or application with "
     "--throughput application",
     TEXT_AT(overhead), RUN_TEXT, RUN_OF_JOBS},
    {"interference", KEY_INTERFERENCE, "SPEC",
     "how jobs that share GPUs slow each other down; default fitted if the "
     "policy shares GPUs (constant under the --conventions of another "
     "simulator), "
     "otherwise none",
     TEXT_AT(interference), RUN_TEXT, RUN_OF_JOBS},
    {"belief", KEY_BELIEF, "SPEC",
     "the interference that the policy expects; default: that of "
     "--interference",
     TEXT_AT(belief), RUN_TEXT, RUN_OF_BELIEFS},
    {"workloads", KEY_MODELS, "SPEC",
     "which model each job trains, and its GPU demand: trace (default), "
     "schedmate or lucid",
     TEXT_AT(model_recipe), RUN_TEXT, RUN_OF_JOBS},
    {"throughput", KEY_THROUGHPUT, "SPEC",
     "how fast a job runs on given GPUs; default application if the policy is "
     "elastic, otherwise rigid",
     TEXT_AT(throughput), RUN_TEXT, RUN_OF_JOBS},
    {"forecast", KEY_FORECAST, "SPEC",
     "forecast of submissions; default ga2m for lucid, otherwise none",
     TEXT_AT(forecast), RUN_TEXT, RUN_OF_BELIEFS},
    {"faults", KEY_FAULTS, "SPEC",
     "when nodes fail; default none: they never fail", TEXT_AT(faults),
     RUN_TEXT, RUN_OF_JOBS},
    {"recovery", KEY_RECOVERY, "SPECS",
     "what happens to failed jobs, highest priority first; default none",
     TEXT_AT(recovery), RUN_TEXT, RUN_OF_JOBS},
    {"conventions", KEY_CONVENTIONS, "NAME",
     "imitate a published simulator ('schedsim list conventions'); default "
     "sound: this simulator's own conventions",
     TEXT_AT(conventions), RUN_TEXT, RUN_OF_SCHEDULER},
    {"engine", KEY_ENGINE, "K=V,...",
     "settings of the engine ('schedsim list --explain engine')",
     TEXT_AT(engine), RUN_TEXT, RUN_OF_SCHEDULER},
    {"from", KEY_FROM, "TIME",
     "keep jobs submitted at or after this time: a date, or seconds since 1970",
     TIME_AT(load.from), RUN_TIME, RUN_OF_TRACE},
    {"to", KEY_TO, "TIME", "keep jobs submitted at or before this time",
     TIME_AT(load.to), RUN_TIME, RUN_OF_TRACE},
    {"vc", KEY_VC, "NAME", "keep jobs of this virtual cluster",
     TEXT_AT(load.vc), RUN_TEXT, RUN_OF_TRACE},
    {"jobs", 'n', "N", "keep the first N jobs; default all", U64_AT(load.limit),
     RUN_U64, RUN_OF_TRACE},
    {"seed", KEY_SEED, "N", "seed of all random numbers; default 0",
     U64_AT(seed), RUN_U64, RUN_OF_JOBS},
    {NULL, 0, NULL, NULL, 0, RUN_TEXT, RUN_OF_TRACE},
};

void run_options_init(struct run_options *options)
{
    *options = (struct run_options){
        .config.load = {.from = TRACE_NO_TIME, .to = TRACE_NO_TIME}};
    arena_init(&options->arena);
}

void run_options_fini(struct run_options *options)
{
    arena_fini(&options->arena);
}

void run_options_argp(const struct argp_option *own,
                      struct argp_option room[RUN_ARGP_MAX])
{
    static const struct argp_option heads[] = {
        {.doc = "Which jobs:", .group = RUN_OF_TRACE},
        {.doc = "Which policy schedules them, on which cluster:",
         .group = RUN_OF_SCHEDULER},
        {.doc = "What the policy can know in advance:",
         .group = RUN_OF_BELIEFS},
        {.doc = "How the jobs really run:", .group = RUN_OF_JOBS},
        {.doc = "This command:", .group = RUN_OF_COMMAND},
    };
    size_t n = 0;
    for (; run_options[n].name; n++)
        room[n] = (struct argp_option){.name = run_options[n].name,
                                       .key = run_options[n].key,
                                       .arg = run_options[n].arg,
                                       .doc = run_options[n].help,
                                       .group = (int)run_options[n].group};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        room[n++] = heads[i];
    for (; own && (own->name || own->doc); own++) {
        CHECK(n + 1 < RUN_ARGP_MAX);
        room[n] = *own;
        room[n++].group = RUN_OF_COMMAND;
    }
    room[n] = (struct argp_option){0};
}

/* Reads a date, or seconds since 1970, which is how traces without dates count.
 */
static bool read_time(struct text value, sim_time *out)
{
    bool zoned;
    return text_to_time(value, out, &zoned) || text_to_span(value, out);
}

static enum status set_row(struct run_options *options, size_t row,
                           struct text value, struct error *err)
{
    const struct run_option *o = &run_options[row];
    void *field = (char *)&options->config + o->offset;
    options->given[row] = arena_copy(&options->arena, value.at, value.len);
    switch (o->kind) {
    case RUN_TEXT:
        *(const char **)field = options->given[row];
        return STATUS_OK;
    case RUN_U64:
        if (text_to_u64(value, field))
            return STATUS_OK;
        return error_set(err, STATUS_USAGE, "--%s: '%.*s' is not a count",
                         o->name, TEXT_ARGS(value));
    case RUN_TIME:
        break;
    }
    if (read_time(value, field))
        return STATUS_OK;
    return error_set(err, STATUS_USAGE,
                     "--%s: '%.*s' is neither a date nor a number of seconds",
                     o->name, TEXT_ARGS(value));
}

static error_t take_trace(struct run_options *options, const char *path,
                          struct argp_state *state)
{
    if (options->config.trace)
        return cli_fail(state, "give one trace only: '%s' and '%s'",
                        options->config.trace, path);
    options->config.trace = path;
    return 0;
}

error_t run_options_parse(struct run_options *options, int key, char *arg,
                          struct argp_state *state)
{
    if (key == ARGP_KEY_ARG)
        return take_trace(options, arg, state);
    for (size_t i = 0; run_options[i].name; i++) {
        if (run_options[i].key != key)
            continue;
        struct error err;
        options->set[i] = true;
        if (set_row(options, i, text_from(arg), &err) != STATUS_OK)
            return cli_fail(state, "%.1000s", err.message);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static bool same_key(const char *name, const char *key)
{
    for (; *name && *key; name++, key++) {
        if (*name != *key && !(*name == '-' && *key == '_'))
            return false;
    }
    return *name == *key;
}

static enum status unknown_key(const char *path, const char *key,
                               struct error *err)
{
    const char *names[sizeof run_options / sizeof *run_options];
    size_t n = 0;
    for (; run_options[n].name; n++)
        names[n] = run_options[n].name;
    names[n++] = "trace";
    const char *near = text_nearest(text_from(key), names, n);
    return error_set(err, STATUS_BAD_INPUT, "%s: no key '%.100s'%s%s%s", path,
                     key, near ? "; did you mean '" : "", near ? near : "",
                     near ? "'?" : "");
}

static enum status set_member(struct run_options *options, const char *path,
                              const char *key, const json_t *value,
                              struct error *err)
{
    char number[32];
    size_t row = 0;
    key = cli_renamed_key(path, key);
    bool trace = strcmp(key, "trace") == 0;
    while (!trace && run_options[row].name &&
           !same_key(run_options[row].name, key))
        row++;
    if (!trace && !run_options[row].name)
        return unknown_key(path, key, err);
    if (json_is_integer(value))
        snprintf(number, sizeof number, "%lld",
                 (long long)json_integer_value(value));
    else if (!json_is_string(value))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: %s: expected text or a whole number", path, key);
    struct text text = json_is_string(value)
                           ? text_from(json_string_value(value))
                           : text_from(number);
    if (trace) {
        if (!options->config.trace)
            options->config.trace =
                arena_copy(&options->arena, text.at, text.len);
        return STATUS_OK;
    }
    if (options->set[row])
        return STATUS_OK;
    if (set_row(options, row, text, err) == STATUS_OK)
        return STATUS_OK;
    err->status = STATUS_BAD_INPUT;
    return error_prefix(err, "%s: ", path);
}

/* Finds the options in a JSON file: *out is "provenance.options" of a manifest,
 * or `root` itself for any other object. Borrowed from `root`. */
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
    options->interval = span_from_seconds(json_number_value(interval));
    return STATUS_OK;
}

enum status run_options_file(struct run_options *options, const char *path,
                             struct error *err)
{
    const char *key;
    json_t *value;
    enum status st = STATUS_OK;
    const json_t *all;
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
    /* jansson's loop takes no const object, but changes none. */
    json_object_foreach((json_t *)(uintptr_t)all, key, value)
    {
        st = set_member(options, path, key, value, err);
        if (st != STATUS_OK)
            goto out;
    }
out:
    json_decref(root);
    return st;
}
