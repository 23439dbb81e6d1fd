/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/row_remarks.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/out.h"
#include "commands/table.h"

struct row_remark {
    enum remark_rank rank;
    size_t n_rows; /* SIZE_MAX: the remark is about the whole table */
    const char *rows[ROW_REMARKS_NAMES];
};

void row_remarks_init(struct row_remarks *all)
{
    *all = (struct row_remarks){0};
    interner_init(&all->texts);
}

void row_remarks_fini(struct row_remarks *all)
{
    free(all->at);
    interner_fini(&all->texts);
}

void row_remarks_add(struct row_remarks *all, const char *row,
                     enum remark_rank rank, const char *text)
{
    const size_t before = all->texts.n_strings;
    const uint32_t i = interner_add(&all->texts, text_from(text));
    all->at =
        mem_grow(all->at, &all->cap, all->texts.n_strings, sizeof *all->at);
    struct row_remark *r = &all->at[i];
    if (all->texts.n_strings > before)
        *r = (struct row_remark){.rank = rank};
    r->rank = rank < r->rank ? rank : r->rank;
    if (row && r->n_rows < ROW_REMARKS_NAMES)
        r->rows[r->n_rows] = row;
    r->n_rows = row ? r->n_rows + 1 : SIZE_MAX;
}

void row_remarks_say(struct row_remarks *all, enum remark_rank rank,
                     const char *format, ...)
{
    char buf[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(buf, sizeof buf, format, args);
    va_end(args);
    row_remarks_add(all, NULL, rank, buf);
}

void row_remarks_add_run(struct row_remarks *all, const char *row,
                         const struct remarks *remarks)
{
    for (size_t i = 0; i < remarks->count; i++)
        row_remarks_add(all, row, remarks->at[i].rank, remarks->at[i].text);
}

/* Prints the remark with symbol `i`. */
static void print_one(const struct row_remarks *all, uint32_t i, size_t n_rows,
                      FILE *to)
{
    const struct row_remark *r = &all->at[i];
    struct out *rows = out_to_memory();
    const bool is_named = r->n_rows <= ROW_REMARKS_NAMES && *r->rows[0];
    for (size_t k = 0; r->n_rows < n_rows && is_named && k < r->n_rows; k++)
        out_printf(rows, "%s%s", k ? ", " : " (", r->rows[k]);
    if (r->n_rows < n_rows && !is_named)
        out_printf(rows, " (%zu of %zu runs", r->n_rows, n_rows);
    out_text(rows, r->n_rows < n_rows ? ")" : "");
    out_char(rows, '\0');
    say_prose(to, "note%s: %s", out_memory(rows).at,
              interner_string(&all->texts, i));
    out_abandon(rows);
}

void row_remarks_print(const struct row_remarks *all, size_t n_rows,
                       bool is_full, FILE *to)
{
    size_t n = 0;
    for (unsigned rank = 0; rank < REMARK_RANKS; rank++) {
        for (uint32_t i = 1; i < all->texts.n_strings; i++) {
            if (all->at[i].rank == rank && (n++ < ROW_REMARKS_SHOWN || is_full))
                print_one(all, i, n_rows, to);
        }
    }
    if (n > ROW_REMARKS_SHOWN && !is_full)
        fprintf(to, "%zu more remark%s: --remarks\n", n - ROW_REMARKS_SHOWN,
                n == ROW_REMARKS_SHOWN + 1 ? "" : "s");
}

static bool equal(const struct row_words *a, const struct row_words *b)
{
    return a->words && b->words && strcmp(a->words, b->words) == 0;
}

void row_words_print(const struct row_words *rows, size_t n, FILE *to)
{
    struct out *line = out_to_memory();
    for (size_t i = 0; i < n; i++) {
        bool said = !rows[i].words;
        for (size_t k = 0; k < i && !said; k++)
            said = equal(&rows[k], &rows[i]);
        if (said)
            continue;
        out_clear(line);
        out_text(line, rows[i].row);
        for (size_t k = i + 1; k < n; k++) {
            if (equal(&rows[k], &rows[i]))
                out_printf(line, ", %s", rows[k].row);
        }
        out_char(line, '\0');
        say_prose(to, "%s: %s", out_memory(line).at, rows[i].words);
    }
    out_abandon(line);
}
