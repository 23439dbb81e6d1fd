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
    [PLOT_NODES] = "nodes", [PLOT_GANTT] = "gantt",
    [PLOT_BARS] = "bars",   [PLOT_RELATIVE] = "relative",
    [PLOT_LINES] = "lines", [PLOT_KINDS] = NULL,
};

/* How the panels of a kind look. */
static const struct plot_look {
    const char *side;    /* label of the y axis of all panels together */
    size_t together;     /* up to this many runs share one panel */
    bool over_time;      /* true: the x axis is time */
    double left, right;  /* margins, em */
    double inner, small; /* height of a panel, and of one of several, em */
} plot_looks[PLOT_KINDS] = {
#define LOOK(side_, together_, over_time_, left_, right_, small_) \
    { \
        .side = side_, .together = together_, .over_time = over_time_, \
        .left = left_, .right = right_, .inner = 13, .small = small_ \
    }
    [PLOT_CDF] = LOOK("share of jobs", REPORT_RUNS_MAX, false, 5.6, 1.6, 13),
    /* Lines of the load of more than one run hide each other, those of the
     * queue of more than three. */
    [PLOT_UTILISATION] = LOOK("busy GPUs (%)", 1, true, 5.6, 1.6, 4),
    [PLOT_QUEUE] = LOOK("waiting jobs", 3, true, 5.6, 1.6, 4),
    [PLOT_BOXES] = LOOK(NULL, 3, false, 7, 1.6, 7),
    [PLOT_NODES] = LOOK("node", 0, true, 5.6, 8.4, 9),
    [PLOT_GANTT] = LOOK("GPUs, by node", 0, true, 5.6, 1.6, 9),
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
    out_printf(plot->out, " ls %zu", run + 1);
}

double plot_step(double span, double most)
{
    double step = pow(10, floor(log10(span)) - 1);
    for (int i = 0; span / step > fmax(most, 1); i++)
        step *= i % 3 == 1 ? 2.5 : 2; /* 1, 2, 5, 10 */
    return step;
}

/* Writes a tic with its number, such as 0.5, 2000 or 20k. */
static void plot_put_tic(const struct plot *plot, const char *before, double at)
{
    static const char *const units[] = {"", "k", "M", "G"};
    size_t i = at >= 1e9 ? 3 : at >= 1e6 ? 2 : at >= 1e4 ? 1 : 0;
    out_printf(plot->out, "%s'%g%s' %.10g", before, at / pow(1000, (double)i),
               units[i], at);
}

void plot_numbers(const struct plot *plot, char axis, double hi, double most)
{
    double step = plot_step(hi, most), end = ceil(hi / step * (1 - 1e-9));
    out_printf(plot->out, "set %crange [0:%.10g]\nset %ctics (", axis,
               end * step, axis);
    for (double i = 0; i <= end; i++)
        plot_put_tic(plot, i > 0 ? ", " : "", i * step);
    out_text(plot->out, ")\n");
}

/* Returns 1, 2 or 5 times a power of ten: the largest below a value, or the
 * smallest at or above it. */
static double plot_round(double value, bool up)
{
    static const double parts[] = {10, 5, 2, 1};
    double ten = pow(10, ceil(log10(value)) - 1), found = up ? 10 * ten : ten;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double at = parts[i] * ten;
        if (up ? at >= value : at < value && at > found)
            found = at;
    }
    return found;
}

double plot_log_numbers(const struct plot *plot, char axis, double lo,
                        double hi)
{
    double low = plot_round(lo, false), high = plot_round(hi, true);
    double ten = pow(10, floor(log10(low) + 1e-9));
    double decades = log10(high / low);
    int every = (int)ceil(decades / 7);
    const char *gap = "";
    out_printf(plot->out,
               "set logscale %c\nset %crange [%.10g:%.10g]\nset %ctics (", axis,
               axis, low, high, axis);
    for (int decade = 0; ten <= high; decade++, ten *= 10) {
        for (int i = 1; i < 10; i++) {
            double at = i * ten;
            /* 2 and 5 have a number only where tens are far apart */
            bool named = i == 1 ? decade % every == 0
                                : decades < 2 && (i == 2 || i == 5);
            if (at < low * (1 - 1e-9) || at > high * (1 + 1e-9))
                continue;
            if (named)
                plot_put_tic(plot, gap, at);
            else
                out_printf(plot->out, "%s'' %.10g 1", gap, at);
            gap = ", ";
        }
    }
    out_text(plot->out, ")\n");
    return low;
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

/* Chooses the part that is shown of the axis of time, and its unit. */
static enum status plot_choose_time(struct plot *plot, struct error *err)
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
    sim_time end = plot->runs->end, from = plot->wishes->from;
    if (plot->wishes->to > 0 && plot->wishes->to < end)
        end = plot->wishes->to;
    if (from >= end)
        return error_set(err, STATUS_USAGE,
                         "--from: is not before the end of the axis, %.6g s",
                         span_seconds(end));
    while (i < 4 && end - from < 2 * units[i].length)
        i++;
    plot->time_unit = units[i].name;
    plot->time_scale = (double)units[i].length;
    plot->from = (double)from / plot->time_scale;
    plot->end = (double)end / plot->time_scale;
    return STATUS_OK;
}

/* Finds the virtual cluster that the user named. It must have the same symbol
 * in all runs. */
static enum status choose_vc(struct plot *plot, struct error *err)
{
    const char *name = plot->wishes->vc;
    plot->vc = LOAD_ALL;
    plot->each_vc = name && strcmp(name, "each") == 0;
    if (!name || plot->each_vc)
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

/* Lists a panel for each virtual cluster of the only run. */
static enum status list_vc_panels(const struct plot *plot, enum plot_kind kind,
                                  struct panel *panels, size_t *n,
                                  struct error *err)
{
    const struct verify_data *d = &plot->runs->at[0].data;
    if (plot->runs->n > 1 || (kind != PLOT_UTILISATION && kind != PLOT_QUEUE))
        return error_set(err, STATUS_USAGE,
                         "--vc each: is for one result and the kinds "
                         "utilisation and queue");
    for (uint32_t vc = 1; vc < d->vcs.n_strings; vc++) {
        bool any = false;
        for (size_t i = 0; i < d->n_jobs && !any; i++)
            any = d->jobs[i].vc == vc;
        if (any && *n == PLOT_PANELS_MAX)
            return error_set(err, STATUS_USAGE,
                             "plot: the figure has more than %d panels",
                             PLOT_PANELS_MAX);
        if (any)
            panels[(*n)++] = (struct panel){.kind = kind, .n = 1, .vc = vc};
    }
    return STATUS_OK;
}

/* Lists the panels, the runs of a kind one after another. */
static enum status list_panels(const struct plot *plot, struct panel *panels,
                               size_t *n, struct error *err)
{
    const struct plot_wishes *w = plot->wishes;
    *n = 0;
    for (size_t i = 0; i < w->n_kinds; i++) {
        enum plot_kind kind = (enum plot_kind)w->kinds[i];
        size_t all = plot->runs->n;
        size_t each = all > plot_looks[kind].together ? 1 : all;
        if (!plot_has_values(plot, kind))
            return error_set(err, STATUS_USAGE,
                             "--kind %s: no job of %s%s ran, so there is "
                             "nothing to draw",
                             plot_kind_names[kind], plot->runs->at[0].dir,
                             all > 1 ? " and the others" : "");
        enum status st = plot->each_vc
                             ? list_vc_panels(plot, kind, panels, n, err)
                             : STATUS_OK;
        if (st != STATUS_OK)
            return st;
        for (size_t r = 0; r < all && !plot->each_vc; r += each) {
            if (*n == PLOT_PANELS_MAX)
                return error_set(err, STATUS_USAGE,
                                 "plot: the figure has more than %d panels",
                                 PLOT_PANELS_MAX);
            panels[(*n)++] = (struct panel){
                .kind = kind, .first = r, .n = each, .vc = plot->vc};
        }
    }
    return STATUS_OK;
}

/* True if the panel has the name of its run above it; the other panels have the
 * names in the key. */
static bool panel_is_named(const struct plot *plot, const struct panel *p)
{
    return plot->each_vc || plot->runs->n > plot_looks[p->kind].together;
}

/* Computes the frame of the figure: the widest margins of its panels, and less
 * between them if one axis below the last serves all. */
static struct plot_frame frame_of(const struct plot *plot, struct panel *panels,
                                  size_t n)
{
    size_t most = plot->wishes->columns;
    struct plot_frame f = {.columns = most < n ? most : n, .below = 4};
    bool share = true;
    f.rows = (n + f.columns - 1) / f.columns;
    for (size_t i = 0; i < n; i++) {
        const struct plot_look *look = &plot_looks[panels[i].kind];
        bool named = panel_is_named(plot, &panels[i]);
        double inner = named && (plot->runs->n > 1 || plot->each_vc)
                           ? look->small
                           : look->inner;
        f.left = fmax(f.left, look->left);
        f.right = fmax(f.right, look->right);
        f.inner = fmax(f.inner, inner);
        f.named |= named;
        if (!named && !f.key)
            f.key =
                panels[i].kind == PLOT_BOXES ? PLOT_KEY_BOXES : PLOT_KEY_LINES;
        share &= named &&
                 (look->over_time || panels[i].kind == panels[0].kind) &&
                 look->over_time == plot_looks[panels[0].kind].over_time;
    }
    f.gap = share ? 1.9 : 5;
    for (size_t i = 0; share && i + f.columns < n; i++)
        panels[i].is_bare = true;
    return f;
}

static enum status plot_put_data(const struct plot *plot, const struct panel *p,
                                 unsigned number, struct error *err)
{
    switch (p->kind) {
    case PLOT_CDF:
        plot_cdf_data(plot, number);
        break;
    case PLOT_UTILISATION:
    case PLOT_QUEUE:
        plot_load_data(plot, number, p);
        break;
    case PLOT_BOXES:
        plot_boxes_data(plot, number, p);
        break;
    case PLOT_NODES:
        plot_nodes_data(plot, number, p->first);
        break;
    case PLOT_GANTT:
        return plot_gantt_data(plot, number, p->first, err);
    case PLOT_BARS:
    case PLOT_RELATIVE:
    case PLOT_LINES:
    case PLOT_KINDS:
        break;
    }
    return STATUS_OK;
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
        plot_load(plot, number, p);
        break;
    case PLOT_BOXES:
        plot_boxes(plot, number, p);
        break;
    case PLOT_NODES:
        plot_nodes(plot, number, p->first);
        break;
    case PLOT_GANTT:
        plot_gantt(plot, number, p->first);
        break;
    case PLOT_BARS:
    case PLOT_RELATIVE:
    case PLOT_LINES:
    case PLOT_KINDS:
        break;
    }
}

/* Writes what depends on the place of a panel: the name of its run; the label
 * of the y axis, once for all panels of the kind; no numbers on the x axis if
 * the panel below has them. */
static void panel_place(const struct plot *plot, const struct panel *panels,
                        size_t n, size_t i)
{
    const struct panel *p = &panels[i];
    const struct plot_look *look = &plot_looks[p->kind];
    size_t last = i;
    if (i > 0) /* the first panel draws the title and the key */
        out_text(plot->out, "unset label\nunset arrow\nunset object\n");
    if (panel_is_named(plot, p)) {
        out_text(plot->out, "set label 5 ");
        gnuplot_quote(plot->out,
                      plot->each_vc
                          ? interner_string(&plot->runs->at[0].data.vcs, p->vc)
                          : plot->names[p->first]);
        out_text(plot->out, " at graph 0.5, graph 1 center offset 0,0.6\n");
    }
    while (last + 1 < n && panels[last + 1].kind == p->kind)
        last++;
    if (p->first == 0 && (i == 0 || panels[i - 1].kind != p->kind))
        plot_side_label(plot, look->side ? look->side : plot_metric_words(plot),
                        i, last);
    if (!look->over_time)
        return;
    char words[40];
    snprintf(words, sizeof words, "time (%s)", plot->time_unit);
    if (!p->is_bare)
        plot_foot_label(plot, words, i);
    out_printf(plot->out,
               "unset logscale\nset xtics %g\nset ytics auto\n"
               "set xrange [%.6g:%.6g]\nset format x '%s'\n",
               plot_step(plot->end - plot->from, plot_panel_width(plot) / 3.5),
               plot->from, plot->end, p->is_bare ? "" : "%h");
}

/* Writes the script of a figure of these panels. */
static enum status plot_write_script_one(const struct plot *plot,
                                         const struct panel *panels, size_t n,
                                         struct error *err)
{
    enum status st = plot_head(plot, err);
    for (size_t i = 0; st == STATUS_OK && i < n; i++)
        st = plot_put_data(plot, &panels[i], (unsigned)i, err);
    if (st != STATUS_OK)
        return st;
    plot_layout(plot);
    for (size_t i = 0; i < n; i++) {
        panel_place(plot, panels, n, i);
        put_panel(plot, &panels[i], (unsigned)i);
    }
    out_text(plot->out, "unset multiplot\n");
    return STATUS_OK;
}

enum status plot_write(struct out *out, const struct report_runs *runs,
                       const struct plot_wishes *wishes, struct error *err)
{
    char fitted[REPORT_RUNS_MAX][PLOT_NAME_MAX];
    const char *names[REPORT_RUNS_MAX];
    struct plot plot = {.out = out,
                        .runs = runs,
                        .wishes = wishes,
                        .names = fitted,
                        .n_names = runs->n};
    struct panel panels[PLOT_PANELS_MAX];
    size_t n;
    for (size_t i = 0; i < runs->n; i++)
        names[i] = i < wishes->n_labels ? wishes->labels[i] : runs->at[i].label;
    enum status st = plot_choose_time(&plot, err);
    if (st == STATUS_OK)
        st = choose_vc(&plot, err);
    if (st == STATUS_OK)
        st = list_panels(&plot, panels, &n, err);
    if (st != STATUS_OK)
        return st;
    plot.frame = frame_of(&plot, panels, n);
    plot_names(&plot, names);
    for (size_t i = 0; i < n; i++) {
        const bool queue = panels[i].kind == PLOT_QUEUE;
        double *most = queue ? &plot.most_waiting : &plot.most_busy;
        if ((queue || panels[i].kind == PLOT_UTILISATION) &&
            (*most == 0 || plot.each_vc))
            *most = fmax(*most, plot_most_load(&plot, panels[i].vc, queue));
    }
    return plot_write_script_one(&plot, panels, n, err);
}
