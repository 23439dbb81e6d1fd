/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fidelity/bars.h"

#include <fnmatch.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "traces/fidelity/series.h"

struct bars_reader {
    struct arena *arena;
    const char *file;
    enum status st;
    struct error *err;
};

static void bars_fail(struct bars_reader *r, const char *where,
                      const char *expected)
{
    if (r->st == STATUS_OK)
        r->st = error_set(r->err, STATUS_BAD_INPUT, "bars %s: %s: expected %s",
                          r->file, where, expected);
}

static json_t *bars_parse(struct bars_reader *r, const char *name)
{
    const char *names[16];
    size_t n = 0;
    for (const struct fidelity_file *f = fidelity_files; f->name; f++) {
        if (strcmp(f->name, name) == 0) {
            json_t *root = json_loadb(f->json, f->len, 0, NULL);
            if (!root)
                bars_fail(r, "file", "JSON");
            return root;
        }
        if (n < 16 && strcmp(f->name, "rules") != 0)
            names[n++] = f->name;
    }
    const char *near = text_nearest(text_from(name), names, n);
    r->st = error_set(r->err, STATUS_USAGE,
                      "--like: no bars for '%s'%s; there are bars for "
                      "philly, venus, saturn, seren and kalos",
                      name, text_suggest(near).words);
    return NULL;
}

static const char *bars_text_of(struct bars_reader *r, json_t *object,
                                const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? arena_copy(r->arena, text, strlen(text)) : "";
}

static double bars_number_of(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Reads "KIND": [lo, hi], and "over", which says which figure of several traces
 * the bar judges. */
static void read_limits(struct bars_reader *r, json_t *row, struct bar *bar)
{
    static const char *const kinds[] = {[BAR_FACTOR] = "factor",
                                        [BAR_WITHIN] = "within",
                                        [BAR_RANGE] = "range"};
    static const char *const overs[] = {
        [BAR_MEDIAN] = "median", [BAR_EACH] = "each", [BAR_SPREAD] = "spread"};
    const char *over = json_string_value(json_object_get(row, "over"));
    for (enum bar_kind kind = BAR_FACTOR; kind <= BAR_RANGE; kind++) {
        json_t *pair = json_object_get(row, kinds[kind]);
        if (!pair)
            continue;
        if (json_array_size(pair) != 2)
            bars_fail(r, bar->measure, "two limits");
        bar->kind = kind;
        bar->lo = json_number_value(json_array_get(pair, 0));
        bar->hi = json_number_value(json_array_get(pair, 1));
    }
    for (enum bar_over o = BAR_MEDIAN; over && o <= BAR_SPREAD; o++) {
        if (strcmp(over, overs[o]) == 0)
            bar->over = o;
    }
}

static struct bar *read_bars(struct bars_reader *r, json_t *root, size_t *n)
{
    json_t *rows = json_object_get(root, "measures");
    *n = json_array_size(rows);
    struct bar *bars = ARENA_ARRAY(r->arena, struct bar, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        json_t *row = json_array_get(rows, i);
        bars[i] = (struct bar){.measure = bars_text_of(r, row, "name"),
                               .real = bars_number_of(row, "real"),
                               .source = bars_text_of(r, row, "source"),
                               .status = bars_text_of(r, row, "status")};
        if (!bars[i].measure[0])
            bars_fail(r, "measures", "a name in each row");
        read_limits(r, row, &bars[i]);
    }
    return bars;
}

static void bars_read_numbers(json_t *list, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = json_number_value(json_array_get(list, i));
}

static struct real_curve *read_distributions(struct bars_reader *r,
                                             json_t *root, size_t *n)
{
    json_t *rows = json_object_get(root, "distributions");
    *n = json_array_size(rows);
    struct real_curve *out = ARENA_ARRAY(r->arena, struct real_curve, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        json_t *row = json_array_get(rows, i), *at = json_object_get(row, "at");
        json_t *share = json_object_get(row, "share");
        size_t count = json_array_size(share);
        out[i] = (struct real_curve){
            .name = bars_text_of(r, row, "name"),
            .at = ARENA_ARRAY(r->arena, double, count + 1),
            .share = ARENA_ARRAY(r->arena, double, count + 1),
            .n = count};
        if (at && json_array_size(at) != count)
            bars_fail(r, out[i].name, "a share for each point");
        bars_read_numbers(at, out[i].at, count);
        bars_read_numbers(share, out[i].share, count);
    }
    return out;
}

/* Gives a bar without limits the limits and the `over` of the first rule that
 * fits its measure. A bar of the spread takes only rules of the spread, because
 * a ratio needs other limits. */
static void bars_take_rule(const struct bars *rules, struct bar *bar)
{
    for (size_t i = 0; bar->kind == BAR_NONE && i < rules->n; i++) {
        const struct bar *rule = &rules->at[i];
        bool spread = rule->over == BAR_SPREAD;
        if (spread != (bar->over == BAR_SPREAD) ||
            fnmatch(rule->measure, bar->measure, 0) != 0)
            continue;
        bar->kind = rule->kind;
        bar->over = rule->over;
        bar->lo = rule->lo;
        bar->hi = rule->hi;
    }
}

static enum status bars_load_one(const char *name, struct arena *arena,
                                 struct bars *out, struct error *err)
{
    struct bars_reader r = {.arena = arena, .file = name, .err = err};
    json_t *root = bars_parse(&r, name);
    if (!root)
        return r.st;
    double zone = bars_number_of(root, "zone_h"),
           window = bars_number_of(root, "window");
    *out = (struct bars){.cluster = bars_text_of(&r, root, "cluster"),
                         .zone_h = isnan(zone) ? 0 : zone,
                         .window = window >= 1 ? (size_t)window : 0};
    out->at = read_bars(&r, root, &out->n);
    out->distributions = read_distributions(&r, root, &out->n_distributions);
    json_decref(root);
    return r.st;
}

enum status bars_load(const char *name, struct arena *arena, struct bars *out,
                      struct error *err)
{
    struct bars rules;
    enum status st = bars_load_one("rules", arena, &rules, err);
    if (st != STATUS_OK)
        return st;
    if (!name || strcmp(name, "rules") == 0) {
        *out = rules;
        return STATUS_OK;
    }
    st = bars_load_one(name, arena, out, err);
    for (size_t i = 0; st == STATUS_OK && i < out->n; i++)
        bars_take_rule(&rules, &out->at[i]);
    return st;
}

void bars_take_rows(const struct measures *rows, const char *path,
                    struct arena *arena, struct bars *bars)
{
    struct bars rules = *bars;
    bars->n = rows->n;
    bars->at = ARENA_ARRAY(arena, struct bar, rows->n + rules.n + 1);
    for (size_t i = 0; i < rows->n; i++) {
        const char *name = rows->at[i].name;
        bars->at[i] = (struct bar){
            .measure = arena_copy(arena, name, strlen(name)),
            .real = rows->at[i].value,
            .source = path,
            .status = isnan(rows->at[i].value) ? "not in the rows" : "rows"};
        bars_take_rule(&rules, &bars->at[i]);
    }
    for (size_t i = 0; i < rules.n; i++) {
        if (rules.at[i].over == BAR_SPREAD)
            bars->at[bars->n++] = rules.at[i];
    }
}

void bar_limits(const struct bar *bar, double *lo, double *hi)
{
    *lo = bar->lo;
    *hi = bar->hi;
    if (bar->over == BAR_SPREAD || isnan(bar->real))
        return;
    if (bar->kind == BAR_FACTOR) {
        *lo *= bar->real;
        *hi *= bar->real;
    } else if (bar->kind == BAR_WITHIN) {
        *lo += bar->real;
        *hi += bar->real;
    } else if (bar->kind == BAR_RANGE) {
        *lo = fmin(*lo, bar->real);
        *hi = fmax(*hi, bar->real);
    }
}

static bool meets(const struct bar *bar, double value)
{
    double lo, hi;
    bar_limits(bar, &lo, &hi);
    /* Limits are written with few digits: a value that equals a limit must
     * pass. */
    double slack = 1e-9 * (1 + fabs(value));
    return value >= lo - slack && value <= hi + slack;
}

static enum bar_verdict bars_judge(const struct bar *bar,
                                   const struct judged *j)
{
    if (bar->kind == BAR_NONE)
        return BAR_VERDICT_NONE;
    bool needs_real = bar->kind != BAR_RANGE && bar->over != BAR_SPREAD;
    if (isnan(j->median) || (needs_real && isnan(bar->real)))
        return BAR_VERDICT_UNKNOWN;
    bool good = meets(bar, j->median);
    if (bar->over == BAR_EACH)
        good = meets(bar, j->least) && meets(bar, j->most);
    else if (bar->over == BAR_SPREAD && j->least > 0)
        good = meets(bar, j->most / j->least);
    else if (bar->over == BAR_SPREAD)
        good = j->most <= 0;
    return good ? BAR_VERDICT_PASS : BAR_VERDICT_FAIL;
}

struct judged bar_judge(const struct bar *bar, double *values, size_t n)
{
    struct judged j = {.median = NAN, .least = NAN, .most = NAN};
    size_t known = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isnan(values[i]))
            values[known++] = values[i];
    }
    if (known) {
        j.median = series_median(values, known);
        j.least = values[0];
        j.most = values[known - 1];
    }
    bool alone = bar->over == BAR_SPREAD && known < 2;
    j.verdict = alone ? BAR_VERDICT_UNKNOWN : bars_judge(bar, &j);
    return j;
}
