/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the units and the words of the values of a column. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "traces/formats/csv.h"
#include "traces/guess/guess_internal.h"

/* Returns true if `n` is at least 95 % of the number of values of the column.
 */
static bool mostly(size_t n, const struct sample_column *c)
{
    return c->n && n * 20 >= c->n * 19;
}

static bool can_be_gpus(const struct sample_column *c)
{
    return c->n_gres + c->n_tres + c->n_asked > 0 ||
           mostly(c->n_whole + (c->n_lists > 0 ? c->n_lists : 0), c) ||
           mostly(c->n_worded, c) ||
           (mostly(c->n_numbers, c) && c->least >= 0 && c->most <= 16384);
}

/* Requests are no names, and numbers of a unit, such as "wait_h", are no
 * queues. */
static bool can_be_text(const struct sample_column *c, int key)
{
    return c->n_asked * 2 <= c->n &&
           !(key == CSV_VC && c->n_numbers == c->n && names_unit(c->name));
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
        return can_be_text(c, key);
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

/* Returns true for the days of a spreadsheet, which count from 1899-12-30. */
static bool are_serial_days(const struct sample_column *c)
{
    return c->least > 25569 && c->most < 60000 && c->n_fractions * 2 > c->n;
}

/* Adds the setting of a column of times that are numbers. */
static void choose_numbers(struct guessing *g, enum csv_key key,
                           const char *why)
{
    const struct sample_column *c = column_of(g, key);
    const char *at = reference(g, key);
    const char *unit = values_epoch_unit(c->most), *said = names_unit(c->name);
    if (!unit && !said)
        said = g->instant_unit;
    if (said)
        g->instant_unit = said;
    const char *use = unit ? unit : said ? said : "s";
    guess_choose(
        g->out, csv_keys[key].name,
        strcmp(use, "s") == 0 ? at : guess_text(g->out, "%s:%s", at, use),
        guess_text(g->out, "%s; the values are numbers: %s %s", why, use,
                   unit ? "since 1970"
                        : "from an instant that the file does not tell"));
    if (unit || said || key != CSV_SUBMIT)
        return;
    g->out->columns.submit_unit_known = false;
    guess_open(g->out,
               guess_text(g->out,
                          "the unit of %s: taken as seconds; :ms, :min or "
                          ":h after the column says another",
                          at));
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
    } else if (are_serial_days(c)) {
        guess_choose(g->out, name, guess_text(g->out, "%s:d", at),
                     guess_text(g->out,
                                "%s; the values are the days of a spreadsheet",
                                why));
        g->serial_days = true;
    } else {
        choose_numbers(g, key, why);
    }
}

/* Returns how many seconds one unit of a column of times has; 0 if that is not
 * known. Dates are read in seconds. */
static double instant_scale(const struct guessing *g,
                            const struct sample_column *c)
{
    static const struct {
        const char *unit;
        double seconds;
    } scales[] = {{"s", 1},    {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9},
                  {"min", 60}, {"h", 3600},  {"d", 86400}};
    const char *unit = values_epoch_unit(c->most);
    if (c->n_dates || c->format)
        return 1;
    if (are_serial_days(c))
        return 86400;
    unit = unit ? unit : names_unit(c->name);
    unit = unit ? unit : g->instant_unit;
    for (size_t i = 0; unit && i < sizeof scales / sizeof *scales; i++) {
        if (strcmp(scales[i].unit, unit) == 0)
            return scales[i].seconds;
    }
    return 0;
}

static bool read_instant(const struct guessing *g, size_t row, enum csv_key key,
                         double *out)
{
    const struct text t =
        sample_cell(&g->out->sample, row, (size_t)g->column_of[key]);
    struct clock clock = {.format = column_of(g, key)->format};
    sim_time at;
    if (!clock.format && text_to_double(t, out))
        return true;
    if (!clock_read(&clock, t, &at))
        return false;
    *out = span_seconds(at);
    return true;
}

/* Reads a number, or a clock in seconds; "MM:SS" counts as such. */
static bool read_length(struct text t, double *out)
{
    sim_span span;
    if (text_to_double(t, out))
        return true;
    if (!cells_clock(t, &span))
        return false;
    *out = span_seconds(span);
    return true;
}

/* Returns how many seconds one unit of the column of run times (or of waiting
 * times) has, from the first row in which the run takes at least 600 s by its
 * start and end; 0 if there is none. */
static double measured_unit(const struct guessing *g, enum csv_key key)
{
    const struct sample *s = &g->out->sample;
    const bool waits = key == CSV_WAIT;
    const enum csv_key from = waits ? CSV_SUBMIT : CSV_START;
    const enum csv_key to = waits ? CSV_START : CSV_END;
    double scale;
    if ((key != CSV_DURATION && !waits) || g->column_of[from] < 0 ||
        g->column_of[to] < 0 || g->column_of[from] == g->column_of[to])
        return 0;
    scale = instant_scale(g, column_of(g, from));
    for (size_t i = 0; i < s->n_rows && scale > 0; i++) {
        double start, end, length;
        if (read_instant(g, i, from, &start) && read_instant(g, i, to, &end) &&
            read_length(sample_cell(s, i, (size_t)g->column_of[key]),
                        &length) &&
            length > 0 && (end - start) * scale >= 600)
            return (end - start) * scale / length;
    }
    return 0;
}

/* Doubts a run time that start and end contradict. */
static void contradict(struct guessing *g, enum csv_key key, const char *at,
                       double measured)
{
    if (key == CSV_DURATION)
        guess_doubt(g->out,
                    guess_text(g->out,
                               "%s: a unit of it is %.4g s by the start and "
                               "the end of the jobs, which is no known unit; "
                               "without duration= the map takes end - start",
                               at, measured));
}

/* Slurm's and PBS' names for a number of seconds. */
static bool tells_seconds(struct text name)
{
    static const char *const names[] = {"elapsedraw", "ru_wallclock",
                                        "wallclock"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_is_nocase(name, names[i]))
            return true;
    }
    return false;
}

/* Adds the setting of a column of clocks, such as 01:30:00. `measured`: as
 * measured_unit returns it. */
static void choose_clocks(struct guessing *g, enum csv_key key, const char *why,
                          double measured)
{
    const struct sample_column *c = column_of(g, key);
    const char *at = reference(g, key);
    const bool two = c->n_two * 10 > c->n * 9;
    const bool hours = two && fabs(measured / 60 - 1) < 0.05;
    if (two && measured == 0 && key == CSV_DURATION)
        guess_doubt(g->out,
                    guess_text(g->out,
                               "%s: its values may be minutes and seconds "
                               "or hours and minutes; duration=%s:clock "
                               "or duration=%s:hm says it",
                               at, at, at));
    guess_choose(
        g->out, csv_keys[key].name,
        hours ? guess_text(g->out, "%s:hm", at) : at,
        guess_text(g->out, "%s; the values are %s", why,
                   hours ? "HH:MM" : "[D-]HH:MM:SS or words of units"));
    if (measured > 0 && !hours && fabs(measured - 1) > 0.2)
        contradict(g, key, at, measured);
}

/* Returns the unit that `measured` seconds are; NULL if there is none. */
static const char *unit_of_seconds(double measured)
{
    static const struct {
        double seconds;
        const char *unit;
    } units[] = {
        {1, "s"}, {1e-3, "ms"}, {60, "min"}, {3600, "h"}, {86400, "d"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (fabs(measured / units[i].seconds - 1) < 0.05)
            return units[i].unit;
    }
    return NULL;
}

void values_length(struct guessing *g, enum csv_key key, const char *why)
{
    const struct sample_column *c = column_of(g, key);
    const char *at = reference(g, key);
    const double measured = measured_unit(g, key);
    const char *because = "end - start agrees";
    const char *unit = measured > 0 ? unit_of_seconds(measured) : NULL;
    if (c->n_clocks) {
        choose_clocks(g, key, why, measured);
        return;
    }
    if (!unit && measured > 0)
        contradict(g, key, at, measured);
    if (!unit) {
        unit = names_unit(c->name);
        because = "the name ends with it";
    }
    if (!unit && key == CSV_DURATION)
        g->out->columns.duration_unit_known = tells_seconds(c->name);
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
        g->out, csv_keys[key].name,
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

static bool has_format(const struct sample_column *c, const char *format)
{
    return (c->format && strcmp(c->format, format) == 0) ||
           (c->or_format && strcmp(c->or_format, format) == 0);
}

/* Returns how often a date of a column is before the one above it. */
static size_t descents(const struct guessing *g, enum csv_key key,
                       const char *format)
{
    const struct sample *s = &g->out->sample;
    struct clock clock = {.format = format};
    sim_time at, before = INT64_MIN;
    size_t n = 0;
    for (size_t i = 0; i < s->n_rows; i++) {
        if (!clock_read(&clock, sample_cell(s, i, (size_t)g->column_of[key]),
                        &at))
            continue;
        n += at < before;
        before = at;
    }
    return n;
}

/* Chooses between two formats that all values of a column fit: the one that
 * other columns of dates fit too, or by which the submissions come in order. */
static const char *values_choose_format(struct guessing *g,
                                        const struct sample_column *c)
{
    static const enum csv_key keys[] = {CSV_SUBMIT, CSV_START, CSV_END};
    if (!c->or_format)
        return c->format;
    for (size_t i = 0; i < 3; i++) {
        const struct sample_column *other = column_of(g, keys[i]);
        if (!other || !other->format)
            continue;
        if (!has_format(other, c->format))
            return c->or_format;
        if (!has_format(other, c->or_format))
            return c->format;
    }
    /* Who writes AM and PM with slashes writes the month first. */
    if (strstr(c->format, "%p") && strstr(c->format, "%m/%d"))
        return c->format;
    const size_t a = descents(g, CSV_SUBMIT, c->format);
    const size_t b = descents(g, CSV_SUBMIT, c->or_format);
    if (a == b)
        guess_doubt(g->out,
                    guess_text(g->out,
                               "%s: whether the month or the day comes first; "
                               "date=%s or date=%s says it",
                               reference(g, CSV_SUBMIT), c->format,
                               c->or_format));
    return b < a ? c->or_format : c->format;
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
    const char *format = first ? values_choose_format(g, first) : NULL;
    if (format)
        guess_choose(g->out, "date", format, "all dates can be read so");
    if (g->serial_days)
        guess_choose(g->out, "origin", "1899-12-30",
                     "spreadsheets count days from it");
    if (local)
        guess_open(g->out,
                   "the zone of the dates: taken as UTC; zone=+08:00 or "
                   "zone=Asia/Shanghai says another");
}
