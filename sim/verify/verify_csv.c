/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/verify/verify_csv.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/rows.h"

/* Returns the status of a file that was read and says what it must not. */
static enum status csv_wrong(const struct verify_csv *csv)
{
    return csv->tables ? STATUS_BROKEN : STATUS_BAD_INPUT;
}

static const char *csv_name(const struct verify_csv *csv)
{
    return csv->tables ? strrchr(csv->path, '/') + 1 : csv->path;
}

void verify_csv_fail(struct verify_csv *csv, unsigned cell)
{
    if (csv->st == STATUS_OK)
        csv->st = error_set(csv->err, csv_wrong(csv),
                            "%s:%" PRIu64
                            ": %s: '%.*s' is not a value of this column",
                            csv_name(csv), csv->line, csv->names[cell],
                            TEXT_ARGS(verify_csv_cell(csv, cell)));
}

void verify_csv_say(const struct verify_csv *csv, unsigned cell,
                    const char *what)
{
    verify_say(csv->report, "%s:%" PRIu64 ": %s: is '%.*s', but %s",
               csv_name(csv), csv->line, csv->names[cell],
               TEXT_ARGS(verify_csv_cell(csv, cell)), what);
}

/* Returns the value of a cell of a column that the file has, if the rules of
 * its row were checked; NULL if they were not. */
static inline const union verify_value *csv_value(const struct verify_csv *csv,
                                                  unsigned cell)
{
    return csv->rules ? &verify_rules_values(csv->rules)[csv->at[cell]] : NULL;
}

sim_span verify_csv_span(struct verify_csv *csv, unsigned cell)
{
    const union verify_value *known = csv_value(csv, cell);
    sim_span value = 0;
    if (known)
        return known->whole;
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
    const union verify_value *known = csv_value(csv, cell);
    uint32_t value = 0;
    if (known && known->whole <= UINT32_MAX)
        return (uint32_t)known->whole;
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
    const union verify_value *known = csv_value(csv, cell);
    if (verify_csv_cell(csv, cell).len == 0)
        return false;
    if (known)
        *out = known->ratio;
    else if (!text_to_double(verify_csv_cell(csv, cell), out))
        verify_csv_fail(csv, cell);
    return true;
}

/* Finds the columns. The error names all that the file lacks, except optional
 * ones. */
static enum status csv_find_columns(struct verify_csv *csv, struct rows *rows)
{
    struct rows_column columns[VERIFY_CELLS_MAX] = {0};
    char lacks[VERIFY_CELLS_MAX * 36] = ""; /* no name has 32 bytes */
    size_t len = 0;
    for (unsigned c = 0; c < csv->n_names; c++)
        columns[c].names = csv->names[c] ? csv->names[c] : "";
    enum status st =
        rows_header(rows, columns, csv->n_names, csv->at, csv->err);
    if (st == STATUS_OK && csv->tables)
        st = verify_rules_new(rows, csv, &csv->rules, csv->err);
    if (st != STATUS_OK)
        return st;
    for (unsigned c = 0; c + csv->n_optional < csv->n_names; c++) {
        if (csv->at[c] >= 0 || !csv->names[c])
            continue;
        len += (size_t)snprintf(lacks + len, sizeof lacks - len, "%s'%s'",
                                len ? ", " : "", csv->names[c]);
    }
    return len ? error_set(csv->err, STATUS_BAD_INPUT,
                           "%s: no column %s, which this command needs",
                           csv->path, lacks)
               : STATUS_OK;
}

/* Checks the rules of the row. Returns false if a cell has not its form. */
static bool csv_check_row(struct verify_csv *csv)
{
    const int cell =
        csv->rules ? verify_rules_check(csv->rules, csv->row_cells, csv->line)
                   : -1;
    if (cell >= 0)
        csv->st =
            verify_rules_fail(csv->rules, cell, csv->row_cells[cell], csv->err);
    return cell < 0;
}

/* Takes a status of base/rows.h. */
static enum status csv_take(struct verify_csv *csv, enum status st)
{
    csv->st = st;
    if (st == STATUS_BAD_INPUT)
        csv->st = csv->err->status = csv_wrong(csv);
    return csv->st;
}

enum status verify_csv_open(struct verify_csv *csv)
{
    const int fd = open(csv->path, O_RDONLY | O_CLOEXEC);
    csv->rows = NULL;
    csv->rules = NULL;
    if (fd < 0)
        return csv->st = error_set(csv->err, STATUS_BAD_INPUT,
                                   "%s:1:1: file: cannot open: %s", csv->path,
                                   strerror(errno));
    if (csv_take(csv, rows_take(fd, csv->path, &csv->rows, csv->err)) !=
        STATUS_OK) {
        csv->rows = NULL;
        return csv->st;
    }
    rows_skip_digest(csv->rows);
    csv->st = csv_find_columns(csv, csv->rows);
    csv->row_cells = rows_cells(csv->rows);
    return csv->st;
}

bool verify_csv_next(struct verify_csv *csv)
{
    if (csv->st != STATUS_OK ||
        csv_take(csv, rows_next(csv->rows, csv->err)) != STATUS_OK)
        return false;
    csv->line = rows_line_number(csv->rows);
    return csv_check_row(csv);
}

enum status verify_csv_close(struct verify_csv *csv)
{
    if (csv->rows)
        rows_close(csv->rows);
    verify_rules_free(csv->rules);
    csv->rows = NULL;
    csv->rules = NULL;
    return csv->st == STATUS_END ? STATUS_OK : csv->st;
}

enum status verify_csv_read(struct verify_csv *csv)
{
    if (verify_csv_open(csv) == STATUS_OK) {
        while (verify_csv_next(csv))
            csv->row(csv, csv->self);
    }
    return verify_csv_close(csv);
}
