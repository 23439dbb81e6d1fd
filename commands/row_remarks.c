/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/row_remarks.h"

#include <stdbool.h>
#include <string.h>

static bool has(const struct row_remarks *row, const char *text)
{
    for (size_t i = 0; i < row->remarks->count; i++) {
        if (strcmp(row->remarks->at[i], text) == 0)
            return true;
    }
    return false;
}

static void print_one(const struct row_remarks *rows, size_t n,
                      const char *text, FILE *to)
{
    size_t made = 0;
    for (size_t i = 0; i < n; i++)
        made += has(&rows[i], text);
    fputs("note", to);
    for (size_t i = 0, said = 0; i < n && made < n; i++) {
        if (has(&rows[i], text))
            fprintf(to, "%s%s", said++ ? ", " : " (", rows[i].row);
    }
    fprintf(to, "%s: %s\n", made < n ? ")" : "", text);
}

void row_remarks_print(const struct row_remarks *rows, size_t n, FILE *to)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t r = 0; r < rows[i].remarks->count; r++) {
            const char *text = rows[i].remarks->at[r];
            bool said = false;
            for (size_t k = 0; k < i && !said; k++)
                said = has(&rows[k], text);
            if (!said)
                print_one(rows, n, text, to);
        }
    }
}

static bool equal(const struct row_words *a, const struct row_words *b)
{
    return a->words && b->words && strcmp(a->words, b->words) == 0;
}

void row_words_print(const struct row_words *rows, size_t n, FILE *to)
{
    for (size_t i = 0; i < n; i++) {
        bool said = !rows[i].words;
        for (size_t k = 0; k < i && !said; k++)
            said = equal(&rows[k], &rows[i]);
        if (said)
            continue;
        fputs(rows[i].row, to);
        for (size_t k = i + 1; k < n; k++) {
            if (equal(&rows[k], &rows[i]))
                fprintf(to, ", %s", rows[k].row);
        }
        fprintf(to, ": %s\n", rows[i].words);
    }
}
