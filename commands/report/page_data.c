/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the numbers of the page as JSON. */
#include "commands/report/report_internal.h"

#include <stdio.h>

enum { FAILURES_SHOWN = 20 };

/* Puts a part of a file that was read, or null if the file has no such part. */
static void data_put_part(json_t *json, const char *key, json_t *part)
{
    json_put(json, key, part ? json_incref(part) : json_null());
}

/* Adds the parts of manifest.json that the page shows as they are. */
static void add_manifest(const struct verify_data *d, json_t *json)
{
    static const char *const keys[] = {
        "placer", "rules",   "seed",    "input",    "files",        "remarks",
        "notes",  "outputs", "counted", "schedsim", "configuration"};
    static const char *const made[] = {"arguments", "commit", "compiler"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        data_put_part(json, keys[i], json_object_get(d->manifest, keys[i]));
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        data_put_part(json, made[i],
                      json_object_get(
                          json_object_get(d->manifest, "provenance"), made[i]));
    data_put_part(
        json, "groups",
        json_object_get(json_object_get(d->manifest, "cluster"), "groups"));
}

static enum status run_data(const struct report_runs *runs, size_t i,
                            const struct page_wishes *wishes, json_t *json,
                            struct error *err)
{
    const struct report_run *run = &runs->at[i];
    const struct verify_data *d = &run->data;
    json_t *waiters;
    json_put(json, "label", json_text(run->label));
    json_put(json, "policy", json_text(run->policy));
    json_put(json, "dir", json_text(run->dir));
    json_put(json, "end_s", json_number(span_seconds(d->end)));
    json_put(json, "gpus", json_integer(d->n_gpus));
    json_put(json, "n_nodes", json_integer((json_int_t)d->n_nodes));
    json_put(json, "summary", json_incref(d->summary));
    add_manifest(d, json);
    page_charts(runs, run, json);
    json_put(json, "failures", page_failures(run, FAILURES_SHOWN));
    json_put(json, "differences",
             i > 0 && runs->same_jobs ? page_differences(&runs->at[0], run)
                                      : json_null());
    enum status st = page_waiters(run, wishes->waiters, &waiters, err);
    json_put(json, "waiters", waiters);
    return st;
}

static json_t *grid(const struct report_runs *runs, enum report_metric metric)
{
    sim_span at[CDF_POINTS];
    double values[CDF_POINTS];
    cdf_grid(runs, metric, at);
    for (unsigned i = 0; i < CDF_POINTS; i++)
        values[i] = span_seconds(at[i]);
    return page_numbers(values, CDF_POINTS);
}

enum status page_data(const struct report_runs *runs,
                      const struct page_wishes *wishes, json_t **out,
                      struct error *err)
{
    json_t *json = json_object(), *all = json_array(), *grids = json_object();
    struct axis axis = axis_over(runs->end);
    enum status st = STATUS_OK;
    json_put(json, "program", json_text(SCHEDSIM_VERSION));
    json_put(json, "title", json_text(wishes->title));
    json_put(json, "end_s", json_number(span_seconds(runs->end)));
    json_put(json, "bin_s", json_number(span_seconds(axis.width)));
    json_put(json, "same_jobs", json_boolean(runs->same_jobs));
    json_put(json, "differs", json_text(runs->differs));
    for (unsigned m = 0; m < REPORT_TIMES; m++)
        json_put(grids, report_metric_names[m], grid(runs, m));
    json_put(json, "grids", grids);
    json_put(json, "runs", all);
    for (size_t i = 0; i < runs->n && st == STATUS_OK; i++) {
        json_t *run = json_object();
        json_array_append_new(all, run);
        st = run_data(runs, i, wishes, run, err);
    }
    *out = json;
    return st;
}
