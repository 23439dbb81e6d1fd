/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/args.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"

static bool in_range(const struct arg *row, double value)
{
    if (row->lo == 0 && row->hi == 0 && !row->above_lo)
        return true;
    bool low = row->above_lo ? value > row->lo : value >= row->lo;
    bool high = row->below_hi ? value < row->hi : value <= row->hi;
    return low && high;
}

static bool read_text(const struct arg *row, void *field, const char *value)
{
    (void)row;
    *(const char **)field = value;
    return true;
}

static bool read_view(const struct arg *row, void *field, const char *value)
{
    (void)row;
    *(struct text *)field = text_from(value);
    return true;
}

static bool read_flag(const struct arg *row, void *field, const char *value)
{
    (void)row;
    (void)value;
    *(bool *)field = true;
    return true;
}

static bool read_u64(const struct arg *row, void *field, const char *value)
{
    return text_to_u64(text_from(value), field) &&
           in_range(row, (double)*(uint64_t *)field);
}

static bool read_u32(const struct arg *row, void *field, const char *value)
{
    return text_to_u32(text_from(value), field) &&
           in_range(row, *(uint32_t *)field);
}

static bool read_double(const struct arg *row, void *field, const char *value)
{
    return text_to_double(text_from(value), field) &&
           in_range(row, *(double *)field);
}

static bool read_span(const struct arg *row, void *field, const char *value)
{
    return text_to_span(text_from(value), field) &&
           in_range(row, span_seconds(*(sim_span *)field));
}

/* Reads a date, or seconds since 1970, because some traces have seconds in
 * place of dates. */
static bool read_time(const struct arg *row, void *field, const char *value)
{
    bool zoned;
    (void)row;
    return text_to_time(text_from(value), field, &zoned) ||
           text_to_span(text_from(value), field);
}

static bool read_choice(const struct arg *row, void *field, const char *value)
{
    for (unsigned i = 0; row->choices[i]; i++) {
        if (strcmp(value, row->choices[i]) == 0) {
            *(unsigned *)field = i;
            return true;
        }
    }
    return false;
}

/* The reader of each kind, and the noun for its values in messages. Kinds
 * without a reader need more than the text of the value; see arg_store. */
static const struct {
    bool (*read)(const struct arg *row, void *field, const char *value);
    const char *words;
} kinds[] = {
    [ARG_FLAG] = {read_flag, ""},
    [ARG_TEXT] = {read_text, "a text"},
    [ARG_VIEW] = {read_view, "a text"},
    [ARG_U32] = {read_u32, "a whole number"},
    [ARG_U64] = {read_u64, "a whole number"},
    [ARG_DOUBLE] = {read_double, "a number"},
    [ARG_SPAN] = {read_span, "a time in seconds"},
    [ARG_TIME] = {read_time, "a date or a time in seconds since 1970"},
    [ARG_CHOICE] = {read_choice, "one of "},
    [ARG_SETTINGS] = {NULL, NULL},
};

static enum status refuse(const struct arg *row, const char *value,
                          struct error *err)
{
    char range[256] = "";
    size_t n = 0;
    for (size_t i = 0; row->choices && row->choices[i] && n < sizeof range; i++)
        n += (size_t)snprintf(range + n, sizeof range - n, "%s%s",
                              i ? ", " : "", row->choices[i]);
    if (row->above_lo)
        snprintf(range, sizeof range, " above %g", row->lo);
    else if (row->hi > 0 && isinf(row->hi))
        snprintf(range, sizeof range, ", %g or more", row->lo);
    else if (row->hi > 0)
        snprintf(range, sizeof range, ", %g to %s%g", row->lo,
                 row->below_hi ? "below " : "", row->hi);
    return error_set(err, STATUS_USAGE, "--%s: '%.500s' is not %s%s", row->name,
                     value, kinds[row->kind].words, range);
}

static enum status append(const struct arg *row, struct arg_list *list,
                          const char *value, struct error *err)
{
    if (list->n == ARG_LIST_MAX)
        return error_set(err, STATUS_USAGE, "--%s: at most %d times", row->name,
                         ARG_LIST_MAX);
    list->at[list->n++] = value;
    return STATUS_OK;
}

static enum status append_word(struct arg_words *words, const char *value,
                               struct arena *arena)
{
    if (words->n == words->cap) {
        size_t cap = words->cap ? 2 * words->cap : 16;
        const char **at = arena_alloc(arena, cap * sizeof *at);
        if (words->n)
            memcpy(at, words->at, words->n * sizeof *at);
        words->at = at;
        words->cap = cap;
    }
    words->at[words->n++] = value;
    return STATUS_OK;
}

static bool has_setting(const struct option *rows, struct text key)
{
    while (rows->kind != OPTION_END && !text_is(key, rows->name))
        rows++;
    return rows->kind != OPTION_END;
}

static enum status set(const struct arg *row, char *base, struct text key,
                       struct text value, const char *owner,
                       struct arena *arena, struct error *err)
{
    const struct option *all[4];
    size_t n = 0;
    for (const struct arg_table *t = row->tables; t->rows; t++) {
        if (has_setting(t->rows, key))
            return option_set(t->rows, base + t->offset, owner, key, value,
                              arena, err);
        CHECK(n < sizeof all / sizeof *all);
        all[n++] = t->rows;
    }
    return option_unknown(all, n, owner, key, err);
}

enum status arg_store(const struct arg *row, void *base, const char *value,
                      const char *owner, struct arena *arena, struct error *err)
{
    void *field = (char *)base + row->offset;
    struct text rest, key;
    if (row->kind == ARG_LIST)
        return append(row, field, value, err);
    if (row->kind == ARG_WORDS)
        return append_word(field, value, arena);
    if (row->kind == ARG_SETTING)
        return set(row, base, text_from(row->name), text_from(value), owner,
                   arena, err);
    if (row->kind == ARG_SETTINGS) {
        key = text_split(text_from(value), '=', &rest);
        if (!strchr(value, '='))
            return error_set(err, STATUS_USAGE,
                             "--%s: '%.500s' is not KEY=VALUE", row->name,
                             value);
        return set(row, base, key, rest, owner, arena, err);
    }
    if (kinds[row->kind].read(row, field, value))
        return STATUS_OK;
    return refuse(row, value, err);
}

void args_defaults(const struct arg *rows, void *base)
{
    for (; rows->kind != ARG_END; rows++) {
        void *field = (char *)base + rows->offset;
        if (rows->kind == ARG_TIME)
            *(sim_time *)field = ARG_NO_TIME;
        if (rows->initial)
            CHECK(kinds[rows->kind].read(rows, field, rows->initial));
        for (const struct arg_table *t = rows->tables; t && t->rows; t++)
            option_defaults(t->rows, (char *)base + t->offset);
    }
}
