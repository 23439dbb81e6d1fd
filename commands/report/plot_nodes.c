/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws heat maps of nodes over time. A row is a node, or several nodes if a
 * run has more than fit; a cell is as dark as its GPUs are busy. Cells in which
 * nodes are out of service for at least half of the time are red. */
#include <math.h>
#include <stdlib.h>

#include "commands/report/report_internal.h"

enum { PLOT_NODES_ROWS_MAX = 240, DOWN = -1 };

size_t plot_nodes_shown(const struct plot *plot, const struct verify_data *d,
                        uint32_t *shown)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n_nodes; i++) {
        if (plot->vc == LOAD_ALL || d->nodes[i].vc == plot->vc)
            shown[n++] = (uint32_t)i;
    }
    return n;
}

static size_t nodes_a_row(size_t n_nodes)
{
    return (n_nodes + PLOT_NODES_ROWS_MAX - 1) / PLOT_NODES_ROWS_MAX;
}

/* Returns the state of some nodes in a bin: the percentage of their GPUs that
 * are busy, in steps of 5, or DOWN if they are out of service for at least half
 * of the time; 0 after the end of the run. */
static int nodes_cell_of(const struct occupancy *o, const struct verify_data *d,
                         const uint32_t *nodes, size_t n, unsigned bin)
{
    double busy = 0, down = 0, all = 0;
    double length = (double)axis_length(&o->axis, bin, d->end);
    for (size_t i = 0; i < n; i++) {
        all += length * d->nodes[nodes[i]].gpus;
        busy += (double)occupancy_at(o, nodes[i], OCCUPANCY_BUSY, bin);
        down += (double)occupancy_at(o, nodes[i], OCCUPANCY_DOWN, bin);
    }
    if (all > 0 && down >= all / 2)
        return DOWN;
    return all > 0 ? 5 * (int)(20 * busy / all + 0.5) : 0;
}

/* Writes a rectangle for each stretch of bins in which the state of a row is
 * the same, unless it is idle. Rectangles overlap a little, because viewers
 * would otherwise show the seams. */
static void nodes_put_row(const struct plot *plot, const struct occupancy *o,
                          const struct verify_data *d, const uint32_t *nodes,
                          size_t n, size_t first)
{
    double bin = (double)o->axis.width / plot->time_scale;
    for (unsigned b = 0, end; b < AXIS_BINS; b = end) {
        int state = nodes_cell_of(o, d, nodes, n, b);
        for (end = b + 1; end < AXIS_BINS; end++) {
            if (nodes_cell_of(o, d, nodes, n, end) != state)
                break;
        }
        double till = bin * end < plot->end ? bin * end : plot->end;
        if (state != 0)
            out_printf(plot->out, "%.6g %.6g %.6g %.6g %d\n", bin * b,
                       till + 0.2 * bin, (double)first - 0.5,
                       (double)(first + n) - 0.47, state);
    }
}

void plot_nodes_data(const struct plot *plot, unsigned number, size_t run)
{
    const struct verify_data *d = &plot->runs->at[run].data;
    struct occupancy o = occupancy_of(plot->runs, &plot->runs->at[run]);
    uint32_t *shown = mem_alloc((d->n_nodes + 1) * sizeof *shown);
    size_t n = plot_nodes_shown(plot, d, shown), each = nodes_a_row(n);
    plot_data(plot, number, 0);
    for (size_t i = 0; i < n; i += each) {
        size_t count = n - i < each ? n - i : each;
        nodes_put_row(plot, &o, d, shown + i, count, i);
    }
    /* gnuplot refuses an empty block. */
    out_text(plot->out, "NaN NaN NaN NaN NaN\n");
    plot_data_end(plot);
    free(shown);
    occupancy_fini(&o);
}

void plot_nodes(const struct plot *plot, unsigned number, size_t run)
{
    const struct verify_data *d = &plot->runs->at[run].data;
    uint32_t *shown = mem_alloc((d->n_nodes + 1) * sizeof *shown);
    size_t n = plot_nodes_shown(plot, d, shown);
    free(shown);
    out_printf(
        plot->out,
        "set yrange [%zu.5:-0.5]\nunset grid\nset colorbox\n"
        "set cbrange [0:100]\nset cbtics 50\n"
        "set ytics %g\n"
        "set palette defined (0 '#ffffff', 50 '#6baed6', 100 '#08306b')\n",
        n ? n - 1 : 0,
        fmax(plot_step((double)n + 1, plot->frame.inner / 2), 1));
    plot_right_label(plot, "busy GPUs (%)", number);
    plot_of(plot, number, 0);
    out_printf(plot->out,
               " using 1:3:1:2:3:4:($5 < 0 ? NaN : $5) with boxxyerror fs "
               "solid noborder lc palette notitle, $p%u_0 using ($5 < 0 ? $1 : "
               "NaN):3:1:2:3:4 with boxxyerror fs solid noborder lc rgb "
               "'#D55E00' notitle\n",
               number);
}
