/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/columns.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"

/* How a cell is converted to a value. */
enum value {
    VALUE_NONE,
    VALUE_TEXT,
    VALUE_GPUS,
    VALUE_COUNT,
    VALUE_TIME,
    VALUE_SPAN,
    VALUE_FIRST,
    VALUE_NUMBER,
    VALUE_FLAG,
    VALUE_STATE,
    VALUE_ELASTICITY,
};

#define INTO(of, into) \
    { \
        .value = (of), .field = offsetof(struct trace_row, into) \
    }
static const struct {
    enum value value;
    size_t field;
} kinds[COLUMN_N_KINDS] = {
    [COLUMN_ID] = INTO(VALUE_TEXT, source_id),
    [COLUMN_USER] = INTO(VALUE_TEXT, user),
    [COLUMN_VC] = INTO(VALUE_TEXT, vc),
    [COLUMN_NAME] = INTO(VALUE_TEXT, name),
    [COLUMN_MODEL] = INTO(VALUE_TEXT, model),
    [COLUMN_DATASET] = INTO(VALUE_TEXT, dataset),
    [COLUMN_GPU_TYPE] = INTO(VALUE_TEXT, gpu_type),
    [COLUMN_JOB_KIND] = INTO(VALUE_TEXT, kind),
    [COLUMN_PRIORITY] = INTO(VALUE_TEXT, priority),
    [COLUMN_CLUSTER] = INTO(VALUE_TEXT, cluster),
    [COLUMN_GPUS] = INTO(VALUE_GPUS, gpus),
    [COLUMN_CPUS] = INTO(VALUE_COUNT, cpus),
    [COLUMN_NODES] = INTO(VALUE_COUNT, nodes),
    [COLUMN_BATCH_SIZE] = INTO(VALUE_COUNT, batch_size),
    [COLUMN_ATTEMPTS] = INTO(VALUE_COUNT, attempts),
    [COLUMN_SUBMITTED] = INTO(VALUE_TIME, submitted),
    [COLUMN_DURATION] = INTO(VALUE_SPAN, duration),
    [COLUMN_QUEUE] = INTO(VALUE_SPAN, queue),
    [COLUMN_DECLARED] = INTO(VALUE_SPAN, declared),
    [COLUMN_DEADLINE] = INTO(VALUE_SPAN, deadline),
    [COLUMN_DEADLINES] = INTO(VALUE_FIRST, deadline),
    [COLUMN_STATE] = INTO(VALUE_STATE, end),
    [COLUMN_ELASTICITY] = INTO(VALUE_ELASTICITY, elasticity),
    [COLUMN_GPU_UTIL] = INTO(VALUE_NUMBER, gpu_util),
    [COLUMN_GPU_MEM] = INTO(VALUE_NUMBER, gpu_mem_mib),
    [COLUMN_MEM] = INTO(VALUE_NUMBER, mem_mib),
    [COLUMN_AMP] = INTO(VALUE_FLAG, amp),
};

static const struct column_word *find_word(const struct column_word *words,
                                           struct text t)
{
    for (; words && words->word; words++) {
        if (text_is(t, words->word))
            return words;
    }
    return NULL;
}

const char *column_word_of(const struct column_word *words, unsigned value)
{
    while (words->word && words->value != value)
        words++;
    return words->word ? words->word : "";
}

static bool has_default(const struct trace_column *column)
{
    return find_word(column->words, (struct text){0}) != NULL;
}

static enum status not_a_word(const struct columns *c,
                              const struct column_read *read, struct text t,
                              struct error *err)
{
    const struct column_word *last = NULL;
    char list[256] = "";
    size_t n = 0;
    for (const struct column_word *w = read->column->words; w->word; w++)
        last = w->word[0] ? w : last;
    for (const struct column_word *w = read->column->words; w <= last; w++) {
        const char *between = n == 0 ? "" : w == last ? " or " : ", ";
        if (w->word[0] && n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", between,
                                  w->word);
    }
    return rows_bad(c->rows, read->cell, err, "'%.*s' is not %s", TEXT_ARGS(t),
                    list);
}

static enum status read_word(const struct columns *c,
                             const struct column_read *read, unsigned *out,
                             struct error *err)
{
    struct text t = rows_cell(c->rows, read->cell);
    const struct column_word *word = find_word(read->column->words, t);
    if (!word && t.len)
        return not_a_word(c, read, t, err);
    if (word)
        *out = word->value;
    return STATUS_OK;
}

static enum status read_state(const struct columns *c,
                              const struct column_read *read,
                              enum trace_end *out, struct error *err)
{
    unsigned value = *out;
    enum status st = STATUS_OK;
    if (read->column->words)
        st = read_word(c, read, &value, err);
    else
        value = cells_end(rows_cell(c->rows, read->cell));
    *out = (enum trace_end)value;
    return st;
}

static enum status read_elasticity(const struct columns *c,
                                   const struct column_read *read,
                                   enum job_elasticity *out, struct error *err)
{
    unsigned value = *out;
    enum status st = read_word(c, read, &value, err);
    *out = (enum job_elasticity)value;
    return st;
}

static enum status read_span(const struct columns *c,
                             const struct column_read *read, sim_span *out,
                             struct error *err)
{
    if (read->column->unit == UNIT_MILLISECONDS)
        return cells_milliseconds(c->rows, read->cell, read->column->filled,
                                  out, err);
    if (read->column->unit != UNIT_SECONDS)
        return cells_length(c->rows, read->cell, read->column->unit, out, err);
    return cells_span(c->rows, read->cell, out, err);
}

/* Reads the first of several lengths of time. */
static enum status read_first(const struct columns *c,
                              const struct column_read *read, sim_span *out,
                              struct error *err)
{
    struct text t = rows_cell(c->rows, read->cell), rest;
    if (cells_tell_nothing(t) ||
        text_to_span(text_trim(text_split(t, '-', &rest)), out))
        return STATUS_OK;
    return rows_bad(c->rows, read->cell, err,
                    "'%.*s' is not a number of seconds, or several joined with "
                    "'-'",
                    TEXT_ARGS(t));
}

static enum status read_time(struct columns *c, const struct column_read *read,
                             sim_time *out, struct error *err)
{
    bool filled = read->column->kind == COLUMN_SUBMITTED;
    enum status st;
    if (read->column->unit == UNIT_DATE)
        return filled
                   ? cells_submitted(c->rows, read->cell, &c->clock, out, err)
                   : cells_time(c->rows, read->cell, &c->clock, out, err);
    if (read->column->unit > UNIT_DATE)
        return cells_instant(c->rows, read->cell, read->column->unit, &c->clock,
                             c->epoch, filled, out, err);
    if (read->column->unit == UNIT_MILLISECONDS)
        st = cells_milliseconds(c->rows, read->cell, filled, out, err);
    else if (filled)
        st = cells_since(c->rows, read->cell, out, err);
    else
        st = cells_span(c->rows, read->cell, out, err);
    if (st == STATUS_OK && *out != TRACE_NO_TIME)
        *out += c->epoch;
    return st;
}

static enum status read_count(const struct columns *c,
                              const struct column_read *read, uint32_t *out,
                              struct error *err)
{
    if (read->column->filled &&
        cells_tell_nothing(rows_cell(c->rows, read->cell)))
        return rows_bad(c->rows, read->cell, err,
                        "empty; a whole number is expected");
    return cells_count(c->rows, read->cell, out, err);
}

static enum status read_flag(const struct columns *c,
                             const struct column_read *read, bool *out,
                             struct error *err)
{
    struct text t = rows_cell(c->rows, read->cell);
    if (cells_tell_nothing(t) || text_to_bool(t, out))
        return STATUS_OK;
    return rows_bad(c->rows, read->cell, err, "'%.*s' is not 0 or 1",
                    TEXT_ARGS(t));
}

static enum status read_column(struct columns *c,
                               const struct column_read *read,
                               struct trace_row *row, struct error *err)
{
    void *field = (char *)row + read->field;
    switch ((enum value)read->value) {
    case VALUE_GPUS:
        return cells_gpus(c->rows, read->cell, field, err);
    case VALUE_COUNT:
        return read_count(c, read, field, err);
    case VALUE_TIME:
        return read_time(c, read, field, err);
    case VALUE_SPAN:
        return read_span(c, read, field, err);
    case VALUE_FIRST:
        return read_first(c, read, field, err);
    case VALUE_NUMBER:
        return cells_number(c->rows, read->cell, field, err);
    case VALUE_FLAG:
        return read_flag(c, read, field, err);
    case VALUE_STATE:
        return read_state(c, read, field, err);
    case VALUE_ELASTICITY:
        return read_elasticity(c, read, field, err);
    case VALUE_TEXT: /* columns_fill reads texts itself */
    case VALUE_NONE:
        break;
    }
    return STATUS_OK;
}

/* Computes the waiting time and the duration from start and end, if the row
 * lacks them and has the times that this needs. */
static enum status read_start_and_end(struct columns *c, struct trace_row *row,
                                      struct error *err)
{
    sim_time start = TRACE_NO_TIME, end = TRACE_NO_TIME;
    enum status st = STATUS_OK;
    if (c->start.column)
        st = read_time(c, &c->start, &start, err);
    if (st == STATUS_OK && c->end.column)
        st = read_time(c, &c->end, &end, err);
    if (st != STATUS_OK || start == TRACE_NO_TIME)
        return st;
    if (row->queue == TRACE_NO_TIME)
        row->queue = start - row->submitted;
    if (row->duration == TRACE_NO_TIME && end != TRACE_NO_TIME)
        row->duration = end - start;
    return STATUS_OK;
}

static enum status read_due(struct columns *c, struct trace_row *row,
                            struct error *err)
{
    sim_time due = TRACE_NO_TIME;
    enum status st = read_time(c, &c->due, &due, err);
    if (st == STATUS_OK && due != TRACE_NO_TIME)
        row->deadline = due - row->submitted;
    return st;
}

enum status columns_next(struct columns *c, struct trace_row *row,
                         struct error *err)
{
    enum status st = rows_next(c->rows, err);
    if (st == STATUS_OK)
        return columns_fill(c, row, err);
    row->line = rows_line_number(c->rows);
    return st;
}

enum status columns_fill(struct columns *c, struct trace_row *row,
                         struct error *err)
{
    enum status st = STATUS_OK;
    row->line = rows_line_number(c->rows);
    for (size_t i = 0; i < c->n_reads && st == STATUS_OK; i++) {
        const struct column_read *read = &c->reads[i];
        if (read->value == VALUE_TEXT)
            *(struct text *)((char *)row + read->field) = c->cells[read->cell];
        else if (!read->may_be_empty || c->cells[read->cell].len)
            st = read_column(c, read, row, err);
    }
    if (st == STATUS_OK && c->start.column &&
        (row->queue == TRACE_NO_TIME || row->duration == TRACE_NO_TIME))
        st = read_start_and_end(c, row, err);
    if (st == STATUS_OK && c->due.column)
        st = read_due(c, row, err);
    return st;
}

uint32_t columns_rare(const struct columns *c)
{
    uint32_t facts = c->due.column ? TRACE_BIT(DEADLINE) : 0;
    for (size_t i = 0; i < c->n_reads; i++) {
        const enum column_kind kind = c->reads[i].column->kind;
        facts |= kind == COLUMN_DEADLINE    ? TRACE_BIT(DEADLINE)
                 : kind == COLUMN_DEADLINES ? TRACE_BIT(DEADLINE)
                 : kind == COLUMN_PRIORITY  ? TRACE_BIT(PRIORITY)
                 : kind == COLUMN_CLUSTER   ? TRACE_BIT(CLUSTER)
                 : kind == COLUMN_MEM       ? TRACE_BIT(MEM)
                                            : 0;
    }
    return facts;
}

/* Copies the names of the columns, and which of them the header must have, for
 * the reader of the header. */
static void heads_of(const struct trace_column *table, size_t n,
                     struct rows_column heads[COLUMNS_MAX])
{
    CHECK(n <= COLUMNS_MAX);
    for (size_t i = 0; i < n; i++)
        heads[i] = (struct rows_column){.names = table[i].names,
                                        .required = table[i].required};
}

static bool is_read(const struct columns *c, enum column_kind kind)
{
    for (size_t i = 0; i < c->n_reads; i++) {
        if (c->reads[i].column->kind == kind)
            return true;
    }
    return false;
}

static void add_column(struct columns *c, size_t i)
{
    const struct trace_column *column = &c->table[i];
    const bool filled = column->filled || column->kind == COLUMN_GPUS ||
                        column->kind == COLUMN_SUBMITTED;
    const struct column_read read = {
        .column = column,
        .cell = c->cell_of[i],
        .value = (uint8_t)kinds[column->kind].value,
        .may_be_empty = !filled && !has_default(column),
        .field = kinds[column->kind].field,
    };
    struct column_read *once = column->kind == COLUMN_START ? &c->start
                               : column->kind == COLUMN_END ? &c->end
                               : column->kind == COLUMN_DUE ? &c->due
                                                            : NULL;
    if (read.cell < 0 && !has_default(column))
        return;
    CHECK(read.cell >= 0 || read.value != VALUE_TEXT);
    if (once && !once->column)
        *once = read;
    else if (!once && column->kind != COLUMN_OTHER && !is_read(c, column->kind))
        c->reads[c->n_reads++] = read;
}

static enum status no_submission(const struct columns *c, struct error *err)
{
    size_t i = 0;
    while (i + 1 < c->n_table && c->table[i].kind != COLUMN_SUBMITTED)
        i++;
    return rows_bad_at(c->rows, rows_line_number(c->rows), 1, c->table[i].names,
                       err, "the header lacks this column");
}

enum status columns_use(struct columns *c, const struct trace_column *table,
                        size_t n_table, const int16_t *cells, struct rows *rows,
                        struct error *err)
{
    CHECK(n_table <= COLUMNS_MAX);
    *c = (struct columns){.rows = rows,
                          .cells = rows_cells(rows),
                          .table = table,
                          .n_table = n_table,
                          .start.cell = -1,
                          .end.cell = -1,
                          .due.cell = -1};
    memcpy(c->cell_of, cells, n_table * sizeof *cells);
    for (size_t i = 0; i < n_table; i++)
        add_column(c, i);
    return is_read(c, COLUMN_SUBMITTED) ? STATUS_OK : no_submission(c, err);
}

enum status columns_open(struct columns *c, const struct trace_column *table,
                         size_t n_table, struct rows *rows, struct error *err)
{
    struct rows_column heads[COLUMNS_MAX] = {0};
    int16_t cells[COLUMNS_MAX];
    heads_of(table, n_table, heads);
    enum status st = rows_header(rows, heads, n_table, cells, err);
    return st == STATUS_OK ? columns_use(c, table, n_table, cells, rows, err)
                           : st;
}

enum status columns_known(const struct columns *c, const char *skip,
                          const char *ask, struct error *err)
{
    struct rows_column heads[COLUMNS_MAX] = {0};
    heads_of(c->table, c->n_table, heads);
    return rows_header_known(c->rows, heads, c->n_table, skip, ask, err);
}

int columns_find(const struct columns *c, const char *names)
{
    for (size_t i = 0; i < c->n_table; i++) {
        if (strcmp(c->table[i].names, names) == 0)
            return c->cell_of[i];
    }
    return -1;
}
