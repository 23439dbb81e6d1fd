/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `list`: lists everything that can be named on the command line. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/json.h"
#include "base/meant.h"
#include "commands/cli.h"
#include "commands/commands_internal.h"
#include "commands/run_options.h"
#include "commands/terminal.h"
#include "commands/words.h"
#include "models/failures/fault_profile.h"
#include "models/usage/usage.h"
#include "policies/outside/program.h"
#include "policies/registry.h"
#include "schedmate/live/advise.h"
#include "schedmate/live/backend.h"
#include "schedmate/logs/handler.h"
#include "schedmate/logs/incidents.h"
#include "schedmate/logs/schedmate_tracker.h"
#include "schedmate/watch/watch.h"
#include "sim/run/conventions.h"
#include "sim/run/describe.h"
#include "sim/run/registry.h"
#include "sim/run/run.h"
#include "traces/registry.h"

/* `list commands`: all commands with their arguments as JSON, from the rows by
 * which they are parsed. Man pages and shell completions are made from it. */

/* Returns the heading of a group of options; NULL: the group has none. */
static const char *heading(const struct command *command, unsigned group)
{
    for (size_t p = 0; p < ARG_PARTS_MAX && command->parts[p].rows; p++) {
        const struct arg *row = command->parts[p].rows;
        for (; group && row->kind != ARG_END; row++) {
            if (row->kind == ARG_HEAD && row->group == group)
                return row->help;
        }
    }
    return NULL;
}

/* True if a row before row `i` of part `part` has the same name: the command
 * line then never reaches this row. */
static bool list_is_shadowed(const struct command *command, size_t part,
                             size_t i)
{
    const char *name = command->parts[part].rows[i].name;
    for (size_t p = 0; p <= part; p++) {
        const struct arg *rows = command->parts[p].rows;
        for (size_t k = 0; rows[k].kind != ARG_END; k++) {
            if (p == part && k == i)
                return false;
            if (rows[k].name && strcmp(rows[k].name, name) == 0)
                return true;
        }
    }
    return false;
}

static json_t *list_texts(const char *const *list)
{
    json_t *array = json_array();
    for (size_t i = 0; list && list[i]; i++)
        json_array_append_new(array, json_text(list[i]));
    return array;
}

static json_t *list_row_json(const struct command *command,
                             const struct arg *row, unsigned group)
{
    json_t *object = json_object();
    const char letter[] = {(char)row->letter, '\0'};
    bool repeats = row->kind == ARG_LIST || row->kind == ARG_WORDS ||
                   row->kind == ARG_SETTINGS || row->kind == ARG_KEYS;
    json_put(object, "name", json_text(row->name));
    json_put(object, "help", json_text(row->help));
    json_put(object, "required", json_boolean(row->is_required));
    json_put(object, "repeats", json_boolean(repeats));
    if (row->is_word)
        return object;
    json_put(object, "letter", json_text(row->letter ? letter : NULL));
    /* a flag can be given without its keys */
    json_put(object, "value",
             json_text(row->kind == ARG_FLAG ? NULL : row->value));
    json_put(object, "default", json_text(row->initial));
    json_put(object, "group", json_text(heading(command, group)));
    json_put(object, "choices", list_texts(row->choices));
    if (row->lo != row->hi) {
        char range[64];
        snprintf(range, sizeof range, "%g..%g", row->lo, row->hi);
        json_put(object, "range", json_text(range));
    }
    if (row->settings_of)
        json_put(object, "settings_of", json_text(row->settings_of));
    return object;
}

/* Adds to `object` what an option sets: the names of the settings that it
 * accepts as KEY=VALUE, or the choices of its one setting. */
static void list_put_settings(const struct arg *row, json_t *object)
{
    json_t *names = json_array();
    for (const struct arg_table *t = row->tables; t && t->rows; t++) {
        const struct option *o = t->rows;
        for (; o->kind != OPTION_END; o++) {
            if (row->kind == ARG_SETTINGS)
                json_array_append_new(names, json_text(o->name));
            else if (strcmp(o->name, row->name) == 0 && o->choices)
                json_put(object, "choices", list_texts(o->choices));
        }
    }
    if (json_array_size(names))
        json_put(object, "settings", names);
    else
        json_decref(names);
}

/* Adds to `object` the rows that are of this option, as "keys". */
static void list_put_keys(const struct command *command, const struct arg *row,
                          json_t *object)
{
    json_t *keys = json_array();
    for (size_t p = 0; p < ARG_PARTS_MAX && command->parts[p].rows; p++) {
        const struct arg *one = command->parts[p].rows;
        for (; one->kind != ARG_END; one++) {
            if (!one->of || strcmp(one->of, row->name) != 0)
                continue;
            json_t *key = list_row_json(command, one, one->group);
            const struct text name = arg_key(one);
            json_put(key, "name", json_stringn(name.at, name.len));
            list_put_settings(one, key);
            json_array_append_new(keys, key);
        }
    }
    if (json_array_size(keys))
        json_put(object, "keys", keys);
    else
        json_decref(keys);
}

/* Adds the rows of one group of --help to `to`: the positional arguments if
 * `words` is true, otherwise the options. */
static void put_group(const struct command *command, unsigned group, bool words,
                      json_t *to)
{
    for (size_t p = 0; p < ARG_PARTS_MAX && command->parts[p].rows; p++) {
        const struct arg_part *part = &command->parts[p];
        for (size_t i = 0; part->rows[i].kind != ARG_END; i++) {
            const struct arg *row = &part->rows[i];
            unsigned of = row->group ? row->group : part->group;
            if (row->kind == ARG_HEAD || row->is_word != words || of != group ||
                row->of || list_is_shadowed(command, p, i))
                continue;
            json_t *json = list_row_json(command, row, of);
            list_put_settings(row, json);
            list_put_keys(command, row, json);
            json_array_append_new(to, json);
        }
    }
}

static void list_put_rows(const struct command *command, json_t *object)
{
    json_t *words = json_array(), *options = json_array();
    for (unsigned group = 0; group <= RUN_OF_COMMAND; group++) {
        put_group(command, group, true, words);
        put_group(command, group, false, options);
    }
    for (const struct arg *row = cli_common_args; row->kind != ARG_END; row++)
        json_array_append_new(options, list_row_json(command, row, row->group));
    json_put(object, "words", words);
    json_put(object, "options", options);
}

static json_t *ends_json(const struct command *command)
{
    json_t *ends = json_array();
    for (unsigned st = STATUS_OK; st <= STATUS_SAYS_UNKNOWN; st++) {
        if (!cli_may_end(command, st))
            continue;
        json_t *end = json_object();
        json_put(end, "status", json_integer(status_exit(st)));
        json_put(end, "meaning", json_text(status_words(st)));
        json_array_append_new(ends, end);
    }
    return ends;
}

static json_t *list_command_json(const struct command *command)
{
    json_t *object = json_object();
    json_put(object, "name", json_text(command->name));
    json_put(object, "summary", json_text(command->summary));
    json_put(object, "about", json_text(command->about));
    json_put(object, "notes", json_text(command->notes));
    json_put(object, "examples", json_text(command->examples));
    list_put_rows(command, object);
    json_put(object, "exit_status", ends_json(command));
    return object;
}

/* A command with its members, at any depth. */
static json_t *list_tree_json(const struct command *command)
{
    json_t *tree = list_command_json(command), *members = json_array();
    const struct command *const *member = command->members;
    for (; member && *member; member++)
        json_array_append_new(members, list_tree_json(*member));
    json_put(tree, "commands", members);
    return tree;
}

/* Writes all commands with their arguments as JSON. */
static void list_commands(struct out *out)
{
    json_t *root = json_object(), *all = json_array();
    json_put(root, "schedsim", json_text(SCHEDSIM_VERSION));
    for (size_t i = 0; commands[i]; i++)
        json_array_append_new(all, list_tree_json(commands[i]));
    json_put(root, "commands", all);
    json_write(out, root);
    json_decref(root);
}

/* Shows one thing of `list` with all its settings, as text or as JSON. */

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

/* Prints the summary, the source and the settings of an item, each setting with
 * range, default, meaning and source, then what `kind->more` asks for and, if
 * the item explains what it learned, the command for that. */
static void list_item_print(const struct list_kind *kind,
                            const struct list_item *item)
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
        if (o->when)
            printf("      only with %s\n", o->when);
        if (o->source && o->source[0])
            printf("      source: %s\n", o->source);
    }
    bool has_settings = item->options && item->options->kind != OPTION_END;
    if (!has_settings && kind->more < MORE_ROWS)
        printf("it has no settings\n");
    if (kind->more == MORE_COLUMNS)
        inputs_explain_trace(stdout, trace_find(text_from(item->name)));
    if (kind->more == MORE_ROWS)
        inputs_explain(stdout, item->name);
    if (item->explains)
        printf("\nto write what it learns from a trace, as CSV:\n  schedsim "
               "trace estimate TRACE --estimators %s --learned FILE\n",
               item->name);
    if (kind->more == MORE_SAMPLING)
        explain_sampling();
    free(config);
}

/* Returns the columns or keys of a format as JSON; NULL if it has none. */
static json_t *list_rows_json(const struct list_kind *kind,
                              const struct list_item *item)
{
    json_t *rows = json_array();
    struct input_row row;
    const struct trace_ops *format =
        kind->more == MORE_COLUMNS ? trace_find(text_from(item->name)) : NULL;
    for (size_t i = 0; format ? input_trace_row(format, i, &row)
                              : kind->more == MORE_ROWS &&
                                    input_format_row(item->name, i, &row);
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

/* Returns an item as an object, owned by the caller: name, summary, source,
 * settings, and the columns or keys of a format. */
static json_t *list_item_json(const struct list_kind *kind,
                              const struct list_item *item)
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
        if (o->when)
            json_put(row, "only_with", json_text(o->when));
        json_array_append_new(rows, row);
    }
    json_put(object, "settings", rows);
    json_t *columns = list_rows_json(kind, item);
    if (columns)
        json_put(object, "columns", columns);
    free(config);
    return object;
}

/* The kinds of things that `list` shows, each taken from the table that the
 * program itself uses. */

#define ITEMS_OF(function, array) \
    static bool function(size_t i, struct list_item *out) \
    { \
        if (!array[i]) \
            return false; \
        *out = (struct list_item){.name = array[i]->name, \
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

ITEMS_OF(monitor_item, monitors)

ITEMS_OF(throughput_item, throughputs)

ITEMS_OF(fault_item, faults)

ITEMS_OF(forecast_item, forecasts)

ITEMS_OF(recovery_item, recoveries)

ITEMS_OF(workloads_item, model_recipes)

ITEMS_OF(time_law_item, time_laws)

static bool llm_item(size_t i, struct list_item *out)
{
    if (!llms[i])
        return false;
    *out = (struct list_item){.name = llms[i]->name,
                              .summary = llms[i]->summary,
                              .options = llms[i]->options,
                              .config_size = llms[i]->config_size,
                              .reach = llms[i]->reach};
    return true;
}

static bool layer_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){0};
    out->name = run_layer(i, &out->summary);
    return out->name != NULL;
}

static bool outside_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){.name = policy_exec.name,
                              .summary = policy_exec.summary,
                              .options = policy_exec.options,
                              .config_size = policy_exec.config_size};
    return i == 0;
}

static bool estimator_item(size_t i, struct list_item *out)
{
    if (!estimators[i])
        return false;
    *out = (struct list_item){.name = estimators[i]->name,
                              .summary = estimators[i]->summary,
                              .options = estimators[i]->options,
                              .config_size = estimators[i]->config_size,
                              .explains = estimators[i]->explain != NULL};
    return true;
}

static bool fault_profile_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){.name = fault_profiles[i].name,
                              .summary = fault_profiles[i].summary,
                              .options = fault_profiles[i].rows,
                              .config_size = sizeof(struct fault_figures)};
    return fault_profiles[i].name;
}

static bool cluster_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){.name = presets[i].name,
                              .summary = presets[i].shorthand,
                              .source = presets[i].source};
    return presets[i].name;
}

static bool conventions_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){.name = conventions_names[i].name,
                              .summary = conventions_names[i].summary};
    return conventions_names[i].name;
}

static bool schedmate_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){
        .name = "schedmate",
        .summary = "settings of --schedmate, for a policy NAME+schedmate",
    };
    out->options = run_schedmate_options(&out->config_size);
    return i == 0;
}

static bool quota_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){
        .name = "quota",
        .summary = "settings of --quota, for a policy NAME+quota",
    };
    out->options = run_quota_options(&out->config_size);
    return i == 0;
}

static bool engine_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){.name = "engine",
                              .summary = "settings of the simulation itself"};
    out->options = run_engine_options(&out->config_size);
    return i == 0;
}

static bool classes_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){.name = "job-classes",
                              .summary = "classes of jobs: guaranteed, spot"};
    out->options = run_classes_options(&out->config_size);
    return i == 0;
}

static bool sampling_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){
        .name = "sampling",
        .summary = "sampling settings, which every language model accepts"};
    out->options = backend_options(&out->config_size);
    return i == 0;
}

static bool advisor_item(size_t i, struct list_item *out)
{
    static const char *const summaries[] = {
        "settings of 'mate advise': how often it asks a language model",
        "settings of 'mate advise': which files of a directory it reads",
        "settings of 'mate advise': which jobs of the history count as similar",
    };
    *out = (struct list_item){0};
    out->options = advise_options(i, &out->name, &out->config_size);
    if (i < sizeof summaries / sizeof *summaries)
        out->summary = summaries[i];
    return out->options != NULL;
}

static bool logs_item(size_t i, struct list_item *out)
{
    static const struct list_item items[] = {
        {.name = "tracker",
         .summary = "settings of 'track': which part of a log it reads",
         .options = tracker_options,
         .config_size = sizeof(struct tracker_config)},
        {.name = "locator",
         .summary = "settings of 'mate diagnose': how it finds the first error",
         .options = locator_options,
         .config_size = sizeof(struct locator_config)},
        {.name = "handler",
         .summary = "settings of 'mate diagnose': which lines around the error "
                    "it reads",
         .options = handler_options,
         .config_size = sizeof(struct handler_config)},
        {.name = "incidents",
         .summary = "settings of 'diagnose --method rcacopilot': how it "
                    "compares logs of failures",
         .options = incidents_options,
         .config_size = sizeof(struct incidents_config)},
        {.name = "watch",
         .summary = "settings of 'watch': what it reads, and when it tells",
         .options = watch_options,
         .config_size = sizeof(struct watch_config)},
    };
    if (i < sizeof items / sizeof *items)
        *out = items[i];
    return i < sizeof items / sizeof *items;
}

static bool input_item(size_t i, struct list_item *out)
{
    *out = (struct list_item){.name = input_formats[i].name,
                              .summary = input_formats[i].summary};
    return input_formats[i].name != NULL;
}

#define KIND(name_, function, ...) \
    { \
        .name = name_, .at = function, __VA_ARGS__ \
    }

#define LIST_MODEL(name_, function, ...) \
    KIND(name_, function, .is_model = true, __VA_ARGS__)

const struct list_kind list_kinds[] = {
    KIND("policies", policy_item),
    KIND("policies-outside", outside_item),
    KIND("layers", layer_item, .more = MORE_OPTION),
    KIND("placers", placer_item),
    KIND("formats", format_item, .more = MORE_COLUMNS),
    LIST_MODEL("estimators", estimator_item),
    LIST_MODEL("overheads", overhead_item),
    LIST_MODEL("interferences", interference_item),
    LIST_MODEL("monitors", monitor_item),
    LIST_MODEL("throughputs", throughput_item),
    LIST_MODEL("faults", fault_item),
    LIST_MODEL("fault-profiles", fault_profile_item),
    LIST_MODEL("forecasts", forecast_item),
    LIST_MODEL("recoveries", recovery_item),
    LIST_MODEL("workloads", workloads_item),
    LIST_MODEL("llms", llm_item, .more = MORE_SAMPLING),
    LIST_MODEL("sampling", sampling_item),
    LIST_MODEL("advisor", advisor_item),
    LIST_MODEL("logs", logs_item),
    KIND("clusters", cluster_item),
    KIND("conventions", conventions_item),
    KIND("time-laws", time_law_item),
    KIND("engine", engine_item),
    KIND("job-classes", classes_item),
    KIND("schedmate", schedmate_item),
    KIND("quota", quota_item),
    KIND("files", input_item, .more = MORE_ROWS),
    {0},
};

struct list_input {
    struct cli_call call;
    const char *what, *explain;
    bool json;
};

static bool list_wanted(const struct list_input *input,
                        const struct list_kind *kind)
{
    return !input->what || strcmp(input->what, kind->name) == 0 ||
           (kind->is_model && strcmp(input->what, "models") == 0);
}

static bool list_named(const struct list_input *input,
                       const struct list_item *item)
{
    return !input->explain || strcmp(input->explain, item->name) == 0;
}

static size_t list_print_text(const struct list_input *input)
{
    size_t found = 0;
    bool only = input->what && strcmp(input->what, "models") != 0;
    for (const struct list_kind *kind = list_kinds; kind->name; kind++) {
        struct table table;
        struct list_item item;
        if (!list_wanted(input, kind))
            continue;
        table_init(&table, 2, 3);
        for (size_t i = 0; kind->at(i, &item); i++) {
            if (!list_named(input, &item))
                continue;
            if (input->explain && found)
                putchar('\n');
            found++;
            if (input->explain)
                list_item_print(kind, &item);
            table_add(&table, "  %s", item.name);
            table_add(&table, "%.300s", item.summary);
        }
        if (!input->explain) {
            if (!only)
                printf("%s%s\n", found > table.n_cells / 2 ? "\n" : "",
                       kind->name);
            table_print_plain(&table, stdout);
        }
        table_fini(&table);
    }
    return found;
}

static size_t list_print_json(const struct list_input *input, struct out *out)
{
    size_t found = 0;
    json_t *root = json_object();
    for (const struct list_kind *kind = list_kinds; kind->name; kind++) {
        struct list_item item;
        json_t *rows = json_array();
        for (size_t i = 0; list_wanted(input, kind) && kind->at(i, &item);
             i++) {
            if (list_named(input, &item)) {
                json_array_append_new(rows, list_item_json(kind, &item));
                found++;
            }
        }
        if (json_array_size(rows))
            json_put(root, kind->name, rows);
        else
            json_decref(rows);
    }
    if (found || !input->explain)
        json_write(out, root);
    json_decref(root);
    return found;
}

/* True if the name is a kind, such as "llms". --explain takes the name of one
 * thing, so the error for a kind points to `list llms`. */
static bool is_kind(const char *name)
{
    const struct list_kind *kind = list_kinds;
    while (kind->name && strcmp(kind->name, name) != 0)
        kind++;
    return kind->name || strcmp(name, "models") == 0;
}

/* Explains a word that names no item: a metric, a column or a word of the
 * glossary. Returns false if it is none. */
static bool list_explain_word(const struct list_input *input)
{
    return !input->json && !input->what &&
           words_explain(input->explain, stdout) > 0;
}

static enum status list_unknown(const struct list_input *input,
                                struct error *err)
{
    if (cli_find(commands, input->explain))
        return error_set(err, STATUS_USAGE,
                         "list: '%s' is a command; 'schedsim help %s' "
                         "describes it",
                         input->explain, input->explain);
    if (is_kind(input->explain))
        return error_set(err, STATUS_USAGE,
                         "list: '%s' is a kind; 'schedsim list %s' lists its "
                         "names, and --explain takes one of them",
                         input->explain, input->explain);
    const char *names[256];
    size_t n = 0;
    struct list_item item;
    for (const struct list_kind *kind = list_kinds; kind->name; kind++) {
        for (size_t i = 0;
             list_wanted(input, kind) && kind->at(i, &item) && n < 256; i++)
            names[n++] = item.name;
    }
    const char *near = text_nearest(text_from(input->explain), names, n);
    return error_set(err, STATUS_USAGE, "list: nothing is called '%.100s'%s",
                     input->explain, text_suggest(near).words);
}

/* True if `list WORD` explains a word that names no kind: a metric, a column,
 * or a word of the glossary. */
static bool list_explain_kind(const struct list_input *input)
{
    struct list_input word = *input;
    if (!input->what || input->explain || input->json)
        return false;
    word.explain = input->what;
    word.what = NULL;
    return list_explain_word(&word);
}

/* `list policy` means `list policies`, and `list tiresias` means `list
 * --explain tiresias`. */
static void list_mend_kind(struct list_input *input)
{
    struct list_item item;
    if (!input->what || is_kind(input->what))
        return;
    for (const struct list_kind *kind = list_kinds; kind->name; kind++) {
        size_t n = strlen(kind->name), len = strlen(input->what);
        bool same = n > 3 && len >= n - 3 &&
                    strncmp(kind->name, input->what, len - 1) == 0 &&
                    (strcmp(kind->name + len, "s") == 0 ||
                     strcmp(kind->name + len - 1, "ies") == 0);
        if (same)
            input->what = kind->name;
        for (size_t i = 0; !same && !input->explain && kind->at(i, &item);
             i++) {
            if (strcmp(item.name, input->what) != 0)
                continue;
            input->explain = input->what;
            input->what = NULL;
            return;
        }
        if (same)
            return;
    }
}

static enum status check_what(const struct list_input *input, struct error *err)
{
    const char *names[64] = {"models", "columns", "input", "commands"};
    size_t n = 4;
    for (const struct list_kind *kind = list_kinds; kind->name; kind++) {
        CHECK(n < sizeof names / sizeof *names);
        names[n++] = kind->name;
    }
    for (size_t i = 0; i < n; i++) {
        if (!input->what || strcmp(names[i], input->what) == 0)
            return STATUS_OK;
    }
    char meant[MEANT_WORDS_MAX];
    if (meant_find("kind", text_from(input->what), names, n, meant))
        return error_set(err, STATUS_USAGE, "list: no kind '%.100s'; %s",
                         input->what, meant);
    const char *near = text_nearest(text_from(input->what), names, n);
    return error_set(err, STATUS_USAGE, "list: no kind '%.100s'%s", input->what,
                     near ? text_suggest(near).words : "; see --help");
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
    else if (input->what && strcmp(input->what, "commands") == 0)
        list_commands(out);
    else
        *found = list_print_json(input, out);
    return out_close(out, err);
}

/* True if the word names a whole page instead of a kind. */
static bool is_page(const char *what)
{
    return what && (!strcmp(what, "columns") || !strcmp(what, "input") ||
                    !strcmp(what, "commands"));
}

static enum status list_run(void *self, struct error *err)
{
    struct list_input *input = self;
    size_t found = 1;
    list_mend_kind(input);
    enum status st = check_what(input, err);
    if (st != STATUS_OK)
        return list_explain_kind(input) ? STATUS_OK : st;
    if (is_page(input->what) && input->explain)
        return error_set(err, STATUS_USAGE,
                         "list: '%s' is a whole page, and --explain takes one "
                         "name: 'schedsim list --explain %.100s'",
                         input->what, input->explain);
    if (input->json || is_page(input->what))
        st = print_to_stdout(input, &found, err);
    else
        found = list_print_text(input);
    if (st == STATUS_OK && found == 0 && input->explain &&
        !list_explain_word(input))
        st = list_unknown(input, err);
    return st;
}

static const struct arg list_cmd_args[] = {
    TAKE_OPTIONAL_WORD(struct list_input, what, "KIND", "kind"),
    TAKE_TEXT(struct list_input, explain, "explain", "NAME",
              "show every setting of NAME: its kind, range, default, meaning "
              "and source; NAME may also be a metric, a column or a word of "
              "the glossary",
              .letter = 'e'),
    TAKE_FLAG(struct list_input, json, "json", "print JSON", .letter = 'j'),
    {0},
};

const struct command command_list = {
    .name = "list",
    .summary =
        "list policies, formats, models and clusters, with their settings",
    .about =
        "Lists what can be named: policies, their layers, placers, formats, "
        "models "
        "(estimators, overheads, interferences, monitors, throughputs, "
        "faults, recoveries, forecasts, workloads, llms, sampling, advisor, "
        "logs), clusters, conventions, time-laws, engine, files. Three more "
        "words print a whole page: 'columns' defines the columns and metrics "
        "of results, 'input' the formats of input files, and 'commands' is "
        "JSON with all commands and options.",
    .parts = {{.rows = list_cmd_args}},
    .input_size = sizeof(struct list_input),
    .run = list_run,
    .examples = "list\nlist policies\nlist --explain tiresias\n"
                "list --explain native\nlist columns\nlist input",
};
