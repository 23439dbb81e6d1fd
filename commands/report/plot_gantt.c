/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws Gantt charts: a row for each GPU, a stretch for each time that a job
 * holds it, in the colour of the job. Jobs that share a GPU have a part of its
 * row each. Nodes that are out of service are grey. */
#include <stdlib.h>

#include "commands/report/report_internal.h"

enum { GANTT_STRETCHES_MAX = 30000, GANTT_COLOURS = 6, GANTT_DOWN = 0x777777 };

struct gantt {
    const struct plot *plot;
    const struct verify_data *d;
    uint32_t *row_of;  /* by GPU: its row; UINT32_MAX: it is not drawn */
    sim_time *free_at; /* by GPU and part of its row: when the part is free */
    uint32_t parts;    /* parts of a row */
    size_t n;          /* number of stretches written */
};

/* Writes a stretch of rows, unless it lies outside the axis. */
static void gantt_put(struct gantt *g, sim_time from, sim_time to, double top,
                      double rows, uint32_t colour)
{
    double scale = g->plot->time_scale;
    double begin = (double)from / scale, end = (double)to / scale;
    begin = begin > g->plot->from ? begin : g->plot->from;
    end = end < g->plot->end ? end : g->plot->end;
    if (begin >= end)
        return;
    out_printf(g->plot->out, "%.7g %.7g %.6g %.6g %u\n", begin, end, top,
               top + rows, colour);
    g->n++;
}

/* Writes a stretch for each run of rows of an attempt that alone holds its
 * GPUs. */
static void gantt_put_whole(struct gantt *g, const struct verify_attempt *a,
                            const struct verify_range *range, uint32_t colour)
{
    for (uint32_t gpu = range->first, end; gpu <= range->last; gpu = end) {
        for (end = gpu + 1; end <= range->last; end++) {
            if (g->row_of[end] != g->row_of[end - 1] + 1)
                break;
        }
        if (g->row_of[gpu] != UINT32_MAX)
            gantt_put(g, a->start, a->end, g->row_of[gpu], end - gpu, colour);
    }
}

/* Writes a stretch in the first free part of each row of an attempt that shares
 * GPUs. */
static void gantt_put_part(struct gantt *g, const struct verify_attempt *a,
                           const struct verify_range *range, uint32_t colour)
{
    double share = 1.0 / g->parts;
    for (uint32_t gpu = range->first; gpu <= range->last; gpu++) {
        sim_time *free_at = &g->free_at[(size_t)gpu * g->parts];
        uint32_t part = 0;
        while (part + 1 < g->parts && free_at[part] > a->start)
            part++;
        free_at[part] = a->end;
        if (g->row_of[gpu] != UINT32_MAX)
            gantt_put(g, a->start, a->end, g->row_of[gpu] + share * part, share,
                      colour);
    }
}

static int gantt_by_start(const void *a, const void *b)
{
    const struct verify_attempt *x = *(const struct verify_attempt *const *)a;
    const struct verify_attempt *y = *(const struct verify_attempt *const *)b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->first_gpu_range > y->first_gpu_range) -
           (x->first_gpu_range < y->first_gpu_range);
}

static void gantt_put_attempts(struct gantt *g)
{
    const struct verify_data *d = g->d;
    const struct verify_attempt **order =
        mem_alloc((d->n_attempts + 1) * sizeof *order);
    for (size_t i = 0; i < d->n_attempts; i++)
        order[i] = &d->attempts[i];
    qsort(order, d->n_attempts, sizeof *order, gantt_by_start);
    for (size_t i = 0; i < d->n_attempts; i++) {
        const struct verify_attempt *a = order[i];
        uint32_t colour = plot_colour(a->job % GANTT_COLOURS);
        for (uint32_t k = 0; k < a->n_ranges; k++) {
            const struct verify_range *range =
                &d->ranges[a->first_gpu_range + k];
            if (a->shared)
                gantt_put_part(g, a, range, colour);
            else
                gantt_put_whole(g, a, range, colour);
        }
    }
    free(order);
}

/* Writes the times for which nodes are out of service. */
static void gantt_put_down(struct gantt *g)
{
    const struct verify_data *d = g->d;
    for (size_t i = 0; i < d->n_changes; i++) {
        uint32_t node = d->changes[i].node;
        uint32_t row = g->row_of[d->nodes[node].first_gpu];
        sim_time back = d->end;
        if (d->changes[i].kind != NODE_GOES || row == UINT32_MAX)
            continue;
        for (size_t k = d->n_changes; k-- > i + 1;) {
            if (d->changes[k].node == node && d->changes[k].kind == NODE_COMES)
                back = d->changes[k].at;
        }
        gantt_put(g, d->changes[i].at, back, row, d->nodes[node].gpus,
                  GANTT_DOWN);
    }
}

enum status plot_gantt_data(const struct plot *plot, unsigned number,
                            size_t run, struct error *err)
{
    const struct verify_data *d = &plot->runs->at[run].data;
    uint32_t *shown = mem_alloc((d->n_nodes + 1) * sizeof *shown), row = 0;
    size_t n = plot_nodes_shown(plot, d, shown);
    struct gantt g = {plot, d,
                      .parts = d->share_limit > 2 ? d->share_limit : 2};
    g.row_of = mem_alloc((d->n_gpus + 1) * sizeof *g.row_of);
    g.free_at = mem_zalloc((size_t)d->n_gpus * g.parts + 1, sizeof *g.free_at);
    for (uint32_t i = 0; i <= d->n_gpus; i++)
        g.row_of[i] = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        const struct verify_node *node = &d->nodes[shown[i]];
        for (uint32_t k = 0; k < node->gpus; k++)
            g.row_of[node->first_gpu + k] = row++;
    }
    plot_data(plot, number, 0);
    gantt_put_down(&g);
    gantt_put_attempts(&g);
    out_text(plot->out, "NaN NaN NaN NaN NaN\n"); /* no block is empty */
    plot_data_end(plot);
    free(shown);
    free(g.row_of);
    free(g.free_at);
    if (g.n <= GANTT_STRETCHES_MAX)
        return STATUS_OK;
    return error_set(
        err, STATUS_USAGE,
        "--kind gantt: %s has %zu stretches of GPUs, more than the "
        "%d that paper can show; --from and --to, or --vc, choose "
        "a part",
        plot->runs->at[run].dir, g.n, GANTT_STRETCHES_MAX);
}

void plot_gantt(const struct plot *plot, unsigned number, size_t run)
{
    const struct verify_data *d = &plot->runs->at[run].data;
    uint32_t *shown = mem_alloc((d->n_nodes + 1) * sizeof *shown), row = 0;
    size_t n = plot_nodes_shown(plot, d, shown);
    size_t step = 1 + (size_t)(2.2 * (double)n / plot->frame.inner);
    out_text(plot->out, "set ytics (");
    for (size_t i = 0; i < n; i++) {
        const uint32_t gpus = d->nodes[shown[i]].gpus;
        if (i % step == 0)
            out_printf(plot->out, "%s'%u' %g", i ? ", " : "", shown[i],
                       row + gpus / 2.0);
        row += gpus;
    }
    free(shown);
    out_printf(plot->out, ")\nset yrange [%u:0]\nunset grid\nunset colorbox\n",
               row);
    plot_of(plot, number, 0);
    out_text(plot->out,
             " using 1:3:1:2:3:4:5 with boxxyerror lc rgb variable fs solid "
             "noborder notitle\n");
}
