/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the head of a figure's script and its layout: sizes on paper, colours,
 * dashes, margins, key and title. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/report/report_internal.h"

/* Colours that people with any kind of colour blindness can tell apart (Okabe
 * and Ito 2008, "Color Universal Design", jfly.uni-koeln.de/color), without
 * their yellow, which is too light on white; black comes last. Dashes tell
 * lines apart in grey. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73",
                                      "#CC79A7", "#56B4E9", "#E69F00",
                                      "#000000"};
static const char *const dashes[] = {"solid",         "(12,4)", "(3,3)",
                                     "(12,3,3,3)",    "(20,5)", "(6,3)",
                                     "(12,3,3,3,3,3)"};
enum { COLOURS = 7 };

/* Numbers of labels. Those of the key begin at 10. */
enum {
    PLOT_TITLE_LABEL = 1,
    PLOT_SIDE_LABEL,
    PLOT_RIGHT_LABEL,
    PLOT_FOOT_LABEL,
};

/* Returns the size of the font in cm. */
static double em_of(const struct plot_wishes *wishes)
{
    return wishes->font_size / 72 * 2.54;
}

double plot_width(const struct plot *plot)
{
    return plot->wishes->width / em_of(plot->wishes);
}

double plot_panel_width(const struct plot *plot)
{
    const struct plot_frame *f = &plot->frame;
    return plot_width(plot) / (double)f->columns - f->left - f->right;
}

/* A character is taken to be this wide, em, a little more than most are,
 * because a text that is too wide leaves the picture or covers another one. */
#define CHARACTER 0.65

/* Returns the number of characters of a UTF-8 text. */
static size_t layout_length(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* Returns the byte at which character number n begins. */
static size_t layout_byte(const char *text, size_t n)
{
    size_t at = 0;
    for (; text[at]; at++) {
        if (((unsigned char)text[at] & 0xc0) != 0x80 && n-- == 0)
            break;
    }
    return at;
}

void plot_fit(const char *name, double em, char out[PLOT_NAME_MAX])
{
    size_t n = layout_length(name), len = strlen(name);
    size_t most = em > 4 * CHARACTER ? (size_t)(em / CHARACTER) : 4;
    /* four bytes a character, and three of the ellipsis */
    most = most < PLOT_NAME_MAX / 4 - 1 ? most : PLOT_NAME_MAX / 4 - 1;
    size_t tail = most / 2, head = most - tail - 1;
    if (n <= most && len < PLOT_NAME_MAX)
        snprintf(out, PLOT_NAME_MAX, "%s", name);
    else
        snprintf(out, PLOT_NAME_MAX, "%.*s\xe2\x80\xa6%s",
                 (int)layout_byte(name, head), name,
                 name + layout_byte(name, n - tail));
}

/* Widths in the key, em: the sample of a line or box, and with the gaps beside
 * it. */
#define KEY_SAMPLE 2.8
#define KEY_WHOLE 5.0

void plot_names(struct plot *plot, const char *const *names)
{
    double room = plot->frame.key ? plot_width(plot) - KEY_WHOLE
                                  : plot_panel_width(plot) - 1;
    for (size_t i = 0; i < plot->n_names; i++)
        plot_fit(names[i], room, plot->names[i]);
}

/* The layout of the key: numbers of rows and of columns of names, and the width
 * of a column, em. */
struct plot_layout_key {
    size_t rows, columns;
    double width;
};

/* Chooses how many names in the key stand side by side, by the longest one. */
static struct plot_layout_key layout_key_of(const struct plot *plot)
{
    struct plot_layout_key key = {0, 1, KEY_WHOLE};
    size_t widest = 0, n = plot->n_names;
    if (!plot->frame.key)
        return key;
    for (size_t r = 0; r < n; r++) {
        size_t len = layout_length(plot->names[r]);
        widest = len > widest ? len : widest;
    }
    key.width += CHARACTER * (double)widest;
    double fit = plot_width(plot) / key.width;
    key.columns = fit < 1 ? 1 : fit < 24 ? (size_t)fit : 24;
    key.rows = (n + key.columns - 1) / key.columns;
    key.columns = (n + key.rows - 1) / key.rows;
    return key;
}

/* Returns the height of the title, the key and the names of panels above the
 * first of them, in em. */
static double top_of(const struct plot *plot)
{
    double title = plot->wishes->title ? 2.0 : 0.6;
    return title + 1.6 * (double)layout_key_of(plot).rows +
           (plot->frame.named ? 1.2 : 0);
}

/* Returns the height of the figure in cm. */
static double layout_height(const struct plot *plot)
{
    const struct plot_wishes *w = plot->wishes;
    const struct plot_frame *f = &plot->frame;
    double rows = (double)f->rows;
    double em = top_of(plot) + rows * f->inner + (rows - 1) * f->gap + f->below;
    return w->height > 0 ? w->height : em_of(w) * em;
}

/* Writes the terminal. Sizes are those on paper, in all three formats: a PDF is
 * in cm, an SVG in pixels of 1/96 inch, a PNG has 300 pixels an inch. A width
 * of line of 1 is 1/96 inch. By itself, gnuplot draws the fonts of a PDF at 2/3
 * of their size and its lines at 2/3 of their width, a PNG in pixels of 1/96
 * inch. */
static void put_terminal(const struct plot *plot)
{
    const struct plot_wishes *w = plot->wishes;
    double height = layout_height(plot);
    double inches_w = w->width / 2.54, inches_h = height / 2.54;
    struct out *out = plot->out;
    /* By this line a later call knows its own script (out_open_sparing). */
    out_text(out, "# written by schedsim plot\n");
    if (w->format == PLOT_PDF)
        out_printf(out,
                   "set terminal pdfcairo size %.2fcm,%.2fcm fontscale 0.75 "
                   "linewidth 1.5 pointscale 1.5 dashlength 1.8",
                   w->width, height);
    else if (w->format == PLOT_SVG)
        out_printf(out, "set terminal svg size %.0f,%.0f background 'white'",
                   inches_w * 96, inches_h * 96);
    else
        out_printf(out,
                   "set terminal pngcairo size %.0f,%.0f background "
                   "'white' fontscale 3.125 linewidth 3.125 pointscale 3.125 "
                   "dashlength 1.8",
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
                  "set grid lt 1 lc rgb '#dddddd' lw 0.5\n"
                  "unset key\n"
                  "set datafile missing 'NaN'\n"
                  "set samples 2\n");
    for (size_t i = 0; i < plot->n_names; i++) {
        const char *dash = dashes[(i + i / COLOURS) % COLOURS];
        out_printf(out, "set style line %zu lc rgb '%s' lw 1.4 dt %s pt %zu\n",
                   i + 1, colours[i % COLOURS], dash,
                   4 + (i + i / COLOURS) % COLOURS);
    }
}

uint32_t plot_colour(size_t i)
{
    return (uint32_t)strtoul(colours[i % COLOURS] + 1, NULL, 16);
}

/* Returns the height of a panel, em. */
static double layout_inner(const struct plot *plot)
{
    const struct plot_frame *f = &plot->frame;
    double rows = (double)f->rows;
    double height = layout_height(plot) / em_of(plot->wishes);
    return (height - top_of(plot) - f->below - (rows - 1) * f->gap) / rows;
}

/* Refuses a figure whose panels would be no wider or higher than a few
 * letters. */
static enum status check_room(const struct plot *plot, struct error *err)
{
    const struct plot_wishes *w = plot->wishes;
    const struct plot_frame *f = &plot->frame;
    double wide = 6, high = 2; /* em */
    double least = (f->left + f->right + wide) * (double)f->columns;
    if (plot_panel_width(plot) < wide)
        return error_set(
            err, STATUS_USAGE,
            "--style width: %g cm; columns of panels: %zu, text: %g pt; "
            "these need %.1f cm",
            w->width, f->columns, w->font_size, least * em_of(w) + 0.05);
    least =
        w->height / em_of(w) + (double)f->rows * (high - layout_inner(plot));
    if (layout_inner(plot) < high)
        return error_set(
            err, STATUS_USAGE,
            "--style height: %g cm; rows of panels: %zu, text: %g pt; "
            "these need %.1f cm",
            w->height, f->rows, w->font_size, least * em_of(w) + 0.05);
    return STATUS_OK;
}

enum status plot_head(const struct plot *plot, struct error *err)
{
    const char *title = plot->wishes->title;
    size_t room = (size_t)(plot_width(plot) / CHARACTER);
    if (title && layout_length(title) > room)
        return error_set(err, STATUS_USAGE,
                         "--title: has %zu characters; %zu fit into %g cm "
                         "(--style width, font-size)",
                         layout_length(title), room, plot->wishes->width);
    enum status st = check_room(plot, err);
    if (st != STATUS_OK)
        return st;
    put_terminal(plot);
    put_styles(plot);
    return STATUS_OK;
}

double plot_density(const struct plot *plot, size_t i)
{
    size_t n = plot->n_names;
    return n == 1 ? 0.5 : 0.15 + 0.7 * (double)i / (double)(n - 1);
}

/* Writes the key: for each name a label, and a line or box as its sample. All
 * terminals of gnuplot then give it one size, and it may be wider than a
 * panel. */
static void layout_put_key(const struct plot *plot,
                           const struct plot_layout_key *key)
{
    double height = layout_height(plot) / em_of(plot->wishes);
    double width = plot_width(plot);
    double left = (width - key->width * (double)key->columns) / 2 + 0.7;
    for (size_t i = 0; plot->frame.key && i < plot->n_names; i++) {
        double x = left + key->width * (double)(i % key->columns);
        double y = (plot->wishes->title ? 2.5 : 1.1) +
                   1.6 * (double)(i / key->columns);
        out_printf(plot->out, "set label %zu ", i + 10);
        gnuplot_quote(plot->out, plot->names[i]);
        out_printf(plot->out, " at screen %.4f,%.4f left\n",
                   (x + KEY_SAMPLE + 0.6) / width, 1 - y / height);
        if (plot->frame.key == PLOT_KEY_LINES)
            out_printf(plot->out,
                       "set arrow %zu from screen %.4f,%.4f to screen "
                       "%.4f,%.4f nohead ls %zu\n",
                       i + 10, x / width, 1 - y / height,
                       (x + KEY_SAMPLE) / width, 1 - y / height, i + 1);
        else
            out_printf(plot->out,
                       "set object %zu rectangle from screen %.4f,%.4f to "
                       "screen %.4f,%.4f fc rgb '%s' fs solid %.2f border lc "
                       "rgb '%s' lw 0.8\n",
                       i + 10, x / width, 1 - (y - 0.35) / height,
                       (x + KEY_SAMPLE) / width, 1 - (y + 0.35) / height,
                       colours[i % COLOURS], plot_density(plot, i),
                       colours[i % COLOURS]);
    }
}

/* Divides the figure into panels of one size. The margins are lengths on paper
 * that fit the font. The key is at the top, once for all panels. */
void plot_layout(const struct plot *plot)
{
    const struct plot_wishes *w = plot->wishes;
    const struct plot_frame *f = &plot->frame;
    struct plot_layout_key key = layout_key_of(plot);
    double height = layout_height(plot) / em_of(w), width = plot_width(plot);
    out_printf(
        plot->out,
        "set multiplot layout %zu,%zu margins screen %.4f,%.4f,%.4f,%.4f "
        "spacing screen %.4f,%.4f\n",
        f->rows, f->columns, f->left / width, 1 - f->right / width,
        f->below / height, 1 - top_of(plot) / height,
        (f->left + f->right) / width, f->gap / height);
    layout_put_key(plot, &key);
    if (w->title) {
        out_printf(plot->out, "set label %d ", PLOT_TITLE_LABEL);
        gnuplot_quote(plot->out, w->title);
        out_printf(plot->out, " at screen 0.5,%.4f center\n", 1 - 0.9 / height);
    }
}

/* Writes a label around a place on the figure, em from its left and its top,
 * but keeps it within the figure. */
static void layout_put_label(const struct plot *plot, unsigned number,
                             const char *words, double x, double y)
{
    double height = layout_height(plot) / em_of(plot->wishes);
    double width = plot_width(plot);
    double half = CHARACTER * (double)layout_length(words) / 2 + 0.4;
    bool upright = number != PLOT_FOOT_LABEL;
    if (upright)
        y = fmin(fmax(y, half), height - half);
    else
        x = fmin(fmax(x, half), width - half);
    out_printf(plot->out, "set label %u ", number);
    gnuplot_quote(plot->out, words);
    out_printf(plot->out, " at screen %.4f,%.4f center%s\n", x / width,
               1 - y / height, upright ? " rotate" : "");
}

/* Returns the left end of a panel, and of its margin, em. */
static double layout_left(const struct plot *plot, size_t panel)
{
    const struct plot_frame *f = &plot->frame;
    return plot_width(plot) / (double)f->columns * (double)(panel % f->columns);
}

/* Returns the top of a panel, em. */
static double layout_top(const struct plot *plot, size_t panel)
{
    const struct plot_frame *f = &plot->frame;
    return top_of(plot) +
           (double)(panel / f->columns) * (layout_inner(plot) + f->gap);
}

void plot_side_label(const struct plot *plot, const char *words, size_t first,
                     size_t last)
{
    double middle = (layout_top(plot, first) + layout_top(plot, last)) / 2;
    layout_put_label(plot, PLOT_SIDE_LABEL, words,
                     layout_left(plot, first) + 0.9,
                     middle + layout_inner(plot) / 2);
}

void plot_right_label(const struct plot *plot, const char *words, size_t panel)
{
    const struct plot_frame *f = &plot->frame;
    layout_put_label(plot, PLOT_RIGHT_LABEL, words,
                     layout_left(plot, panel) + f->left +
                         plot_panel_width(plot) + f->right - 0.9,
                     layout_top(plot, panel) + layout_inner(plot) / 2);
}

void plot_foot_label(const struct plot *plot, const char *words, size_t panel)
{
    layout_put_label(plot, PLOT_FOOT_LABEL, words,
                     layout_left(plot, panel) + plot->frame.left +
                         plot_panel_width(plot) / 2,
                     layout_top(plot, panel) + layout_inner(plot) + 2.9);
}
