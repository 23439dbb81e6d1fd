/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows one thing of `list` with all its settings, as text or as JSON. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json_out.h"
#include "commands/cmd_list_internal.h"
#include "commands/inputs.h"
#include "schedmate/live/backend.h"
#include "traces/registry.h"

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

void list_item_print(const struct list_kind *kind, const struct list_item *item)
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
    if (!has_settings && kind->more != MORE_ROWS)
        printf("it has no settings\n");
    if (kind->more == MORE_COLUMNS)
        inputs_explain_trace(stdout, trace_find(text_from(item->name)));
    if (kind->more == MORE_ROWS)
        inputs_explain(stdout, item->name);
    if (item->explains)
        printf("\nto write what it learns from a trace, as CSV:\n  schedsim "
               "estimate TRACE --estimators %s --learned FILE\n",
               item->name);
    if (kind->more == MORE_SAMPLING)
        explain_sampling();
    free(config);
}

/* Returns the columns or keys of a format as JSON; NULL if it has none. */
static json_t *rows_json(const struct list_kind *kind,
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

json_t *list_item_json(const struct list_kind *kind,
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
    json_t *columns = rows_json(kind, item);
    if (columns)
        json_put(object, "columns", columns);
    free(config);
    return object;
}
