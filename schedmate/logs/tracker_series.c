/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stage 2 of the Metric Tracker by rules, for logs in which no line says how
 * long a step takes: any counter of steps against any clock. It needs few
 * words. A series is the numbers that follow the same words from record to
 * record, where a record is a line or a block of lines with one loss. A counter
 * is a series of whole numbers that rise, in equal parts unless its words name
 * steps. A clock is a series that rises and whose words, unit or size say that
 * it is a time. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/logs/log_marks.h"
#include "schedmate/logs/log_stream.h"
#include "schedmate/logs/schedmate_tracker_internal.h"

/* Numbers of lines that are looked at from the end, of cells of a line, of
 * series and of readings of a series: the last ones count. */
#define SERIES_WALK 2000
#define CELLS_MAX 24
#define SERIES_MAX 64
#define READINGS_MAX 64

/* Fewer readings than this make no series: three differences may agree by
 * chance. */
#define SERIES_LEAST 5

struct series {
    struct log_cell cell; /* its last reading */
    /* The readings, the last one first, and their lines, counted from the end
     * of the log. */
    double at[READINGS_MAX], of[READINGS_MAX];
    uint32_t line[READINGS_MAX];
    size_t n;
    bool whole;
};

struct series_table {
    struct series *series;
    size_t n;
    size_t losses;  /* number of lines with a loss */
    size_t columns; /* numbers of a row without words; 0: there is none */
};

static struct series *series_of(struct series_table *t,
                                const struct log_cell *cell)
{
    for (size_t i = 0; i < t->n; i++) {
        struct series *s = &t->series[i];
        if (s->cell.spelled == cell->spelled &&
            strcmp(s->cell.key, cell->key) == 0)
            return s;
    }
    if (t->n == SERIES_MAX)
        return NULL;
    t->series[t->n] = (struct series){.cell = *cell, .whole = true};
    return &t->series[t->n++];
}

/* Adds the numbers of a line of the training. */
static void series_add(struct series_table *t, struct text line, uint32_t back)
{
    struct log_cell cells[CELLS_MAX];
    size_t n = log_cells_read(line, cells, CELLS_MAX);
    bool loss = false, words = false;
    for (size_t i = 0; i < n; i++) {
        loss |= cells[i].loss;
        words |= cells[i].key[0] && cells[i].key[0] != '#';
        struct series *s = cells[i].other ? NULL : series_of(t, &cells[i]);
        if (!s || s->n == READINGS_MAX)
            continue;
        s->at[s->n] = cells[i].value;
        s->of[s->n] = cells[i].of;
        s->whole &= cells[i].whole;
        s->line[s->n++] = back;
    }
    t->losses += loss;
    t->columns = n > 2 && !words && !t->columns ? n : t->columns;
}

/* Reads the words of a header of a table as if each had a number below it.
 * Returns their number. */
static size_t series_columns(struct text head, struct log_cell *cells)
{
    char line[512];
    size_t len = 0;
    for (size_t i = 0; i <= head.len && len + 4 < sizeof line; i++) {
        char c = i < head.len ? head.at[i] : ',';
        if (!strchr(" ,|\t", c)) {
            line[len++] = c;
        } else if (len > 0 && line[len - 1] != ',') {
            memcpy(line + len, " 0,", 3);
            len += 3;
        }
    }
    return log_cells_read((struct text){line, len}, cells, CELLS_MAX);
}

/* Names the columns of a table whose rows have no words, if the line is the
 * header above them: as many words, among them a loss and steps. */
static void series_head(struct series_table *t, struct text line)
{
    struct log_cell cells[CELLS_MAX];
    bool loss = false, counts = false;
    size_t n = series_columns(line, cells);
    for (size_t i = 0; i < n; i++) {
        loss |= cells[i].loss;
        counts |= cells[i].counts;
    }
    if (n != t->columns || !loss || !counts)
        return;
    for (size_t i = 0; i < t->n; i++) {
        struct series *s = &t->series[i];
        const char *key = s->cell.key;
        size_t at = key[0] == '#' ? strtoul(key + 1, NULL, 10) : 1;
        if ((key[0] && key[0] != '#') || at > n)
            continue;
        cells[at - 1].spelled = s->cell.spelled;
        s->cell = cells[at - 1];
        t->losses = s->cell.loss ? s->n : t->losses;
        s->n = s->cell.other ? 0 : s->n;
    }
    t->columns = 0;
}

/* Reads the records at the end of the log, `most` at most. Lines of an
 * evaluation and bars, which tracker_read.c judges, are left out. */
static void series_read(struct series_table *t, struct text text, size_t most)
{
    struct text line;
    struct log_bar bar;
    for (uint32_t back = 1; back <= SERIES_WALK && t->losses <= most &&
                            log_last_line(&text, &line);
         back++) {
        uint64_t marks = log_marks(line);
        if ((marks & MARK_BIT(EVAL_WORD) && !(marks & MARK_BIT(TRAIN_WORD))) ||
            log_bar_read(line, &bar))
            continue;
        if (t->columns && marks & MARK_BIT(NO_NUMBER))
            series_head(t, line);
        series_add(t, line, back);
    }
}

/* Seconds from one reading of a clock to the next; a time of day may pass
 * midnight. */
static double series_gone(const struct series *s, double from, double to)
{
    double gone = to - from;
    return s->cell.spelled && gone < -43200 ? gone + 86400 : gone;
}

/* Returns the seconds in a unit of a clock; 0 if the series is none: it has to
 * be a time and to rise. */
static double series_unit(const struct series *s)
{
    size_t up = 0, down = 0;
    double unit = s->cell.unit;
    for (size_t i = 0; i + 1 < s->n; i++) {
        double gone = series_gone(s, s->at[i + 1], s->at[i]);
        up += gone > 0;
        down += gone < 0;
    }
    double last = s->at[0]; /* seconds or milliseconds since 1970 */
    if (last > 1e9 && last < 4e9)
        unit = 1;
    else if (last > 1e12 && last < 4e12)
        unit = 1e-3;
    return s->n < SERIES_LEAST || s->cell.left || 2 * up < s->n - 1 ||
                   10 * down > s->n
               ? 0
               : unit;
}

/* Returns how well a series counts steps: 0, not at all; 1, whole numbers that
 * rise in equal parts of more than 1; 2, it also names its end; 3, its words
 * name steps; 4, the steps of the whole job. */
static unsigned series_counts(const struct series *s)
{
    size_t up = 0, equal = 0;
    if (s->n < SERIES_LEAST || !s->whole || s->cell.unit > 0 || s->cell.spelled)
        return 0;
    double part = s->at[0] - s->at[1];
    for (size_t i = 0; i + 1 < s->n; i++) {
        up += s->at[i] > s->at[i + 1];
        equal += s->at[i] - s->at[i + 1] == part;
    }
    if (4 * up < 3 * (s->n - 1) || s->at[0] >= 1e9)
        return 0;
    if (s->cell.counts)
        return strstr(s->cell.key, "global") ? 4 : 3;
    if (5 * equal < 4 * (s->n - 1) || !(part > 1))
        return 0;
    return s->of[0] > 0 ? 2 : 1;
}

/* Returns the best counter; NULL if there is none, or two of the lowest rank
 * that rise by different parts. */
static const struct series *series_counter(const struct series_table *t)
{
    const struct series *best = NULL;
    unsigned best_rank = 0;
    bool doubt = false;
    for (size_t i = 0; i < t->n; i++) {
        const struct series *s = &t->series[i];
        unsigned rank = series_counts(s);
        if (rank == 0 || rank < best_rank || 4 * t->losses < 3 * s->n)
            continue;
        if (rank > best_rank)
            doubt = false;
        else if (rank == 1)
            doubt |= s->at[0] - s->at[1] != best->at[0] - best->at[1];
        if (rank > best_rank || s->n > best->n)
            best = s;
        best_rank = rank;
    }
    return doubt ? NULL : best;
}

/* Pairs the readings of a counter with the last reading of a clock up to their
 * lines, which has to be a new one in three quarters of them: a clock of rarer
 * lines says little. Returns the number of pairs, the first one first. */
static size_t series_pair(const struct series *counter,
                          const struct series *clock, double unit,
                          struct step_times *out)
{
    size_t k = clock->n, used = 0;
    double gone = 0, was = NAN;
    out->n = 0;
    for (size_t i = counter->n; i-- > 0;) {
        size_t before = k;
        while (k > 0 && clock->line[k - 1] >= counter->line[i])
            k--;
        used += k < before;
        if (k == clock->n)
            continue;
        if (out->n > 0)
            gone += unit * series_gone(clock, was, clock->at[k]);
        was = clock->at[k];
        out->at[out->n] = gone;
        out->step[out->n++] = counter->at[i];
    }
    return 4 * used < 3 * out->n ? 0 : out->n;
}

/* Returns the time of a step by the time that is left and the steps that are
 * left, if these agree with how the time falls; NaN if they do not. */
static double series_left(const struct series *counter,
                          const struct series *clock)
{
    double rates[READINGS_MAX];
    size_t n = 0;
    if (!clock->cell.left || !(clock->cell.unit > 0))
        return NAN;
    for (size_t i = 0, k = 0; i < counter->n && k < clock->n;) {
        double steps = counter->of[i] - counter->at[i];
        if (counter->line[i] == clock->line[k] && steps > 0)
            rates[n++] = clock->at[k] * clock->cell.unit / steps;
        bool next = counter->line[i] <= clock->line[k];
        k += clock->line[k] <= counter->line[i];
        i += next;
    }
    if (n < SERIES_LEAST)
        return NAN;
    double middle = tracker_median(rates, n);
    double gone = (clock->at[clock->n - 1] - clock->at[0]) * clock->cell.unit;
    double fell = gone / (counter->at[0] - counter->at[counter->n - 1]);
    bool agrees = fell < 1.5 * middle && middle < 1.5 * fell;
    return agrees && tracker_agreement(rates, n, middle) >= 0.75 ? middle : NAN;
}

struct candidate tracker_from_series(const struct tracker_reading *r)
{
    struct candidate best = {.source = TRACKER_NOT_FOUND};
    struct series_table t = {.series =
                                 mem_zalloc(SERIES_MAX, sizeof *t.series)};
    struct step_times *pairs = mem_zalloc(1, sizeof *pairs);
    series_read(&t, r->found->text, r->config->lines);
    const struct series *counter = series_counter(&t);
    for (size_t i = 0; counter && i < t.n; i++) {
        const struct series *clock = &t.series[i];
        double unit = series_unit(clock), left = series_left(counter, clock);
        if (left > 0 && best.source == TRACKER_NOT_FOUND)
            best = (struct candidate){
                .source = TRACKER_ELAPSED,
                .basis = "elapsed",
                .seconds = left,
                .value = left,
                .unit = "s",
                .evidence = TRACKER_SEEN(ELAPSED) | TRACKER_SEEN(AVERAGE) |
                            TRACKER_SEEN(LOSS_LINE) | TRACKER_SEEN(LOSS_NEAR) |
                            TRACKER_SEEN(METRIC) | TRACKER_SEEN(ADVANCES)};
        if (!(unit > 0) || clock == counter ||
            series_pair(counter, clock, unit, pairs) < SERIES_LEAST)
            continue;
        pairs->fine = !clock->cell.spelled;
        pairs->clock = clock->cell.spelled || clock->at[0] > 1e9;
        struct candidate c = tracker_from_pairs(r, pairs);
        if (c.source != TRACKER_NOT_FOUND && c.values > best.values)
            best = c;
    }
    free(pairs);
    free(t.series);
    return best;
}

/* Reads the last stamp of a text or, if `ahead`, the first one. */
#define STAMP_WITHIN 2000

static bool series_stamp(struct text text, bool ahead, struct log_stamp *out)
{
    struct text line;
    for (int i = 0; i < STAMP_WITHIN && (ahead ? log_first_line(&text, &line)
                                               : log_last_line(&text, &line));
         i++) {
        if (log_stamp_of(line, out))
            return true;
    }
    return false;
}

/* The first stamp before the lines and the last one after them: what a program
 * prints may reach the log much later than the stamped lines of others. */
double tracker_longest_step(const struct tracker_reading *r)
{
    const struct number_group *counter = tracker_counter(r);
    struct text whole = r->found->text, before = whole, after = whole;
    struct log_stamp first, last;
    if (!counter || counter->n < 2)
        return NAN;
    struct text one = r->found->at[counter->lines[0]];
    struct text two = r->found->at[counter->lines[counter->n - 1]];
    double steps = counter->values[counter->n - 1] - counter->values[0];
    before.len = (size_t)(one.at + one.len - whole.at);
    after = text_skip(whole, (size_t)(two.at - whole.at));
    if (!(steps > 0) || two.at < one.at || !series_stamp(after, false, &last) ||
        !series_stamp(before, true, &first) ||
        !log_stamp_alike(&first, &last) || last.at <= first.at)
        return NAN;
    /* stamps of whole seconds */
    return ((double)(last.at - first.at) / 1e6 + 1) / steps;
}
