/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/verify/verify_csv.h"

#include <csv.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { COLUMNS_MAX = 128 };

struct reader {
    struct verify_csv *csv;
    size_t column, n_columns;
    /* by column of the file: index in csv->names; -1: not wanted */
    int cell_of[COLUMNS_MAX];
    struct arena texts; /* texts of the current row */
};

void verify_csv_fail(struct verify_csv *csv, unsigned cell)
{
    if (csv->st == STATUS_OK)
        csv->st = error_set(csv->err, STATUS_BAD_INPUT,
                            "%s:%" PRIu64
                            ": %s: '%.*s' is not a value of this column",
                            csv->path, csv->line, csv->names[cell],
                            TEXT_ARGS(csv->cells[cell]));
}

sim_span verify_csv_span(struct verify_csv *csv, unsigned cell)
{
    sim_span value = 0;
    if (!text_to_any_span(csv->cells[cell], &value))
        verify_csv_fail(csv, cell);
    return value;
}

sim_span verify_csv_optional_span(struct verify_csv *csv, unsigned cell)
{
    return csv->cells[cell].len ? verify_csv_span(csv, cell) : -1;
}

uint32_t verify_csv_count(struct verify_csv *csv, unsigned cell)
{
    uint32_t value = 0;
    if (!text_to_u32(csv->cells[cell], &value))
        verify_csv_fail(csv, cell);
    return value;
}

bool verify_csv_flag(struct verify_csv *csv, unsigned cell)
{
    bool set = text_is(csv->cells[cell], "1");
    if (!set && !text_is(csv->cells[cell], "0"))
        verify_csv_fail(csv, cell);
    return set;
}

bool verify_csv_ratio(struct verify_csv *csv, unsigned cell, double *out)
{
    if (csv->cells[cell].len == 0)
        return false;
    if (!text_to_double(csv->cells[cell], out))
        verify_csv_fail(csv, cell);
    return true;
}

static void on_head(struct reader *r, struct text cell)
{
    struct verify_csv *csv = r->csv;
    if (r->column == COLUMNS_MAX) {
        csv->st = error_set(csv->err, STATUS_BAD_INPUT,
                            "%s: more than %d columns", csv->path, COLUMNS_MAX);
        return;
    }
    r->cell_of[r->column] = -1;
    for (unsigned c = 0; c < csv->n_names; c++) {
        if (text_is(cell, csv->names[c]))
            r->cell_of[r->column] = (int)c;
    }
    r->n_columns = ++r->column;
}

static void csv_on_cell(void *at, size_t len, void *self)
{
    struct reader *r = self;
    struct verify_csv *csv = r->csv;
    if (csv->st != STATUS_OK)
        return;
    if (csv->line == 1) {
        on_head(r, (struct text){at, len});
        return;
    }
    if (r->column < r->n_columns && r->cell_of[r->column] >= 0)
        csv->cells[r->cell_of[r->column]] =
            (struct text){arena_copy(&r->texts, at, len), len};
    r->column++;
}

static void csv_check_head(const struct reader *r)
{
    struct verify_csv *csv = r->csv;
    bool found[VERIFY_CELLS_MAX] = {false};
    for (size_t i = 0; i < r->n_columns; i++) {
        if (r->cell_of[i] >= 0)
            found[r->cell_of[i]] = true;
    }
    for (unsigned c = 0; c + csv->n_optional < csv->n_names; c++) {
        if (!found[c] && csv->st == STATUS_OK)
            csv->st = error_set(csv->err, STATUS_BAD_INPUT,
                                "%s: no column '%s'", csv->path, csv->names[c]);
    }
}

static void csv_on_row(int end, void *self)
{
    struct reader *r = self;
    struct verify_csv *csv = r->csv;
    (void)end;
    if (csv->st != STATUS_OK)
        return;
    if (csv->line == 1)
        csv_check_head(r);
    else if (r->column != r->n_columns)
        csv->st = error_set(csv->err, STATUS_BAD_INPUT,
                            "%s:%" PRIu64 ": %zu cells, expected %zu",
                            csv->path, csv->line, r->column, r->n_columns);
    else
        csv->row(csv, csv->self);
    csv->line++;
    r->column = 0;
    arena_reset(&r->texts);
}

static void read_pieces(struct reader *r, struct csv_parser *parser, FILE *file)
{
    enum { PIECE = 1 << 16 };
    struct verify_csv *csv = r->csv;
    char *piece = mem_alloc(PIECE);
    size_t n;
    while (csv->st == STATUS_OK && (n = fread(piece, 1, PIECE, file)) > 0) {
        if (csv_parse(parser, piece, n, csv_on_cell, csv_on_row, r) != n &&
            csv->st == STATUS_OK)
            csv->st = error_set(csv->err, STATUS_BAD_INPUT,
                                "%s:%" PRIu64 ": %s", csv->path, csv->line,
                                csv_strerror(csv_error(parser)));
    }
    if (csv->st == STATUS_OK && ferror(file))
        csv->st = error_set(csv->err, STATUS_FAILED, "%s: %s", csv->path,
                            strerror(errno));
    if (csv->st == STATUS_OK &&
        csv_fini(parser, csv_on_cell, csv_on_row, r) != 0)
        csv->st = error_set(csv->err, STATUS_BAD_INPUT,
                            "%s: ends in a quoted cell", csv->path);
    if (csv->st == STATUS_OK && csv->line == 1)
        csv->st =
            error_set(csv->err, STATUS_BAD_INPUT, "%s: is empty", csv->path);
    free(piece);
}

enum status verify_csv_read(struct verify_csv *csv)
{
    struct reader r = {.csv = csv};
    struct csv_parser parser;
    FILE *file = fopen(csv->path, "rb");
    csv->line = 1;
    csv->st = STATUS_OK;
    if (!file)
        return error_set(csv->err, STATUS_BAD_INPUT, "%s: %s", csv->path,
                         strerror(errno));
    arena_init(&r.texts);
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
    read_pieces(&r, &parser, file);
    csv_free(&parser);
    arena_fini(&r.texts);
    fclose(file);
    return csv->st;
}
