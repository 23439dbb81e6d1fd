/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/verify/verify_csv.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/rows.h"

void verify_csv_fail(struct verify_csv *csv, unsigned cell)
{
    if (csv->st == STATUS_OK)
        csv->st = error_set(csv->err, STATUS_BAD_INPUT,
                            "%s:%" PRIu64
                            ": %s: '%.*s' is not a value of this column",
                            csv->path, csv->line, csv->names[cell],
                            TEXT_ARGS(verify_csv_cell(csv, cell)));
}

sim_span verify_csv_span(struct verify_csv *csv, unsigned cell)
{
    sim_span value = 0;
    if (!text_to_any_span(verify_csv_cell(csv, cell), &value))
        verify_csv_fail(csv, cell);
    return value;
}

sim_span verify_csv_optional_span(struct verify_csv *csv, unsigned cell)
{
    return verify_csv_cell(csv, cell).len ? verify_csv_span(csv, cell) : -1;
}

uint32_t verify_csv_count(struct verify_csv *csv, unsigned cell)
{
    uint32_t value = 0;
    if (!text_to_u32(verify_csv_cell(csv, cell), &value))
        verify_csv_fail(csv, cell);
    return value;
}

bool verify_csv_flag(struct verify_csv *csv, unsigned cell)
{
    bool set = text_is(verify_csv_cell(csv, cell), "1");
    if (!set && !text_is(verify_csv_cell(csv, cell), "0"))
        verify_csv_fail(csv, cell);
    return set;
}

bool verify_csv_ratio(struct verify_csv *csv, unsigned cell, double *out)
{
    if (verify_csv_cell(csv, cell).len == 0)
        return false;
    if (!text_to_double(verify_csv_cell(csv, cell), out))
        verify_csv_fail(csv, cell);
    return true;
}

/* Finds the columns. The error names all that the file lacks, except optional
 * ones. */
static enum status csv_find_columns(struct verify_csv *csv, struct rows *rows)
{
    struct rows_column columns[VERIFY_CELLS_MAX] = {0};
    char lacks[512] = "";
    size_t len = 0;
    for (unsigned c = 0; c < csv->n_names; c++)
        columns[c].names = csv->names[c] ? csv->names[c] : "";
    enum status st =
        rows_header(rows, columns, csv->n_names, csv->at, csv->err);
    if (st != STATUS_OK)
        return st;
    for (unsigned c = 0; c + csv->n_optional < csv->n_names; c++) {
        if (csv->at[c] >= 0 || !csv->names[c])
            continue;
        int n = snprintf(lacks + len, sizeof lacks - len, "%s'%s'",
                         len ? ", " : "", csv->names[c]);
        len += n > 0 && (size_t)n < sizeof lacks - len ? (size_t)n : 0;
    }
    return len ? error_set(csv->err, STATUS_BAD_INPUT,
                           "%s: no column %s, which this command needs",
                           csv->path, lacks)
               : STATUS_OK;
}

enum status verify_csv_read(struct verify_csv *csv)
{
    struct rows *rows;
    csv->st = rows_open(csv->path, &rows, csv->err);
    if (csv->st != STATUS_OK)
        return csv->st;
    rows_skip_digest(rows);
    csv->st = csv_find_columns(csv, rows);
    csv->row_cells = rows_cells(rows);
    while (csv->st == STATUS_OK) {
        csv->st = rows_next(rows, csv->err);
        if (csv->st != STATUS_OK)
            break;
        csv->line = rows_line_number(rows);
        csv->row(csv, csv->self);
    }
    rows_close(rows);
    if (csv->st == STATUS_END)
        csv->st = STATUS_OK;
    return csv->st;
}
