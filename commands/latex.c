/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/latex.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "commands/summary_table.h"

/* The entries of the array that --json prints. */
struct latex {
    const json_t *entries;
    size_t n;
    struct out *out;
};

/* Writes a text so that LaTeX prints it as it is. */
static void latex_text(struct out *out, const char *text)
{
    static const char plain[] = "&%$#_{}";
    for (; *text; text++) {
        if (*text == '\\')
            out_text(out, "\\textbackslash{}");
        else if (*text == '~' || *text == '^')
            out_printf(out, "\\%c{}", *text);
        else if (strchr(plain, *text))
            out_printf(out, "\\%c", *text);
        else
            out_char(out, *text);
    }
}

static const json_t *latex_entry(const struct latex *l, size_t i)
{
    return json_array_get(l->entries, i);
}

static const char *latex_word(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static double latex_number(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static double latex_member(const json_t *object, const char *key)
{
    return latex_number(json_object_get(object, key));
}

/* Returns whether the entries differ in this setting. */
static bool is_varied(const struct latex *l, const char *key)
{
    const json_t *first =
        json_object_get(json_object_get(latex_entry(l, 0), "setting"), key);
    for (size_t i = 1; i < l->n; i++) {
        if (!json_equal(
                first, json_object_get(
                           json_object_get(latex_entry(l, i), "setting"), key)))
            return true;
    }
    return false;
}

/* Writes the name of an entry: its result or policy, or the settings in which
 * it differs from others. */
static void latex_name(const struct latex *l, size_t i)
{
    const json_t *entry = latex_entry(l, i), *value;
    const char *name = latex_word(entry, "result"), *key;
    size_t n = 0;
    name = name ? name : latex_word(entry, "policy");
    if (name) {
        latex_text(l->out, name);
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)json_object_get(entry, "setting"),
                        key, value)
    {
        if (l->n > 1 && !is_varied(l, key))
            continue;
        out_text(l->out, n++ ? ", " : "");
        latex_text(l->out,
                   json_string_value(value) ? json_string_value(value) : "");
    }
}

/* Returns what the entry measured under this name: a distribution, an estimate
 * or a number. */
static const json_t *latex_metric(const json_t *entry, const char *key)
{
    const json_t *found =
        json_object_get(json_object_get(entry, "metrics"), key);
    return found ? found : json_object_get(entry, key);
}

/* A metric of the first table. */
struct latex_column {
    const char *key;
    struct summary_unit unit; /* seconds 0: the metric is no time */
    bool has_p99, has_change;
};

static bool is_time(const char *key)
{
    const size_t len = strlen(key);
    return (len > 2 && strcmp(key + len - 2, "_s") == 0) || strstr(key, "_s_");
}

/* Returns what the entry says of the difference to the first entry. */
static const json_t *latex_difference(const json_t *entry, const char *key)
{
    char name[160];
    snprintf(name, sizeof name, "%.120s_minus_first", key);
    return json_object_get(entry, name);
}

static struct latex_column column_of(const struct latex *l, const char *key)
{
    struct latex_column column = {.key = key};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < l->n; i++) {
        const json_t *value = latex_metric(latex_entry(l, i), key);
        double mean = json_is_object(value) ? latex_member(value, "mean")
                                            : latex_number(value);
        column.has_p99 |= json_is_number(json_object_get(value, "p99"));
        column.has_change |= latex_difference(latex_entry(l, i), key) != NULL;
        if (mean > 0) {
            least = fmin(least, mean);
            most = fmax(most, mean);
        }
    }
    if (is_time(key))
        column.unit = summary_unit_between(least, most);
    return column;
}

enum { LATEX_COLUMNS_MAX = 40 };

/* Collects the metrics of the first table: those that the terminal shows of a
 * run, or the means that a sweep or replications have. */
static size_t latex_columns(const struct latex *l,
                            struct latex_column columns[LATEX_COLUMNS_MAX])
{
    static const char *const of_run[] = {"jct_s", "queue_delay_s", "slowdown",
                                         "makespan_s"};
    size_t n = 0;
    const char *key;
    const json_t *value;
    json_t *first = (json_t *)(uintptr_t)latex_entry(l, 0);
    if (json_object_get(first, "metrics")) {
        for (; n < sizeof of_run / sizeof *of_run; n++)
            columns[n] = column_of(l, of_run[n]);
        return n;
    }
    json_object_foreach(first, key, value)
    {
        if (json_object_get(value, "mean") && !strstr(key, "_minus_first") &&
            n < LATEX_COLUMNS_MAX)
            columns[n++] = column_of(l, key);
    }
    return n;
}

static void latex_figure(const struct latex *l, double value,
                         const struct summary_unit *unit)
{
    char buf[TABLE_SPAN_MAX];
    if (isnan(value))
        out_text(l->out, "--");
    else if (unit && unit->seconds > 0)
        out_text(l->out, summary_unit_text(value, unit, buf));
    else
        out_text(l->out, table_figure(value, buf));
}

/* Writes a mean with its interval. */
static void latex_mean(const struct latex *l, const json_t *value,
                       const struct summary_unit *unit)
{
    const double lo = latex_member(value, "mean_lo");
    latex_figure(l,
                 json_is_object(value) ? latex_member(value, "mean")
                                       : latex_number(value),
                 unit);
    if (isnan(lo))
        return;
    out_text(l->out, " [");
    latex_figure(l, lo, unit);
    out_text(l->out, ", ");
    latex_figure(l, latex_member(value, "mean_hi"), unit);
    out_char(l->out, ']');
}

static void latex_head(const struct latex *l,
                       const struct latex_column *columns, size_t n)
{
    out_text(l->out, "\\begin{tabular}{l");
    for (size_t c = 0; c < n; c++)
        out_printf(l->out, "r%s%s", columns[c].has_p99 ? "r" : "",
                   columns[c].has_change ? "rl" : "");
    out_text(l->out, "}\n\\toprule\n");
    for (size_t c = 0; c < n; c++) {
        const char *key = columns[c].key;
        const size_t len = strlen(key);
        const bool cut = len > 2 && strcmp(key + len - 2, "_s") == 0;
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)(cut ? len - 2 : len), key);
        out_text(l->out, " & ");
        latex_text(l->out, name);
        if (columns[c].unit.seconds > 0)
            out_printf(l->out, " (%s)", columns[c].unit.name);
        out_text(l->out, columns[c].has_p99 ? " & p99" : "");
        out_text(l->out, columns[c].has_change ? " & change & verdict" : "");
    }
    out_text(l->out, " \\\\\n\\midrule\n");
}

static void latex_change(const struct latex *l, const json_t *entry,
                         const char *key)
{
    const json_t *difference = latex_difference(entry, key);
    const double change = latex_member(difference, "change");
    const char *verdict = latex_word(difference, "verdict");
    if (isnan(change))
        out_text(l->out, " & -- & ");
    else
        out_printf(l->out, " & $%+.1f$\\,\\%% & ", 100 * change);
    latex_text(l->out, verdict ? verdict : "");
    out_text(l->out, json_is_true(json_object_get(difference, "by_parts"))
                         ? " by parts"
                         : "");
}

static void latex_first(const struct latex *l)
{
    struct latex_column columns[LATEX_COLUMNS_MAX];
    const size_t n = latex_columns(l, columns);
    latex_head(l, columns, n);
    for (size_t i = 0; i < l->n; i++) {
        const json_t *entry = latex_entry(l, i);
        latex_name(l, i);
        for (size_t c = 0; c < n; c++) {
            const json_t *value = latex_metric(entry, columns[c].key);
            out_text(l->out, " & ");
            latex_mean(l, value, &columns[c].unit);
            if (columns[c].has_p99) {
                out_text(l->out, " & ");
                latex_figure(l, latex_member(value, "p99"), &columns[c].unit);
            }
            if (columns[c].has_change)
                latex_change(l, entry, columns[c].key);
        }
        out_text(l->out, " \\\\\n");
    }
    out_text(l->out, "\\bottomrule\n\\end{tabular}\n");
}

/* The values of the entries at one place of their JSON; NULL where an entry has
 * none. */
struct latex_place {
    const json_t **at;
    const char *path; /* names from the top, such as "metrics jct_s" */
};

static void latex_rows(const struct latex *l, const struct latex_place *place);

static void latex_row(const struct latex *l, const struct latex_place *place)
{
    latex_text(l->out, place->path);
    for (size_t i = 0; i < l->n; i++) {
        const json_t *value = place->at[i];
        out_text(l->out, " & ");
        if (json_is_string(value))
            latex_text(l->out, json_string_value(value));
        else if (json_is_boolean(value))
            out_text(l->out, json_is_true(value) ? "yes" : "no");
        else if (json_is_number(value))
            out_printf(l->out, "%.10g", json_number_value(value));
        else
            out_text(l->out, "--");
    }
    out_text(l->out, " \\\\\n");
}

/* Writes the rows below one member of an object. */
static void latex_below(const struct latex *l, const struct latex_place *place,
                        const char *key)
{
    struct out *path = out_to_memory();
    struct latex_place below = {.at = mem_zalloc(l->n + 1, sizeof *below.at)};
    /* "metrics" would stand before almost all names */
    if (place->path[0] && strcmp(place->path, "metrics") != 0)
        out_printf(path, "%s ", place->path);
    out_text(path, key);
    out_char(path, '\0');
    below.path = out_memory(path).at;
    for (size_t i = 0; i < l->n; i++)
        below.at[i] = json_object_get(place->at[i], key);
    latex_rows(l, &below);
    free(below.at);
    out_abandon(path);
}

/* True if an entry before `end` has this member at the place. */
static bool is_earlier(const struct latex_place *place, size_t end,
                       const char *key)
{
    for (size_t i = 0; i < end; i++) {
        if (json_object_get(place->at[i], key))
            return true;
    }
    return false;
}

/* Writes a row for each value at the place and below it. Lists are the remarks
 * and what stands in them, which are comments. */
static void latex_rows(const struct latex *l, const struct latex_place *place)
{
    const json_t *value = NULL, *member;
    const char *key;
    for (size_t i = 0; i < l->n && !json_is_object(value); i++)
        value =
            place->at[i] && !json_is_null(place->at[i]) ? place->at[i] : value;
    if (!json_is_object(value)) {
        if (value && !json_is_array(value))
            latex_row(l, place);
        return;
    }
    for (size_t i = 0; i < l->n; i++) {
        json_object_foreach((json_t *)(uintptr_t)place->at[i], key, member)
        {
            if (!is_earlier(place, i, key))
                latex_below(l, place, key);
        }
    }
}

static void latex_all(const struct latex *l)
{
    struct latex_place top = {.at = mem_zalloc(l->n + 1, sizeof *top.at),
                              .path = ""};
    out_text(l->out, "\n% everything\n\\begin{tabular}{l");
    for (size_t i = 0; i < l->n; i++) {
        out_char(l->out, 'r');
        top.at[i] = latex_entry(l, i);
    }
    out_text(l->out, "}\n\\toprule\n");
    for (size_t i = 0; i < l->n; i++) {
        out_text(l->out, " & ");
        latex_name(l, i);
    }
    out_text(l->out, " \\\\\n\\midrule\n");
    latex_rows(l, &top);
    out_text(l->out, "\\bottomrule\n\\end{tabular}\n");
    free(top.at);
}

static void latex_remarks(const struct latex *l)
{
    for (size_t i = 0; i < l->n; i++) {
        const json_t *remarks = json_object_get(latex_entry(l, i), "remarks");
        for (size_t k = 0; k < json_array_size(remarks); k++) {
            out_text(l->out, "% ");
            latex_name(l, i);
            out_printf(l->out, ": %s\n",
                       json_string_value(json_array_get(remarks, k)));
        }
    }
}

enum status answer_open(bool latex, struct out **out, struct error *err)
{
    if (!latex)
        return out_open("-", out, err);
    *out = out_to_memory();
    return STATUS_OK;
}

enum status answer_close(bool latex, struct out *out, struct error *err)
{
    if (!latex)
        return out_close(out, err);
    const struct text text = out_memory(out);
    json_t *entries = json_loadb(text.at, text.len, 0, NULL);
    CHECK(entries);
    struct latex l = {.entries = entries, .n = json_array_size(entries)};
    enum status st = out_open("-", &l.out, err);
    if (st == STATUS_OK) {
        out_text(l.out, "% \\usepackage{booktabs}\n");
        latex_remarks(&l);
        latex_first(&l);
        latex_all(&l);
        st = out_close(l.out, err);
    }
    json_decref(entries);
    out_abandon(out);
    return st;
}
