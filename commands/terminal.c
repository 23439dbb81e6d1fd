/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a terminal shows: tables and prose (terminal.h), colours (terminal.h),
 * the line of progress (terminal.h). */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/text.h"
#include "commands/terminal.h"

const char *const tone_when_words[] = {
    [TONE_AUTO] = "auto",
    [TONE_ALWAYS] = "always",
    [TONE_NEVER] = "never",
    NULL,
};

static enum tone_when chosen = TONE_AUTO;

void tone_choose(enum tone_when when)
{
    chosen = when;
}

static bool is_colored(FILE *to)
{
    if (chosen != TONE_AUTO)
        return chosen == TONE_ALWAYS;
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fileno(to)) && !(no && no[0]) &&
           !(term && strcmp(term, "dumb") == 0);
}

const char *tone_on(FILE *to, enum tone tone)
{
    static const char *const codes[] = {
        [TONE_PLAIN] = "",           [TONE_HEADING] = "\033[1m",
        [TONE_BETTER] = "\033[32m",  [TONE_WORSE] = "\033[31m",
        [TONE_ERROR] = "\033[1;31m",
    };
    return is_colored(to) ? codes[tone] : "";
}

const char *tone_off(FILE *to, enum tone tone)
{
    return tone != TONE_PLAIN && is_colored(to) ? "\033[0m" : "";
}

void table_init(struct table *table, unsigned n_columns, unsigned left)
{
    CHECK(n_columns <= TABLE_COLUMNS_MAX);
    *table = (struct table){.n_columns = n_columns, .left = left};
    arena_init(&table->arena);
}

void table_fini(struct table *table)
{
    free(table->cells);
    free(table->tones);
    arena_fini(&table->arena);
}

void table_add(struct table *table, const char *fmt, ...)
{
    char cell[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(cell, sizeof cell, fmt, args);
    va_end(args);
    text_clean(cell);
    table->cells = mem_grow(table->cells, &table->cap_cells, table->n_cells + 1,
                            sizeof *table->cells);
    table->tones = mem_grow(table->tones, &table->cap_tones, table->n_cells + 1,
                            sizeof *table->tones);
    table->tones[table->n_cells] = TONE_PLAIN;
    table->cells[table->n_cells++] =
        arena_copy(&table->arena, cell, strlen(cell));
}

/* Returns the number of characters of a UTF-8 text, counted by the bytes that
 * do not continue a character. */
static size_t width(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

void table_tone(struct table *table, enum tone tone)
{
    CHECK(table->n_cells > 0);
    table->tones[table->n_cells - 1] = (unsigned char)tone;
}

static void print_cell(const struct table *table, FILE *to, size_t i,
                       size_t wide, enum tone tone)
{
    const char *cell = table->cells[i];
    size_t column = i % table->n_columns;
    int pad = (int)(wide - width(cell));
    bool last = column + 1 == table->n_columns;
    bool left = table->left >> column & 1;
    fprintf(to, "%s%*s%s%s%s%*s", column ? "  " : "", left ? 0 : pad, "",
            tone_on(to, tone), cell, tone_off(to, tone),
            left && !last ? pad : 0, "");
}

static void terminal_print_rows(const struct table *table, FILE *to,
                                bool has_head)
{
    size_t widest[TABLE_COLUMNS_MAX] = {0};
    for (size_t i = 0; i < table->n_cells; i++) {
        size_t n = width(table->cells[i]);
        if (n > widest[i % table->n_columns])
            widest[i % table->n_columns] = n;
    }
    for (size_t i = 0; i < table->n_cells; i++) {
        bool in_head = has_head && i < table->n_columns;
        size_t column = i % table->n_columns;
        print_cell(table, to, i, widest[column],
                   in_head ? TONE_HEADING : table->tones[i]);
        if (column + 1 == table->n_columns || i + 1 == table->n_cells)
            fputc('\n', to);
    }
}

void table_print(const struct table *table, FILE *to)
{
    terminal_print_rows(table, to, true);
}

void table_print_plain(const struct table *table, FILE *to)
{
    terminal_print_rows(table, to, false);
}

/* Returns the text, without control characters; the caller frees it. */
static char *terminal_formatted(const char *fmt, va_list args)
{
    char *line;
    int n = vasprintf(&line, fmt, args);
    CHECK(n >= 0); /* fails only if memory is exhausted */
    text_clean(line);
    return line;
}

const char *say_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

void say(FILE *to, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *line = terminal_formatted(fmt, args);
    va_end(args);
    fputs(line, to);
    fputc('\n', to);
    free(line);
}

/* Returns the length in bytes of the word that `at` begins with; a passage
 * between quotation marks is part of the word in which it begins. */
static size_t terminal_word_length(const char *at)
{
    const char *end = at + strcspn(at, " ");
    const char *quote = at + strspn(at, "([");
    if (*quote && strchr("'\"`", *quote)) {
        const char *close = strchr(quote + 1, *quote);
        if (close && close >= end)
            end = close + strcspn(close, " ");
    }
    return (size_t)(end - at);
}

static size_t width_of(const char *at, size_t len)
{
    size_t width = 0;
    for (size_t i = 0; i < len; i++)
        width += ((unsigned char)at[i] & 0xc0) != 0x80;
    return width;
}

void say_prose(FILE *to, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *line = terminal_formatted(fmt, args);
    va_end(args);
    size_t column = 0;
    for (const char *at = line; *at; at += strspn(at, " ")) {
        const size_t len = terminal_word_length(at), width = width_of(at, len);
        if (column && column + 1 + width > PROSE_WIDTH) {
            fputs("\n  ", to);
            column = 2;
        } else if (column) {
            fputc(' ', to);
            column++;
        }
        fwrite(at, 1, len, to);
        column += width;
        at += len;
    }
    fputc('\n', to);
    free(line);
}

const char *table_span_as(double seconds, double like, char buf[TABLE_SPAN_MAX])
{
    static const struct {
        double seconds;
        const char *unit;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    size_t u = 0;
    if (isnan(seconds)) {
        snprintf(buf, TABLE_SPAN_MAX, "-");
        return buf;
    }
    /* If a value is below 2 of a unit, the next smaller unit is used, which
     * makes values easier to compare. */
    while (u < 3 && fabs(like) < 2 * units[u].seconds)
        u++;
    double scale = fabs(like) / units[u].seconds;
    int digits = scale == 0 ? 0 : scale >= 100 ? 0 : scale >= 10 ? 1 : 2;
    snprintf(buf, TABLE_SPAN_MAX, "%.*f %s", digits, seconds / units[u].seconds,
             units[u].unit);
    return buf;
}

const char *table_span(double seconds, char buf[TABLE_SPAN_MAX])
{
    return table_span_as(seconds, seconds, buf);
}

const char *table_span_fine(double seconds, char buf[TABLE_SPAN_MAX])
{
    if (!(fabs(seconds) > 0 && fabs(seconds) < 1))
        return table_span(seconds, buf);
    snprintf(buf, TABLE_SPAN_MAX, "%.3g ms", seconds * 1000);
    return buf;
}

const char *table_figure_as(double value, double like, char buf[TABLE_SPAN_MAX])
{
    double size = fabs(like), unit = 1;
    if (isnan(value)) {
        snprintf(buf, TABLE_SPAN_MAX, "-");
        return buf;
    }
    while (size / unit >= 9999.5 && isfinite(size))
        unit *= 10;
    if (unit > 1)
        value = round(value / unit) * unit;
    snprintf(buf, TABLE_SPAN_MAX, "%.*f",
             size >= 999.95   ? 0
             : size >= 99.995 ? 1
                              : 2,
             value);
    return buf;
}

const char *table_figure(double value, char buf[TABLE_SPAN_MAX])
{
    return table_figure_as(value, value, buf);
}

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void progress_line_init(struct progress_line *line, FILE *to, const char *label,
                        uint32_t n_jobs)
{
    *line = (struct progress_line){
        .to = to, .label = label, .n_jobs = n_jobs, .begun = clock_ns()};
    line->drawn = line->begun;
}

static void terminal_draw(const struct progress_line *line, sim_time now,
                          uint32_t n_done, double elapsed_s)
{
    char sim[TABLE_SPAN_MAX], left[TABLE_SPAN_MAX];
    double rate = n_done / elapsed_s;
    table_span(span_seconds(now), sim);
    if (n_done)
        table_span((line->n_jobs - n_done) / rate, left);
    else
        snprintf(left, sizeof left, "?");
    fprintf(line->to,
            "\r%s: simulated %s, %u of %u jobs, %.0f jobs/s, %s left\033[K",
            line->label, sim, n_done, line->n_jobs, rate, left);
    fflush(line->to);
}

bool progress_line_instant(void *self, sim_time now, uint32_t n_done)
{
    /* Read the clock once per this number of instants, because reading the
     * clock takes longer than a short instant. The number must be small: one
     * instant of a slow policy (pollux) can take a second, and the line would
     * seem stuck. */
    enum { INSTANTS_A_LOOK = 16 };
    struct progress_line *line = self;
    if (++line->n_instants % INSTANTS_A_LOOK != 0)
        return true;
    int64_t at = clock_ns();
    int64_t pause = line->visible ? 200000000 : 1000000000;
    if (at - line->drawn < pause)
        return true;
    terminal_draw(line, now, n_done, (double)(at - line->begun) * 1e-9);
    line->drawn = at;
    line->visible = true;
    return true;
}

void progress_line_fini(struct progress_line *line)
{
    if (line->visible) {
        fputs("\r\033[K", line->to);
        fflush(line->to);
    }
    line->visible = false;
}
