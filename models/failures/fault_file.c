/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a fault trace: which node failed from when to when. */
#include "models/failures/fault_internal.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "models/failures/causes.h"

enum {
    FAULT_FILE_START,
    FAULT_FILE_END,
    FAULT_FILE_NODE,
    FAULT_FILE_CLASS,
    FAULT_FILE_SCOPE,
    FAULT_FILE_GPU,
    FAULT_FILE_CAUSE,
    FAULT_FILE_N_COLUMNS
};

static enum status fault_file_json(struct rows *rows, const char *path,
                                   struct arena *arena, struct fault_file *out,
                                   struct error *err);

static const struct rows_column fault_file_columns[FAULT_FILE_N_COLUMNS] = {
    [FAULT_FILE_START] = {.names = "start_s", .required = true},
    [FAULT_FILE_END] = {.names = "end_s", .required = true},
    [FAULT_FILE_NODE] = {.names = "node", .required = true},
    [FAULT_FILE_CLASS] = {.names = "class", .required = true},
    [FAULT_FILE_SCOPE] = {.names = "scope"},
    [FAULT_FILE_GPU] = {.names = "gpu"},
    [FAULT_FILE_CAUSE] = {.names = "cause"},
};

/* Adds a record that is zeroed except for its order and an unknown GPU. The
 * pointer is valid until the next call. */
static struct fault_record *fault_file_add(struct fault_file *file)
{
    file->at = mem_grow(file->at, &file->cap, file->n + 1, sizeof *file->at);
    file->at[file->n] =
        (struct fault_record){.gpu = FAULT_GPU_UNKNOWN, .order = file->n};
    return &file->at[file->n++];
}

static const char *fault_file_copy(struct arena *arena, struct text text)
{
    char *s = arena_copy(arena, text.at ? text.at : "", text.len);
    text_clean(s);
    return s;
}

static enum status fault_file_read_times(struct rows *rows, const int16_t *at,
                                         struct fault_record *out,
                                         struct error *err)
{
    struct text start = rows_cell(rows, at[FAULT_FILE_START]);
    struct text end = rows_cell(rows, at[FAULT_FILE_END]);
    if (!text_to_span(start, &out->start) || out->start < 0)
        return rows_bad(rows, at[FAULT_FILE_START], err,
                        "'%.*s' is not a time of 0 s or more",
                        TEXT_ARGS(start));
    out->end = TIME_NEVER;
    if (end.len && (!text_to_span(end, &out->end) || out->end < out->start))
        return rows_bad(rows, at[FAULT_FILE_END], err,
                        "'%.*s' is not a time at or after the start, %.*s s",
                        TEXT_ARGS(end), TEXT_ARGS(start));
    return STATUS_OK;
}

/* Reads what the fault hits: the scope that the row names, otherwise the scope
 * of its class; the number of the GPU if the row names one; and whether the
 * class is an act of an operator. Refuses the scope storage, because a trace
 * names nodes. */
static enum status read_scope(struct rows *rows, const int16_t *at,
                              struct fault_record *out, struct error *err)
{
    struct text word = rows_cell(rows, at[FAULT_FILE_SCOPE]);
    struct text gpu = rows_cell(rows, at[FAULT_FILE_GPU]);
    const struct fault_class *class =
        fault_class_of(rows_cell(rows, at[FAULT_FILE_CLASS]));
    enum fault_scope scope = class->scope;
    uint32_t number = FAULT_GPU_UNKNOWN;
    if (word.len && (!fault_scope_find(word, &scope) || scope == FAULT_STORAGE))
        return rows_bad(rows, at[FAULT_FILE_SCOPE], err,
                        "'%.*s' is none of node, gpu, nvlink, nic",
                        TEXT_ARGS(word));
    if (gpu.len && (!text_to_u32(gpu, &number) || number >= NODE_GPUS_MAX))
        return rows_bad(rows, at[FAULT_FILE_GPU], err,
                        "'%.*s' is not the number of a GPU, 0..%d",
                        TEXT_ARGS(gpu), NODE_GPUS_MAX - 1);
    out->scope = (uint8_t)scope;
    out->gpu = (uint8_t)number;
    out->by_operator = class->by_operator;
    return STATUS_OK;
}

static enum status read_record(struct rows *rows, const int16_t *at,
                               struct arena *arena, struct fault_file *file,
                               struct error *err)
{
    struct fault_record record = {0};
    struct text node = rows_cell(rows, at[FAULT_FILE_NODE]);
    struct text class = rows_cell(rows, at[FAULT_FILE_CLASS]);
    struct text cause = rows_cell(rows, at[FAULT_FILE_CAUSE]);
    enum status st = fault_file_read_times(rows, at, &record, err);
    if (st == STATUS_OK && node.len == 0)
        st = rows_bad(rows, at[FAULT_FILE_NODE], err,
                      "expected the name of a node");
    if (st == STATUS_OK)
        st = read_scope(rows, at, &record, err);
    if (st != STATUS_OK)
        return st;
    record.node = fault_file_copy(arena, node);
    record.class = fault_file_copy(arena, class);
    record.cause = cause.len ? fault_file_copy(arena, cause)
                             : (class.len ? record.class : "fault");
    record.order = file->n;
    *fault_file_add(file) = record;
    return STATUS_OK;
}

static enum status fault_file_read_csv(struct rows *rows, const char *skip,
                                       struct arena *arena,
                                       struct fault_file *out,
                                       struct error *err)
{
    int16_t at[FAULT_FILE_N_COLUMNS] = {0};
    enum status st =
        rows_header(rows, fault_file_columns, FAULT_FILE_N_COLUMNS, at, err);
    if (st == STATUS_OK)
        st = rows_header_known(rows, fault_file_columns, FAULT_FILE_N_COLUMNS,
                               skip, "trace:skip=", err);
    while (st == STATUS_OK && (st = rows_next(rows, err)) == STATUS_OK)
        st = read_record(rows, at, arena, out, err);
    return st == STATUS_END ? STATUS_OK : st;
}

static int fault_file_by_start(const void *a, const void *b)
{
    const struct fault_record *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Finds the length of the trace, lets the records without an end last until
 * then, counts them in file->n_open, and sorts all records by start. */
static void fault_file_finish(struct fault_file *file)
{
    for (size_t i = 0; i < file->n; i++) {
        const struct fault_record *r = &file->at[i];
        sim_time last = r->end == TIME_NEVER ? r->start : r->end;
        file->length = last > file->length ? last : file->length;
    }
    for (size_t i = 0; i < file->n; i++) {
        if (file->at[i].end == TIME_NEVER) {
            file->at[i].end = file->length;
            file->n_open++;
        }
    }
    if (file->n)
        qsort(file->at, file->n, sizeof *file->at, fault_file_by_start);
}

static bool fault_file_is_json(struct text head)
{
    size_t i = 0;
    while (i < head.len && strchr(" \t\r\n", head.at[i]))
        i++;
    return text_char(head, i) == '[' || text_char(head, i) == '{';
}

enum status fault_file_read(const char *path, const char *skip,
                            struct arena *arena, struct fault_file *out,
                            struct error *err)
{
    struct rows *rows;
    *out = (struct fault_file){0};
    enum status st = rows_open(path, &rows, err);
    if (st != STATUS_OK)
        return st;
    st = fault_file_is_json(rows_head(rows))
             ? fault_file_json(rows, path, arena, out, err)
             : fault_file_read_csv(rows, skip, arena, out, err);
    rows_close(rows);
    if (st == STATUS_OK)
        fault_file_finish(out);
    return st;
}

void fault_file_fini(struct fault_file *file)
{
    free(file->at);
    *file = (struct fault_file){0};
}

/* Reads the fault trace of InfiniteHBD: an array of starts and ends of
 * faults. */

struct json_reader {
    const char *path; /* path of the file, for messages */
    char *data;       /* the bytes of the file */
    size_t len;       /* length of `data`, bytes */
    struct arena *arena;
    struct fault_file *out;
    struct error *err;
};

/* A position in the file; line and column count from 1. */
struct position {
    size_t line, column;
};

static struct position position_of(const struct json_reader *r, size_t at)
{
    struct position p = {.line = 1, .column = 1};
    for (size_t i = 0; i < at; i++) {
        p.column++;
        if (r->data[i] == '\n')
            p = (struct position){.line = p.line + 1, .column = 1};
    }
    return p;
}

/* Returns the offset after the text that begins at `at` with a quote. */
static size_t text_end(const struct json_reader *r, size_t at)
{
    for (at++; at < r->len && r->data[at] != '"'; at++)
        at += r->data[at] == '\\';
    return at + 1;
}

/* Returns the position of the first string `key` in element `index` of the
 * outermost array or, if the element has none, the position of the element.
 * Searches the bytes, because jansson keeps no positions. */
static struct position fault_file_find_key(const struct json_reader *r,
                                           size_t index, const char *key)
{
    size_t depth = 0, n = 0, begin = 0, end;
    for (size_t at = 0; at < r->len; at++) {
        char c = r->data[at];
        if (c == '"') {
            end = text_end(r, at);
            if (n == index + 1 && end - at - 2 == strlen(key) &&
                memcmp(r->data + at + 1, key, strlen(key)) == 0)
                return position_of(r, at);
            at = end - 1;
        } else if (c == '{' || c == '[') {
            n += depth == 1;
            if (depth++ == 1 && n == index + 1)
                begin = at;
        } else if (c == '}' || c == ']') {
            depth--;
        }
        if (n > index + 1)
            break;
    }
    return position_of(r, begin);
}

static enum status fault_file_bad(const struct json_reader *r, size_t index,
                                  const char *key, const char *expected)
{
    struct position p = fault_file_find_key(r, index, key);
    return error_set(r->err, STATUS_BAD_INPUT, "%s:%zu:%zu: %s: expected %s",
                     r->path, p.line, p.column, key, expected);
}

static enum status fault_file_read_time(const struct json_reader *r,
                                        size_t index, const json_t *event,
                                        sim_time *out)
{
    const json_t *at = json_object_get(event, "event_time");
    double seconds = json_is_number(at) ? json_number_value(at) * 86400 : -1;
    if (!(seconds >= 0 && span_from_outside(seconds, SECONDS_MAX, out)))
        return fault_file_bad(r, index, "event_time", "days, 0 or more");
    return STATUS_OK;
}

/* Returns the text of a key of the object; NULL if the key is missing or not a
 * text. */
static const char *fault_file_text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static const char *file_json_copy(const struct json_reader *r, const char *s)
{
    char *text = arena_copy(r->arena, s, strlen(s));
    text_clean(text);
    return text;
}

static void fault_file_add_start(const struct json_reader *r, sim_time at,
                                 const char *node, const char *class,
                                 const char *desc)
{
    const struct fault_class *known = fault_class_of(text_from(class));
    struct fault_record *record = fault_file_add(r->out);
    record->start = at;
    record->end = TIME_NEVER;
    record->node = file_json_copy(r, node);
    record->class = file_json_copy(r, class);
    record->cause = file_json_copy(r, desc);
    record->scope = (uint8_t)known->scope;
    record->by_operator = known->by_operator;
}

/* Ends at `at` the first open fault of the node with this class and cause that
 * began by then; false if there is none. */
static bool end_fault(const struct json_reader *r, sim_time at,
                      const char *node, const char *class, const char *desc)
{
    for (size_t i = 0; i < r->out->n; i++) {
        struct fault_record *record = &r->out->at[i];
        if (record->end == TIME_NEVER && record->start <= at &&
            strcmp(record->node, node) == 0 &&
            strcmp(record->class, class) == 0 &&
            strcmp(record->cause, desc) == 0) {
            record->end = at;
            return true;
        }
    }
    return false;
}

static enum status read_event(const struct json_reader *r, size_t index,
                              const json_t *event)
{
    const char *node = fault_file_text_of(event, "node_id");
    const char *kind = fault_file_text_of(event, "event_type");
    const json_t *type = json_object_get(event, "fault_type");
    const char *class = fault_file_text_of(type, "Class"),
               *desc = fault_file_text_of(type, "Desc");
    sim_time at = 0;
    enum status st = fault_file_read_time(r, index, event, &at);
    if (st != STATUS_OK)
        return st;
    if (!node || !*node)
        return fault_file_bad(r, index, "node_id", "the name of a node");
    if (!class || !desc || !*desc)
        return fault_file_bad(r, index, "fault_type",
                              "{\"Class\": TEXT, \"Desc\": TEXT}");
    bool starts = kind && strcmp(kind, "fault_start") == 0;
    if (starts) {
        fault_file_add_start(r, at, node, class, desc);
        return STATUS_OK;
    }
    if (!kind || strcmp(kind, "fault_end") != 0)
        return fault_file_bad(r, index, "event_type",
                              "fault_start or fault_end");
    if (!end_fault(r, at, node, class, desc))
        return fault_file_bad(
            r, index, "event_type",
            "a fault_start of this node and type before this fault_end");
    return STATUS_OK;
}

/* Reads all bytes of the file, decompressed, into r->data. */
static enum status fault_file_slurp(struct json_reader *r, struct rows *rows)
{
    size_t cap = 0;
    int c;
    while ((c = rows_byte(rows)) >= 0) {
        r->data = mem_grow(r->data, &cap, r->len + 1, 1);
        r->data[r->len++] = (char)c;
    }
    return rows_byte_status(rows, r->err);
}

static enum status read_events(const struct json_reader *r)
{
    json_error_t why;
    json_t *event, *root = json_loadb(r->data ? r->data : "", r->len,
                                      JSON_REJECT_DUPLICATES, &why);
    enum status st = STATUS_OK;
    size_t i;
    if (!root)
        return error_set(r->err, STATUS_BAD_INPUT, "%s:%d:%d: %s", r->path,
                         why.line, why.column, why.text);
    if (!json_is_array(root))
        st = error_set(r->err, STATUS_BAD_INPUT,
                       "%s:1:1: expected an array of events", r->path);
    json_array_foreach(root, i, event)
    {
        if (st == STATUS_OK)
            st = read_event(r, i, event);
    }
    json_decref(root);
    return st;
}

/* Reads JSON from a file whose reading has not begun, and adds the records
 * unsorted; `end` is TIME_NEVER if the file has no end for the fault. `path` is
 * for messages. */
static enum status fault_file_json(struct rows *rows, const char *path,
                                   struct arena *arena, struct fault_file *out,
                                   struct error *err)
{
    struct json_reader r = {
        .path = path, .arena = arena, .out = out, .err = err};
    enum status st = fault_file_slurp(&r, rows);
    if (st == STATUS_OK)
        st = read_events(&r);
    free(r.data);
    return st;
}
