/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the numbers that the charts of the page draw. */
#include <math.h>
#include <stdlib.h>

#include "commands/report/report_internal.h"

/* Largest number of virtual clusters whose load the page shows, counted over
 * all runs. */
enum { LOADS_MAX = 128 };

json_t *page_numbers(const double *values, size_t n)
{
    struct out *out = out_to_memory();
    struct error err;
    for (size_t i = 0; i < n; i++) {
        if (i)
            out_char(out, ',');
        if (!isnan(values[i]))
            out_printf(out, "%.4g", values[i]);
    }
    struct text text = out_memory(out);
    json_t *json = json_stringn(text.at ? text.at : "", text.len);
    enum status st = out_close(out, &err);
    (void)st; /* a stream into memory has no errors */
    return json;
}

static json_t *cdf(const struct report_runs *runs, const struct report_run *run,
                   enum report_metric metric)
{
    sim_span grid[CDF_POINTS];
    double shares[CDF_POINTS];
    cdf_grid(runs, metric, grid);
    cdf_shares(run, metric, grid, shares);
    return page_numbers(shares, CDF_POINTS);
}

static json_t *boxes(const struct report_run *run, enum report_metric metric,
                     enum boxes_by by)
{
    struct box box[BOXES_CLASSES_MAX];
    json_t *all = json_array();
    boxes_of(run, metric, by, box);
    for (unsigned c = 0; boxes_class(by, c); c++) {
        const struct box *b = &box[c];
        json_t *row = json_object();
        json_put(row, "class", json_text(boxes_class(by, c)));
        json_put(row, "jobs", json_integer((json_int_t)b->n));
        json_put(row, "p5", json_number(b->p5));
        json_put(row, "p25", json_number(b->p25));
        json_put(row, "p50", json_number(b->p50));
        json_put(row, "p75", json_number(b->p75));
        json_put(row, "p95", json_number(b->p95));
        json_put(row, "max", json_number(b->max));
        json_put(row, "mean", json_number(b->mean));
        json_array_append_new(all, row);
    }
    return all;
}

static json_t *load_row(const struct report_run *run,
                        const struct occupancy *occupancy, uint32_t vc)
{
    struct load load;
    json_t *json = json_object();
    load_of(run, occupancy, vc, &load);
    json_put(json, "vc",
             vc == LOAD_ALL ? json_null()
                            : json_text(interner_string(&run->data.vcs, vc)));
    json_put(json, "up", page_numbers(load.up, AXIS_BINS));
    json_put(json, "busy", page_numbers(load.busy, AXIS_BINS));
    json_put(json, "pending", page_numbers(load.pending, AXIS_BINS));
    json_put(json, "pending_gpus", page_numbers(load.pending_gpus, AXIS_BINS));
    return json;
}

/* Returns the load of all virtual clusters together. If there are several, the
 * load of each follows, in the order in which the manifest lists them, as far
 * as LOADS_MAX allows. Leaves out symbol 0, which is the empty text. */
static json_t *loads(const struct report_runs *runs,
                     const struct report_run *run,
                     const struct occupancy *occupancy)
{
    json_t *all = json_array();
    size_t most = LOADS_MAX / runs->n, n = run->data.vcs.n_strings;
    json_array_append_new(all, load_row(run, occupancy, LOAD_ALL));
    for (uint32_t vc = 1; n > 2 && vc < n && vc <= most; vc++)
        json_array_append_new(all, load_row(run, occupancy, vc));
    return all;
}

void page_charts(const struct report_runs *runs, const struct report_run *run,
                 json_t *json)
{
    json_t *cdfs = json_object(), *all = json_object();
    struct occupancy occupancy = occupancy_of(runs, run);
    for (unsigned m = 0; m < REPORT_TIMES; m++) {
        json_t *of = json_object();
        json_put(cdfs, report_metric_names[m], cdf(runs, run, m));
        for (unsigned by = 0; by < BOXES_BYS; by++)
            json_put(of, boxes_by_names[by], boxes(run, m, by));
        json_put(all, report_metric_names[m], of);
    }
    json_put(json, "cdfs", cdfs);
    json_put(json, "boxes", all);
    json_put(json, "vcs",
             json_integer((json_int_t)run->data.vcs.n_strings - 1));
    json_put(json, "loads", loads(runs, run, &occupancy));
    json_put(json, "nodes", page_nodes(run, &occupancy));
    occupancy_fini(&occupancy);
}
