/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/guess/guess.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
        guess_open(g->out, "when a job was submitted: submit=COLUMN says it");
    }
}

static void find_gpus(struct guessing *g)
{
    struct proposal *out = g->out;
    const int gpus = g->column_of[CSV_GPUS], nodes = g->column_of[CSV_NODES];
    const int each = g->column_of[GUESS_GPUS_EACH];
    if (gpus < 0 && each >= 0) {
        const char *column = guess_column(out, (size_t)each);
        guess_choose(out, "gpus",
                     nodes < 0
                         ? column
                         : guess_text(out, "%s*%s",
                                      guess_column(out, (size_t)nodes), column),
                     nodes < 0 ? "GPUs of a node; one node is assumed"
                               : "nodes times GPUs of a node, by their names");
        return;
    }
    if (gpus < 0) {
        guess_open(out, "how many GPUs a job has: gpus=COLUMN says it, or "
                        "gpus=8 if all have eight");
        return;
    }
    const struct sample_column *c = &out->sample.columns[gpus];
    const char *form = c->n_tres * 2 > c->n   ? ":tres"
                       : c->n_gres * 2 > c->n ? ":gres"
                                              : "";
    const bool gaps = c->n < out->sample.n_rows;
    guess_choose(out, "gpus",
                 guess_text(out, "%s%s%s", guess_column(out, (size_t)gpus),
                            form, gaps ? ":or=0" : ""),
                 guess_text(out, "%s%s%s", why_name(g, CSV_GPUS),
                            *form ? "; the values are Slurm's lists" : "",
                            gaps ? "; where it is empty, a job has none" : ""));
    if (nodes >= 0 && !*form)
        guess_open(out, guess_text(out,
                                   "whether %s counts the GPUs of one node: "
                                   "taken as those of the job; gpus=%s*%s says "
                                   "the other",
                                   guess_column(out, (size_t)gpus),
                                   guess_column(out, (size_t)nodes),
                                   guess_column(out, (size_t)gpus)));
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
        guess_open(g->out, "how long a job ran: duration=COLUMN says it, or "
                           "start=COLUMN and end=COLUMN");
}

static void list_unread(struct guessing *g)
{
    struct proposal *out = g->out;
    char list[900] = "";
    size_t n = 0;
    for (size_t k = 0; k < out->sample.n_columns && n < sizeof list; k++) {
        bool used = false;
        for (int key = 0; key < GUESS_N_KEYS; key++)
            used |= g->column_of[key] == (int)k;
        if (!used)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s",
                                  n ? ", " : "", guess_column(out, k));
    }
    out->unread = guess_text(out, "%s", list);
}

static void make_spec(struct proposal *out)
{
    char spec[4096] = "csv:";
    size_t n = strlen(spec);
    bool has[3] = {false};
    for (size_t i = 0; i < out->n_choices && n < sizeof spec; i++) {
        const struct guess_choice *c = &out->choices[i];
        has[0] |= strcmp(c->key, "submit") == 0;
        has[1] |= strcmp(c->key, "gpus") == 0;
        has[2] |= strcmp(c->key, "duration") == 0 || strcmp(c->key, "end") == 0;
        n += (size_t)snprintf(spec + n, sizeof spec - n, "%s%s=%s",
                              i ? "," : "", c->key, c->value);
    }
    if (has[0] && has[1] && has[2] && n < sizeof spec)
        out->spec = arena_copy(&out->sample.arena, spec, n);
}

enum status guess_map(const char *path, struct proposal *out, struct error *err)
{
    *out = (struct proposal){0};
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
    find_gpus(&g);
    find_others(&g);
    values_dates(&g);
    list_unread(&g);
    make_spec(out);
    return STATUS_OK;
}

void guess_free(struct proposal *guess)
{
    sample_free(&guess->sample);
}
