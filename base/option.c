/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/option.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"

static void *field(const struct option *row, void *config)
{
    return (char *)config + row->offset;
}

static const struct option *option_row_of(const struct option *rows,
                                          struct text key)
{
    while (rows && rows->kind != OPTION_END && !text_is(key, rows->name))
        rows++;
    return rows && rows->kind != OPTION_END ? rows : NULL;
}

void option_defaults(const struct option *rows, void *config)
{
    for (; rows && rows->kind != OPTION_END; rows++) {
        void *at = field(rows, config);
        switch (rows->kind) {
        case OPTION_BOOL:
            *(bool *)at = rows->number != 0;
            break;
        case OPTION_U32:
            *(uint32_t *)at = (uint32_t)rows->number;
            break;
        case OPTION_DOUBLE:
            *(double *)at = rows->number;
            break;
        case OPTION_SPAN:
            *(sim_span *)at = span_from_seconds(rows->number);
            break;
        case OPTION_TEXT:
            *(const char **)at = rows->text;
            break;
        case OPTION_CHOICE:
            *(unsigned *)at = (unsigned)rows->number;
            break;
        case OPTION_END:
            break;
        }
    }
}

enum status option_unknown(const struct option *const *tables, size_t n_tables,
                           const char *owner, struct text key,
                           struct error *err)
{
    enum { MAX = 128 };
    const char *names[MAX] = {0};
    size_t n = 0, len = 0;
    char list[1024] = "";
    for (size_t i = 0; i < n_tables; i++) {
        const struct option *row = tables[i];
        for (; row && row->kind != OPTION_END && n < MAX; row++)
            names[n++] = row->name;
    }
    const char *near = text_nearest(key, names, n);
    if (near)
        return error_set(err, STATUS_USAGE,
                         "%s: no option '%.*s'; did you mean '%s'?", owner,
                         TEXT_ARGS(key), near);
    if (n == 0)
        return error_set(err, STATUS_USAGE,
                         "%s: no option '%.*s': there are "
                         "none for it",
                         owner, TEXT_ARGS(key));
    for (size_t i = 0; i < n && len < sizeof list; i++)
        len += (size_t)snprintf(list + len, sizeof list - len, "%s%s",
                                i ? ", " : "", names[i]);
    return error_set(err, STATUS_USAGE, "%s: no option '%.*s'; it has %s",
                     owner, TEXT_ARGS(key), list);
}

static enum status bad_value(const struct option *row, const char *owner,
                             struct text value, struct error *err)
{
    if (row->kind == OPTION_CHOICE) {
        char list[256] = "";
        size_t len = 0;
        for (size_t i = 0; row->choices[i] && len < sizeof list; i++)
            len += (size_t)snprintf(list + len, sizeof list - len, "%s%s",
                                    i ? ", " : "", row->choices[i]);
        return error_set(err, STATUS_USAGE, "%s: %s: '%.*s' is not one of %s",
                         owner, row->name, TEXT_ARGS(value), list);
    }
    if (row->kind == OPTION_BOOL || row->kind == OPTION_TEXT)
        return error_set(err, STATUS_USAGE, "%s: %s: '%.*s' is not a %s", owner,
                         row->name, TEXT_ARGS(value), option_kind_name(row));
    return error_set(
        err, STATUS_USAGE, "%s: %s: '%.*s' is not a %s from %g to %g", owner,
        row->name, TEXT_ARGS(value), option_kind_name(row), row->lo, row->hi);
}

static bool option_in_range(const struct option *row, double value)
{
    return value >= row->lo && value <= row->hi;
}

static bool set_choice(const struct option *row, void *at, struct text value)
{
    for (unsigned i = 0; row->choices[i]; i++) {
        if (text_is(value, row->choices[i])) {
            *(unsigned *)at = i;
            return true;
        }
    }
    return false;
}

static bool option_set_value(const struct option *row, void *at,
                             struct text value, struct arena *arena)
{
    uint64_t count;
    double number;
    sim_span span;
    switch (row->kind) {
    case OPTION_BOOL:
        return text_to_bool(value, (bool *)at);
    case OPTION_U32:
        if (!text_to_count(value, &count) || count > UINT32_MAX ||
            !option_in_range(row, (double)count))
            return false;
        *(uint32_t *)at = (uint32_t)count;
        return true;
    case OPTION_DOUBLE:
        if (!text_to_double(value, &number) || !option_in_range(row, number))
            return false;
        *(double *)at = number;
        return true;
    case OPTION_SPAN:
        if (!text_to_duration(value, &span) ||
            !option_in_range(row, span_seconds(span)))
            return false;
        *(sim_span *)at = span;
        return true;
    case OPTION_TEXT:
        *(const char **)at = arena_copy(arena, value.at, value.len);
        return true;
    case OPTION_CHOICE:
        return set_choice(row, at, value);
    case OPTION_END:
        break;
    }
    return false;
}

enum status option_set(const struct option *rows, void *config,
                       const char *owner, struct text key, struct text value,
                       struct arena *arena, struct error *err)
{
    const struct option *row = option_row_of(rows, key);
    if (!row)
        return option_unknown(&rows, 1, owner, key, err);
    if (!option_set_value(row, field(row, config), value, arena))
        return bad_value(row, owner, value, err);
    return STATUS_OK;
}

const char *option_value(const struct option *row, const void *config,
                         char buf[OPTION_TEXT_MAX])
{
    const char *at = (const char *)config + row->offset;
    size_t n;
    switch (row->kind) {
    case OPTION_BOOL:
        return *(const bool *)at ? "true" : "false";
    case OPTION_U32:
        snprintf(buf, OPTION_TEXT_MAX, "%" PRIu32, *(const uint32_t *)at);
        return buf;
    case OPTION_DOUBLE:
        snprintf(buf, OPTION_TEXT_MAX, "%.15g", *(const double *)at);
        return buf;
    case OPTION_SPAN:
        n = span_to_text(*(const sim_span *)at, buf);
        buf[n] = '\0';
        return buf;
    case OPTION_TEXT:
        return *(const char *const *)at ? *(const char *const *)at : "";
    case OPTION_CHOICE:
        return row->choices[*(const unsigned *)at];
    case OPTION_END:
        break;
    }
    return "";
}

const char *option_kind_name(const struct option *row)
{
    switch (row->kind) {
    case OPTION_BOOL:
        return "switch (true, false)";
    case OPTION_U32:
        return "whole number";
    case OPTION_DOUBLE:
        return "number";
    case OPTION_SPAN:
        return "time in seconds";
    case OPTION_TEXT:
        return "text";
    case OPTION_CHOICE:
        return "choice";
    case OPTION_END:
        break;
    }
    return "";
}

enum status spec_add_layers(const char *what, struct text layers,
                            struct spec *out, struct error *err)
{
    while (layers.len) {
        if (out->n_layers == SPEC_LAYERS_MAX)
            return error_set(err, STATUS_USAGE, "%s: more than %d layers", what,
                             SPEC_LAYERS_MAX);
        out->layers[out->n_layers++] = text_split(layers, '+', &layers);
    }
    return STATUS_OK;
}

enum status spec_parse(const char *what, struct text text, struct spec *out,
                       struct error *err)
{
    struct text settings, rest, whole = text;
    *out = (struct spec){0};
    text = text_split(text, ':', &settings);
    out->name = text_split(text, '+', &rest);
    if (out->name.len == 0)
        return error_set(err, STATUS_USAGE,
                         "%s: '%.*s' has no name; expected "
                         "NAME[:KEY=VALUE,...]",
                         what, TEXT_ARGS(whole));
    enum status st = spec_add_layers(what, rest, out, err);
    if (st != STATUS_OK)
        return st;
    while (settings.len) {
        struct text one = text_split(settings, ',', &settings), value;
        struct text key = text_split(one, '=', &value);
        bool bare = key.len > 0 && key.len == one.len;
        if (key.len == 0)
            return error_set(err, STATUS_USAGE, "%s: '%.*s' is not KEY=VALUE",
                             what, TEXT_ARGS(one));
        if (out->n_settings == SPEC_SETTINGS_MAX)
            return error_set(err, STATUS_USAGE, "%s: more than %d settings",
                             what, SPEC_SETTINGS_MAX);
        out->settings[out->n_settings++] =
            (struct spec_setting){.key = key,
                                  .value = bare ? text_from("true") : value,
                                  .bare = bare};
    }
    return STATUS_OK;
}

/* Takes the key off a condition, up to '=' or '!='. Returns its row. */
static const struct option *condition_row(const struct option *rows,
                                          struct text *condition, bool *differs)
{
    struct text key = text_split(*condition, '=', condition);
    *differs = key.len && key.at[key.len - 1] == '!';
    key.len -= *differs;
    const struct option *row = option_row_of(rows, key);
    CHECK(row);
    return row;
}

bool option_is_read(const struct option *rows, const struct option *row,
                    const void *config)
{
    char buf[OPTION_TEXT_MAX];
    bool differs, found = false;
    if (!row->when)
        return true;
    struct text values = text_from(row->when);
    const char *value =
        option_value(condition_row(rows, &values, &differs), config, buf);
    while (values.len && !found)
        found = text_is(text_split(values, '/', &values), value);
    return found != differs;
}

static enum status check_effects(const struct spec *spec,
                                 const struct option *rows, const void *config,
                                 const char *owner, struct error *err)
{
    char buf[OPTION_TEXT_MAX];
    bool differs;
    for (size_t i = 0; i < spec->n_settings; i++) {
        const struct option *row = option_row_of(rows, spec->settings[i].key);
        if (spec->settings[i].ruled || option_is_read(rows, row, config))
            continue;
        struct text condition = text_from(row->when);
        const struct option *other = condition_row(rows, &condition, &differs);
        return error_set(err, STATUS_USAGE,
                         "%s: %s has an effect only with %s, and %s is %s",
                         owner, row->name, row->when, other->name,
                         option_value(other, config, buf));
    }
    return STATUS_OK;
}

enum status spec_apply(const struct spec *spec, const struct option *rows,
                       void *config, const char *owner, struct arena *arena,
                       struct error *err)
{
    option_defaults(rows, config);
    for (size_t i = 0; i < spec->n_settings; i++) {
        const struct spec_setting *s = &spec->settings[i];
        const struct option *row = s->bare ? option_row_of(rows, s->key) : NULL;
        if (row && row->kind != OPTION_BOOL)
            return error_set(err, STATUS_USAGE,
                             "%s: '%.*s' is not KEY=VALUE, and no switch",
                             owner, TEXT_ARGS(s->key));
        enum status st =
            option_set(rows, config, owner, s->key, s->value, arena, err);
        if (st != STATUS_OK)
            return st;
    }
    return check_effects(spec, rows, config, owner, err);
}
