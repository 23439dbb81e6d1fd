/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `list`: everything that can be named on the command line, and every setting
 * of it. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/logs/schedmate_handler.h"
#include "models/logs/schedmate_tracker.h"
#include "models/registry.h"
#include "models/usage/usage.h"
#include "policies/registry.h"
#include "sim/base/json_out.h"
#include "sim/cli/cli.h"
#include "sim/cli/inputs.h"
#include "sim/cli/reference.h"
#include "sim/cli/table.h"
#include "sim/live/advise.h"
#include "sim/live/backend.h"
#include "sim/run/conventions.h"
#include "sim/run/describe.h"
#include "sim/run/run.h"
#include "traces/registry.h"

/* One named thing of any kind: a policy, an estimator, a cluster. */
struct item {
    const char *name, *summary, *source;
    const struct option *options;
    size_t config_size;
    bool explains; /* can write what it learned */
    bool is_file;  /* one of input_formats */
};

/* Fills *out with item `i` of a kind. Returns false if `i` is after the last.
 */
typedef bool item_at(size_t i, struct item *out);

#define ITEMS_OF(function, array) \
    static bool function(size_t i, struct item *out) \
    { \
        if (!array[i]) \
            return false; \
        *out = (struct item){.name = array[i]->name, \
                             .summary = array[i]->summary, \
                             .options = array[i]->options, \
                             .config_size = array[i]->config_size}; \
        return true; \
    }
ITEMS_OF(policy_item, policies)
ITEMS_OF(placer_item, placers)
ITEMS_OF(format_item, trace_formats)
ITEMS_OF(overhead_item, overheads)
ITEMS_OF(interference_item, interferences)
ITEMS_OF(throughput_item, throughputs)
ITEMS_OF(fault_item, faults)
ITEMS_OF(forecast_item, forecasts)
ITEMS_OF(recovery_item, recoveries)
ITEMS_OF(workloads_item, model_recipes)
ITEMS_OF(llm_item, llms)

static bool estimator_item(size_t i, struct item *out)
{
    if (!estimators[i])
        return false;
    *out = (struct item){.name = estimators[i]->name,
                         .summary = estimators[i]->summary,
                         .options = estimators[i]->options,
                         .config_size = estimators[i]->config_size,
                         .explains = estimators[i]->explain != NULL};
    return true;
}

static bool cluster_item(size_t i, struct item *out)
{
    *out = (struct item){.name = presets[i].name,
                         .summary = presets[i].shorthand,
                         .source = presets[i].source};
    return presets[i].name;
}

static bool conventions_item(size_t i, struct item *out)
{
    *out = (struct item){.name = conventions_names[i].name,
                         .summary = conventions_names[i].summary};
    return conventions_names[i].name;
}

static bool engine_item(size_t i, struct item *out)
{
    *out = (struct item){.name = "engine",
                         .summary = "settings of the simulation itself"};
    out->options = run_engine_options(&out->config_size);
    return i == 0;
}

static bool sampling_item(size_t i, struct item *out)
{
    *out = (struct item){
        .name = "sampling",
        .summary = "sampling settings, which every language model accepts"};
    out->options = backend_options(&out->config_size);
    return i == 0;
}

static bool advisor_item(size_t i, struct item *out)
{
    static const char *const summaries[] = {
        "settings of 'advise': how often it asks a language model",
        "settings of 'advise': which files of a directory it reads",
        "settings of 'advise': which jobs of the history count as similar",
    };
    *out = (struct item){0};
    out->options = advise_options(i, &out->name, &out->config_size);
    if (i < sizeof summaries / sizeof *summaries)
        out->summary = summaries[i];
    return out->options != NULL;
}

static bool logs_item(size_t i, struct item *out)
{
    static const struct item items[] = {
        {.name = "tracker",
         .summary = "settings of 'track': which part of a log it reads",
         .options = tracker_options,
         .config_size = sizeof(struct tracker_config)},
        {.name = "locator",
         .summary = "settings of 'diagnose': how it finds the first error",
         .options = locator_options,
         .config_size = sizeof(struct locator_config)},
        {.name = "handler",
         .summary =
             "settings of 'diagnose': which lines around the error it reads",
         .options = handler_options,
         .config_size = sizeof(struct handler_config)},
    };
    if (i < sizeof items / sizeof *items)
        *out = items[i];
    return i < sizeof items / sizeof *items;
}

static bool input_item(size_t i, struct item *out)
{
    *out = (struct item){.name = input_formats[i].name,
                         .summary = input_formats[i].summary,
                         .is_file = true};
    return input_formats[i].name != NULL;
}

static const struct kind {
    const char *name;
    bool model; /* also under "models" */
    item_at *at;
} kinds[] = {
    {"policies", false, policy_item},
    {"placers", false, placer_item},
    {"formats", false, format_item},
    {"estimators", true, estimator_item},
    {"overheads", true, overhead_item},
    {"interferences", true, interference_item},
    {"throughputs", true, throughput_item},
    {"faults", true, fault_item},
    {"forecasts", true, forecast_item},
    {"recoveries", true, recovery_item},
    {"workloads", true, workloads_item},
    {"llms", true, llm_item},
    {"sampling", true, sampling_item},
    {"advisor", true, advisor_item},
    {"logs", true, logs_item},
    {"clusters", false, cluster_item},
    {"conventions", false, conventions_item},
    {"engine", false, engine_item},
    {"files", false, input_item},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct list_input {
    struct cli_call call;
    const char *what, *explain;
    bool json;
};

/* Writes the range of a setting, or nothing if its kind implies the range. */
static void range_of(const struct option *row, char *out, size_t room)
{
    if (row->kind == OPTION_CHOICE) {
        size_t n = 0;
        for (size_t i = 0; row->choices[i] && n < room; i++)
            n += (size_t)snprintf(out + n, room - n, "%s%s", i ? "|" : "",
                                  row->choices[i]);
    } else if (row->kind == OPTION_U32 || row->kind == OPTION_DOUBLE ||
               row->kind == OPTION_SPAN) {
        snprintf(out, room, "%g..%g", row->lo, row->hi);
    } else {
        *out = '\0';
    }
}

/* Prints the sampling settings, which each layer of language models also
 * accepts. */
static void explain_sampling(void)
{
    size_t size;
    const struct option *rows = backend_options(&size);
    void *config = mem_zalloc(1, size + 1);
    option_defaults(rows, config);
    fputs("\nand the settings of every model, see 'list --explain sampling':\n",
          stdout);
    for (const struct option *o = rows; o->kind != OPTION_END; o++) {
        char value[OPTION_TEXT_MAX];
        printf("  %s=%s\n", o->name, option_value(o, config, value));
    }
    free(config);
}

static void explain_text(const struct kind *kind, const struct item *item)
{
    void *config = mem_zalloc(1, item->config_size + 1);
    option_defaults(item->options, config);
    printf("%s (%s): %s\n", item->name, kind->name, item->summary);
    if (item->source)
        printf("source: %s\n", item->source);
    for (const struct option *o = item->options; o && o->kind != OPTION_END;
         o++) {
        char range[256], value[OPTION_TEXT_MAX];
        range_of(o, range, sizeof range);
        printf("\n  %s=%s  (%s%s%s)\n      %s\n", o->name,
               option_value(o, config, value), option_kind_name(o),
               *range ? "; " : "", range, o->help);
        if (o->source && o->source[0])
            printf("      source: %s\n", o->source);
    }
    bool has_settings = item->options && item->options->kind != OPTION_END;
    if (!has_settings && !item->is_file)
        printf("it has no settings\n");
    if (kind->at == format_item)
        inputs_explain_trace(stdout, trace_find(text_from(item->name)));
    if (item->is_file)
        inputs_explain(stdout, item->name);
    if (item->explains)
        printf("\nto write what it learns from a trace, as CSV:\n  schedsim "
               "estimate TRACE --estimators %s --learned FILE\n",
               item->name);
    if (kind->at == llm_item)
        explain_sampling();
    free(config);
}

/* Returns the columns or keys of a format as JSON, or NULL if it has none. */
static json_t *rows_json(const struct kind *kind, const struct item *item)
{
    json_t *rows = json_array();
    struct input_row row;
    const struct trace_ops *format =
        kind->at == format_item ? trace_find(text_from(item->name)) : NULL;
    for (size_t i = 0;
         format ? input_trace_row(format, i, &row)
                : item->is_file && input_format_row(item->name, i, &row);
         i++) {
        json_t *object = json_object();
        json_put(object, "name", json_text(row.name));
        json_put(object, "required", json_boolean(row.required));
        json_put(object, "unit", json_text(row.unit));
        json_put(object, "help", json_text(row.help));
        json_array_append_new(rows, object);
    }
    if (json_array_size(rows))
        return rows;
    json_decref(rows);
    return NULL;
}

static json_t *item_json(const struct kind *kind, const struct item *item)
{
    void *config = mem_zalloc(1, item->config_size + 1);
    json_t *object = json_object(), *rows = json_array();
    option_defaults(item->options, config);
    json_put(object, "name", json_text(item->name));
    json_put(object, "summary", json_text(item->summary));
    if (item->source)
        json_put(object, "source", json_text(item->source));
    for (const struct option *o = item->options; o && o->kind != OPTION_END;
         o++) {
        char range[256], value[OPTION_TEXT_MAX];
        json_t *row = json_object();
        range_of(o, range, sizeof range);
        json_put(row, "name", json_text(o->name));
        json_put(row, "kind", json_text(option_kind_name(o)));
        json_put(row, "range", json_text(*range ? range : option_kind_name(o)));
        json_put(row, "default", json_text(option_value(o, config, value)));
        json_put(row, "help", json_text(o->help));
        json_put(row, "source", json_text(o->source));
        json_array_append_new(rows, row);
    }
    json_put(object, "settings", rows);
    json_t *columns = rows_json(kind, item);
    if (columns)
        json_put(object, "columns", columns);
    free(config);
    return object;
}

static bool wanted(const struct list_input *input, const struct kind *kind)
{
    return !input->what || strcmp(input->what, kind->name) == 0 ||
           (kind->model && strcmp(input->what, "models") == 0);
}

static bool named(const struct list_input *input, const struct item *item)
{
    return !input->explain || strcmp(input->explain, item->name) == 0;
}

static size_t print_text(const struct list_input *input)
{
    size_t found = 0;
    bool only = input->what && strcmp(input->what, "models") != 0;
    for (size_t k = 0; k < KINDS; k++) {
        struct table table;
        struct item item;
        if (!wanted(input, &kinds[k]))
            continue;
        table_init(&table, 2, 3);
        for (size_t i = 0; kinds[k].at(i, &item); i++) {
            if (!named(input, &item))
                continue;
            if (input->explain && found)
                putchar('\n');
            found++;
            if (input->explain)
                explain_text(&kinds[k], &item);
            table_add(&table, "  %s", item.name);
            table_add(&table, "%.300s", item.summary);
        }
        if (!input->explain) {
            if (!only)
                printf("%s%s\n", found > table.n_cells / 2 ? "\n" : "",
                       kinds[k].name);
            table_print_plain(&table, stdout);
        }
        table_fini(&table);
    }
    return found;
}

static size_t print_json(const struct list_input *input, struct out *out)
{
    size_t found = 0;
    json_t *root = json_object();
    for (size_t k = 0; k < KINDS; k++) {
        struct item item;
        json_t *rows = json_array();
        for (size_t i = 0; wanted(input, &kinds[k]) && kinds[k].at(i, &item);
             i++) {
            if (named(input, &item)) {
                json_array_append_new(rows, item_json(&kinds[k], &item));
                found++;
            }
        }
        if (json_array_size(rows))
            json_put(root, kinds[k].name, rows);
        else
            json_decref(rows);
    }
    json_write(out, root);
    json_decref(root);
    return found;
}

/* True if the name is a kind, such as "llms": --explain takes a name of one
 * kind, and the error then points to `list llms`. */
static bool is_kind(const char *name)
{
    size_t k = 0;
    while (k < KINDS && strcmp(kinds[k].name, name) != 0)
        k++;
    return k < KINDS || strcmp(name, "models") == 0;
}

static enum status unknown(const struct list_input *input, struct error *err)
{
    if (is_kind(input->explain))
        return error_set(err, STATUS_USAGE,
                         "list: '%s' is a kind; 'schedsim list %s' lists its "
                         "names, and --explain takes one of them",
                         input->explain, input->explain);
    const char *names[256];
    size_t n = 0;
    struct item item;
    for (size_t k = 0; k < KINDS; k++) {
        for (size_t i = 0;
             wanted(input, &kinds[k]) && kinds[k].at(i, &item) && n < 256; i++)
            names[n++] = item.name;
    }
    const char *near = text_nearest(text_from(input->explain), names, n);
    return error_set(err, STATUS_USAGE,
                     "list: nothing is called '%.100s'%s%s%s", input->explain,
                     near ? "; did you mean '" : "", near ? near : "",
                     near ? "'?" : "");
}

static enum status check_what(const struct list_input *input, struct error *err)
{
    const char *names[KINDS + 3];
    size_t n = 0;
    for (; n < KINDS; n++)
        names[n] = kinds[n].name;
    names[n++] = "models";
    names[n++] = "columns";
    names[n++] = "input";
    for (size_t i = 0; i < n; i++) {
        if (!input->what || strcmp(names[i], input->what) == 0)
            return STATUS_OK;
    }
    const char *near = text_nearest(text_from(input->what), names, n);
    return error_set(err, STATUS_USAGE, "list: no kind '%.100s'; %s%s%s",
                     input->what, near ? "did you mean '" : "see --help",
                     near ? near : "", near ? "'?" : "");
}

static enum status print_to_stdout(const struct list_input *input,
                                   size_t *found, struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    if (input->what && strcmp(input->what, "columns") == 0)
        reference_print(out);
    else if (input->what && strcmp(input->what, "input") == 0)
        inputs_print(out);
    else
        *found = print_json(input, out);
    return out_close(out, err);
}

/* True if the word names a whole page of documentation instead of a kind. */
static bool is_page(const char *what)
{
    return what && (!strcmp(what, "columns") || !strcmp(what, "input"));
}

static enum status run(void *self, struct error *err)
{
    const struct list_input *input = self;
    size_t found = 1;
    enum status st = check_what(input, err);
    if (st != STATUS_OK)
        return st;
    if (input->json || is_page(input->what))
        st = print_to_stdout(input, &found, err);
    else
        found = print_text(input);
    if (st == STATUS_OK && found == 0 && input->explain)
        st = unknown(input, err);
    return st;
}

static const struct arg args[] = {
    TAKE_OPTIONAL_WORD(struct list_input, what, "KIND", "kind"),
    TAKE_TEXT(struct list_input, explain, "explain", "NAME",
              "show every setting of NAME: its kind, range, default, meaning "
              "and source",
              .letter = 'e'),
    TAKE_FLAG(struct list_input, json, "json", "print JSON", .letter = 'j'),
    {0},
};

const struct command command_list = {
    .name = "list",
    .summary =
        "list policies, formats, models and clusters, with their settings",
    .about =
        "Lists what can be named: policies, placers, formats, models "
        "(estimators, overheads, interferences, throughputs, faults, "
        "recoveries, forecasts, workloads, llms, sampling, advisor, "
        "logs), clusters, conventions, engine, files. Two more words print a "
        "whole page: 'columns' defines the columns and metrics of "
        "results, 'input' the formats of input files.",
    .parts = {{.rows = args}},
    .input_size = sizeof(struct list_input),
    .run = run,
    .examples = "list\nlist policies\nlist --explain tiresias\n"
                "list --explain native\nlist columns\nlist input",
};
