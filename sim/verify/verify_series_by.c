/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks series_vc.csv and series_type.csv: at each time the latest rows of all
 * groups add up to the row of series.csv, which verify_sweep checks against the
 * attempts, and each group exists in the cluster. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/verify/verify.h"

enum { VALUES = 8 };

/* A file that is read row by row. */
struct verify_series_by_reader {
    char path[PATH_MAX];
    FILE *file;
    char *line;
    size_t room;
    uint64_t number;
    bool is_split; /* true: the second column is the name of a group */
    /* the next row; `at` TIME_NEVER: there is none */
    sim_time at;
    struct text group;
    uint64_t values[VALUES];
    enum status st;
};

static void by_next(struct verify_series_by_reader *r, struct error *err)
{
    ssize_t n = getline(&r->line, &r->room, r->file);
    r->at = TIME_NEVER;
    r->number++;
    if (r->st != STATUS_OK)
        return;
    if (n <= 0) {
        if (!feof(r->file))
            r->st = error_set(err, STATUS_FAILED, "%s: %s", r->path,
                              strerror(errno));
        return;
    }
    struct text rest = text_trim(
        (struct text){r->line, (size_t)n - (r->line[n - 1] == '\n' ? 1 : 0)});
    bool good = text_to_any_span(text_split(rest, ',', &rest), &r->at);
    if (r->is_split)
        r->group = text_split(rest, ',', &rest);
    for (size_t i = 0; i < VALUES; i++)
        good &= text_to_u64(text_split(rest, ',', &rest), &r->values[i]);
    if (good && rest.len == 0)
        return;
    r->at = TIME_NEVER;
    r->st = error_set(err, STATUS_BAD_INPUT,
                      "%s:%" PRIu64 ": is not a row of a series", r->path,
                      r->number);
}

static enum status open_reader(struct verify_series_by_reader *r,
                               const char *dir, const char *name,
                               struct error *err)
{
    *r = (struct verify_series_by_reader){
        .at = TIME_NEVER, .is_split = strcmp(name, "series.csv") != 0};
    snprintf(r->path, sizeof r->path, "%s/%s", dir, name);
    r->file = fopen(r->path, "rb");
    if (!r->file)
        return error_set(err, STATUS_BAD_INPUT, "%s: %s", r->path,
                         strerror(errno));
    if (getline(&r->line, &r->room, r->file) < 0)
        return error_set(err, STATUS_BAD_INPUT, "%s: %s", r->path,
                         feof(r->file) ? "is empty" : strerror(errno));
    r->number = 1;
    by_next(r, err);
    return r->st;
}

static void close_reader(struct verify_series_by_reader *r)
{
    if (r->file)
        fclose(r->file);
    free(r->line);
}

/* Takes the rows of one time: replaces the values of their groups. */
static void by_take(struct verify_series_by_reader *r, sim_time now,
                    const struct interner *known, uint64_t (*groups)[VALUES],
                    struct verify_report *report, struct error *err)
{
    for (; r->at == now; by_next(r, err)) {
        uint32_t g = text_is(r->group, "(any)") || !r->is_split
                         ? 0
                         : interner_find(known, r->group);
        if (g == UINT32_MAX)
            verify_say(report, "%s:%" PRIu64 ": no group '%.*s' of the cluster",
                       r->path, r->number, TEXT_ARGS(r->group));
        else
            memcpy(groups[g], r->values, sizeof r->values);
    }
}

static void by_check(struct verify_series_by_reader *whole,
                     struct verify_series_by_reader *split,
                     const struct interner *known, bool of_quotas,
                     struct verify_report *report, struct error *err)
{
    /* by virtual cluster under quotas the GPUs do not add up */
    const size_t from = of_quotas ? 3 : 0;
    uint64_t want[1][VALUES] = {{0}};
    uint64_t(*groups)[VALUES] =
        mem_zalloc(known->n_strings + 1, sizeof *groups);
    while (whole->at != TIME_NEVER || split->at != TIME_NEVER) {
        sim_time now = whole->at < split->at ? whole->at : split->at;
        uint64_t sums[VALUES] = {0};
        by_take(whole, now, known, want, report, err);
        by_take(split, now, known, groups, report, err);
        for (size_t g = 0; g < known->n_strings; g++) {
            for (size_t i = 0; i < VALUES; i++)
                sums[i] += groups[g][i];
        }
        if (memcmp(sums + from, want[0] + from,
                   (VALUES - from) * sizeof *sums) != 0)
            verify_say(report,
                       "%s: at %.15g s the rows do not add up to that of "
                       "series.csv",
                       split->path, span_seconds(now));
    }
    free(groups);
}

static enum status by_check_file(const char *dir,
                                 const struct verify_data *data,
                                 const char *name, const struct interner *known,
                                 struct verify_report *report,
                                 struct error *err)
{
    struct verify_series_by_reader whole = {0}, split = {0};
    if (!json_object_get(json_object_get(data->manifest, "outputs"), name))
        return STATUS_OK;
    enum status st = open_reader(&whole, dir, "series.csv", err);
    if (st == STATUS_OK)
        st = open_reader(&split, dir, name, err);
    if (st == STATUS_OK)
        by_check(&whole, &split, known, data->merged && known == &data->vcs,
                 report, err);
    if (st == STATUS_OK)
        st = whole.st != STATUS_OK ? whole.st : split.st;
    close_reader(&whole);
    close_reader(&split);
    return st;
}

enum status verify_series_by(const char *dir, const struct verify_data *data,
                             struct verify_report *report, struct error *err)
{
    enum status st =
        by_check_file(dir, data, "series_vc.csv", &data->vcs, report, err);
    return st == STATUS_OK ? by_check_file(dir, data, "series_type.csv",
                                           &data->types, report, err)
                           : st;
}
