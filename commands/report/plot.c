/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the script of a figure: chooses the panels, and writes what the panels
 * share. */
#include "commands/report/report_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const plot_kind_names[] = {
    [PLOT_CDF] = "cdf",     [PLOT_UTILISATION] = "utilisation",
    [PLOT_QUEUE] = "queue", [PLOT_BOXES] = "boxes",
    [PLOT_NODES] = "nodes", [PLOT_BARS] = "bars",
    [PLOT_KINDS] = NULL,
};

/* A panel of the figure. */
struct panel {
    enum plot_kind kind;
    size_t run; /* number of the run that a panel of kind PLOT_NODES shows */
};

void plot_data(const struct plot *plot, unsigned panel, size_t number)
{
    out_printf(plot->out, "$p%u_%zu << EOD\n", panel, number);
}

void plot_data_end(const struct plot *plot)
{
    out_text(plot->out, "EOD\n");
}

void plot_number(const struct plot *plot, double value)
{
    if (isfinite(value))
        out_printf(plot->out, " %.6g", value);
    else
        out_text(plot->out, " NaN");
}

void plot_of(const struct plot *plot, unsigned panel, size_t number)
{
    out_printf(plot->out, "%s $p%u_%zu", number ? ", \\\n    " : "plot", panel,
               number);
}

void plot_style(const struct plot *plot, size_t run)
{
    out_text(plot->out, " title ");
    gnuplot_quote(plot->out, plot->names[run]);
    out_printf(plot->out, " ls %zu", run + 1);
}

void plot_log_time(const struct plot *plot, char axis)
{
    out_printf(plot->out,
               "set logscale %c\n"
               "set %ctics ('1 s' 1, '10 s' 10 1, '1 min' 60, '10 min' 600 1, "
               "'1 h' 3600, '10 h' 36000 1, '1 d' 86400, '10 d' 864000, "
               "'100 d' 8640000)\n",
               axis, axis);
}

/* Chooses the unit of the axis of time. */
static void plot_choose_unit(struct plot *plot)
{
    static const struct {
        const char *name;
        sim_span length;
    } units[] = {{"years", 365 * SPAN_DAY + SPAN_DAY / 4},
                 {"days", SPAN_DAY},
                 {"hours", SPAN_HOUR},
                 {"minutes", 60 * SPAN_SECOND},
                 {"seconds", SPAN_SECOND}};
    size_t i = 0;
    while (i < 4 && plot->runs->end < 2 * units[i].length)
        i++;
    plot->time_unit = units[i].name;
    plot->time_scale = (double)units[i].length;
    plot->end = (double)plot->runs->end / plot->time_scale;
}

/* Finds the virtual cluster that the user named. It must have the same symbol
 * in all runs. */
static enum status choose_vc(struct plot *plot, struct error *err)
{
    const char *name = plot->wishes->vc;
    plot->vc = LOAD_ALL;
    if (!name)
        return STATUS_OK;
    for (size_t r = 0; r < plot->runs->n; r++) {
        const struct interner *vcs = &plot->runs->at[r].data.vcs;
        uint32_t s = 0;
        while (s < vcs->n_strings && strcmp(interner_string(vcs, s), name) != 0)
            s++;
        if (s == vcs->n_strings)
            return error_set(err, STATUS_USAGE,
                             "--vc: %s has no virtual cluster '%.100s'",
                             plot->runs->at[r].dir, name);
        if (r && s != plot->vc)
            return error_set(err, STATUS_USAGE,
                             "--vc: %s and %s describe different clusters",
                             plot->runs->at[0].dir, plot->runs->at[r].dir);
        plot->vc = s;
    }
    return STATUS_OK;
}

/* True if some run has what a kind draws: jobs that report_run_counts accepts
 * or, over time, attempts. gnuplot refuses axes without a value. */
static bool plot_has_values(const struct plot *plot, enum plot_kind kind)
{
    bool of_jobs = kind == PLOT_CDF || kind == PLOT_BOXES, any = false;
    for (size_t r = 0; r < plot->runs->n && !any; r++) {
        const struct report_run *run = &plot->runs->at[r];
        any = !of_jobs && run->data.n_attempts > 0;
        for (size_t i = 0; of_jobs && !any && i < run->data.n_jobs; i++)
            any = report_run_counts(run, &run->data.jobs[i]);
    }
    return any;
}

static enum status list_panels(const struct plot *plot, struct panel *panels,
                               size_t *n, struct error *err)
{
    const struct plot_wishes *w = plot->wishes;
    *n = 0;
    for (size_t i = 0; i < w->n_kinds; i++) {
        size_t each = w->kinds[i] == PLOT_NODES ? plot->runs->n : 1;
        if (!plot_has_values(plot, (enum plot_kind)w->kinds[i]))
            return error_set(err, STATUS_USAGE,
                             "--kind %s: no job of %s%s ran, so there is "
                             "nothing to draw",
                             plot_kind_names[w->kinds[i]],
                             plot->runs->at[0].dir,
                             plot->runs->n > 1 ? " and the others" : "");
        if (*n + each > PLOT_PANELS_MAX)
            return error_set(err, STATUS_USAGE,
                             "plot: the figure has more than %d panels",
                             PLOT_PANELS_MAX);
        for (size_t r = 0; r < each; r++)
            panels[(*n)++] = (struct panel){(enum plot_kind)w->kinds[i], r};
    }
    return STATUS_OK;
}

static void plot_put_data(const struct plot *plot, const struct panel *p,
                          unsigned number)
{
    switch (p->kind) {
    case PLOT_CDF:
        plot_cdf_data(plot, number);
        break;
    case PLOT_UTILISATION:
    case PLOT_QUEUE:
        plot_load_data(plot, number, p->kind == PLOT_QUEUE);
        break;
    case PLOT_BOXES:
        plot_boxes_data(plot, number);
        break;
    case PLOT_NODES:
        plot_nodes_data(plot, number, p->run);
        break;
    case PLOT_BARS:
    case PLOT_KINDS:
        break;
    }
}

static void put_panel(const struct plot *plot, const struct panel *p,
                      unsigned number)
{
    switch (p->kind) {
    case PLOT_CDF:
        plot_cdf(plot, number);
        break;
    case PLOT_UTILISATION:
    case PLOT_QUEUE:
        plot_load(plot, number, p->kind == PLOT_QUEUE);
        break;
    case PLOT_BOXES:
        plot_boxes(plot, number);
        break;
    case PLOT_NODES:
        plot_nodes(plot, number, p->run);
        break;
    case PLOT_BARS:
    case PLOT_KINDS:
        break;
    }
}

/* Writes the script of a figure of these panels. */
static void plot_write_script_one(const struct plot *plot,
                                  const struct panel *panels, size_t n)
{
    size_t most = plot->wishes->columns;
    size_t columns = most < n ? most : n, rows = (n + columns - 1) / columns;
    struct plot_wide wide = {0};
    for (size_t i = 0; i < n; i++) {
        wide.labels |= panels[i].kind == PLOT_BOXES;
        wide.colours |= panels[i].kind == PLOT_NODES;
    }
    double height = plot_height(plot, rows, columns, &wide);
    plot_head(plot, height);
    for (size_t i = 0; i < n; i++)
        plot_put_data(plot, &panels[i], (unsigned)i);
    plot_layout(plot, rows, columns, height, &wide);
    for (size_t i = 0; i < n; i++) {
        put_panel(plot, &panels[i], (unsigned)i);
        /* The key and the title belong to the whole figure: only its first
         * panel draws them. */
        out_text(plot->out, "\nunset key\nunset label 1\n");
    }
    out_text(plot->out, "unset multiplot\n");
}

enum status plot_write(struct out *out, const struct report_runs *runs,
                       const struct plot_wishes *wishes, struct error *err)
{
    const char *names[REPORT_RUNS_MAX];
    struct plot plot = {.out = out,
                        .runs = runs,
                        .wishes = wishes,
                        .names = names,
                        .n_names = runs->n};
    struct panel panels[PLOT_PANELS_MAX];
    size_t n;
    for (size_t i = 0; i < runs->n; i++)
        names[i] = i < wishes->n_labels ? wishes->labels[i] : runs->at[i].label;
    plot_choose_unit(&plot);
    enum status st = choose_vc(&plot, err);
    if (st == STATUS_OK)
        st = list_panels(&plot, panels, &n, err);
    if (st == STATUS_OK)
        plot_write_script_one(&plot, panels, n);
    return st;
}
