/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --dump-config: writes the configuration in force as JSON that --config
 * reads. */
#include "commands/commands_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/json.h"
#include "commands/cmd_run.h"

/* An option whose value in force is taken from the settings of the run. */
static const struct dump_source {
    const char *option; /* name of its row in run_args */
    const char *owner;  /* owner of the settings; see struct run_setting */
    /* true if the default is left out, because naming it changes a remark */
    bool only_given;
} sources[] = {
    {.option = "policy", .owner = "policy"},
    {.option = "placer", .owner = "placer"},
    {.option = "overhead", .owner = "overhead"},
    {.option = "throughput", .owner = "throughput"},
    {.option = "time-law", .owner = "time-law"},
    {.option = "workloads", .owner = "workloads"},
    {.option = "engine", .owner = "engine"},
    {.option = "estimators", .owner = "estimator"},
    {.option = "recovery", .owner = "recovery"},
    {.option = "forecast", .owner = "forecast"},
    {.option = "monitor", .owner = "monitor", .only_given = true},
    {.option = "interference", .owner = "interference", .only_given = true},
    {.option = "belief", .owner = "belief", .only_given = true},
    {.option = "faults", .owner = "faults", .only_given = true},
    {.option = "chains", .owner = "chains", .only_given = true},
    {.option = "job-classes", .owner = "job-classes", .only_given = true},
    {.option = "schedmate", .owner = "schedmate", .only_given = true},
    {.option = "quota", .owner = "quota", .only_given = true},
    {.option = NULL},
};

/* The values of all options of one run, by the rows of run_args. */
struct shown_values {
    const char *at[RUN_ARGS_MAX]; /* NULL: the option keeps its default */
};

/* True if the text of a spec sets this key. */
static bool sets(const struct spec *spec, const char *key)
{
    for (size_t i = 0; i < spec->n_settings; i++) {
        if (text_is(spec->settings[i].key, key))
            return true;
    }
    return false;
}

/* True if the value of a setting can be written in a spec: it is not empty, has
 * no comma, and is not the digest of a file, which --config could not read. */
static bool is_writable(const struct run_setting *s)
{
    return !s->idle && s->value[0] && !strchr(s->value, ',') &&
           strncmp(s->value, "sha256 ", 7) != 0;
}

/* Writes the settings of one owner that `given` does not set (NULL: all of
 * them): ":k=v,k=v". `before`: text before the first, such as ":". */
static void write_settings(FILE *to, const struct run_result *run,
                           const char *owner, const struct spec *given,
                           const char *before)
{
    for (size_t i = 0; i < run->n_settings; i++) {
        const struct run_setting *s = &run->settings[i];
        if (strcmp(s->owner, owner) != 0 || strcmp(s->key, "name") == 0 ||
            !is_writable(s) || (given && sets(given, s->key)))
            continue;
        fprintf(to, "%s%s=%s", before, s->key, s->value);
        before = ",";
    }
}

/* Writes the parts that the run chose by itself, with all settings. */
static void write_chosen(FILE *to, const struct run_result *run,
                         const char *owner)
{
    char part[128];
    const char *before = "";
    for (size_t i = 0; i < run->n_settings; i++) {
        const struct run_setting *s = &run->settings[i];
        if (strcmp(s->owner, owner) != 0 || strcmp(s->key, "name") != 0)
            continue;
        fprintf(to, "%s%s", before, s->value);
        snprintf(part, sizeof part, "%s %s", owner, s->value);
        write_settings(to, run, part, NULL, ":");
        before = ",";
    }
}

/* True if the option of this owner names a chain of parts, separated by
 * commas. */
static bool is_chain(const char *owner)
{
    return strcmp(owner, "estimator") == 0 || strcmp(owner, "recovery") == 0;
}

/* Writes what the user gave, and the settings in force that it leaves out. Adds
 * none to a chain, a path or the command of a program. */
static void write_given(FILE *to, const struct run_result *run,
                        const char *owner, const char *text)
{
    struct spec spec;
    struct error err;
    char part[128];
    bool bare =
        strcmp(owner, "engine") == 0 || strcmp(owner, "schedmate") == 0 ||
        strcmp(owner, "quota") == 0 || strcmp(owner, "job-classes") == 0;
    char *whole = NULL;
    fputs(text, to);
    if (is_chain(owner) || strpbrk(text, "/!") ||
        strncmp(text, "exec:", 5) == 0)
        return;
    if (asprintf(&whole, "%s%s", bare ? "x:" : "", text) >= 0 &&
        spec_parse(owner, text_from(whole), &spec, &err) == STATUS_OK) {
        snprintf(part, sizeof part, "%s%s%.*s", owner, bare ? "" : " ",
                 bare ? 0 : (int)spec.name.len, spec.name.at);
        write_settings(to, run, part, &spec,
                       bare || spec.n_settings ? "," : ":");
    }
    free(whole);
}

static const char *config_value_of(const struct run_result *run,
                                   const struct dump_source *source,
                                   const char *given, struct arena *arena)
{
    char *text = NULL;
    size_t size;
    if (!given && source->only_given)
        return NULL;
    FILE *to = open_memstream(&text, &size);
    CHECK(to);
    if (given)
        write_given(to, run, source->owner, given);
    else if (strcmp(source->owner, "engine") == 0)
        write_settings(to, run, "engine", NULL, "");
    else
        write_chosen(to, run, source->owner);
    fclose(to);
    const char *out = size ? arena_copy(arena, text, size) : NULL;
    free(text);
    return out;
}

/* True if SchedMate's layers choose the default of a chain: naming that chain
 * would change a remark. */
static bool chosen_by_layers(const struct run_result *run,
                             const struct dump_source *source)
{
    return is_chain(source->owner) && strchr(run->policy, '+');
}

static void config_fill(struct shown_values *out,
                        const struct run_options *options,
                        const struct run_result *run, const char *policy,
                        struct arena *arena)
{
    for (size_t i = 0; run_args[i].name; i++) {
        const char *name = run_args[i].name;
        const char *given =
            strcmp(name, "policy") == 0 ? policy : options->given[i];
        const struct dump_source *source = sources;
        while (source->option && strcmp(source->option, name) != 0)
            source++;
        if (source->option && (given || !chosen_by_layers(run, source)))
            given = config_value_of(run, source, given, arena);
        out->at[i] = given;
        if (given)
            continue;
        if (strcmp(name, "cluster") == 0)
            out->at[i] = run->cluster_name;
        else if (strcmp(name, "format") == 0)
            out->at[i] = run->jobset.format;
        else if (strcmp(name, "conventions") == 0)
            out->at[i] = run->conventions;
        else if (strcmp(name, "seed") == 0)
            out->at[i] = "0";
    }
}

/* Prepares the run of a configuration and fills its values. */
static enum status read_run(const struct run_options *options,
                            const struct run_config *config,
                            struct shown_values *out, struct arena *arena,
                            struct error *err)
{
    struct run_config own = *config;
    struct backend *model;
    struct run *run;
    enum status st = run_model_open(&own, &model, err);
    if (st != STATUS_OK)
        return st;
    st = run_prepare(&own, &run, err);
    if (st == STATUS_OK) {
        config_fill(out, options, run_result(run), config->policy, arena);
        run_free(run);
    }
    backend_free(model);
    return st;
}

static void config_write_key(struct json_stream *js, const char *name,
                             const char *value)
{
    char key[64];
    snprintf(key, sizeof key, "%s", name);
    for (char *at = key; *at; at++)
        *at = *at == '-' ? '_' : *at;
    json_stream_text(js, key, value);
}

/* Writes the configuration as an object. `policies`: those of `compare`, as the
 * user gave them, because they name the rows of its table; NULL: the policy of
 * `values`. */
static enum status write_object(const struct run_options *options,
                                const struct shown_values *values,
                                const struct arg_list *policies,
                                sim_span interval, struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    struct json_stream stream = json_stream_to(out), *js = &stream;
    json_stream_object(js, NULL);
    json_stream_text(js, "trace", options->config.trace);
    for (size_t i = 0; run_args[i].name; i++) {
        if (!policies || strcmp(run_args[i].name, "policy") != 0) {
            config_write_key(js, run_args[i].name, values->at[i]);
            continue;
        }
        json_stream_array(js, "policy");
        for (size_t p = 0; p < policies->n; p++)
            json_stream_text(js, NULL, policies->at[p]);
        json_stream_array_end(js);
    }
    if (interval)
        json_stream_span(js, "series_interval_s", interval);
    json_stream_object_end(js);
    json_stream_end(js);
    return out_close(out, err);
}

enum status dump_config_run(const struct run_options *options,
                            sim_span interval, struct error *err)
{
    struct arena arena;
    struct shown_values values;
    arena_init(&arena);
    enum status st = read_run(options, &options->config, &values, &arena, err);
    if (st == STATUS_OK)
        st = write_object(options, &values, NULL, interval, err);
    arena_fini(&arena);
    return st;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Keeps the values that all runs share, and says on stderr which defaults
 * differ by policy. */
static void config_merge(const struct shown_values *all, size_t n,
                         struct shown_values *out)
{
    *out = all[0];
    for (size_t i = 0; run_args[i].name; i++) {
        bool same = true;
        for (size_t p = 1; p < n && same; p++)
            same = same_text(all[0].at[i], all[p].at[i]);
        if (same || strcmp(run_args[i].name, "policy") == 0)
            continue;
        out->at[i] = NULL;
        fprintf(stderr,
                "note: --%s differs by policy; it stays null, the default of "
                "each policy\n",
                run_args[i].name);
    }
}

enum status dump_config_compare(const struct run_options *options,
                                const struct arg_list *policies,
                                struct error *err)
{
    struct arena arena;
    struct shown_values all[ARG_LIST_MAX] = {0}, shared;
    enum status st = STATUS_OK;
    arena_init(&arena);
    for (size_t p = 0; p < policies->n && st == STATUS_OK; p++) {
        struct run_config config = options->config;
        run_options_of_policy(policies, policies->at[p], &config);
        st = read_run(options, &config, &all[p], &arena, err);
    }
    if (st == STATUS_OK) {
        config_merge(all, policies->n, &shared);
        st = write_object(options, &shared, policies, 0, err);
    }
    arena_fini(&arena);
    return st;
}
