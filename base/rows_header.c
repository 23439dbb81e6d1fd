/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header of a CSV file: which cell belongs to which column. */
#include <stdio.h>
#include <string.h>

#include "base/rows_internal.h"

/* Returns the cell with the first of `names` that the header has; -1 if it has
 * none of them, -2 if two cells have that name. */
static int find_column(const struct rows *r, const char *names)
{
    struct text rest = text_from(names);
    while (rest.len) {
        struct text name = text_split(rest, '|', &rest);
        int found = -1;
        for (size_t i = 0; i < r->n_header; i++) {
            if (text_equal(text_from(r->header[i]), name))
                found = found == -1 ? (int)i : -2;
        }
        if (found != -1)
            return found;
    }
    return -1;
}

/* Fills the error with the names of all required columns that are missing,
 * column `first` before the others. Returns STATUS_BAD_INPUT. */
static enum status lacks(const struct rows *r,
                         const struct rows_column *columns, size_t n,
                         size_t first, struct error *err)
{
    char more[512] = "";
    size_t len = 0;
    for (size_t i = first + 1; i < n && len < sizeof more; i++) {
        if (columns[i].required && find_column(r, columns[i].names) == -1)
            len += (size_t)snprintf(more + len, sizeof more - len, "%s%s",
                                    len ? ", " : ", and ", columns[i].names);
    }
    return rows_bad_at(r, r->line, 1, columns[first].names, err,
                       "the header lacks this column%s", more);
}

enum status rows_header(struct rows *r, const struct rows_column *columns,
                        size_t n, int16_t *at, struct error *err)
{
    enum status st = rows_next(r, err);
    if (st == STATUS_END)
        return rows_bad_at(r, 1, 1, "header", err, "there is no header line");
    if (st != STATUS_OK)
        return st;
    for (size_t i = 0; i < r->n_cells; i++) {
        struct text name = text_trim(r->cells[i]);
        r->header[i] = strndup(name.at ? name.at : "", name.len);
    }
    r->n_header = r->n_cells;
    for (size_t i = 0; i < n; i++) {
        int found = find_column(r, columns[i].names);
        if (found == -2)
            return rows_bad_at(r, r->line, 1, columns[i].names, err,
                               "the header names this column twice");
        if (found == -1 && columns[i].required)
            return lacks(r, columns, n, i, err);
        at[i] = (int16_t)found;
    }
    return STATUS_OK;
}

enum status rows_header_numbers(struct rows *r, struct error *err)
{
    enum status st = rows_next(r, err);
    if (st == STATUS_END)
        return rows_bad_at(r, 1, 1, "file", err, "expected at least one row");
    if (st != STATUS_OK)
        return st;
    for (size_t i = 0; i < r->n_cells; i++) {
        char name[32];
        snprintf(name, sizeof name, "#%zu", i + 1);
        r->header[i] = strdup(name);
    }
    r->n_header = r->n_cells;
    /* The window still holds the record, so that it can be read again. */
    r->at = r->keep;
    r->next_line = r->line;
    return STATUS_OK;
}

const char *rows_header_name(const struct rows *r, size_t cell)
{
    return cell < r->n_header ? r->header[cell] : NULL;
}

bool rows_head_names(struct text head, const char *const *names)
{
    struct text rest, line = text_split(head, '\n', &rest);
    if (line.len && line.at[line.len - 1] == '\r')
        line.len--;
    for (size_t i = 0; names[i]; i++) {
        bool found = false;
        struct text wanted = text_from(names[i]);
        while (wanted.len && !found) {
            struct text name = text_split(wanted, '|', &wanted), cells = line;
            while (cells.len && !found) {
                struct text cell = text_trim(text_split(cells, ',', &cells));
                if (cell.len >= 2 && cell.at[0] == '"')
                    cell = (struct text){cell.at + 1, cell.len - 2};
                found = text_equal(cell, name);
            }
        }
        if (!found)
            return false;
    }
    return true;
}
