/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/failures/fault_file.h"

#include <stdlib.h>
#include <string.h>

#include "models/failures/fault_class.h"
#include "models/failures/fault_file_internal.h"

enum { START, END, NODE, CLASS, SCOPE, GPU, CAUSE, N_COLUMNS };

static const struct rows_column columns[N_COLUMNS] = {
    [START] = {.names = "start_s", .required = true},
    [END] = {.names = "end_s", .required = true},
    [NODE] = {.names = "node", .required = true},
    [CLASS] = {.names = "class", .required = true},
    [SCOPE] = {.names = "scope"},
    [GPU] = {.names = "gpu"},
    [CAUSE] = {.names = "cause"},
};

struct fault_record *fault_file_add(struct fault_file *file)
{
    file->at = mem_grow(file->at, &file->cap, file->n + 1, sizeof *file->at);
    file->at[file->n] =
        (struct fault_record){.gpu = FAULT_GPU_UNKNOWN, .order = file->n};
    return &file->at[file->n++];
}

static const char *copy(struct arena *arena, struct text text)
{
    char *s = arena_copy(arena, text.at ? text.at : "", text.len);
    text_clean(s);
    return s;
}

static enum status read_times(struct rows *rows, const int16_t *at,
                              struct fault_record *out, struct error *err)
{
    struct text start = rows_cell(rows, at[START]);
    struct text end = rows_cell(rows, at[END]);
    if (!text_to_span(start, &out->start) || out->start < 0)
        return rows_bad(rows, at[START], err,
                        "'%.*s' is not a time of 0 s or more",
                        TEXT_ARGS(start));
    out->end = TIME_NEVER;
    if (end.len && (!text_to_span(end, &out->end) || out->end < out->start))
        return rows_bad(rows, at[END], err,
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
    struct text word = rows_cell(rows, at[SCOPE]);
    struct text gpu = rows_cell(rows, at[GPU]);
    const struct fault_class *class =
        fault_class_of(rows_cell(rows, at[CLASS]));
    enum fault_scope scope = class->scope;
    uint32_t number = FAULT_GPU_UNKNOWN;
    if (word.len && (!fault_scope_find(word, &scope) || scope == FAULT_STORAGE))
        return rows_bad(rows, at[SCOPE], err,
                        "'%.*s' is none of node, gpu, nvlink, nic",
                        TEXT_ARGS(word));
    if (gpu.len && (!text_to_u32(gpu, &number) || number >= NODE_GPUS_MAX))
        return rows_bad(rows, at[GPU], err,
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
    struct text node = rows_cell(rows, at[NODE]);
    struct text class = rows_cell(rows, at[CLASS]);
    struct text cause = rows_cell(rows, at[CAUSE]);
    enum status st = read_times(rows, at, &record, err);
    if (st == STATUS_OK && node.len == 0)
        st = rows_bad(rows, at[NODE], err, "expected the name of a node");
    if (st == STATUS_OK)
        st = read_scope(rows, at, &record, err);
    if (st != STATUS_OK)
        return st;
    record.node = copy(arena, node);
    record.class = copy(arena, class);
    record.cause =
        cause.len ? copy(arena, cause) : (class.len ? record.class : "fault");
    record.order = file->n;
    *fault_file_add(file) = record;
    return STATUS_OK;
}

static enum status read_csv(struct rows *rows, const char *skip,
                            struct arena *arena, struct fault_file *out,
                            struct error *err)
{
    int16_t at[N_COLUMNS] = {0};
    enum status st = rows_header(rows, columns, N_COLUMNS, at, err);
    if (st == STATUS_OK)
        st = rows_header_known(rows, columns, N_COLUMNS, skip,
                               "trace:skip=", err);
    while (st == STATUS_OK && (st = rows_next(rows, err)) == STATUS_OK)
        st = read_record(rows, at, arena, out, err);
    return st == STATUS_END ? STATUS_OK : st;
}

static int by_start(const void *a, const void *b)
{
    const struct fault_record *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Finds the length of the trace, lets the records without an end last until
 * then, counts them in file->n_open, and sorts all records by start. */
static void finish(struct fault_file *file)
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
        qsort(file->at, file->n, sizeof *file->at, by_start);
}

static bool is_json(struct text head)
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
    st = is_json(rows_head(rows)) ? fault_file_json(rows, path, arena, out, err)
                                  : read_csv(rows, skip, arena, out, err);
    rows_close(rows);
    if (st == STATUS_OK)
        finish(out);
    return st;
}

void fault_file_fini(struct fault_file *file)
{
    free(file->at);
    *file = (struct fault_file){0};
}
