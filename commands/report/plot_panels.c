/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the panels with a line or a box for each run. A panel sets all axes
 * that another panel of the figure may have set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/report/report_internal.h"

const char *plot_metric_words(const struct plot *plot)
{
    static const char *const words[REPORT_METRICS] = {
        [REPORT_JCT] = "JCT",
        [REPORT_QUEUE_DELAY] = "queueing delay",
        [REPORT_SLOWDOWN] = "slowdown"};
    return words[plot->wishes->metric];
}

/* Resets the axes that another panel may have set. */
static void plain_axes(const struct plot *plot)
{
    out_text(plot->out, "unset logscale\nset xtics auto norotate\nset ytics "
                        "auto\nset xrange [*:*]\nset yrange [*:*]\nunset "
                        "colorbox\nset grid\n");
}

/* Makes an axis a logarithmic axis of the metric. */
static void metric_axis(const struct plot *plot, char axis)
{
    if (plot->wishes->metric == REPORT_SLOWDOWN)
        out_printf(plot->out,
                   "set logscale %c\nset %ctics ('\xe2\x89\xa4 1' 1, '10' 10, "
                   "'100' 100, '1000' 1e3, '10k' 1e4, '' 1e5 1, '1M' 1e6, "
                   "'1G' 1e9)\n",
                   axis, axis);
    else
        plot_log_time(plot, axis);
}

void plot_cdf_data(const struct plot *plot, unsigned panel)
{
    enum report_metric metric = (enum report_metric)plot->wishes->metric;
    sim_span grid[CDF_POINTS];
    double shares[CDF_POINTS];
    cdf_grid(plot->runs, metric, grid);
    for (size_t r = 0; r < plot->runs->n; r++) {
        cdf_shares(&plot->runs->at[r], metric, grid, shares);
        plot_data(plot, panel, r);
        /* A logarithmic axis has no 0: the first point is that of 1 s. */
        for (unsigned i = 1; i < CDF_POINTS; i++) {
            out_printf(plot->out, "%.6g", span_seconds(grid[i]));
            plot_number(plot, shares[i]);
            out_char(plot->out, '\n');
        }
        plot_data_end(plot);
    }
}

void plot_cdf(const struct plot *plot, unsigned panel)
{
    plain_axes(plot);
    metric_axis(plot, 'x');
    plot_foot_label(plot, plot_metric_words(plot), panel);
    out_text(plot->out,
             "set xrange [1:*]\nset yrange [0:1.01]\nset ytics 0.2\n");
    for (size_t r = 0; r < plot->runs->n; r++) {
        plot_of(plot, panel, r);
        out_text(plot->out, " using 1:2 with lines");
        plot_style(plot, r);
    }
    out_char(plot->out, '\n');
}

static double plot_load_at(const struct load *load, unsigned b, bool queue)
{
    return queue ? load->pending[b] : 100 * load->busy[b] / load->up[b];
}

void plot_load_data(const struct plot *plot, unsigned number,
                    const struct panel *panel)
{
    bool queue = panel->kind == PLOT_QUEUE;
    for (size_t i = 0; i < panel->n; i++) {
        const struct report_run *run = &plot->runs->at[panel->first + i];
        struct occupancy o = occupancy_of(plot->runs, run);
        struct load *load = mem_zalloc(1, sizeof *load);
        load_of(run, &o, panel->vc, load);
        plot_data(plot, number, i);
        for (unsigned b = 0; b < AXIS_BINS; b++) {
            double at = (double)o.axis.width * (b + 0.5);
            out_printf(plot->out, "%.6g", at / plot->time_scale);
            plot_number(plot, plot_load_at(load, b, queue));
            out_char(plot->out, '\n');
        }
        plot_data_end(plot);
        free(load);
        occupancy_fini(&o);
    }
}

double plot_most_load(const struct plot *plot, uint32_t vc, bool queue)
{
    struct load *load = mem_zalloc(1, sizeof *load);
    /* a virtual cluster that borrows is busier than its quota */
    double most = queue ? 1 : 100;
    for (size_t r = 0; r < plot->runs->n; r++) {
        struct occupancy o = occupancy_of(plot->runs, &plot->runs->at[r]);
        load_of(&plot->runs->at[r], &o, vc, load);
        for (unsigned b = 0; b < AXIS_BINS; b++) {
            double at = plot_load_at(load, b, queue);
            most = isfinite(at) && at > most ? at : most;
        }
        occupancy_fini(&o);
    }
    free(load);
    return most;
}

void plot_load(const struct plot *plot, unsigned number,
               const struct panel *panel)
{
    bool queue = panel->kind == PLOT_QUEUE;
    out_text(plot->out, "unset colorbox\nset grid\n");
    plot_numbers(plot, 'y', queue ? plot->most_waiting : plot->most_busy,
                 plot->each_vc || panel->n < plot->runs->n ? 2 : 5);
    for (size_t i = 0; i < panel->n; i++) {
        plot_of(plot, number, i);
        out_text(plot->out, " using 1:2 with lines");
        plot_style(plot, panel->first + i);
        if (panel->n < plot->runs->n) /* dashes hide what is short */
            out_text(plot->out, " dt solid lw 1");
    }
    out_char(plot->out, '\n');
}

/* Returns the number of classes up to the last one that has a job, at least
 * 1, and sets *most to the largest value drawn of any run. */
static unsigned count_classes(const struct plot *plot, double *most)
{
    enum boxes_by by = (enum boxes_by)plot->wishes->by;
    struct box boxes[BOXES_CLASSES_MAX];
    unsigned n = 1;
    for (size_t r = 0; r < plot->runs->n; r++) {
        boxes_of(&plot->runs->at[r], (enum report_metric)plot->wishes->metric,
                 by, boxes);
        for (unsigned c = 0; boxes_class(by, c); c++) {
            n = boxes[c].n && c >= n ? c + 1 : n;
            *most = boxes[c].p95 > *most ? boxes[c].p95 : *most;
        }
    }
    return n;
}

/* Writes, for each run, a row for each class: percentiles 5, 25, 50, 75, 95 in
 * seconds. Those below 1 s are drawn at 1 s; a class without jobs has NaN. */
void plot_boxes_data(const struct plot *plot, unsigned number,
                     const struct panel *panel)
{
    enum boxes_by by = (enum boxes_by)plot->wishes->by;
    struct box boxes[BOXES_CLASSES_MAX];
    double most = 10;
    unsigned n = count_classes(plot, &most);
    for (size_t r = 0; r < panel->n; r++) {
        boxes_of(&plot->runs->at[panel->first + r],
                 (enum report_metric)plot->wishes->metric, by, boxes);
        plot_data(plot, number, r);
        for (unsigned c = 0; c < n; c++) {
            const struct box *b = &boxes[c];
            const double at[] = {b->p5, b->p25, b->p50, b->p75, b->p95};
            out_printf(plot->out, "%u", c);
            for (size_t i = 0; i < sizeof at / sizeof *at; i++)
                plot_number(plot, b->n == 0 ? NAN : at[i] > 1 ? at[i] : 1);
            out_char(plot->out, '\n');
        }
        plot_data_end(plot);
    }
}

/* Writes the axes: the y axis holds the values of all runs, the names of the
 * classes are below the x axis. The label of the axis says
 * what they count, so " GPUs" is left out of the names. */
static void class_tics(const struct plot *plot, unsigned number, bool bare)
{
    enum boxes_by by = (enum boxes_by)plot->wishes->by;
    static const char *const words[BOXES_BYS] = {
        [BOXES_BY_GPUS] = "GPUs of the job",
        [BOXES_BY_DURATION] = "recorded running time",
        [BOXES_BY_STATE] = "recorded end"};
    double most = 10;
    unsigned n_classes = count_classes(plot, &most);
    out_text(plot->out, "set xtics (");
    for (unsigned n = 0; n < n_classes; n++) {
        const char *words_of = boxes_class(by, n);
        const char *unit = strstr(words_of, " GPU");
        char name[40];
        snprintf(name, sizeof name, "%.*s",
                 unit ? (int)(unit - words_of) : (int)strlen(words_of),
                 words_of);
        out_text(plot->out, n ? ", " : "");
        gnuplot_quote(plot->out, bare ? "" : name);
        out_printf(plot->out, " %u", n);
    }
    out_printf(plot->out, ")\nset xrange [-0.6:%u.6]\nset yrange [0.8:%.6g]\n",
               n_classes - 1, 1.5 * most);
    if (!bare)
        plot_foot_label(plot, words[by], number);
}

void plot_boxes(const struct plot *plot, unsigned number,
                const struct panel *panel)
{
    size_t n = panel->n;
    double step = 0.8 / (double)n, width = step * 0.8;
    plain_axes(plot);
    metric_axis(plot, 'y');
    class_tics(plot, number, panel->is_bare);
    out_text(plot->out, "set grid noxtics\n");
    for (size_t r = 0; r < n; r++) {
        double shift = ((double)r - (double)(n - 1) / 2) * step;
        plot_of(plot, number, r);
        out_printf(plot->out,
                   " using ($1+%.4f):3:2:6:5:(%.4f) with "
                   "candlesticks",
                   shift, width);
        plot_style(plot, panel->first + r);
        out_printf(plot->out,
                   " dt solid lw 0.8 fs solid %.2f border whiskerbars 0.5",
                   n < plot->runs->n ? 0.5 : plot_density(plot, r));
        out_printf(
            plot->out,
            ", $p%u_%zu using ($1+%.4f):4:4:4:4:(%.4f) with candlesticks "
            "notitle lc rgb 'black' lw 1.4",
            number, r, shift, width);
    }
    out_char(plot->out, '\n');
}
