/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/verify/verify_rule.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "sim/verify/verify_csv.h"

/* The words of the forms, and what messages call them. */
static const char *const rule_forms[VERIFY_FORMS][2] = {
    [VERIFY_TEXT] = {"text", "a text"},
    [VERIFY_FLAG] = {"flag", "0 or 1"},
    [VERIFY_COUNT] = {"count", "a whole number"},
    [VERIFY_TIME] = {"time", "a time"},
    [VERIFY_TIME_OR_NONE] = {"time or -1", "a time or -1"},
    [VERIFY_SPAN] = {"span", "a length of time"},
    [VERIFY_RATIO] = {"ratio", "a ratio"},
    [VERIFY_SET] = {"set", "a set such as 0-3 8"},
    [VERIFY_NUMBER] = {"number", "a number from 0 on"},
    [VERIFY_SIGNED] = {"signed", "a number"},
    [VERIFY_SHARE] = {"share", "a number from 0 to 1"},
    [VERIFY_DIGEST] = {"digest", "64 hexadecimal digits"},
    [VERIFY_DATE] = {"date", "a date such as 2026-01-31 12:00:00Z"},
    [VERIFY_OBJECT] = {"object", "an object"},
    [VERIFY_LIST] = {"list", "a list"},
};

const char *const verify_laws[] = {
    "jobs",      "attempts",  "sweep",    "classes",   "contention", "failures",
    "advice",    "series",    "metrics",  "profiling", "packing",    "elastic",
    "evictions", "deadlines", "gpu_time", "knowledge", "counted",    "summary",
    "manifest",  "quota",     NULL};

struct rule_cell {
    const char *name;
    struct verify_rule rule;
    int with;        /* cell that is empty in the same rows; -1: none */
    int left, right; /* cells of the columns A and B */
    int64_t before;  /* the whole number of the row before */
};

struct verify_rules {
    const char *file; /* for messages */
    struct verify_report *report;
    uint64_t line;
    size_t n;
    struct rule_cell cells[ROWS_CELLS_MAX];
    union verify_value values[ROWS_CELLS_MAX];
};

static bool rule_begins(struct text words, const char *with, struct text *rest)
{
    const size_t n = strlen(with);
    if (words.len < n || memcmp(words.at, with, n) != 0)
        return false;
    *rest = (struct text){words.at + n, words.len - n};
    return true;
}

static bool rule_is_law(struct text name)
{
    size_t i = 0;
    while (verify_laws[i] && !text_is(name, verify_laws[i]))
        i++;
    return verify_laws[i];
}

static bool rule_read_form(struct text form, struct verify_rule *out)
{
    const size_t whole = form.len;
    form = text_split(form, '?', &out->with);
    out->may_be_empty = out->may_miss = form.len < whole;
    out->may_be_null =
        form.len > 8 && strncmp(form.at + form.len - 8, " or null", 8) == 0;
    form.len -= out->may_be_null ? 8 : 0;
    for (out->form = 0; out->form < VERIFY_FORMS; out->form++) {
        if (text_is(form, rule_forms[out->form][0])) {
            out->may_be_empty |= out->form == VERIFY_TEXT;
            return true;
        }
    }
    return false;
}

bool verify_rule_read(const char *words, struct verify_rule *out)
{
    struct text check, sign;
    *out = (struct verify_rule){0};
    struct text form = text_split(text_from(words), ',', &check);
    check = text_trim(check);
    if (!rule_read_form(form, out))
        return false;
    if (text_is(check, "given"))
        out->check = VERIFY_GIVEN;
    else if (text_is(check, "rises"))
        out->check = VERIFY_RISES;
    else if (rule_begins(check, "always ", &out->of))
        out->check = VERIFY_ALWAYS;
    else if (rule_begins(check, "one of ", &out->of))
        out->check = VERIFY_ONE_OF;
    else if (rule_begins(check, "as ", &out->of))
        out->check = VERIFY_AS;
    else if (rule_begins(check, "manifest ", &out->of))
        out->check = VERIFY_MANIFEST;
    else if (rule_begins(check, "law ", &out->of) ||
             rule_begins(check, "bounds ", &out->of)) {
        out->check = check.at[0] == 'l' ? VERIFY_LAW : VERIFY_BOUNDS;
        return rule_is_law(out->of);
    } else {
        out->of = text_split(check, ' ', &check);
        sign = text_split(check, ' ', &out->other);
        out->check = text_is(sign, "-") ? VERIFY_DIFFERENCE : VERIFY_QUOTIENT;
        return out->other.len &&
               (out->check != VERIFY_QUOTIENT || text_is(sign, "/"));
    }
    return true;
}

const char *verify_form_words(enum verify_form form)
{
    return rule_forms[form][1];
}

static int rules_cell_of(const struct verify_rules *rules, struct text name)
{
    for (size_t i = 0; i < rules->n; i++) {
        if (text_is(name, rules->cells[i].name))
            return (int)i;
    }
    return -1;
}

/* Finds the text of manifest.json that a rule names. */
static struct text rules_manifest_text(const json_t *manifest, struct text path)
{
    while (path.len) {
        char key[64];
        struct text word = text_split(path, '.', &path);
        snprintf(key, sizeof key, "%.*s", TEXT_ARGS(word));
        manifest = json_object_get(manifest, key);
    }
    const char *found = json_string_value(manifest);
    return text_from(found ? found : "");
}

/* Finds the columns that the checks name. A check whose columns `--columns`
 * left out is not made. */
static void rules_resolve(struct verify_rules *rules, const json_t *manifest)
{
    for (size_t i = 0; i < rules->n; i++) {
        struct rule_cell *cell = &rules->cells[i];
        struct verify_rule *rule = &cell->rule;
        cell->before = INT64_MIN;
        cell->with = rules_cell_of(rules, rule->with);
        if (rule->check == VERIFY_MANIFEST) {
            rule->of = rules_manifest_text(manifest, rule->of);
            rule->check = VERIFY_ALWAYS;
        } else if (rule->check == VERIFY_ALWAYS && text_is(rule->of, "empty")) {
            rule->of.len = 0;
        } else if (rule->check == VERIFY_DIFFERENCE ||
                   rule->check == VERIFY_QUOTIENT) {
            cell->left = rules_cell_of(rules, rule->of);
            cell->right = rules_cell_of(rules, rule->other);
            if (cell->left < 0 || cell->right < 0)
                rule->check = VERIFY_LAW;
        }
    }
}

static const struct column *rules_column(const struct verify_table *table,
                                         size_t i)
{
    return (const void *)((const char *)table->at + i * table->stride);
}

/* Takes the columns of a table that the header has next. Returns the first one
 * that it lacks and must have; NULL if there is none. */
static const char *rules_take_table(struct verify_rules *rules,
                                    const struct rows *rows,
                                    const struct verify_table *table, bool any)
{
    const char *name;
    for (size_t i = 0; rules_column(table, i)->name; i++) {
        const struct column *column = rules_column(table, i);
        name = rows_header_name(rows, rules->n);
        if (name && strcmp(name, column->name) == 0) {
            struct rule_cell *cell = &rules->cells[rules->n++];
            cell->name = column->name;
            CHECK(verify_rule_read(column->rule, &cell->rule));
        } else if (!any && !(table->optional && i == 0)) {
            return column->name;
        } else if (!any) {
            break;
        }
    }
    return NULL;
}

enum status verify_rules_new(const struct rows *rows,
                             const struct verify_csv *csv,
                             struct verify_rules **out, struct error *err)
{
    const char *lacks = NULL;
    struct verify_rules *rules = *out = mem_zalloc(1, sizeof *rules);
    rules->file = strrchr(csv->path, '/') + 1;
    rules->report = csv->report;
    for (const struct verify_table *t = csv->tables; t->at && !lacks; t++)
        lacks = rules_take_table(rules, rows, t, csv->any_columns);
    const char *next = rows_header_name(rows, rules->n);
    if (lacks || next)
        return error_set(err, STATUS_BROKEN, "%s:1: %.60s: is not %s%.60s",
                         rules->file, next ? next : "the end",
                         lacks ? "the column " : "a column of this file",
                         lacks ? lacks : "");
    rules_resolve(rules, csv->manifest);
    return STATUS_OK;
}

void verify_rules_free(struct verify_rules *rules)
{
    free(rules);
}

const union verify_value *verify_rules_values(const struct verify_rules *rules)
{
    return rules->values;
}

enum status verify_rules_fail(const struct verify_rules *rules, int cell,
                              struct text is, struct error *err)
{
    return error_set(err, STATUS_BROKEN, "%s:%" PRIu64 ": %s: '%.*s' is not %s",
                     rules->file, rules->line, rules->cells[cell].name,
                     TEXT_ARGS(is),
                     verify_form_words(rules->cells[cell].rule.form));
}

static bool rules_take_count(struct text cell, int64_t *out)
{
    uint64_t count;
    if (!text_to_u64(cell, &count) || count > INT64_MAX)
        return false;
    *out = (int64_t)count;
    return true;
}

static bool rules_take_span(struct text cell, sim_span *out)
{
    return text_to_any_span(cell, out) &&
           *out<TIME_NEVER && * out> - TIME_NEVER;
}

/* Reads a cell that is not empty. Returns false if it has not its form. */
static bool rules_take_value(enum verify_form form, struct text cell,
                             union verify_value *out)
{
    const bool minus = cell.at[0] == '-';
    switch ((int)form) {
    case VERIFY_FLAG:
        out->whole = text_is(cell, "1");
        return out->whole == 1 || text_is(cell, "0");
    case VERIFY_COUNT:
        return rules_take_count(cell, &out->whole);
    case VERIFY_TIME:
        return !minus && rules_take_span(cell, &out->whole);
    case VERIFY_TIME_OR_NONE:
        return (!minus || text_is(cell, "-1")) &&
               rules_take_span(cell, &out->whole);
    case VERIFY_SPAN:
        return rules_take_span(cell, &out->whole);
    case VERIFY_RATIO:
        return !minus && text_to_double(cell, &out->ratio);
    default: /* VERIFY_TEXT, VERIFY_SET */
        return true;
    }
}

static void rules_say(const struct verify_rules *rules,
                      const struct rule_cell *cell, struct text is,
                      const char *why, const char *word)
{
    verify_say(rules->report, "%s:%" PRIu64 ": %s: is '%.*s', but %s %s",
               rules->file, rules->line, cell->name, TEXT_ARGS(is), why, word);
}

/* Checks a cell that two others of its row give. */
static void rules_check_sum(const struct verify_rules *rules,
                            const struct text *cells, size_t at)
{
    const struct rule_cell *cell = &rules->cells[at];
    const int64_t a = rules->values[cell->left].whole;
    const int64_t b = rules->values[cell->right].whole;
    const enum verify_check check = cell->rule.check;
    char word[96];
    const bool defined = cells[cell->left].len && cells[cell->right].len &&
                         (check != VERIFY_QUOTIENT || b != 0);
    const double ratio = b != 0 ? (double)a / (double)b : 0;
    const bool equal = check == VERIFY_QUOTIENT
                           ? verify_is_cell(rules->values[at].ratio, ratio)
                           : rules->values[at].whole == a - b;
    if (defined == (cells[at].len > 0) && (equal || !defined))
        return;
    if (defined)
        snprintf(word, sizeof word, "is %.6f",
                 check == VERIFY_QUOTIENT ? ratio : span_seconds(a - b));
    else
        snprintf(word, sizeof word, "is empty");
    char why[96];
    snprintf(why, sizeof why, "%.*s %s %.*s", TEXT_ARGS(cell->rule.of),
             check == VERIFY_QUOTIENT ? "/" : "-", TEXT_ARGS(cell->rule.other));
    rules_say(rules, cell, cells[at], why, word);
}

static void rules_check_cell(struct verify_rules *rules,
                             const struct text *cells, size_t at)
{
    struct rule_cell *cell = &rules->cells[at];
    const struct text of = cell->rule.of;
    char word[80];
    if (cell->with >= 0 && (cells[cell->with].len > 0) != (cells[at].len > 0))
        rules_say(rules, cell, cells[at], "is empty exactly without",
                  rules->cells[cell->with].name);
    switch ((int)cell->rule.check) {
    case VERIFY_ALWAYS:
        if (cells[at].len == of.len && memcmp(cells[at].at, of.at, of.len) == 0)
            return;
        snprintf(word, sizeof word, "'%.*s'", TEXT_ARGS(of));
        rules_say(rules, cell, cells[at], "is always", word);
        return;
    case VERIFY_RISES:
        if (rules->values[at].whole < cell->before)
            rules_say(rules, cell, cells[at], "rises", "from row to row");
        cell->before = rules->values[at].whole;
        return;
    case VERIFY_DIFFERENCE:
    case VERIFY_QUOTIENT:
        rules_check_sum(rules, cells, at);
        return;
    default: /* the parts of verify check it, or nothing does */
        return;
    }
}

int verify_rules_check(struct verify_rules *rules, const struct text *cells,
                       uint64_t line)
{
    rules->line = line;
    for (size_t i = 0; i < rules->n; i++) {
        const struct verify_rule *rule = &rules->cells[i].rule;
        rules->values[i].whole = 0;
        if (cells[i].len
                ? !rules_take_value(rule->form, cells[i], &rules->values[i])
                : !rule->may_be_empty)
            return (int)i;
    }
    for (size_t i = 0; i < rules->n; i++)
        rules_check_cell(rules, cells, i);
    return -1;
}
