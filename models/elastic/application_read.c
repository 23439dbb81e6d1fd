/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads one application from its folder: validation-M.csv for each total batch
 * size M, and step times for each GPU type of the cluster that has tables. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/elastic/application_internal.h"

#define SIZES_MAX 64

/* Reads one validation file. Sets gradients[e] and lowers progress[e + 1] to
 * the progress after epoch e = 0, 1, ... in this file, so that `progress`
 * becomes the minimum over all files. Fails if progress does not grow from row
 * to row or the file has fewer rows than the job has epochs. */
static enum status read_epochs(struct table_reader *r, const char *size,
                               double *progress, struct gradient *gradients)
{
    static const struct rows_column columns[] = {
        {.names = "progress", .required = true},
        {.names = "grad_sqr", .required = true},
        {.names = "grad_var", .required = true},
        /* The published files have these columns too; they are not read. */
        {.names = "iteration"},
        {.names = "metric"},
    };
    int16_t at[5];
    uint32_t epoch = 0;
    double before = 0, now = 0;
    enum status st = table_open(r, "validation", size, columns, 5, at);
    while (st == STATUS_OK && (st = rows_next(r->rows, r->err)) == STATUS_OK) {
        struct gradient g = {0};
        if ((st = table_number(r, at[0], 0, 1e15, &now)) == STATUS_OK &&
            (st = table_number(r, at[1], 0, 1e300, &g.sqr)) == STATUS_OK)
            st = table_number(r, at[2], 0, 1e300, &g.var);
        if (st == STATUS_OK && now <= before)
            st = rows_bad(r->rows, at[0], r->err,
                          "progress must grow from epoch to epoch");
        if (st == STATUS_OK && epoch < r->facts->epochs) {
            gradients[epoch] = g;
            if (now < progress[epoch + 1])
                progress[epoch + 1] = now;
        }
        before = now;
        epoch++;
    }
    if (st == STATUS_END && epoch < r->facts->epochs)
        st = rows_bad_at(r->rows, epoch + UINT64_C(1), 1, "epochs", r->err,
                         "%u of them; a job runs for %u", epoch,
                         r->facts->epochs);
    table_close(r, st == STATUS_END);
    return st == STATUS_END ? STATUS_OK : st;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Lists, in ascending order, the total batch sizes M for which there is a file
 * validation-M.csv, at most SIZES_MAX of them. None is an error. */
static enum status list_sizes(const struct table_reader *r, double *out,
                              size_t *n)
{
    static const char prefix[] = "validation-", suffix[] = ".csv";
    const size_t at = sizeof prefix - 1, end = sizeof suffix - 1;
    DIR *dir = opendir(r->folder);
    *n = 0;
    if (!dir)
        return error_set(r->err, STATUS_BAD_INPUT, "%s: %s", r->folder,
                         strerror(errno));
    for (const struct dirent *entry; (entry = readdir(dir));) {
        size_t len = strlen(entry->d_name);
        uint32_t size;
        if (len <= at + end || strncmp(entry->d_name, prefix, at) != 0 ||
            strcmp(entry->d_name + len - end, suffix) != 0 ||
            !text_to_u32((struct text){entry->d_name + at, len - at - end},
                         &size) ||
            size == 0 || *n == SIZES_MAX)
            continue;
        out[(*n)++] = size;
    }
    closedir(dir);
    qsort(out, *n, sizeof *out, by_value);
    return *n > 0 ? STATUS_OK
                  : error_set(r->err, STATUS_BAD_INPUT,
                              "%s: no validation-M.csv with the epochs at a "
                              "total batch size of M",
                              r->folder);
}

static enum status read_all_epochs(struct table_reader *r,
                                   struct application *out)
{
    struct application_data *data = out->data;
    struct arena *arena = &r->apps->arena;
    double sizes[SIZES_MAX];
    enum status st = list_sizes(r, sizes, &data->n_sizes);
    if (st != STATUS_OK)
        return st;
    data->sizes = ARENA_ARRAY(arena, double, data->n_sizes);
    data->ends = ARENA_ARRAY(arena, double, out->epochs + 1);
    data->gradients =
        ARENA_ARRAY(arena, struct gradient, data->n_sizes * out->epochs);
    memcpy(data->sizes, sizes, data->n_sizes * sizeof *sizes);
    for (uint32_t e = 1; e <= out->epochs; e++)
        data->ends[e] = INFINITY;
    for (size_t i = 0; i < data->n_sizes && st == STATUS_OK; i++) {
        char name[32];
        snprintf(name, sizeof name, "%.0f", sizes[i]);
        st =
            read_epochs(r, name, data->ends, &data->gradients[i * out->epochs]);
    }
    out->initial_batch = data->sizes[0];
    out->largest_batch = data->sizes[data->n_sizes - 1];
    return st;
}

enum status application_read(struct applications *apps,
                             const struct application_facts *facts,
                             struct application *out, struct error *err)
{
    struct table_reader r = {.apps = apps, .facts = facts, .err = err};
    bool any = false;
    int len =
        snprintf(r.folder, sizeof r.folder, "%s/%s", apps->path, facts->name);
    if (len < 0 || (size_t)len >= sizeof r.folder)
        return error_set(err, STATUS_BAD_INPUT, "%s: too long a path",
                         apps->path);
    enum status st = read_all_epochs(&r, out);
    for (size_t t = 0; t < apps->n_types && st == STATUS_OK; t++) {
        st = application_read_type(&r,
                                   application_type_name(apps, apps->types[t]),
                                   &out->data->types[t]);
        any |= out->data->types[t].there;
    }
    if (st == STATUS_OK && !any)
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: no placements-TYPE.csv for any GPU type of the "
                       "cluster (%s%s)",
                       r.folder, apps->types[0],
                       apps->n_types > 1 ? ", ..." : "");
    return st;
}
