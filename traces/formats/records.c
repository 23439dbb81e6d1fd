/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/formats/records.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/out.h"
#include "base/text.h"
#include "traces/formats/records_internal.h"

static enum status read_bytes(struct rows *source, struct out *to,
                              struct error *err)
{
    int byte;
    while ((byte = rows_byte(source)) >= 0)
        out_char(to, (char)byte);
    return rows_byte_status(source, err);
}

/* Makes rows of the bytes of `table`. */
static enum status open_table(const struct rows *source, struct out *table,
                              struct rows **out, struct error *err)
{
    const int fd = out_unnamed_file(out_memory(table));
    if (fd < 0)
        return error_set(err, STATUS_FAILED, "cannot keep a table in memory");
    return rows_take(fd, rows_path(source), out, err);
}

/* A table whose columns are found while its records are read. */
struct records_grid {
    struct arena arena;
    struct interner names; /* symbol - 1: column */
    struct text *cells;    /* of all records; `first` tells where one begins */
    uint32_t *columns;     /* by cell */
    size_t n_cells, cap_cells, cap_columns;
    size_t *first;
    size_t n_records, cap_records;
};

static void grid_init(struct records_grid *grid)
{
    *grid = (struct records_grid){0};
    arena_init(&grid->arena);
    interner_init(&grid->names);
}

static void records_grid_fini(struct records_grid *grid)
{
    free(grid->cells);
    free(grid->columns);
    free(grid->first);
    interner_fini(&grid->names);
    arena_fini(&grid->arena);
}

static void grid_begin(struct records_grid *grid)
{
    grid->first = mem_grow(grid->first, &grid->cap_records, grid->n_records + 1,
                           sizeof *grid->first);
    grid->first[grid->n_records++] = grid->n_cells;
}

static void grid_put(struct records_grid *grid, struct text name,
                     struct text value)
{
    const uint32_t column = interner_add(&grid->names, name);
    const size_t n = grid->n_cells;
    if (!name.len || column > ROWS_CELLS_MAX)
        return;
    grid->cells =
        mem_grow(grid->cells, &grid->cap_cells, n + 1, sizeof *grid->cells);
    grid->columns = mem_grow(grid->columns, &grid->cap_columns, n + 1,
                             sizeof *grid->columns);
    /* The rows of a table hold no line feeds. */
    char *copy = arena_alloc(&grid->arena, value.len + 1);
    for (size_t i = 0; i < value.len; i++)
        copy[i] =
            is_blank(value.at[i]) || value.at[i] == '\n' ? ' ' : value.at[i];
    grid->cells[n] = (struct text){copy, value.len};
    grid->columns[n] = column - 1;
    grid->n_cells++;
}

static void grid_write(const struct records_grid *grid, struct out *out)
{
    size_t n = grid->names.n_strings - 1;
    struct text row[ROWS_CELLS_MAX];
    n = n < ROWS_CELLS_MAX ? n : ROWS_CELLS_MAX;
    for (size_t k = 0; k < n; k++) {
        out_text(out, k ? "," : "");
        out_csv(out, text_from(interner_string(&grid->names, (uint32_t)k + 1)));
    }
    out_char(out, '\n');
    for (size_t i = 0; i < grid->n_records; i++) {
        const size_t end =
            i + 1 < grid->n_records ? grid->first[i + 1] : grid->n_cells;
        memset(row, 0, sizeof row);
        for (size_t c = grid->first[i]; c < end; c++)
            row[grid->columns[c]] = grid->cells[c];
        for (size_t k = 0; k < n; k++) {
            out_text(out, k ? "," : "");
            if (row[k].len)
                out_csv(out, row[k]);
        }
        out_char(out, '\n');
    }
}

#define ONE_RECORD_MOST 100 /* values of one job */
#define PATH_ROOM 512
#define RECORDS_DEPTH_MAX 12
/* Adds the values in `value` under the name `path`, whose length is `len`, and
 * those of its members under path.key or path.0. */
static void put_json(struct records_grid *grid, json_t *value, char *path,
                     size_t len, int depth)
{
    const char *key;
    json_t *member;
    char number[64];
    const size_t dot = len ? 1 : 0;
    size_t i;
    if (depth > RECORDS_DEPTH_MAX)
        return;
    if (json_is_object(value)) {
        json_object_foreach(value, key, member)
        {
            const size_t n = strlen(key);
            if (len + dot + n + 1 > PATH_ROOM)
                continue;
            memcpy(path + len, ".", dot);
            memcpy(path + len + dot, key, n);
            put_json(grid, member, path, len + dot + n, depth + 1);
        }
    } else if (json_is_array(value)) {
        json_array_foreach(value, i, member)
        {
            const int n = snprintf(number, sizeof number, "%zu", i);
            if (i == 4 || len + dot + (size_t)n + 1 > PATH_ROOM)
                return;
            memcpy(path + len, ".", dot);
            memcpy(path + len + dot, number, (size_t)n);
            put_json(grid, member, path, len + dot + (size_t)n, depth + 1);
        }
    } else {
        struct text t = {json_string_value(value), json_string_length(value)};
        if (json_is_integer(value))
            snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT,
                     json_integer_value(value));
        else if (json_is_real(value))
            snprintf(number, sizeof number, "%.15g", json_real_value(value));
        else if (json_is_boolean(value))
            snprintf(number, sizeof number, "%s",
                     json_is_true(value) ? "true" : "false");
        else
            number[0] = '\0';
        grid_put(grid, (struct text){path, len},
                 json_is_string(value) ? t : text_from(number));
    }
}

static void records_put_record(struct records_grid *grid, json_t *record)
{
    char path[PATH_ROOM];
    grid_begin(grid);
    put_json(grid, record, path, 0, 0);
}

/* Returns true for an object whose members are objects with the same keys, such
 * as records by id. */
static bool is_by_id(json_t *object)
{
    const char *key, *inner;
    json_t *member, *value, *first = NULL;
    size_t n = 0, n_keys = 0, n_known = 0;
    json_object_foreach(object, key, member)
    {
        if (!json_is_object(member))
            return false;
        first = first ? first : member;
        n++;
        json_object_foreach(member, inner, value)
        {
            n_keys++;
            n_known += json_object_get(first, inner) != NULL;
        }
    }
    return n > 1 && n_keys > 0 && n_known * 2 > n_keys;
}

/* Returns the list of records in an object that has one, such as {"items":
 * [...]}, or the records by id; NULL if it has neither. */
static json_t *list_in(json_t *object)
{
    const char *key;
    json_t *member;
    if (is_by_id(object))
        return object;
    json_object_foreach(object, key, member)
    {
        if (json_array_size(member) > 1 &&
            json_is_object(json_array_get(member, 0)))
            return member;
        if (json_is_object(member) && json_object_size(member) > 1 &&
            is_by_id(member))
            return member;
    }
    return NULL;
}

/* Adds one JSON value of the file: a record, or a list of records. `whole`:
 * true if the file has no other. */
static void records_put_value(struct records_grid *grid, json_t *value,
                              bool whole)
{
    const char *key;
    json_t *list = json_is_array(value) ? value : NULL;
    size_t i;
    json_t *member;
    if (json_is_object(value) && whole)
        list = list_in(value);
    if (!list) {
        records_put_record(grid, value);
        return;
    }
    json_object_foreach(list, key, member)
    {
        records_put_record(grid, member);
        grid_put(grid, text_from("key"), text_from(key));
    }
    json_array_foreach(list, i, member) records_put_record(grid, member);
}

static enum status records_read_json(const struct rows *source, struct text t,
                                     struct records_grid *grid,
                                     struct error *err)
{
    size_t at = 0, next, first = 0;
    while (at < t.len) {
        json_error_t why;
        while (at < t.len && memchr(" \t\r\n,", t.at[at], 5))
            at++;
        if (at == t.len)
            return STATUS_OK;
        json_t *value =
            json_loadb(t.at + at, t.len - at, JSON_DISABLE_EOF_CHECK, &why);
        if (!value)
            return rows_bad_at(source,
                               records_line(t, at) + (uint64_t)why.line - 1,
                               why.column > 0 ? (size_t)why.column : 1, "json",
                               err, "%s", why.text);
        next = at + (size_t)why.position;
        while (next < t.len && memchr(" \t\r\n,", t.at[next], 5))
            next++;
        records_put_value(grid, value, first == 0 && next == t.len);
        first = 1;
        json_decref(value);
        at = next;
    }
    return STATUS_OK;
}

/* Adds the values of "a=1 b=2". A value reaches to the last blank before the
 * next '=', so that it may have blanks. */
static void put_pairs(struct records_grid *grid, struct text t)
{
    while (t.len) {
        struct text rest, name = text_split(t, '=', &rest);
        size_t end = 0, blank = 0;
        if (name.len == t.len)
            return;
        while (end < rest.len && rest.at[end] != '=') {
            if (is_blank(rest.at[end]))
                blank = end;
            end++;
        }
        if (end == rest.len)
            blank = end;
        /* A value may hold '=', as in select=1:ngpus=4. */
        const char *next = memchr(rest.at, ' ', rest.len);
        if (blank == 0)
            blank = next ? (size_t)(next - rest.at) : rest.len;
        struct text value = text_trim((struct text){rest.at, blank});
        if (value.len > 1 && value.at[0] == '"' &&
            value.at[value.len - 1] == '"')
            value = (struct text){value.at + 1, value.len - 2};
        grid_put(grid, text_trim(name), value);
        t = text_trim(text_skip(rest, blank));
    }
}

/* The accounting of PBS: "date;E;id;a=1 b=2". Only jobs that ended (E) count.
 */
static void read_pbs(struct text t, struct records_grid *grid)
{
    while (t.len) {
        struct text line = text_split(t, '\n', &t), rest;
        struct text at = text_split(line, ';', &rest);
        struct text type = text_split(rest, ';', &rest);
        struct text id = text_split(rest, ';', &rest);
        if (!text_is(type, "E"))
            continue;
        grid_begin(grid);
        grid_put(grid, text_from("logged"), at);
        grid_put(grid, text_from("job_id"), id);
        put_pairs(grid, text_trim(rest));
    }
}

/* Records of several lines, "name value" or "a=1 b=2", between rules or blank
 * lines. */
static void read_blocks(struct text t, struct records_grid *grid)
{
    bool inside = false;
    while (t.len) {
        const struct text line = text_trim(text_split(t, '\n', &t));
        if (!line.len || line.at[0] == '\r' || records_is_rule(line)) {
            inside = false;
            continue;
        }
        if (!inside)
            grid_begin(grid);
        inside = true;
        if (memchr(line.at, '=', line.len)) {
            put_pairs(grid, line);
            continue;
        }
        size_t n = 0;
        while (n < line.len && !is_blank(line.at[n]) && line.at[n] != ':')
            n++;
        const bool colon = text_char(line, n) == ':';
        grid_put(grid, (struct text){line.at, n},
                 text_trim(text_skip(line, n + colon)));
    }
}

/* Each line is "a=1 b=2". */
static void read_pair_lines(struct text t, struct records_grid *grid)
{
    while (t.len) {
        const struct text line = text_trim(text_split(t, '\n', &t));
        if (!line.len)
            continue;
        grid_begin(grid);
        put_pairs(grid, line);
    }
}

/* Returns true for a line "date;E;id;a=1". */
static bool is_of_pbs(struct text line)
{
    struct text type;
    text_split(line, ';', &type);
    return type.len > 2 && type.at[1] == ';' && ascii_is_upper(type.at[0]) &&
           memchr(type.at, ';', type.len) && memchr(line.at, ';', line.len);
}

/* Returns true if most words of a line are NAME=VALUE. */
static bool is_of_pairs(struct text line)
{
    size_t n_words = 0, n_pairs = 0;
    if (memchr(line.at, '|', line.len))
        return false;
    while (line.len) {
        const struct text word = text_split(line, ' ', &line);
        n_words += word.len > 0;
        n_pairs += word.len > 2 && memchr(word.at + 1, '=', word.len - 1);
    }
    return n_pairs >= 2 && n_pairs * 2 > n_words;
}

/* Returns the first line that does not begin with '#'. */
static struct text after_comments(struct text t)
{
    struct text line = text_split(t, '\n', &t);
    while (text_char(line, 0) == '#' && t.len)
        line = text_split(t, '\n', &t);
    return line;
}

static enum records_layout layout_of(struct text head)
{
    struct text rest = head, line;
    while (head.len && memchr(" \t\r\n", head.at[0], 4))
        head = text_skip(head, 1);
    if (text_char(head, 0) == '{' || text_char(head, 0) == '[')
        return RECORDS_JSON;
    line = text_split(head, '\n', &rest);
    if (is_of_pbs(line))
        return RECORDS_PBS;
    if (records_is_sge(after_comments(head)))
        return RECORDS_SGE;
    if (records_is_rule(line) && line.len >= 10 && line.at[0] == '=')
        return RECORDS_BLOCKS;
    if (is_of_pairs(line))
        return memmem(head.at, head.len, "\n\n", 2) ||
                       memmem(head.at, head.len, "\n   ", 4)
                   ? RECORDS_BLOCKS
                   : RECORDS_PAIRS;
    return records_is_untidy(head) ? RECORDS_UNTIDY : RECORDS_TABLE;
}

/* Refuses a file of which all records would become one row. */
static enum status check_records(const struct rows *source,
                                 const struct records_grid *grid,
                                 struct error *err)
{
    if (grid->n_records > 1 || grid->names.n_strings < ONE_RECORD_MOST)
        return STATUS_OK;
    return rows_bad_at(source, 1, 1, interner_string(&grid->names, 1), err,
                       "the whole file would be one row of %u values, so its "
                       "records were not found; write a list of objects, one "
                       "for each job",
                       (unsigned)grid->names.n_strings - 1);
}

static enum status records_rewrite(const struct rows *source,
                                   enum records_layout layout, struct text t,
                                   struct out *table, struct error *err)
{
    struct records_grid grid;
    enum status st = STATUS_OK;
    if (layout == RECORDS_UNTIDY)
        return records_tidy(source, t, table, err);
    if (layout == RECORDS_SGE)
        return records_sge(source, t, table, err);
    grid_init(&grid);
    if (layout == RECORDS_JSON)
        st = records_read_json(source, t, &grid, err);
    else if (layout == RECORDS_PBS)
        read_pbs(t, &grid);
    else if (layout == RECORDS_BLOCKS)
        read_blocks(t, &grid);
    else
        read_pair_lines(t, &grid);
    if (st == STATUS_OK && layout == RECORDS_JSON)
        st = check_records(source, &grid, err);
    if (st == STATUS_OK)
        grid_write(&grid, table);
    records_grid_fini(&grid);
    return st;
}

enum status records_open(struct rows *source, struct rows **out,
                         char note[RECORDS_NOTE_MAX], struct error *err)
{
    static const char *const words[] = {
        [RECORDS_TABLE] = "",
        [RECORDS_JSON] = "read as JSON records",
        [RECORDS_PBS] = "read as the accounting of PBS, records of type E",
        [RECORDS_BLOCKS] = "read as records of several lines",
        [RECORDS_PAIRS] = "read as lines of NAME=VALUE",
        [RECORDS_SGE] =
            "read as Grid Engine's accounting; a request is of a whole job",
        [RECORDS_UNTIDY] =
            "lines that are neither the header nor jobs were skipped",
    };
    const enum records_layout layout = layout_of(rows_head(source));
    *out = NULL;
    snprintf(note, RECORDS_NOTE_MAX, "%s", words[layout]);
    if (layout == RECORDS_TABLE)
        return STATUS_OK;
    struct out *bytes = out_to_memory(), *table = out_to_memory();
    enum status st = read_bytes(source, bytes, err);
    if (st == STATUS_OK)
        st = records_rewrite(source, layout, out_memory(bytes), table, err);
    if (st == STATUS_OK)
        st = open_table(source, table, out, err);
    out_abandon(bytes);
    out_abandon(table);
    return st;
}
