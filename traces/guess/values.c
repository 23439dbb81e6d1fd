/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the units and the words of the values of a column. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "traces/formats/csv_cells.h"
#include "traces/guess/guess_internal.h"

/* Returns true if `n` is at least 95 % of the number of values of the column.
 */
static bool mostly(size_t n, const struct sample_column *c)
{
    return c->n && n * 20 >= c->n * 19;
}

static bool can_be_gpus(const struct sample_column *c)
{
    return c->n_gres + c->n_tres > 0 || mostly(c->n_numbers, c);
}

bool values_fit(const struct sample_column *c, int key)
{
    const enum csv_class class =
        key == GUESS_GPUS_EACH ? CSV_COUNT : csv_keys[key].class;
    if (!c->n)
        return false;
    switch (class) {
    case CSV_INSTANT:
        return mostly(c->n_dates + c->n_numbers, c) || c->format;
    case CSV_LENGTH:
        return mostly(c->n_numbers + c->n_clocks, c);
    case CSV_COUNT:
        return key == CSV_GPUS ? can_be_gpus(c) : mostly(c->n_whole, c);
    case CSV_AMOUNT:
        return mostly(c->n_numbers, c) || c->n_words > 0;
    case CSV_NUMBER:
        return mostly(c->n_numbers, c);
    case CSV_WORDS:
        return c->n_words <= SAMPLE_WORDS_MAX && c->n_numbers * 2 < c->n;
    case CSV_TEXT:
        break;
    }
    return true;
}

static const struct sample_column *column_of(const struct guessing *g,
                                             unsigned key)
{
    const int at = g->column_of[key];
    return at < 0 ? NULL : &g->out->sample.columns[at];
}

static const char *reference(struct guessing *g, unsigned key)
{
    return guess_column(g->out, (size_t)g->column_of[key]);
}

const char *values_epoch_unit(double number)
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1, "s"}, {1e3, "ms"}, {1e6, "us"}, {1e9, "ns"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (number >= 6.3e8 * units[i].scale &&
            number < 3.15e9 * units[i].scale)
            return units[i].unit;
    }
    return NULL;
}

void values_instant(struct guessing *g, enum csv_key key, const char *why)
{
    const struct sample_column *c = column_of(g, key);
    const char *at = reference(g, key), *name = csv_keys[key].name;
    if (c->n_dates || c->format) {
        guess_choose(g->out, name, at,
                     guess_text(g->out, "%s; the values are dates%s%s", why,
                                c->format ? ", written " : "",
                                c->format ? c->format : ""));
        return;
    }
    const char *unit = values_epoch_unit(c->most), *said = names_unit(c->name);
    const char *use = unit ? unit : said ? said : "s";
    guess_choose(
        g->out, name,
        strcmp(use, "s") == 0 ? at : guess_text(g->out, "%s:%s", at, use),
        guess_text(g->out, "%s; the values are numbers: %s %s", why, use,
                   unit ? "since 1970"
                        : "from an instant that the file does not tell"));
    if (!unit && !said && key == CSV_SUBMIT)
        guess_open(g->out,
                   guess_text(g->out,
                              "the unit of %s: taken as seconds; :ms, :min or "
                              ":h after the column says another",
                              at));
}

/* Returns how many seconds one unit of the column of run times has. Computes
 * them from the first row that has a run time, and a start and an end as dates
 * at least 100 s apart. Returns 0 if there is no such row and for keys other
 * than CSV_DURATION. */
static double measured_unit(const struct guessing *g, enum csv_key key)
{
    const struct sample *s = &g->out->sample;
    struct clock clock = {0};
    if (key != CSV_DURATION || g->column_of[CSV_START] < 0 ||
        g->column_of[CSV_END] < 0)
        return 0;
    clock.format = column_of(g, CSV_START)->format;
    for (size_t i = 0; i < s->n_rows; i++) {
        sim_time start, end;
        double length;
        if (clock_read(&clock,
                       sample_cell(s, i, (size_t)g->column_of[CSV_START]),
                       &start) &&
            clock_read(&clock, sample_cell(s, i, (size_t)g->column_of[CSV_END]),
                       &end) &&
            text_to_double(sample_cell(s, i, (size_t)g->column_of[key]),
                           &length) &&
            length > 0 && end - start >= 100 * SPAN_SECOND)
            return span_seconds(end - start) / length;
    }
    return 0;
}

void values_length(struct guessing *g, enum csv_key key, const char *why)
{
    static const struct {
        double seconds;
        const char *unit;
    } units[] = {
        {1, "s"}, {1e-3, "ms"}, {60, "min"}, {3600, "h"}, {86400, "d"}};
    const struct sample_column *c = column_of(g, key);
    const char *at = reference(g, key), *name = csv_keys[key].name;
    const char *unit = names_unit(c->name), *because = "the name ends with it";
    const double measured = measured_unit(g, key);
    if (c->n_clocks) {
        guess_choose(
            g->out, name, at,
            guess_text(g->out, "%s; the values are [D-]HH:MM:SS", why));
        return;
    }
    for (size_t i = 0; measured > 0 && i < sizeof units / sizeof *units; i++) {
        if (fabs(measured / units[i].seconds - 1) < 0.05) {
            unit = units[i].unit;
            because = "end - start agrees";
        }
    }
    if (!unit) {
        unit = "s";
        because = "assumed";
        guess_open(g->out,
                   guess_text(g->out,
                              "the unit of %s: taken as seconds; :ms, "
                              ":min or :h after the column says another",
                              at));
    }
    guess_choose(
        g->out, name,
        strcmp(unit, "s") == 0 ? at : guess_text(g->out, "%s:%s", at, unit),
        guess_text(g->out, "%s; the unit is %s: %s", why, unit, because));
}

void values_amount(struct guessing *g, enum csv_key key, const char *why)
{
    const struct sample_column *c = column_of(g, key);
    const char *at = reference(g, key), *name = csv_keys[key].name;
    const char *unit = names_unit(c->name);
    if (c->n_numbers < c->n) {
        guess_choose(
            g->out, name, at,
            guess_text(g->out, "%s; the values end with their unit", why));
        return;
    }
    if (!unit)
        guess_open(g->out,
                   guess_text(g->out,
                              "the unit of %s: taken as MiB; :gib or :b "
                              "after the column says another",
                              at));
    guess_choose(g->out, name,
                 unit ? guess_text(g->out, "%s:%s", at, unit) : at,
                 guess_text(g->out, "%s; the unit is %s", why,
                            unit ? unit : "MiB: assumed"));
}

/* Adds a question if rows of the sample have an end or a run time although
 * their state says that the job had not ended. */
static void look_for_contradictions(struct guessing *g)
{
    const struct sample *s = &g->out->sample;
    const int lasted = g->column_of[CSV_DURATION] >= 0
                           ? g->column_of[CSV_DURATION]
                           : g->column_of[CSV_END];
    const struct csv_value common = {0};
    size_t n = 0;
    struct text word = {"", 0};
    for (size_t i = 0; lasted >= 0 && i < s->n_rows; i++) {
        const struct text t =
            sample_cell(s, i, (size_t)g->column_of[CSV_STATE]);
        bool running, unknown;
        csv_end(&common, t, &running, &unknown);
        if (running && sample_cell(s, i, (size_t)lasted).len) {
            word = t;
            n++;
        }
    }
    if (n)
        guess_open(
            g->out,
            guess_text(g->out,
                       "whether %zu of the first %zu rows, such as those "
                       "with '%.*s', had ended, because they have an end "
                       "or a run time: taken as not ended, which leaves "
                       "them out; without state= they count",
                       n, s->n_rows, TEXT_ARGS(word)));
}

void values_state(struct guessing *g, const char *why)
{
    static const char *const ends[] = {"completed", "failed", "cancelled"};
    const struct sample_column *c = column_of(g, CSV_STATE);
    const struct csv_value common = {0};
    char said[400] = "", strange[200] = "";
    size_t n = 0, m = 0;
    for (size_t i = 0; i < c->n_words && i < SAMPLE_WORDS_MAX; i++) {
        bool running, unknown;
        enum trace_end end = csv_end(&common, c->words[i], &running, &unknown);
        if (unknown && m < sizeof strange)
            m += (size_t)snprintf(strange + m, sizeof strange - m, "%s'%.*s'",
                                  m ? ", " : "", TEXT_ARGS(c->words[i]));
        if (!unknown && n < sizeof said)
            n += (size_t)snprintf(said + n, sizeof said - n, "%s%.*s = %s",
                                  n ? ", " : "", TEXT_ARGS(c->words[i]),
                                  running ? "has not ended" : ends[end]);
    }
    guess_choose(
        g->out, "state", reference(g, CSV_STATE),
        guess_text(g->out, "%s; %s", why, n ? said : "no word of it is known"));
    if (m)
        guess_open(g->out,
                   guess_text(g->out,
                              "what %s of %s means: an unknown end; lists of "
                              "words after the column say it "
                              "(:ok=...:failed=...:cancelled=...)",
                              strange, reference(g, CSV_STATE)));
    look_for_contradictions(g);
}

void values_dates(struct guessing *g)
{
    static const enum csv_key instants[] = {CSV_SUBMIT, CSV_START, CSV_END,
                                            CSV_DUE};
    const struct sample_column *local = NULL, *first = NULL;
    for (size_t i = 0; i < sizeof instants / sizeof *instants; i++) {
        const struct sample_column *c = column_of(g, instants[i]);
        if (c && (c->format || c->n_dates > c->n_zoned) &&
            !names_say_utc(c->name))
            local = c;
        if (c && c->format && !first)
            first = c;
    }
    if (first && first->or_format)
        guess_open(g->out,
                   guess_text(g->out,
                              "whether the month or the day comes first: "
                              "taken as %s; date=%s says the other",
                              first->format, first->or_format));
    if (first)
        guess_choose(g->out, "date", first->format, "all dates can be read so");
    if (local)
        guess_open(g->out,
                   "the zone of the dates: taken as UTC; zone=+08:00 or "
                   "zone=Asia/Shanghai says another");
}
