/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the head of a figure's script and its layout: sizes on paper, colours,
 * dashes, margins, key and title. */
#include <stdio.h>
#include <string.h>

#include "commands/report/report_internal.h"

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

/* Writes the terminal. Sizes are those on paper: a PDF is in cm, an SVG in
 * pixels of 1/96 inch, a PNG has 300 pixels an inch. */
static void put_terminal(const struct plot *plot, double height)
{
    const struct plot_wishes *w = plot->wishes;
    double inches_w = w->width / 2.54, inches_h = height / 2.54;
    struct out *out = plot->out;
    /* By this line a later call knows its own script (out_open_sparing). */
    out_text(out, "# written by schedsim plot\n");
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
    for (size_t i = 0; i < plot->n_names; i++) {
        const char *dash = dashes[(i + i / COLOURS) % COLOURS];
        out_printf(out, "set style line %zu lc rgb '%s' lw 1.4 dt %s\n", i + 1,
                   colours[i % COLOURS], dash);
    }
}

void plot_head(const struct plot *plot, double height)
{
    put_terminal(plot, height);
    put_styles(plot);
}

/* The layout of the key: numbers of rows and of columns of names. */
struct plot_layout_key {
    size_t rows, columns;
};

/* Chooses how many names in the key stand side by side, by the longest one, on
 * the width of one panel: gnuplot makes the key no wider. A character is taken
 * to be 0.65 em wide, the sample of a line with its gaps 6 em, a little more
 * than they are, because a name that gnuplot puts into a further row would
 * cover the panel below. */
static struct plot_layout_key layout_choose_key(const struct plot *plot,
                                                size_t panels, double margins)
{
    size_t widest = 0, n = plot->n_names;
    for (size_t r = 0; r < n; r++) {
        size_t len = strlen(plot->names[r]);
        widest = len > widest ? len : widest;
    }
    double room =
        plot->wishes->width / em_of(plot->wishes) / (double)panels - margins;
    double fit = room / (0.65 * (double)widest + 6);
    struct plot_layout_key key = {.columns = fit < 1    ? 1
                                             : fit < 24 ? (size_t)fit
                                                        : 24};
    key.rows = (n + key.columns - 1) / key.columns;
    key.columns = (n + key.rows - 1) / key.rows;
    return key;
}

/* Returns the height of the title and the key above the panels, in em. */
static double top_of(const struct plot *plot, struct plot_layout_key key)
{
    return (plot->wishes->title ? 2.0 : 0.6) + 1.6 * (double)key.rows;
}

/* Widths of the margins of a panel, em. */
static double layout_left_of(const struct plot_wide *wide)
{
    return wide->labels ? 7.0 : 5.6;
}

static double right_of(const struct plot_wide *wide)
{
    return wide->colours ? 8.4 : 1.6;
}

static struct plot_layout_key layout_key_of(const struct plot *plot,
                                            size_t columns,
                                            const struct plot_wide *wide)
{
    return layout_choose_key(plot, columns,
                             layout_left_of(wide) + right_of(wide));
}

double plot_height(const struct plot *plot, size_t rows, size_t columns,
                   const struct plot_wide *wide)
{
    const struct plot_wishes *w = plot->wishes;
    double top = top_of(plot, layout_key_of(plot, columns, wide));
    return w->height > 0 ? w->height : em_of(w) * (top + 17 * (double)rows);
}

/* Divides the figure into panels of one size. The margins are lengths on paper
 * that fit the font. The key is at the top, once for all panels. */
void plot_layout(const struct plot *plot, size_t rows, size_t columns,
                 double height, const struct plot_wide *wide)
{
    const struct plot_wishes *w = plot->wishes;
    struct plot_layout_key key = layout_key_of(plot, columns, wide);
    double em = em_of(w), top = top_of(plot, key) * em;
    double left = layout_left_of(wide) * em, right = right_of(wide) * em;
    double bottom = (wide->below ? 7.0 : 4.0) * em;
    out_printf(
        plot->out,
        "set multiplot layout %zu,%zu margins screen %.4f,%.4f,%.4f,%.4f "
        "spacing screen %.4f,%.4f\n",
        rows, columns, left / w->width, 1 - right / w->width, bottom / height,
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
