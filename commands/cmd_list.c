/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `list`: lists everything that can be named on the command line. */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/json_out.h"
#include "commands/cli.h"
#include "commands/cmd_list_internal.h"
#include "commands/inputs.h"
#include "commands/reference.h"
#include "commands/table.h"

struct list_input {
    struct cli_call call;
    const char *what, *explain;
    bool json;
};

static bool wanted(const struct list_input *input, const struct list_kind *kind)
{
    return !input->what || strcmp(input->what, kind->name) == 0 ||
           (kind->is_model && strcmp(input->what, "models") == 0);
}

static bool named(const struct list_input *input, const struct list_item *item)
{
    return !input->explain || strcmp(input->explain, item->name) == 0;
}

static size_t print_text(const struct list_input *input)
{
    size_t found = 0;
    bool only = input->what && strcmp(input->what, "models") != 0;
    for (const struct list_kind *kind = list_kinds; kind->name; kind++) {
        struct table table;
        struct list_item item;
        if (!wanted(input, kind))
            continue;
        table_init(&table, 2, 3);
        for (size_t i = 0; kind->at(i, &item); i++) {
            if (!named(input, &item))
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

static size_t print_json(const struct list_input *input, struct out *out)
{
    size_t found = 0;
    json_t *root = json_object();
    for (const struct list_kind *kind = list_kinds; kind->name; kind++) {
        struct list_item item;
        json_t *rows = json_array();
        for (size_t i = 0; wanted(input, kind) && kind->at(i, &item); i++) {
            if (named(input, &item)) {
                json_array_append_new(rows, list_item_json(kind, &item));
                found++;
            }
        }
        if (json_array_size(rows))
            json_put(root, kind->name, rows);
        else
            json_decref(rows);
    }
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

static enum status unknown(const struct list_input *input, struct error *err)
{
    if (is_kind(input->explain))
        return error_set(err, STATUS_USAGE,
                         "list: '%s' is a kind; 'schedsim list %s' lists its "
                         "names, and --explain takes one of them",
                         input->explain, input->explain);
    const char *names[256];
    size_t n = 0;
    struct list_item item;
    for (const struct list_kind *kind = list_kinds; kind->name; kind++) {
        for (size_t i = 0; wanted(input, kind) && kind->at(i, &item) && n < 256;
             i++)
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
    else if (input->what && strcmp(input->what, "commands") == 0)
        list_commands(out);
    else
        *found = print_json(input, out);
    return out_close(out, err);
}

/* True if the word names a whole page instead of a kind. */
static bool is_page(const char *what)
{
    return what && (!strcmp(what, "columns") || !strcmp(what, "input") ||
                    !strcmp(what, "commands"));
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
        "(estimators, overheads, interferences, monitors, throughputs, "
        "faults, recoveries, forecasts, workloads, llms, sampling, advisor, "
        "logs), clusters, conventions, time-laws, engine, files. Three more "
        "words print a whole page: 'columns' defines the columns and metrics "
        "of results, 'input' the formats of input files, and 'commands' is "
        "JSON with all commands and options.",
    .parts = {{.rows = args}},
    .input_size = sizeof(struct list_input),
    .run = run,
    .examples = "list\nlist policies\nlist --explain tiresias\n"
                "list --explain native\nlist columns\nlist input",
};
