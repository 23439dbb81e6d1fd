/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/guess/guess.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "traces/formats/slurm_internal.h"
#include "traces/guess/guess_internal.h"

const char *guess_text(struct proposal *out, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n < 0)
        return "";
    return arena_copy(&out->sample.arena, text, strlen(text));
}

void guess_choose(struct proposal *out, const char *key, const char *value,
                  const char *why)
{
    if (out->n_choices < GUESS_CHOICES_MAX)
        out->choices[out->n_choices++] = (struct guess_choice){key, value, why};
}

void guess_open(struct proposal *out, const char *line)
{
    if (out->n_open < GUESS_OPEN_MAX)
        out->open[out->n_open++] = line;
}

void guess_doubt(struct proposal *out, const char *line)
{
    out->doubt = out->doubt ? out->doubt : line;
}

const char *guess_column(struct proposal *out, size_t column)
{
    const struct text name = out->sample.columns[column].name;
    bool by_number = name.len == 0 || name.at[0] == '#', quotes = false;
    double number;
    for (size_t i = 0; i < name.len; i++) {
        by_number |= name.at[i] == ',' || name.at[i] == '"';
        quotes |= name.at[i] == '*' || name.at[i] == ':';
    }
    for (size_t i = 0; i < out->sample.n_columns; i++)
        by_number |=
            i != column && text_equal(out->sample.columns[i].name, name);
    quotes |= text_to_double(name, &number);
    if (by_number)
        return guess_text(out, "#%zu", column + 1);
    return guess_text(out, quotes ? "\"%.*s\"" : "%.*s", (int)name.len,
                      name.at);
}

bool guess_takes(const struct guessing *g, size_t column)
{
    for (int key = 0; key < GUESS_N_KEYS; key++) {
        if (g->column_of[key] == (int)column)
            return true;
    }
    return false;
}

/* Finds a column for each key: the name that fits a key best comes first, and
 * each column serves one key only. */
static void assign(struct guessing *g)
{
    const struct sample *s = &g->out->sample;
    bool taken[ROWS_CELLS_MAX] = {false};
    for (int key = 0; key < GUESS_N_KEYS; key++)
        g->column_of[key] = -1;
    for (;;) {
        int best = 0, best_key = -1;
        size_t best_column = 0;
        for (int key = 0; key < GUESS_N_KEYS; key++) {
            if (g->column_of[key] >= 0)
                continue;
            for (size_t k = 0; k < s->n_columns; k++) {
                const int fit =
                    taken[k] ? 0 : names_fit(s->columns[k].name, key);
                if (fit > best && values_fit(&s->columns[k], key)) {
                    best = fit;
                    best_key = key;
                    best_column = k;
                }
            }
        }
        if (best_key < 0)
            return;
        g->column_of[best_key] = (int)best_column;
        taken[best_column] = true;
    }
}

static const char *why_name(const struct guessing *g, int key)
{
    const struct text name = g->out->sample.columns[g->column_of[key]].name;
    const bool time = key == CSV_SUBMIT || key == CSV_START || key == CSV_END;
    if (time && g->why_times)
        return g->why_times;
    if (key == CSV_GPUS && g->why_gpus)
        return g->why_gpus;
    return names_fit(name, key) > 40 ? "its name" : "a part of its name";
}

/* Returns a value of the column; an empty text if it has none. */
static struct text guess_value_of(const struct sample *s, size_t column)
{
    for (size_t i = 0; i < s->n_rows; i++) {
        const struct text t = sample_cell(s, i, column);
        if (t.len)
            return t;
    }
    return (struct text){"", 0};
}

static bool names_month(struct text t)
{
    static const char months[] = "jan feb mar apr may jun jul aug sep oct nov "
                                 "dec";
    struct text rest = text_from(months);
    while (rest.len) {
        const struct text month = text_split(rest, ' ', &rest);
        for (size_t i = 0; i + 3 <= t.len; i++) {
            if (strncasecmp(t.at + i, month.at, 3) == 0)
                return memchr(t.at, ':', t.len) != NULL;
        }
    }
    return false;
}

/* Writes the names of the columns that the map does not read; of all columns if
 * it reads all. */
static const char *name_candidates(struct guessing *g)
{
    struct proposal *out = g->out;
    char list[600] = "";
    bool unread = false;
    size_t n = 0, shown = 0;
    for (size_t k = 0; k < out->sample.n_columns; k++)
        unread |= !guess_takes(g, k);
    for (size_t k = 0; k < out->sample.n_columns && shown < 8; k++) {
        if (unread && guess_takes(g, k))
            continue;
        n += (size_t)snprintf(list + n, 70, "%s%.60s", n ? ", " : "",
                              guess_column(out, k));
        shown++;
    }
    return guess_text(out, "%s: %s",
                      unread ? "columns not read"
                             : "all columns are read for something else",
                      list);
}

/* Asks for the column of a key without which there is no map. Names the column
 * whose name fits the key although its values do not, or else those that are
 * not read. */
static void ask_for(struct guessing *g, int key, const char *question)
{
    struct proposal *out = g->out;
    const struct sample *s = &out->sample;
    int best = 0;
    size_t column = 0;
    for (size_t k = 0; k < s->n_columns; k++) {
        const int fit = guess_takes(g, k) || !s->columns[k].n
                            ? 0
                            : names_fit(s->columns[k].name, key);
        column = fit > best ? k : column;
        best = fit > best ? fit : best;
    }
    const char *line;
    if (best) {
        const struct text value = guess_value_of(s, column);
        line = guess_text(
            out, "%s; %s has a name for it, but '%.*s' %s", question,
            guess_column(out, column), (int)(value.len < 60 ? value.len : 60),
            value.at,
            names_month(value)
                ? "is a date without a year or in a form that is not known: "
                  "write YYYY-MM-DD HH:MM:SS, or give date=FORMAT"
                : "is not of that kind");
    } else {
        line = guess_text(out, "%s; %s", question, name_candidates(g));
    }
    guess_open(out, line);
    out->lacking = out->lacking ? out->lacking : line;
}

/* Finds the column of the submission. If there is none, the start stands in for
 * it. */
static void find_submission(struct guessing *g)
{
    if (g->column_of[CSV_SUBMIT] >= 0) {
        values_instant(g, CSV_SUBMIT, why_name(g, CSV_SUBMIT));
    } else if (g->column_of[CSV_START] >= 0) {
        g->column_of[CSV_SUBMIT] = g->column_of[CSV_START];
        values_instant(g, CSV_SUBMIT,
                       "no column is a time of submission; the start is taken "
                       "for it, so no waiting time is known");
    } else {
        ask_for(g, CSV_SUBMIT,
                "when a job was submitted: submit=COLUMN says it");
    }
}

/* Reads a whole number of a cell, or the GPUs of a text. */
static bool guess_gpus_of(const struct guessing *g, size_t row,
                          const char *form, uint32_t *out)
{
    const struct text t =
        sample_cell(&g->out->sample, row, (size_t)g->column_of[CSV_GPUS]);
    struct text type;
    double number;
    if (strcmp(form, ":gres") == 0)
        *out = slurm_gres(t, &type);
    else if (text_to_double(t, &number) && number >= 0 && number < 1e6)
        *out = (uint32_t)number;
    else
        return false;
    return *out > 0;
}

/* Tells whether the column of GPUs counts those of one node, from jobs of
 * several nodes. Single nodes tell how many GPUs a node has at least: a job of
 * several nodes with no more GPUs than one has is written by node. *known:
 * false if jobs contradict each other. */
static bool are_each(const struct guessing *g, const char *form, bool *known)
{
    const struct sample *s = &g->out->sample;
    uint32_t widest = 0, gpus, nodes;
    size_t several = 0, narrow = 0, uneven = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < s->n_rows; i++) {
            const struct text t =
                sample_cell(s, i, (size_t)g->column_of[CSV_NODES]);
            if (!text_to_u32(t, &nodes) || !guess_gpus_of(g, i, form, &gpus))
                continue;
            if (pass == 0 && nodes == 1 && gpus > widest)
                widest = gpus;
            if (pass == 0 || nodes < 2)
                continue;
            several++;
            narrow += gpus <= (widest ? widest : 8);
            uneven += gpus < nodes;
        }
    }
    *known = several == 0 || narrow == 0 || narrow == several;
    return several > 0 && (narrow == several || uneven * 2 > several);
}

/* Returns how the values of the column of GPUs are written. */
static const char *form_of(const struct sample_column *c)
{
    return c->n_asked * 20 > c->n                             ? ":request"
           : c->n_tres * 2 > c->n                             ? ":tres"
           : c->n_gres * 2 > c->n                             ? ":gres"
           : c->n_lists * 20 > c->n                           ? ":list"
           : c->n_numbers * 20 < c->n * 19 && c->n_worded > 0 ? ":text"
                                                              : "";
}

static void choose_each(struct guessing *g)
{
    struct proposal *out = g->out;
    const int nodes = g->column_of[CSV_NODES];
    const char *column =
        guess_column(out, (size_t)g->column_of[GUESS_GPUS_EACH]);
    if (nodes < 0)
        guess_doubt(out, guess_text(out,
                                    "%s: it counts the GPUs of one node or "
                                    "worker, and no column says how many a "
                                    "job has; gpus=COLUMN*%s says it",
                                    column, column));
    guess_choose(out, "gpus",
                 nodes < 0
                     ? column
                     : guess_text(out, "%s*%s",
                                  guess_column(out, (size_t)nodes), column),
                 nodes < 0 ? "GPUs of a node; one node is assumed"
                           : "nodes times GPUs of a node, by their names");
}

static bool says_total(struct text name)
{
    return memmem(name.at, name.len, "otal", 4) != NULL;
}

static bool says_gpus(struct text name)
{
    return memmem(name.at, name.len, "gpu", 3) != NULL ||
           memmem(name.at, name.len, "GPU", 3) != NULL;
}

/* Returns true if a job has GPUs by one of two columns and none by the other,
 * and each of the two has GPUs in a twentieth of the rows or more. */
static bool complement(const struct sample *s, size_t a, size_t b)
{
    size_t only_a = 0, only_b = 0;
    for (size_t i = 0; i < s->n_rows; i++) {
        uint32_t x = 0, y = 0;
        const struct text p = sample_cell(s, i, a), q = sample_cell(s, i, b);
        if ((p.len && !text_to_u32(p, &x)) || (q.len && !text_to_u32(q, &y)) ||
            (x && y))
            return false;
        only_a += x > 0;
        only_b += y > 0;
    }
    return only_a * 20 >= s->n_rows && only_b * 20 >= s->n_rows;
}

/* Adds a doubt if the GPUs of a job stand in two columns, such as one for each
 * GPU type. */
static void doubt_half(struct guessing *g, size_t column)
{
    const struct sample *s = &g->out->sample;
    for (size_t k = 0; k < s->n_columns; k++) {
        if (k != column && says_gpus(s->columns[k].name) &&
            complement(s, column, k))
            guess_doubt(
                g->out,
                guess_text(g->out,
                           "%s, %s: a job has its GPUs in one of the two; "
                           "gpus= reads one column, so write their sum to one",
                           guess_column(g->out, column),
                           guess_column(g->out, k)));
    }
}

static void guess_find_gpus(struct guessing *g)
{
    struct proposal *out = g->out;
    const int gpus = g->column_of[CSV_GPUS], nodes = g->column_of[CSV_NODES];
    bool known = true;
    if (gpus < 0 && g->column_of[GUESS_GPUS_EACH] >= 0) {
        choose_each(g);
        return;
    }
    if (gpus < 0) {
        ask_for(g, CSV_GPUS,
                "how many GPUs a job has: gpus=COLUMN says it, or gpus=8 if "
                "all have eight");
        return;
    }
    doubt_half(g, (size_t)gpus);
    const struct sample_column *c = &out->sample.columns[gpus];
    const char *form = form_of(c);
    const bool gaps = c->n < out->sample.n_rows;
    const bool countable = !*form || strcmp(form, ":gres") == 0;
    const bool each = nodes >= 0 && countable && !says_total(c->name) &&
                      are_each(g, form, &known);
    const char *column = guess_column(out, (size_t)gpus);
    const char *times =
        each ? guess_text(out, "*%s", guess_column(out, (size_t)nodes)) : "";
    guess_choose(
        out, "gpus",
        guess_text(out, "%s%s%s%s", column, times, form, gaps ? ":or=0" : ""),
        guess_text(out, "%s%s%s%s", why_name(g, CSV_GPUS),
                   *form ? "; the values are texts or lists" : "",
                   each ? "; jobs of several nodes have no more than "
                          "jobs of one, so it counts those of a node"
                        : "",
                   gaps ? "; where it is empty, a job has none" : ""));
    if (!known && !says_total(c->name))
        guess_doubt(out,
                    guess_text(out,
                               "%s: whether it counts the GPUs of a node or of "
                               "the job differs from row to row; gpus=%s or "
                               "gpus=%s*%s says it",
                               column, column, column,
                               guess_column(out, (size_t)nodes)));
}

static void find_others(struct guessing *g)
{
    for (int i = 0; i < CSV_N_KEYS; i++) {
        const enum csv_key key = (enum csv_key)i;
        const int column = g->column_of[i];
        if (column < 0 || key == CSV_SUBMIT || key == CSV_GPUS)
            continue;
        const char *why = why_name(g, i);
        const enum csv_class class = csv_keys[i].class;
        if (class == CSV_INSTANT)
            values_instant(g, key, why);
        else if (class == CSV_LENGTH)
            values_length(g, key, why);
        else if (class == CSV_AMOUNT)
            values_amount(g, key, why);
        else if (class == CSV_WORDS)
            values_state(g, why);
        else
            guess_choose(g->out, csv_keys[i].name,
                         guess_column(g->out, (size_t)column), why);
    }
    if (g->column_of[CSV_DURATION] < 0 &&
        (g->column_of[CSV_START] < 0 || g->column_of[CSV_END] < 0))
        ask_for(g,
                g->column_of[CSV_END] >= 0     ? CSV_START
                : g->column_of[CSV_START] >= 0 ? CSV_END
                                               : CSV_DURATION,
                "how long a job ran: duration=COLUMN says it, or start=COLUMN "
                "and end=COLUMN");
}

static void list_unread(struct guessing *g)
{
    struct proposal *out = g->out;
    char list[900] = "";
    size_t n = 0;
    for (size_t k = 0; k < out->sample.n_columns && n < sizeof list; k++) {
        if (!guess_takes(g, k))
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s",
                                  n ? ", " : "", guess_column(out, k));
    }
    out->unread = guess_text(out, "%s", list);
}

static void make_spec(struct proposal *out)
{
    char spec[4096] = "csv:";
    size_t n = strlen(spec);
    bool has[5] = {false};
    for (size_t i = 0; i < out->n_choices && n < sizeof spec; i++) {
        const struct guess_choice *c = &out->choices[i];
        has[0] |= strcmp(c->key, "submit") == 0;
        has[1] |= strcmp(c->key, "gpus") == 0;
        has[2] |= strcmp(c->key, "duration") == 0;
        has[3] |= strcmp(c->key, "start") == 0;
        has[4] |= strcmp(c->key, "end") == 0;
        n += (size_t)snprintf(spec + n, sizeof spec - n, "%s%s=%s",
                              i ? "," : "", c->key, c->value);
    }
    if (has[0] && has[1] && (has[2] || (has[3] && has[4])) && n < sizeof spec)
        out->spec = arena_copy(&out->sample.arena, spec, n);
}

/* Fills what guess_weigh calls the columns in its answer. */
static void name_columns(struct guessing *g)
{
    struct proposal *out = g->out;
    const int each = g->column_of[GUESS_GPUS_EACH];
    const int gpus = g->column_of[CSV_GPUS];
#define NAME(key) \
    (g->column_of[key] < 0 ? "" : guess_column(out, (size_t)g->column_of[key]))
    out->columns.submit = NAME(CSV_SUBMIT);
    out->columns.start = NAME(CSV_START);
    out->columns.end = NAME(CSV_END);
    out->columns.duration = NAME(CSV_DURATION);
    out->columns.id = NAME(CSV_ID);
    out->columns.gpus =
        gpus < 0 && each >= 0 ? NAME(GUESS_GPUS_EACH) : NAME(CSV_GPUS);
#undef NAME
}

enum status guess_map(const char *path, struct proposal *out, struct error *err)
{
    *out = (struct proposal){
        .columns = {.submit_unit_known = true, .duration_unit_known = true}};
    enum status st = sample_read(path, &out->sample, err);
    if (st != STATUS_OK)
        return st;
    struct guessing g = {.out = out};
    assign(&g);
    by_values_times(&g);
    by_values_gpus(&g);
    if (!out->sample.has_header)
        guess_choose(out, "header", "no",
                     "the first line has numbers or dates; the columns are #1, "
                     "#2, ...");
    find_submission(&g);
    guess_find_gpus(&g);
    find_others(&g);
    values_dates(&g);
    if (out->sample.decimal_comma)
        guess_choose(out, "decimal", "comma",
                     "numbers are written as in 1.234,5");
    list_unread(&g);
    name_columns(&g);
    make_spec(out);
    return STATUS_OK;
}

enum status guess_weigh(const char *path, struct proposal *out,
                        struct error *err)
{
    static const char *const words[] = {[SAME_ATTEMPTS] = "attempts",
                                        [SAME_PARTS] = "parts",
                                        [SAME_FIRST] = "first"};
    struct guess_evidence evidence;
    enum status st =
        evidence_weigh(path, out->spec, &out->columns, &evidence, err);
    if (st != STATUS_OK)
        return st;
    if (evidence.same != SAME_NONE) {
        guess_choose(out, "same", words[evidence.same],
                     guess_text(out, "%s", evidence.why_same));
        make_spec(out);
    }
    if (evidence.doubt[0])
        guess_doubt(out, guess_text(out, "%s", evidence.doubt));
    return STATUS_OK;
}

void guess_free(struct proposal *guess)
{
    sample_free(&guess->sample);
}
