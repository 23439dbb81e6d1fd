/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head of a figure's script, its layout, and what its panels share. */
#include "report/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/gnuplot.h"
#include "report/plot_internal.h"
#include "sim/base/find.h"

const char *const plot_kind_names[] = {
    [PLOT_CDF] = "cdf",     [PLOT_UTILISATION] = "utilisation",
    [PLOT_QUEUE] = "queue", [PLOT_BOXES] = "boxes",
    [PLOT_NODES] = "nodes", [PLOT_KINDS] = NULL,
};

/* What makes margins wider. */
struct wide {
    bool labels;  /* an axis of times on the left */
    bool colours; /* a scale of colours on the right */
};

/* A panel of the figure. */
struct panel {
    enum plot_kind kind;
    size_t run; /* PLOT_NODES: number of the run */
};

/* Colours of Okabe and Ito, which people with any kind of colour blindness can
 * tell apart; black comes last. Dashes tell lines apart in grey. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73",
                                      "#CC79A7", "#56B4E9", "#E69F00",
                                      "#000000"};
static const char *const dashes[] = {"solid",         "(12,4)", "(3,3)",
                                     "(12,3,3,3)",    "(20,5)", "(6,3)",
                                     "(12,3,3,3,3,3)"};
enum { COLOURS = 7 };

/* Returns the size of the font in cm. */
static double em_of(const struct plot_wishes *wishes)
{
    return wishes->font_size / 72 * 2.54;
}

const char *plot_label(const struct plot *plot, size_t run)
{
    return run < plot->wishes->n_labels ? plot->wishes->labels[run]
                                        : plot->runs->at[run].label;
}

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
    gnuplot_quote(plot->out, plot_label(plot, run));
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

/* Writes the terminal. Sizes are those on paper: a PDF is in cm, an SVG in
 * pixels of 1/96 inch, a PNG has 300 pixels an inch. */
static void put_terminal(const struct plot *plot, double height)
{
    const struct plot_wishes *w = plot->wishes;
    double inches_w = w->width / 2.54, inches_h = height / 2.54;
    struct out *out = plot->out;
    if (w->format == PLOT_PDF)
        out_printf(out, "set terminal pdfcairo size %.2fcm,%.2fcm", w->width,
                   height);
    else if (w->format == PLOT_SVG)
        out_printf(out, "set terminal svg size %.0f,%.0f background 'white'",
                   inches_w * 96, inches_h * 96);
    else
        out_printf(out,
                   "set terminal pngcairo size %.0f,%.0f background "
                   "'white' fontscale 4.1667 linewidth 4.1667",
                   inches_w * 300, inches_h * 300);
    double size = w->format == PLOT_SVG ? w->font_size * 96 / 72 : w->font_size;
    char font[120];
    snprintf(font, sizeof font, "%.80s,%.3g", w->font, size);
    out_text(out, " noenhanced font ");
    gnuplot_quote(out, font);
    out_char(out, '\n');
    if (w->output) {
        out_text(out, "set output ");
        gnuplot_quote(out, w->output);
        out_char(out, '\n');
    }
}

static void put_styles(const struct plot *plot)
{
    struct out *out = plot->out;
    out_text(out, "set encoding utf8\n"
                  "set border 3 lw 0.6\n"
                  "set tics nomirror out scale 0.6,0.3\n"
                  "set xtics offset 0,0.3\n"
                  "set xlabel offset 0,0.7\n"
                  "set ylabel offset 1.2,0\n"
                  "set grid lt 1 lc rgb '#dddddd' lw 0.5\n"
                  "set datafile missing 'NaN'\n"
                  "set samples 2\n");
    for (size_t i = 0; i < plot->runs->n; i++) {
        const char *dash = dashes[(i + i / COLOURS) % COLOURS];
        out_printf(out, "set style line %zu lc rgb '%s' lw 1.4 dt %s\n", i + 1,
                   colours[i % COLOURS], dash);
    }
}

/* Chooses the unit of the axis of time. */
static void choose_unit(struct plot *plot)
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

/* Finds the virtual cluster in the first run; it must have one symbol in all
 * runs. */
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

static enum status list_panels(const struct plot *plot, struct panel *panels,
                               size_t *n, struct error *err)
{
    const struct plot_wishes *w = plot->wishes;
    *n = 0;
    for (size_t i = 0; i < w->n_kinds; i++) {
        size_t each = w->kinds[i] == PLOT_NODES ? plot->runs->n : 1;
        if (*n + each > PLOT_PANELS_MAX)
            return error_set(err, STATUS_USAGE,
                             "plot: the figure has more than %d panels",
                             PLOT_PANELS_MAX);
        for (size_t r = 0; r < each; r++)
            panels[(*n)++] = (struct panel){(enum plot_kind)w->kinds[i], r};
    }
    return STATUS_OK;
}

static void put_data(const struct plot *plot, const struct panel *p,
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
    case PLOT_KINDS:
        break;
    }
}

/* How the key is laid out. */
struct key {
    size_t rows, columns;
};

/* Chooses how many names of runs stand side by side, by the widest one. A
 * character is taken to be 0.55 em wide, the sample of a line 6 em. */
static struct key choose_key(const struct plot *plot)
{
    size_t widest = 0, n = plot->runs->n;
    for (size_t r = 0; r < n; r++) {
        size_t len = strlen(plot_label(plot, r));
        widest = len > widest ? len : widest;
    }
    /* gnuplot makes the key no wider than the panels. */
    double room = plot->wishes->width / em_of(plot->wishes) - 9;
    double fit = room / (0.55 * (double)widest + 6);
    struct key key = {.columns = fit < 1 ? 1 : fit < 24 ? (size_t)fit : 24};
    key.rows = (n + key.columns - 1) / key.columns;
    key.columns = (n + key.rows - 1) / key.rows;
    return key;
}

/* Returns the length above the panels, in em. */
static double top_of(const struct plot *plot)
{
    return (plot->wishes->title ? 2.0 : 0.6) +
           1.4 * (double)choose_key(plot).rows;
}

/* Divides the figure into panels of one size. The margins are lengths on paper
 * that fit the font. The key is at the top, once for all panels. */
static void put_layout(const struct plot *plot, size_t rows, size_t columns,
                       double height, const struct wide *wide)
{
    const struct plot_wishes *w = plot->wishes;
    double em = em_of(w), top = top_of(plot) * em;
    struct key key = choose_key(plot);
    double left = (wide->labels ? 7.0 : 5.6) * em;
    double right = (wide->colours ? 8.4 : 1.6) * em;
    out_printf(
        plot->out,
        "set multiplot layout %zu,%zu margins screen %.4f,%.4f,%.4f,%.4f "
        "spacing screen %.4f,%.4f\n",
        rows, columns, left / w->width, 1 - right / w->width, 4.0 * em / height,
        1 - top / height, (left + right) / w->width,
        (wide->colours ? 6.0 : 5.0) * em / height);
    out_printf(plot->out,
               "set key at screen 0.5,%.4f center top horizontal samplen 2.5 "
               "Left reverse maxrows %zu maxcols %zu\n",
               1 - (w->title ? 1.7 : 0.4) * em / height, key.rows, key.columns);
    if (w->title) {
        out_text(plot->out, "set label 1 ");
        gnuplot_quote(plot->out, w->title);
        out_printf(plot->out, " at screen 0.5,%.4f center\n",
                   1 - 0.9 * em / height);
    }
}

enum status plot_write(struct out *out, const struct report_runs *runs,
                       const struct plot_wishes *wishes, struct error *err)
{
    struct plot plot = {.out = out, .runs = runs, .wishes = wishes};
    struct panel panels[PLOT_PANELS_MAX];
    size_t n;
    struct wide wide = {0};
    choose_unit(&plot);
    enum status st = choose_vc(&plot, err);
    if (st == STATUS_OK)
        st = list_panels(&plot, panels, &n, err);
    if (st != STATUS_OK)
        return st;
    size_t columns = wishes->columns < n ? wishes->columns : n;
    size_t rows = (n + columns - 1) / columns;
    double height = wishes->height > 0
                        ? wishes->height
                        : em_of(wishes) * (top_of(&plot) + 17 * (double)rows);
    for (size_t i = 0; i < n; i++) {
        wide.labels |= panels[i].kind == PLOT_BOXES;
        wide.colours |= panels[i].kind == PLOT_NODES;
    }
    put_terminal(&plot, height);
    put_styles(&plot);
    for (size_t i = 0; i < n; i++)
        put_data(&plot, &panels[i], (unsigned)i);
    put_layout(&plot, rows, columns, height, &wide);
    for (size_t i = 0; i < n; i++) {
        put_panel(&plot, &panels[i], (unsigned)i);
        /* What belongs to the whole figure is drawn with its first panel. */
        out_text(out, "\nunset key\nunset label 1\n");
    }
    out_text(out, "unset multiplot\n");
    return STATUS_OK;
}
