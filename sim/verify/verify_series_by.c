/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks series_vc.csv and series_type.csv: at each time the latest rows of all
 * groups add up to the latest row of series.csv, which verify_sweep makes
 * again; the groups are those of the cluster, each has a row at the first time,
 * and no row repeats the one before of its group. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/results/series.h"
#include "sim/verify/verify_csv.h"

struct series_by_group {
    uint64_t values[VERIFY_SERIES];
    sim_time at;   /* of its last row; -1: it had none */
    uint32_t rank; /* its place among the groups of the first time */
};

struct series_by_check {
    const struct verify_data *data;
    const struct interner *known; /* names of groups; 0 stands for "(any)" */
    struct series_by_group *groups;
    sim_time first;   /* of the first row */
    sim_time now;     /* of the last row */
    uint32_t n_ranks; /* groups that had a row */
    uint32_t last;    /* rank of the last row, if it is at the same time */
    size_t sample;    /* the next row of series.csv */
    bool of_quotas;   /* the GPUs of virtual clusters do not add up */
    char name[32];
    struct verify_report *report;
};

/* Compares the sums of all groups with the rows of series.csv before `until`.
 */
static void by_settle(struct series_by_check *by, sim_time until)
{
    const struct verify_data *d = by->data;
    uint64_t sums[VERIFY_SERIES] = {0};
    for (size_t g = 0; g < by->known->n_strings; g++) {
        for (size_t i = 0; i < VERIFY_SERIES; i++)
            sums[i] += by->groups[g].values[i];
    }
    /* the row in force when the groups changed, and later ones */
    size_t first = by->sample;
    if (first == d->n_samples || d->samples[first].at > by->now)
        first -= first > 0;
    while (by->sample < d->n_samples && d->samples[by->sample].at < until)
        by->sample++;
    for (; first < by->sample; first++) {
        for (size_t i = by->of_quotas ? 3 : 0; i < VERIFY_SERIES; i++) {
            if (sums[i] == d->samples[first].values[i])
                continue;
            verify_say(by->report,
                       "%s: %s: at %.6f s the rows do not add up to that of "
                       "series.csv",
                       by->name, series_columns[i + 1].name,
                       span_seconds(d->samples[first].at));
        }
    }
}

/* Checks that the groups of one time come in the order of those of the first,
 * each once. */
static void by_check_order(struct verify_csv *csv, struct series_by_check *by,
                           struct series_by_group *group, sim_time at)
{
    if (by->now < 0)
        by->first = at;
    if (group->at < 0 && at > by->first)
        verify_csv_say(csv, 1, "the first row of each group comes first");
    if (group->at < 0)
        group->rank = ++by->n_ranks;
    else if (at == by->now && group->rank <= by->last)
        verify_csv_say(csv, 1, "another row comes first at this time");
    by->last = group->rank;
}

/* Under quotas a virtual cluster has no nodes: its GPUs are its nominal quota,
 * and none is stranded. */
static void by_check_quota(struct verify_csv *csv,
                           const struct verify_data *data, uint32_t vc,
                           const uint64_t values[VERIFY_SERIES])
{
    uint64_t nominal = 0;
    for (size_t i = 0; i < data->n_quotas; i++) {
        if (data->quotas[i].vc == vc)
            nominal = (uint64_t)data->quotas[i].nominal;
    }
    if (values[0] != nominal)
        verify_csv_say(csv, 2, "the nominal quota is another one");
    if (values[2] != 0)
        verify_csv_say(csv, 4, "no GPU belongs to one virtual cluster");
}

static void by_read_row(struct verify_csv *csv, void *self)
{
    struct series_by_check *by = self;
    const struct text name = verify_csv_cell(csv, 1);
    const sim_time at = verify_csv_span(csv, 0);
    uint64_t values[VERIFY_SERIES];
    uint32_t g = text_is(name, "(any)") ? 0
                 : name.len             ? interner_find(by->known, name)
                                        : UINT32_MAX;
    if (g == UINT32_MAX) {
        verify_csv_say(csv, 1, "no group of the cluster has this name");
        return;
    }
    if (at % by->data->interval)
        verify_csv_say(csv, 0, "no sample is due then");
    if (at > by->now)
        by_settle(by, at);
    struct series_by_group *group = &by->groups[g];
    by_check_order(csv, by, group, at);
    for (unsigned i = 0; i < VERIFY_SERIES; i++)
        values[i] = (uint64_t)verify_csv_span(csv, i + 2);
    if (by->of_quotas)
        by_check_quota(csv, by->data, g, values);
    if (group->at >= 0 && memcmp(values, group->values, sizeof values) == 0)
        verify_csv_say(csv, 1, "the row repeats the one before of its group");
    memcpy(group->values, values, sizeof values);
    group->at = by->now = at;
}

/* True if the name is that of a group. Under quotas the nodes' own virtual
 * cluster is none. */
static bool by_is_group(const struct series_by_check *by, uint32_t name)
{
    const struct verify_data *d = by->data;
    size_t i = 0;
    while (by->of_quotas && i < d->n_quotas && d->quotas[i].vc != name)
        i++;
    return !by->of_quotas || i < d->n_quotas;
}

/* Checks that each group has a row; the group 0 is one of types only. */
static void by_check_groups(const struct series_by_check *by, bool by_vc)
{
    for (uint32_t g = by_vc; by->now >= 0 && g < by->known->n_strings; g++) {
        if (by->groups[g].at < 0 && by_is_group(by, g))
            verify_say(by->report, "%s: no row of %s", by->name,
                       g ? interner_string(by->known, g) : "(any)");
    }
}

static enum status by_check_file(const char *dir,
                                 const struct verify_data *data, bool by_vc,
                                 struct verify_report *report,
                                 struct error *err)
{
    static const char *const names[][VERIFY_SERIES + 2] = {
        {"time", "gpu_type", "gpus_up", "gpus_busy", "gpus_stranded",
         "jobs_pending", "gpus_pending", "jobs_running", "jobs_held",
         "jobs_ended"},
        {"time", "vc", "gpus_up", "gpus_busy", "gpus_stranded", "jobs_pending",
         "gpus_pending", "jobs_running", "jobs_held", "jobs_ended"}};
    char path[PATH_MAX];
    struct column columns[VERIFY_SERIES + 3];
    struct series_by_check by = {.data = data,
                                 .known = by_vc ? &data->vcs : &data->types,
                                 .now = -1,
                                 .of_quotas = data->merged && by_vc,
                                 .report = report};
    snprintf(by.name, sizeof by.name, "series_%s.csv", by_vc ? "vc" : "type");
    if (!json_object_get(json_object_get(data->manifest, "outputs"), by.name))
        return STATUS_OK;
    snprintf(path, sizeof path, "%s/%s", dir, by.name);
    memcpy(columns, series_by_columns, sizeof columns);
    columns[1].name = names[by_vc][1];
    const struct verify_table tables[] = {VERIFY_TABLE(columns), {0}};
    by.groups = mem_zalloc(by.known->n_strings + 1, sizeof *by.groups);
    for (size_t g = 0; g < by.known->n_strings; g++)
        by.groups[g].at = -1;
    struct verify_csv csv = {.path = path,
                             .names = names[by_vc],
                             .n_names = VERIFY_SERIES + 2,
                             .tables = tables,
                             .manifest = data->manifest,
                             .report = report,
                             .row = by_read_row,
                             .self = &by,
                             .err = err};
    enum status st = verify_csv_read(&csv);
    if (st == STATUS_OK) {
        by_settle(&by, TIME_NEVER);
        by_check_groups(&by, by_vc);
    }
    free(by.groups);
    return st;
}

enum status verify_series_by(const char *dir, const struct verify_data *data,
                             struct verify_report *report, struct error *err)
{
    enum status st = by_check_file(dir, data, true, report, err);
    return st == STATUS_OK ? by_check_file(dir, data, false, report, err) : st;
}
