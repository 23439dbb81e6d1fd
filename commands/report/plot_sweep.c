/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a column of a sweep, or of results: bars of means over replications
 * with their intervals, bars of ratios to a baseline, and lines over a setting
 * that is a number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/report/report_internal.h"

enum { COLOURS_MAX = 24, PLOT_GROUPS_MAX = 64, PLOT_LABEL_MAX = 256 };

/* A value to draw and its 95 % interval. */
struct plot_value {
    double at;
    struct interval interval;
};

/* The values of a figure: settings[group * COLOURS_MAX + colour] is 1 + the
 * index of a setting; 0: the sweep has no such setting. */
struct plot_values {
    const struct runs_file *file;
    enum plot_kind kind;
    /* True by column: its cell tells the colour. The other columns that vary
     * tell the group. */
    bool is_colour[256];
    char colours[COLOURS_MAX][PLOT_LABEL_MAX];
    char groups[PLOT_GROUPS_MAX][PLOT_LABEL_MAX];
    char fitted[PLOT_GROUPS_MAX][PLOT_NAME_MAX],
        names[COLOURS_MAX][PLOT_NAME_MAX];
    size_t n_colours, n_groups;
    size_t settings[PLOT_GROUPS_MAX * COLOURS_MAX];
    double x[PLOT_GROUPS_MAX]; /* lines: the group as a number */
    size_t baseline; /* relative: colour to which others are compared */
    double unit;     /* unit of the axis, s; 1: the column is no time */
    char words[PLOT_NAME_MAX]; /* label of the axis of values */
    size_t n_missing;          /* settings that have no value to draw */
    double lo, hi;   /* smallest above 0 and largest of what is drawn */
    bool is_upright; /* bars stand; false: they lie */
};

/* Finds the number in a cell: a number, or the GPUs of a cluster "10x8". */
static bool sweep_number(const char *cell, double *out)
{
    char *end;
    *out = strtod(cell, &end);
    if (end == cell)
        return false;
    if (*end == 'x') {
        const char *second = end + 1;
        *out *= strtod(second, &end);
        return end != second && (*end == '\0' || *end == ':');
    }
    return *end == '\0';
}

static bool sweep_has_numbers(const struct runs_file *file, size_t column)
{
    double number;
    bool all = file->varies[column];
    for (size_t s = 0; s < file->n_settings && all; s++)
        all = sweep_number(file->settings[s].cells[column], &number);
    return all;
}

/* Chooses the column of the x axis of lines: `over`, else `load`, else the
 * first that is a number. */
static enum status choose_over(const struct runs_file *file, const char *over,
                               size_t *out, struct error *err)
{
    size_t n = file->n_names, found = n;
    for (size_t i = n; i-- > 0;) {
        bool wanted = over ? strcmp(file->names[i], over) == 0
                           : sweep_has_numbers(file, i);
        if (wanted && (found == n || strcmp(file->names[found], "load") != 0))
            found = i;
    }
    *out = found;
    if (found < n && sweep_has_numbers(file, found))
        return STATUS_OK;
    if (!over)
        return error_set(err, STATUS_USAGE,
                         "--kind lines: %s: no setting that is a number, such "
                         "as load, varies",
                         file->path);
    if (found < n)
        return error_set(err, STATUS_USAGE,
                         "--over: '%.100s' of %s is not a number, or does not "
                         "vary",
                         over, file->path);
    const char *near = text_nearest(text_from(over), file->names, n);
    return error_set(err, STATUS_USAGE, "--over: %s has no setting '%.100s'%s",
                     file->path, over, text_suggest(near).words);
}

/* Chooses the column that has a colour for each value of bars. */
static size_t sweep_choose_key(const struct runs_file *file)
{
    static const char *const best[] = {"policy", "name"};
    size_t key = file->n_names;
    for (size_t i = 0; i < file->n_names; i++) {
        if (file->varies[i])
            key = i;
    }
    for (size_t b = 0; b < 2; b++) {
        for (size_t i = 0; i < file->n_names; i++) {
            if (file->varies[i] && strcmp(file->names[i], best[b]) == 0)
                key = i;
        }
    }
    return key;
}

static enum status choose_columns(struct plot_values *v, const char *over,
                                  struct error *err)
{
    const struct runs_file *file = v->file;
    size_t one = sweep_choose_key(file);
    enum status st = STATUS_OK;
    if (v->kind == PLOT_LINES)
        st = choose_over(file, over, &one, err);
    for (size_t i = 0; i < file->n_names && i < sizeof v->is_colour; i++)
        v->is_colour[i] = (i == one) == (v->kind != PLOT_LINES);
    return st;
}

/* Joins the cells of a setting in the columns that vary and tell its colour, or
 * its group; the names of these columns if `setting` is NULL. Of a path, only
 * the last part is written. */
static void sweep_join(const struct plot_values *v,
                       const struct runs_setting *setting, bool colour,
                       char out[PLOT_LABEL_MAX])
{
    const struct runs_file *file = v->file;
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < file->n_names && len < PLOT_LABEL_MAX; i++) {
        const char *cell = setting ? setting->cells[i] : file->names[i];
        const char *slash = strrchr(cell, '/');
        if (v->is_colour[i] != colour || !file->varies[i])
            continue;
        int n = snprintf(out + len, PLOT_LABEL_MAX - len, "%s%s",
                         len ? ", " : "", slash ? slash + 1 : cell);
        len += n > 0 ? (size_t)n : 0;
    }
}

/* Returns the index of a label in a list, to which it may be added; `most` if
 * there is no room. */
static size_t label_index(char (*labels)[PLOT_LABEL_MAX], size_t *n,
                          size_t most, const char *label)
{
    size_t i = 0;
    while (i < *n && strcmp(labels[i], label) != 0)
        i++;
    if (i == *n && i < most) {
        snprintf(labels[i], PLOT_LABEL_MAX, "%s", label);
        ++*n;
    }
    return i;
}

/* Finds the group and the colour of each setting. Returns false if there are
 * too many groups or colours, or none. */
static bool sweep_arrange(struct plot_values *v)
{
    const struct runs_file *file = v->file;
    for (size_t s = 0; s < file->n_settings; s++) {
        char label[PLOT_LABEL_MAX];
        sweep_join(v, &file->settings[s], true, label);
        size_t c = label_index(v->colours, &v->n_colours, COLOURS_MAX, label);
        sweep_join(v, &file->settings[s], false, label);
        size_t g = label_index(v->groups, &v->n_groups, PLOT_GROUPS_MAX, label);
        if (c == COLOURS_MAX || g == PLOT_GROUPS_MAX)
            return false;
        v->settings[g * COLOURS_MAX + c] = s + 1;
        if (v->kind == PLOT_LINES)
            sweep_number(label, &v->x[g]);
    }
    return v->n_colours > 0;
}

/* Finds the colour of --baseline: its name, or what is before " (" in it. */
static enum status choose_baseline(struct plot_values *v, const char *wanted,
                                   struct error *err)
{
    const char *names[COLOURS_MAX];
    size_t c = 0;
    for (size_t i = 0; i < v->n_colours; i++)
        names[i] = v->colours[i];
    while (wanted && c < v->n_colours && strcmp(names[c], wanted) != 0)
        c++;
    for (size_t i = v->n_colours; c == v->n_colours && i-- > 0;) {
        const char *mark = strstr(names[i], " (");
        if (mark &&
            text_is((struct text){names[i], (size_t)(mark - names[i])}, wanted))
            c = i;
    }
    v->baseline = c;
    if (c < v->n_colours)
        return STATUS_OK;
    const char *near = text_nearest(text_from(wanted), names, v->n_colours);
    return error_set(err, STATUS_USAGE, "--baseline: no '%.100s' in %s%s",
                     wanted, v->file->path, text_suggest(near).words);
}

/* Returns the value of a group and a colour in the unit of the axis. */
static struct plot_value value_of(const struct plot_values *v, size_t g,
                                  size_t c)
{
    struct plot_value value = {NAN, {NAN, NAN}};
    size_t s = v->settings[g * COLOURS_MAX + c];
    size_t base = v->settings[g * COLOURS_MAX + v->baseline];
    if (!s || (v->kind == PLOT_RELATIVE && !base))
        return value;
    if (v->kind == PLOT_RELATIVE) {
        struct runs_ratio r = runs_relative(v->file, s - 1, base - 1, 0);
        return (struct plot_value){r.median, r.interval};
    }
    struct estimate e = runs_estimate(v->file, s - 1, 0);
    value.at = e.mean / v->unit;
    value.interval.lo = e.interval.lo / v->unit;
    value.interval.hi = e.interval.hi / v->unit;
    return value;
}

/* Measures what is drawn. Returns STATUS_USAGE if that is nothing. */
static enum status measure(struct plot_values *v, bool log, struct error *err)
{
    v->lo = INFINITY;
    v->hi = -INFINITY;
    for (size_t g = 0; g < v->n_groups; g++) {
        for (size_t c = 0; c < v->n_colours; c++) {
            struct plot_value value = value_of(v, g, c);
            const double ends[] = {value.at, value.interval.lo,
                                   value.interval.hi};
            v->n_missing += v->settings[g * COLOURS_MAX + c] &&
                            !(value.at > (log ? 0 : -INFINITY));
            for (size_t i = 0; i < 3; i++) {
                if (isfinite(ends[i]) && ends[i] > 0)
                    v->lo = fmin(v->lo, ends[i]);
                if (isfinite(ends[i]))
                    v->hi = fmax(v->hi, ends[i]);
            }
        }
    }
    if (v->hi >= (log ? v->lo : -INFINITY) && isfinite(v->hi))
        return STATUS_OK;
    return error_set(err, STATUS_USAGE, "plot: %s: no value of '%s'%s to draw",
                     v->file->path, v->file->metrics[0],
                     v->kind == PLOT_RELATIVE
                         ? " over the same finished jobs as the baseline"
                     : log ? " above 0"
                           : "");
}

/* The name of a column in parts, such as p99 of the time "queueing delay". */
struct plot_column {
    char of[16], name[PLOT_NAME_MAX];
    bool is_time;
};

static struct plot_column column_parts(const char *column)
{
    static const char *const words[][2] = {{"jct", "JCT"},
                                           {"queue_delay", "queueing delay"}};
    struct plot_column c = {0};
    size_t len = strlen(column);
    const char *last = strrchr(column, '_');
    if (last && (strcmp(last, "_mean") == 0 ||
                 (last[1] == 'p' && last[2] >= '0' && last[2] <= '9'))) {
        snprintf(c.of, sizeof c.of, "%s ", last + 1);
        len = (size_t)(last - column);
    }
    c.is_time = len > 2 && memcmp(column + len - 2, "_s", 2) == 0;
    snprintf(c.name, sizeof c.name, "%.*s", (int)(c.is_time ? len - 2 : len),
             column);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (strcmp(c.name, words[k][0]) == 0)
            snprintf(c.name, sizeof c.name, "%s", words[k][1]);
    }
    for (char *at = c.name; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    return c;
}

/* Chooses the unit in which a column of seconds is shown, by its largest mean,
 * and makes the label of its axis, such as "p99 queueing delay (h)". */
static void choose_unit(struct plot_values *v)
{
    static const struct {
        const char *words;
        double seconds;
    } units[] = {{" (d)", 86400}, {" (h)", 3600}, {" (min)", 60}, {" (s)", 1}};
    struct plot_column c = column_parts(v->file->metrics[0]);
    char label[2 * PLOT_LABEL_MAX];
    double most = 0;
    size_t i = 0;
    for (size_t k = 0; k < v->file->n_settings; k++)
        most = fmax(most, runs_estimate(v->file, k, 0).mean);
    while (i < 3 && most < 2 * units[i].seconds)
        i++;
    v->unit = c.is_time ? units[i].seconds : 1;
    if (v->kind == PLOT_RELATIVE)
        snprintf(label, sizeof label, "%s%s / %s", c.of, c.name,
                 v->colours[v->baseline]);
    else
        snprintf(label, sizeof label, "%s%s%s", c.of, c.name,
                 c.is_time ? units[i].words : "");
    plot_fit(label, 20, v->words);
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

/* Returns the place of a bar: within its group or, if there is one group, one
 * place for each bar. */
static double bar_place(const struct plot_values *v, size_t g, size_t c)
{
    double step = 0.8 / (double)v->n_colours;
    if (v->n_groups == 1)
        return (double)c;
    return (double)g + ((double)c - (double)(v->n_colours - 1) / 2) * step;
}

/* Writes, for each colour, a row for each group: place, value, interval, and
 * the value again if some run of the setting is incomplete. */
static void sweep_put_data(const struct plot *plot, const struct plot_values *v)
{
    bool log = plot->wishes->log;
    for (size_t c = 0; c < v->n_colours; c++) {
        plot_data(plot, 0, c);
        for (size_t g = 0; g < v->n_groups; g++) {
            struct plot_value value = value_of(v, g, c);
            size_t s = v->settings[g * COLOURS_MAX + c];
            double at = log && value.at <= 0 ? NAN : value.at;
            double lo = value.interval.lo;
            out_printf(plot->out, "%.6g",
                       v->kind == PLOT_LINES ? v->x[g] : bar_place(v, g, c));
            plot_number(plot, at);
            plot_number(plot, log && lo < v->lo ? v->lo : lo);
            plot_number(plot, value.interval.hi);
            if (v->file->n_unfinished)
                plot_number(plot,
                            s && is_incomplete(v->file, s - 1) ? at : NAN);
            out_char(plot->out, '\n');
        }
        plot_data_end(plot);
    }
}

static void axis_label(const struct plot *plot, char axis, const char *words)
{
    if (axis == 'y') {
        plot_side_label(plot, words, 0, 0);
        return;
    }
    plot_foot_label(plot, words, 0);
}

/* Writes the axis of values, 'x' or 'y'. Returns where bars begin. */
static double put_values_axis(const struct plot *plot,
                              const struct plot_values *v, char axis)
{
    axis_label(plot, axis, v->words);
    if (v->kind == PLOT_RELATIVE)
        out_printf(plot->out,
                   "set arrow 1 from %s to %s nohead front lc rgb 'black' lw "
                   "0.6 dt (6,4)\n",
                   axis == 'y' ? "graph 0, first 1" : "first 1, graph 0",
                   axis == 'y' ? "graph 1, first 1" : "first 1, graph 1");
    if (plot->wishes->log)
        return plot_log_numbers(
            plot, axis, v->kind == PLOT_RELATIVE ? fmin(v->lo, 1) : v->lo,
            v->kind == PLOT_RELATIVE ? fmax(v->hi, 1) : v->hi);
    double hi = v->kind == PLOT_RELATIVE ? fmax(v->hi, 1) : v->hi;
    plot_numbers(plot, axis, hi > 0 ? hi : 1,
                 axis == 'x' ? plot_panel_width(plot) / 4
                             : plot->frame.inner / 2);
    return 0;
}

/* Writes the axis of names, 'x' or 'y': those of groups or, if there is one
 * group, of bars. */
static void put_names_axis(const struct plot *plot, const struct plot_values *v,
                           char axis)
{
    bool one = v->n_groups == 1;
    size_t n = one ? v->n_colours : v->n_groups;
    char columns[PLOT_LABEL_MAX], label[PLOT_NAME_MAX];
    sweep_join(v, NULL, false, columns);
    plot_fit(columns, plot->frame.inner, label);
    axis_label(plot, axis, one ? "" : label);
    out_printf(plot->out, "set grid no%ctics\nset %ctics (", axis, axis);
    for (size_t i = 0; i < n; i++) {
        out_text(plot->out, i ? ", " : "");
        gnuplot_quote(plot->out, one ? v->names[i] : v->fitted[i]);
        out_printf(plot->out, " %zu", i);
    }
    if (axis == 'x')
        out_printf(plot->out, ")\nset xrange [-0.6:%.1f]\n", (double)n - 0.4);
    else /* the first one is at the top */
        out_printf(plot->out, ")\nset yrange [%.1f:-0.6]\n", (double)n - 0.4);
}

/* Writes the intervals of a colour as lines with two ends; gnuplot's own bars
 * of errors blank what is around their points. */
static void put_whiskers(const struct plot *plot, size_t colour, bool upright,
                         const char *style)
{
    out_printf(plot->out,
               ", $p0_%zu using %s with vectors heads size screen 0.008,90 "
               "nofilled %s",
               colour, upright ? "1:3:(0):($4-$3)" : "3:1:($4-$3):(0)", style);
}

static void put_bars(const struct plot *plot, const struct plot_values *v)
{
    bool one = v->n_groups == 1;
    size_t n = v->n_colours;
    double half = one ? 0.36 : 0.8 / (double)n * 0.43;
    put_names_axis(plot, v, v->is_upright ? 'x' : 'y');
    double base = put_values_axis(plot, v, v->is_upright ? 'y' : 'x');
    for (size_t c = 0; c < n; c++) {
        char box[80];
        for (int hatch = 0; hatch <= (v->file->n_unfinished > 0); hatch++) {
            int at = hatch ? 5 : 2;
            if (v->is_upright)
                snprintf(box, sizeof box, "1:%d:($1-%g):($1+%g):(%g):%d", at,
                         half, half, base, at);
            else
                snprintf(box, sizeof box, "%d:1:(%g):%d:($1-%g):($1+%g)", at,
                         base, at, half, half);
            if (hatch)
                out_printf(plot->out, ", $p0_%zu", c);
            else
                plot_of(plot, 0, c);
            out_printf(plot->out, " using %s with boxxyerror", box);
            if (hatch) {
                out_text(plot->out, " notitle lc rgb 'black' lw 0.8 fs "
                                    "transparent pattern 4 border");
                continue;
            }
            plot_style(plot, one ? 0 : c);
            out_printf(plot->out, " dt solid lw 0.8 fs solid %.2f border",
                       one ? 0.5 : plot_density(plot, c));
        }
        put_whiskers(plot, c, v->is_upright, "lc rgb 'black' lw 0.8");
    }
    out_char(plot->out, '\n');
}

static void put_lines(const struct plot *plot, const struct plot_values *v)
{
    char label[PLOT_LABEL_MAX];
    sweep_join(v, NULL, false, label);
    bool is_cluster = strchr(v->groups[0], 'x') != NULL;
    double first = v->x[0], last = first;
    for (size_t g = 0; g < v->n_groups; g++) {
        first = fmin(first, v->x[g]);
        last = fmax(last, v->x[g]);
    }
    double space = (last - first) * 0.04;
    plot_foot_label(plot, is_cluster ? "GPUs of the cluster" : label, 0);
    out_printf(plot->out, "set xtics %.10g\nset xrange [%.10g:%.10g]\n",
               plot_step(fmax(last - first, 1e-9), plot_panel_width(plot) / 4),
               first - space, last + space);
    put_values_axis(plot, v, 'y');
    for (size_t c = 0; c < v->n_colours; c++) {
        plot_of(plot, 0, c);
        out_text(plot->out, " using 1:2 smooth unique with linespoints");
        plot_style(plot, c);
        out_text(plot->out, " ps 0.5");
        char style[40];
        snprintf(style, sizeof style, "ls %zu dt solid lw 0.6", c + 1);
        put_whiskers(plot, c, true, style);
    }
    out_char(plot->out, '\n');
}

/* Returns the length of the longest of n names, characters. */
static size_t longest_name(char (*names)[PLOT_LABEL_MAX], size_t n)
{
    size_t most = 0;
    for (size_t i = 0; i < n; i++)
        most = strlen(names[i]) > most ? strlen(names[i]) : most;
    return most;
}

/* Decides whether bars stand or lie, and computes the frame. Bars lie if names
 * do not fit beside each other. */
static void sweep_frame(struct plot *plot, struct plot_values *v)
{
    struct plot_frame *f = &plot->frame;
    bool one = v->n_groups == 1, lines = v->kind == PLOT_LINES;
    size_t n = one ? v->n_colours : v->n_groups;
    char(*names)[PLOT_LABEL_MAX] = one ? v->colours : v->groups;
    double width = plot_width(plot);
    double longest = 0.65 * (double)longest_name(names, n);
    *f = (struct plot_frame){.rows = 1,
                             .columns = 1,
                             .left = 5.6,
                             .right = 1.6,
                             .below = 4,
                             .inner = 13,
                             .gap = 5};
    f->key = lines                      ? PLOT_KEY_LINES
             : !one && v->n_colours > 1 ? PLOT_KEY_BOXES
                                        : PLOT_KEY_NONE;
    v->is_upright =
        lines || (longest + 1) * (double)n <= width - f->left - f->right;
    if (v->is_upright && one && !lines)
        f->below = 2.4; /* no label below the names */
    if (v->is_upright)
        return;
    double room = fmin(longest, 0.42 * width);
    f->left = room + (one ? 2.2 : 3.4);
    f->inner =
        one ? 1.5 * (double)n : (double)n * (0.9 + 1.1 * (double)v->n_colours);
    f->inner = fmax(f->inner, 3);
    for (size_t i = 0; i < n; i++)
        plot_fit(names[i], room + 0.1, one ? v->names[i] : v->fitted[i]);
}

enum status plot_sweep(struct out *out, const struct runs_file *file,
                       const struct plot_wishes *wishes, size_t *n_missing,
                       struct error *err)
{
    struct plot_values *v = mem_zalloc(1, sizeof *v);
    struct plot plot = {.out = out, .wishes = wishes, .names = v->names};
    const char *names[COLOURS_MAX];
    v->file = file;
    v->kind = (enum plot_kind)wishes->kinds[0];
    enum status st = choose_columns(v, wishes->over, err);
    if (st == STATUS_OK && !sweep_arrange(v))
        st = error_set(err, STATUS_USAGE,
                       "%s: has %zu settings; %s show 1 to %d groups of up "
                       "to %d",
                       file->path, file->n_settings, plot_kind_names[v->kind],
                       PLOT_GROUPS_MAX, COLOURS_MAX);
    if (st == STATUS_OK)
        st = choose_baseline(v, wishes->baseline, err);
    for (size_t i = 0; i < wishes->n_labels && i < v->n_colours; i++)
        snprintf(v->colours[i], PLOT_LABEL_MAX, "%s", wishes->labels[i]);
    if (st == STATUS_OK) {
        choose_unit(v);
        st = measure(v, wishes->log, err);
        *n_missing = v->n_missing;
    }
    plot.n_names = v->n_colours;
    for (size_t i = 0; i < v->n_colours; i++)
        names[i] = v->colours[i];
    for (size_t i = 0; i < v->n_groups; i++)
        plot_fit(v->groups[i], 100, v->fitted[i]);
    if (st == STATUS_OK) {
        sweep_frame(&plot, v);
        if (plot.frame.key || v->is_upright)
            plot_names(&plot, names);
        st = plot_head(&plot, err);
    }
    if (st == STATUS_OK) {
        sweep_put_data(&plot, v);
        plot_layout(&plot);
        if (v->kind == PLOT_LINES)
            put_lines(&plot, v);
        else
            put_bars(&plot, v);
        out_text(out, "unset multiplot\n");
    }
    free(v);
    return st;
}

enum status plot_sweep_of(const struct report_runs *runs, const char *column,
                          struct runs_file *f, struct error *err)
{
    char name[128];
    struct gate gate;
    snprintf(name, sizeof name, "%s", column);
    enum status st = gate_find(text_from(name), &gate, err);
    char *last = strrchr(name, '_');
    if (st != STATUS_OK && last) {
        *last = '.'; /* a column of runs.csv, such as jct_s_p99 */
        if (gate_find(text_from(name), &gate, &(struct error){0}) == STATUS_OK)
            st = STATUS_OK;
    }
    *f =
        (struct runs_file){.path = "the results", .n_names = 1, .n_metrics = 1};
    arena_init(&f->arena);
    interner_init(&f->texts);
    interner_init(&f->replications);
    if (st != STATUS_OK)
        return error_prefix(err, "--quantity: ");
    snprintf(name, sizeof name, "%s", gate.name);
    for (char *c = name; *c; c++)
        *c = *c == '.' ? '_' : *c;
    f->metrics[0] = arena_copy(&f->arena, name, strlen(name));
    f->names = ARENA_ARRAY(&f->arena, const char *, 1);
    f->names[0] = "result";
    f->varies = ARENA_ARRAY(&f->arena, bool, 1);
    f->varies[0] = true;
    f->settings = mem_zalloc(runs->n, sizeof *f->settings);
    f->rows = mem_zalloc(runs->n, sizeof *f->rows);
    f->n_settings = f->n_rows = runs->n;
    for (size_t i = 0; i < runs->n; i++) {
        const json_t *summary = runs->at[i].data.summary;
        const char **cell = ARENA_ARRAY(&f->arena, const char *, 1);
        *cell = runs->at[i].label;
        f->settings[i] = (struct runs_setting){
            .cells = cell, .knowledge = "", .mark = "", .first = i, .n = 1};
        f->rows[i].setting = i;
        f->rows[i].done = jobs_done_of(summary);
        f->rows[i].values[0] = gate_value(&gate, summary);
        f->n_unfinished += f->rows[i].done.unfinished > 0;
    }
    return STATUS_OK;
}
