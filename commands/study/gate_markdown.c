/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the outcome as Markdown, for a comment on a pull request. A comment on
 * GitHub has at most 65,536 characters, so the table has at most
 * GATE_MARKDOWN_ROWS_MAX rows. */
#include <stdio.h>
#include <string.h>

#include "commands/study/gate_internal.h"

enum { GATE_MARKDOWN_ROWS_MAX = 200, GATE_MARKDOWN_CELL_MAX = 100 };

/* Writes text that comes from a file, cut after `room` bytes. Escapes it, so
 * that no part of it becomes Markdown, HTML, or the mention of a person. */
static void put_cut(struct out *out, const char *text, size_t room)
{
    size_t n = 0;
    for (const char *at = text; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (n++ >= room && (c & 0xc0) != 0x80) {
            out_text(out, "...");
            return;
        }
        if (c < ' ' || c == 127)
            out_char(out, '?');
        else if (strchr("<>&@#", c))
            out_printf(out, "&#%d;", c);
        else if (strchr("\\`*_{}[]|~", c))
            out_printf(out, "\\%c", c);
        else
            out_char(out, *at);
    }
}

static void markdown_put(struct out *out, const char *text)
{
    put_cut(out, text, GATE_MARKDOWN_CELL_MAX);
}

static void put_cells(struct out *out, const char *const *cells, size_t n)
{
    out_char(out, '|');
    for (size_t i = 0; i < n; i++) {
        out_char(out, ' ');
        markdown_put(out, cells[i]);
        out_text(out, " |");
    }
    out_char(out, '\n');
}

static void markdown_put_row(const struct gate_cases *cases,
                             const struct gate_case *c, size_t metric,
                             struct out *out)
{
    struct gate_texts t;
    gate_texts(cases, c, metric, &t);
    const char *const cells[] = {
        c->trace->name, c->policy->name, c->trace->metrics[metric].name,
        t.expected,     t.now,           t.difference,
        t.tolerance,    t.verdict};
    put_cells(out, cells, sizeof cells / sizeof *cells);
}

/* Writes at most `room` rows: with `fails` those that fail, else those that are
 * not equal but pass. Returns the number of all such rows. */
static size_t markdown_put_rows(const struct gate_cases *cases, bool fails,
                                size_t room, struct out *out)
{
    size_t n = 0;
    for (size_t i = 0; i < cases->n; i++) {
        const struct gate_case *c = &cases->at[i];
        for (size_t m = 0; m < c->trace->n_metrics && !c->failed; m++) {
            const struct gate_outcome *o = &c->outcomes[m];
            if (gate_is_shown(o) && gate_fails(o) == fails && n++ < room)
                markdown_put_row(cases, c, m, out);
        }
    }
    return n;
}

static void put_table(const struct gate_cases *cases, struct out *out)
{
    out_text(out,
             "| trace | policy | metric | expected | now | difference | "
             "tolerance | verdict |\n"
             "| :--- | :--- | :--- | ---: | ---: | ---: | ---: | :--- |\n");
    size_t n = markdown_put_rows(cases, true, GATE_MARKDOWN_ROWS_MAX, out);
    n += markdown_put_rows(
        cases, false,
        n < GATE_MARKDOWN_ROWS_MAX ? GATE_MARKDOWN_ROWS_MAX - n : 0, out);
    if (n > GATE_MARKDOWN_ROWS_MAX)
        out_printf(out, "\n%zu more rows are left out here.\n",
                   n - GATE_MARKDOWN_ROWS_MAX);
}

static void markdown_put_item(struct out *out, const char *head,
                              const char *text)
{
    out_printf(out, "- %s", head);
    markdown_put(out, text);
    out_char(out, '\n');
}

static void put_others(const struct gate_cases *cases, struct out *out)
{
    char words[4608], line[GATE_LINE_MAX];
    if (cases->causes.count + cases->n_failed + cases->stale.count +
        cases->n_gone)
        out_char(out, '\n');
    for (size_t i = 0; i < cases->causes.count && i < GATE_MARKDOWN_ROWS_MAX;
         i++)
        markdown_put_item(out, "**Cause:** ", cases->causes.at[i].text);
    for (size_t i = 0; i < cases->n; i++) {
        const struct gate_case *c = &cases->at[i];
        snprintf(words, sizeof words, "%s, %s: ", c->trace->name,
                 c->policy->name);
        size_t len = strlen(words);
        if (c->failed)
            snprintf(words + len, sizeof words - len, "%s", c->failed->message);
        else if (c->is_incomparable)
            snprintf(words + len, sizeof words - len, "%s",
                     gate_done_text(c, line));
        else
            continue;
        markdown_put_item(out, c->failed ? "**Failed:** " : "", words);
    }
    for (size_t i = 0; i < cases->stale.count && i < GATE_MARKDOWN_ROWS_MAX;
         i++)
        markdown_put_item(out, "**Gone:** ", cases->stale.at[i].text);
    for (size_t i = 0; i < cases->n_gone && i < GATE_MARKDOWN_ROWS_MAX; i++) {
        const struct gate_recorded *row = &cases->file->rows[cases->gone[i]];
        snprintf(words, sizeof words, "%s, %s: the file no longer has this run",
                 row->trace, row->policy);
        markdown_put_item(out, "**Gone:** ", words);
    }
}

void gate_markdown(const struct gate_cases *cases, struct out *out)
{
    char line[GATE_LINE_MAX];
    bool passes = !gate_cases_moved(cases) && !cases->n_failed;
    /* A workflow finds its earlier comment by the first line. */
    out_text(out, "<!-- schedsim gate -->\n### schedsim gate: ");
    out_text(out, passes ? "passed" : "failed");
    out_printf(out, "\n\n%s\n\n", gate_line(cases, line));
    if (cases->n_outside + cases->n_new + cases->n_improved + cases->n_within +
        cases->n_incomparable)
        put_table(cases, out);
    put_others(cases, out);
    if (gate_pairs_note(cases, line)) {
        out_text(out, "\nNote: ");
        put_cut(out, line, GATE_LINE_MAX);
        out_char(out, '\n');
    }
    if (!gate_cases_moved(cases))
        return;
    out_text(out, "\nIf the change is meant:\n\n");
    out_printf(out, "    schedsim gate %s --update --reason '...'\n",
               cases->file->path);
}
