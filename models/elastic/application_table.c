/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens and closes one table of an application, and reads its cells. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/elastic/application_internal.h"

enum status table_open(struct table_reader *r, const char *kind,
                       const char *which, const struct rows_column *columns,
                       size_t n, int16_t *at)
{
    snprintf(r->path, sizeof r->path, "%s/%.64s%s%.128s.csv", r->folder, kind,
             which ? "-" : "", which ? which : "");
    enum status st = rows_open(r->path, &r->rows, r->err);
    if (st == STATUS_OK)
        st = rows_header(r->rows, columns, n, at, r->err);
    if (st == STATUS_OK)
        st = rows_header_known(r->rows, columns, n, NULL, NULL, r->err);
    return st;
}

/* Adds a file to the list of files that the manifest names, unless it is there
 * already. */
static void note(struct applications *apps, const char *path,
                 const char *digest)
{
    for (size_t i = 0; i < apps->n_files; i++) {
        if (strcmp(apps->files[i].path, path) == 0)
            return;
    }
    apps->files = mem_grow(apps->files, &apps->cap_files, apps->n_files + 1,
                           sizeof *apps->files);
    apps->files[apps->n_files++] = (struct application_file){
        .path = arena_copy(&apps->arena, path, strlen(path)),
        .digest = arena_copy(&apps->arena, digest, strlen(digest)),
    };
}

void table_close(struct table_reader *r, bool whole)
{
    if (whole)
        note(r->apps, r->path, rows_digest(r->rows));
    rows_close(r->rows);
    r->rows = NULL;
}

enum status table_number(const struct table_reader *r, int at, double low,
                         double high, double *out)
{
    struct text cell = rows_cell(r->rows, at);
    if (!text_to_double(cell, out) || *out < low || *out > high)
        return rows_bad(r->rows, at, r->err,
                        "'%.*s' is not a number within %g..%g", TEXT_ARGS(cell),
                        low, high);
    return STATUS_OK;
}

enum status table_whole(const struct table_reader *r, int at, double high,
                        double *out)
{
    enum status st = table_number(r, at, 1, high, out);
    if (st == STATUS_OK && *out != floor(*out))
        st = rows_bad(r->rows, at, r->err, "'%g' is not a whole number", *out);
    return st;
}
