/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/find.h"
#include "base/meant.h"
#include "base/remarks.h"
#include "base/text.h"

static const int exit_statuses[] = {
#define STATUS_ROW(name, code, words) [STATUS_##name] = code,
    STATUS_TABLE(STATUS_ROW)
#undef STATUS_ROW
};

static const char *const meanings[] = {
#define STATUS_WORDS(name, code, words) [STATUS_##name] = words,
    STATUS_TABLE(STATUS_WORDS)
#undef STATUS_WORDS
};

enum status error_set(struct error *err, enum status status, const char *fmt,
                      ...)
{
    if (!err)
        return status;
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->message, sizeof err->message, fmt, args);
    va_end(args);
    text_clean(err->message);
    err->status = status;
    return status;
}

enum status error_prefix(struct error *err, const char *fmt, ...)
{
    char prefix[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(prefix, sizeof prefix, fmt, args);
    va_end(args);
    text_clean(prefix);
    size_t n = strlen(prefix), old = strlen(err->message);
    if (n + old + 1 > sizeof err->message)
        old = sizeof err->message - 1 - n;
    memmove(err->message + n, err->message, old);
    memcpy(err->message, prefix, n);
    err->message[n + old] = '\0';
    return err->status;
}

int status_exit(enum status status)
{
    return exit_statuses[status];
}

const char *status_words(enum status status)
{
    return meanings[status];
}

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

enum status find_in(const char *what, const char *const *names, size_t n,
                    struct text wanted, size_t *out, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (text_is(wanted, names[i])) {
            *out = i;
            return STATUS_OK;
        }
    }
    char meant[MEANT_WORDS_MAX];
    if (meant_find(what, wanted, names, n, meant))
        return error_set(err, STATUS_USAGE, "no %s '%.*s'; %s", what,
                         TEXT_ARGS(wanted), meant);
    const char *near = text_nearest(wanted, names, n);
    if (near)
        return error_set(err, STATUS_USAGE, "no %s '%.*s'; did you mean '%s'?",
                         what, TEXT_ARGS(wanted), near);
    return error_set(err, STATUS_USAGE,
                     "no %s '%.*s'; 'schedsim list' names them", what,
                     TEXT_ARGS(wanted));
}

size_t find_or_suggest(const char *found, const char *const *names, size_t n,
                       char words[FIND_WORDS_MAX])
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(found, names[i]) == 0)
            return i;
    }
    const char *near = text_nearest(text_from(found), names, n);
    int at =
        near ? snprintf(words, FIND_WORDS_MAX, "no '%.60s'; did you mean '%s'?",
                        found, near)
             : snprintf(words, FIND_WORDS_MAX, "no '%.60s'; expected ", found);
    for (size_t i = 0; !near && i < n && at < FIND_WORDS_MAX; i++)
        at += snprintf(words + at, (size_t)(FIND_WORDS_MAX - at), "%s%s",
                       i ? ", " : "", names[i]);
    return n;
}

enum status find_by_name(const char *what, find_name name, struct text wanted,
                         size_t *out, struct error *err)
{
    enum { MAX = 128 };
    const char *names[MAX] = {0};
    size_t n = 0;
    for (; n < MAX && name(n); n++)
        names[n] = name(n);
    return find_in(what, names, n, wanted, out, err);
}
