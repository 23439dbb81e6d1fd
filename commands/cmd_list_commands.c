/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `list commands`: all commands with their arguments as JSON, from the rows by
 * which they are parsed. Man pages and shell completions are made from it. */
#include <stdio.h>
#include <string.h>

#include "base/json_out.h"
#include "commands/cli.h"
#include "commands/cmd_list_internal.h"
#include "commands/run_options.h"

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
static bool is_shadowed(const struct command *command, size_t part, size_t i)
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

static json_t *texts(const char *const *list)
{
    json_t *array = json_array();
    for (size_t i = 0; list && list[i]; i++)
        json_array_append_new(array, json_text(list[i]));
    return array;
}

static json_t *row_json(const struct command *command, const struct arg *row,
                        unsigned group)
{
    json_t *object = json_object();
    const char letter[] = {(char)row->letter, '\0'};
    bool repeats = row->kind == ARG_LIST || row->kind == ARG_WORDS ||
                   row->kind == ARG_SETTINGS;
    json_put(object, "name", json_text(row->name));
    json_put(object, "help", json_text(row->help));
    json_put(object, "required", json_boolean(row->is_required));
    json_put(object, "repeats", json_boolean(repeats));
    if (row->is_word)
        return object;
    json_put(object, "letter", json_text(row->letter ? letter : NULL));
    json_put(object, "value", json_text(row->value));
    json_put(object, "default", json_text(row->initial));
    json_put(object, "group", json_text(heading(command, group)));
    json_put(object, "choices", texts(row->choices));
    return object;
}

/* Adds to `object` what an option sets: the names of the settings that it
 * accepts as KEY=VALUE, or the choices of its one setting. */
static void put_settings(const struct arg *row, json_t *object)
{
    json_t *names = json_array();
    for (const struct arg_table *t = row->tables; t && t->rows; t++) {
        const struct option *o = t->rows;
        for (; o->kind != OPTION_END; o++) {
            if (row->kind == ARG_SETTINGS)
                json_array_append_new(names, json_text(o->name));
            else if (strcmp(o->name, row->name) == 0 && o->choices)
                json_put(object, "choices", texts(o->choices));
        }
    }
    if (json_array_size(names))
        json_put(object, "settings", names);
    else
        json_decref(names);
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
                is_shadowed(command, p, i))
                continue;
            json_t *json = row_json(command, row, of);
            put_settings(row, json);
            json_array_append_new(to, json);
        }
    }
}

static void put_rows(const struct command *command, json_t *object)
{
    json_t *words = json_array(), *options = json_array();
    for (unsigned group = 0; group <= RUN_OF_COMMAND; group++) {
        put_group(command, group, true, words);
        put_group(command, group, false, options);
    }
    for (const struct arg *row = cli_common_args; row->kind != ARG_END; row++)
        json_array_append_new(options, row_json(command, row, row->group));
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

static json_t *command_json(const struct command *command)
{
    json_t *object = json_object();
    json_put(object, "name", json_text(command->name));
    json_put(object, "summary", json_text(command->summary));
    json_put(object, "about", json_text(command->about));
    json_put(object, "notes", json_text(command->notes));
    json_put(object, "examples", json_text(command->examples));
    put_rows(command, object);
    json_put(object, "exit_status", ends_json(command));
    return object;
}

void list_commands(struct out *out)
{
    json_t *root = json_object(), *all = json_array();
    json_put(root, "schedsim", json_text(SCHEDSIM_VERSION));
    for (size_t i = 0; commands[i]; i++) {
        json_t *group = command_json(commands[i]), *members = json_array();
        const struct command *const *member = commands[i]->members;
        for (; member && *member; member++)
            json_array_append_new(members, command_json(*member));
        json_put(group, "commands", members);
        json_array_append_new(all, group);
    }
    json_put(root, "commands", all);
    json_write(out, root);
    json_decref(root);
}
