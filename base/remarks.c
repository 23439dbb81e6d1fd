/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/remarks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

/* Size of the longest remark with its terminator, bytes; longer remarks are
 * cut. */
#define REMARK_MAX 1024

const char *const remark_rank_words[REMARK_RANKS] = {
    [REMARK_CONCLUSION] = "conclusion",
    [REMARK_NUMBERS] = "numbers",
    [REMARK_DETAIL] = "detail",
};

enum remark_rank remark_rank_of(uint64_t part, uint64_t whole)
{
    return part > whole / 2 ? REMARK_CONCLUSION : REMARK_NUMBERS;
}

enum remark_rank remark_rank_read(const char *word)
{
    unsigned rank = 0;
    while (word && rank < REMARK_DETAIL &&
           strcmp(remark_rank_words[rank], word) != 0)
        rank++;
    return word ? (enum remark_rank)rank : REMARK_DETAIL;
}

void remarks_add(struct remarks *remarks, enum remark_rank rank,
                 const char *format, ...)
{
    char text[REMARK_MAX];
    va_list args;
    if (!remarks)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_clean(text);
    size_t place = remarks->count;
    for (size_t i = 0; i < remarks->count; i++) {
        if (strcmp(remarks->at[i].text, text) == 0)
            return;
    }
    while (place > 0 && remarks->at[place - 1].rank > rank)
        place--;
    remarks->at = mem_grow(remarks->at, &remarks->cap, remarks->count + 1,
                           sizeof *remarks->at);
    memmove(remarks->at + place + 1, remarks->at + place,
            (remarks->count - place) * sizeof *remarks->at);
    remarks->count++;
    remarks->at[place] =
        (struct remark){arena_copy(remarks->arena, text, strlen(text)), rank};
}

void remarks_add_all(struct remarks *remarks, const struct remarks *more)
{
    for (size_t i = 0; i < more->count; i++)
        remarks_add(remarks, more->at[i].rank, "%s", more->at[i].text);
}

void remarks_fini(struct remarks *remarks)
{
    free(remarks->at);
    *remarks = (struct remarks){0};
}
