/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the bars of a sweep: the mean of a column over replications, with its
 * interval. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/report/report_internal.h"

enum { COLOURS_MAX = 24, PLOT_BARS_GROUPS_MAX = 64, PLOT_BARS_LABEL_MAX = 120 };

/* The bars of a figure: settings[group * COLOURS_MAX + colour] is 1 + the index
 * of a setting; 0: the sweep has no such setting. */
struct plot_bars {
    const struct runs_file *file;
    /* column that has a colour for each value; n_names: no column varies */
    size_t key;
    const char *colours[COLOURS_MAX];
    char groups[PLOT_BARS_GROUPS_MAX][PLOT_BARS_LABEL_MAX];
    size_t n_colours, n_groups;
    size_t settings[PLOT_BARS_GROUPS_MAX * COLOURS_MAX];
    double unit; /* unit of the axis, s; 1 if the column is not a time */
    /* unit of the axis; NULL: the column is not a time */
    const char *unit_name;
};

static size_t bars_choose_key(const struct runs_file *file)
{
    size_t key = file->n_names;
    for (size_t i = 0; i < file->n_names; i++) {
        if (file->varies[i])
            key = i;
    }
    static const char *const best[] = {"policy", "name"};
    for (size_t b = 0; b < 2; b++) {
        for (size_t i = 0; i < file->n_names; i++) {
            if (file->varies[i] && strcmp(file->names[i], best[b]) == 0)
                key = i;
        }
    }
    return key;
}

/* Writes the name of a setting's group: its cells in the columns that vary,
 * except the column `key`. Of a path, only the last part is written. */
static void group_name(const struct plot_bars *b,
                       const struct runs_setting *setting,
                       char name[PLOT_BARS_LABEL_MAX])
{
    size_t len = 0;
    name[0] = '\0';
    for (size_t i = 0; i < b->file->n_names && len < PLOT_BARS_LABEL_MAX; i++) {
        const char *cell = setting->cells[i], *slash = strrchr(cell, '/');
        if (i == b->key || !b->file->varies[i])
            continue;
        int n = snprintf(name + len, PLOT_BARS_LABEL_MAX - len, "%s%.60s",
                         len ? ", " : "", slash ? slash + 1 : cell);
        len += n > 0 ? (size_t)n : 0;
    }
}

/* Finds the group and the colour of each setting. Returns false if there are
 * too many groups or colours. */
static bool bars_arrange(struct plot_bars *b)
{
    const struct runs_file *file = b->file;
    for (size_t s = 0; s < file->n_settings; s++) {
        const char *colour = b->key < file->n_names
                                 ? file->settings[s].cells[b->key]
                                 : "all runs";
        char name[PLOT_BARS_LABEL_MAX];
        size_t c = 0, g = 0;
        group_name(b, &file->settings[s], name);
        while (c < b->n_colours && strcmp(b->colours[c], colour) != 0)
            c++;
        while (g < b->n_groups && strcmp(b->groups[g], name) != 0)
            g++;
        if (c == COLOURS_MAX || g == PLOT_BARS_GROUPS_MAX)
            return false;
        if (c == b->n_colours)
            b->colours[b->n_colours++] = colour;
        if (g == b->n_groups)
            memcpy(b->groups[b->n_groups++], name, PLOT_BARS_LABEL_MAX);
        b->settings[g * COLOURS_MAX + c] = s + 1;
    }
    return true;
}

/* Chooses the unit in which a column of seconds is shown, by its largest
 * mean. */
static void bars_choose_unit(struct plot_bars *b)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {
        {"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}};
    const char *column = b->file->metrics[0], *s = strstr(column, "_s_");
    double most = 0;
    size_t len = strlen(column), i = 0;
    b->unit = 1;
    if (!s && (len < 2 || strcmp(column + len - 2, "_s") != 0))
        return;
    for (size_t k = 0; k < b->file->n_settings; k++) {
        double mean = runs_estimate(b->file, k, 0).mean;
        most = mean > most ? mean : most;
    }
    while (i < 3 && most < 2 * units[i].seconds)
        i++;
    b->unit = units[i].seconds;
    b->unit_name = units[i].name;
}

/* True if some run of the setting left jobs unfinished. */
static bool is_incomplete(const struct runs_file *file, size_t setting)
{
    const struct runs_setting *s = &file->settings[setting];
    for (size_t i = 0; i < s->n; i++) {
        if (file->rows[s->first + i].done.unfinished > 0)
            return true;
    }
    return false;
}

static void bars_put_data(const struct plot *plot, const struct plot_bars *b)
{
    for (size_t c = 0; c < b->n_colours; c++) {
        plot_data(plot, 0, c);
        for (size_t g = 0; g < b->n_groups; g++) {
            size_t s = b->settings[g * COLOURS_MAX + c];
            struct estimate e =
                s ? runs_estimate(b->file, s - 1, 0)
                  : (struct estimate){.mean = NAN, .interval = {NAN, NAN}};
            out_printf(plot->out, "%zu", g);
            plot_number(plot, e.mean / b->unit);
            plot_number(plot, e.interval.lo / b->unit);
            plot_number(plot, e.interval.hi / b->unit);
            /* the height of the hatching of an incomplete setting */
            if (b->file->n_unfinished)
                plot_number(plot, s && is_incomplete(b->file, s - 1)
                                      ? e.mean / b->unit
                                      : NAN);
            out_char(plot->out, '\n');
        }
        plot_data_end(plot);
    }
}

/* Writes the names of the columns that tell groups apart. Returns `words`. */
static const char *group_columns(const struct plot_bars *b, char *words,
                                 size_t room)
{
    size_t len = 0;
    words[0] = '\0';
    for (size_t i = 0; i < b->file->n_names && len < room; i++) {
        if (i != b->key && b->file->varies[i])
            len += (size_t)snprintf(words + len, room - len, "%s%.40s",
                                    len ? ", " : "", b->file->names[i]);
    }
    return words;
}

/* Writes the settings of both axes. The label of the y axis is the column in
 * words, such as "queueing delay, p99 (hours)"; that of the x axis names the
 * columns that tell groups apart. */
static void put_axis(const struct plot *plot, const struct plot_bars *b)
{
    const char *column = b->file->metrics[0];
    char words[160];
    bool delay = strncmp(column, "queue_delay_s_", 14) == 0;
    bool jct = strncmp(column, "jct_s_", 6) == 0;
    snprintf(words, sizeof words, "%s%.90s%s%s%s",
             delay ? "queueing delay, "
             : jct ? "JCT, "
                   : "",
             column + (delay ? 14
                       : jct ? 6
                             : 0),
             b->unit_name ? " (" : "", b->unit_name ? b->unit_name : "",
             b->unit_name ? ")" : "");
    out_text(plot->out, "set ylabel ");
    gnuplot_quote(plot->out, words);
    out_text(plot->out, "\nset xlabel ");
    gnuplot_quote(plot->out, group_columns(b, words, sizeof words));
    out_text(plot->out, "\nset yrange [0:*]\nset grid "
                        "noxtics\nset xtics (");
    for (size_t g = 0; g < b->n_groups; g++) {
        out_text(plot->out, g ? ", " : "");
        gnuplot_quote(plot->out, b->groups[g]);
        out_printf(plot->out, " %zu", g);
    }
    out_printf(plot->out, ")\nset xrange [-0.6:%.1f]\n",
               (double)b->n_groups - 0.4);
}

static void put_bars(const struct plot *plot, const struct plot_bars *b)
{
    size_t n = b->n_colours;
    double step = 0.8 / (double)n;
    for (size_t c = 0; c < n; c++) {
        double shift = ((double)c - (double)(n - 1) / 2) * step;
        plot_of(plot, 0, c);
        out_printf(plot->out, " using ($1+%.4f):2:(%.4f) with boxes", shift,
                   step * 0.86);
        plot_style(plot, c);
        out_printf(plot->out, " dt solid lw 0.8 fs solid %.2f border",
                   n == 1 ? 0.5 : 0.2 + 0.7 * (double)c / (double)(n - 1));
        /* A bar of a setting in which jobs did not finish is hatched. */
        if (b->file->n_unfinished)
            out_printf(plot->out,
                       ", $p0_%zu using ($1+%.4f):5:(%.4f) with boxes notitle "
                       "lc rgb 'black' lw 0.8 fs transparent pattern 4 border",
                       c, shift, step * 0.86);
        /* The intervals are drawn as the whiskers of boxes without height. */
        out_printf(plot->out,
                   ", $p0_%zu using ($1+%.4f):2:3:4:2:(%.4f) with candlesticks "
                   "notitle lc rgb 'black' lw 0.8 whiskerbars 1",
                   c, shift, step * 0.3);
    }
    out_char(plot->out, '\n');
}

/* True if the names of groups do not fit beside each other. */
static bool is_crowded(const struct plot *plot, const struct plot_bars *b)
{
    size_t widest = 0;
    for (size_t g = 0; g < b->n_groups; g++) {
        size_t len = strlen(b->groups[g]);
        widest = len > widest ? len : widest;
    }
    double em = plot->wishes->font_size / 72 * 2.54;
    return 0.6 * (double)widest * (double)b->n_groups >
           plot->wishes->width / em - 8;
}

enum status plot_bars(struct out *out, const struct runs_file *file,
                      const struct plot_wishes *wishes, struct error *err)
{
    struct plot_bars *b = mem_zalloc(1, sizeof *b);
    struct plot plot = {.out = out, .wishes = wishes, .names = b->colours};
    enum status st = STATUS_OK;
    b->file = file;
    b->key = bars_choose_key(file);
    if (!bars_arrange(b) || !b->n_colours) {
        st = error_set(err, STATUS_USAGE,
                       "%s: has %zu settings; bars show 1 to %d groups of up "
                       "to %d",
                       file->path, file->n_settings, PLOT_BARS_GROUPS_MAX,
                       COLOURS_MAX);
        free(b);
        return st;
    }
    bars_choose_unit(b);
    plot.n_names = b->n_colours;
    for (size_t i = 0; i < wishes->n_labels && i < b->n_colours; i++)
        b->colours[i] = wishes->labels[i];
    struct plot_wide wide = {.below = is_crowded(&plot, b)};
    double height = plot_height(&plot, 1, 1, &wide);
    plot_head(&plot, height);
    bars_put_data(&plot, b);
    plot_layout(&plot, 1, 1, height, &wide);
    if (wide.below)
        out_text(out, "set xtics rotate by -30\n");
    put_axis(&plot, b);
    put_bars(&plot, b);
    out_text(out, "unset multiplot\n");
    free(b);
    return st;
}
