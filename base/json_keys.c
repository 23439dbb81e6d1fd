/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static size_t count(const char *const *names)
{
    size_t n = 0;
    while (names[n])
        n++;
    return n;
}

static bool is_one_of(const char *key, const char *const *names)
{
    for (; *names; names++) {
        if (strcmp(key, *names) == 0)
            return true;
    }
    return false;
}

/* The line and column of a key, counted from 1, and how often the key was
 * found. */
struct place {
    size_t line, column, seen;
};

/* Counts how often the text `key` stands as a key in a line, that is, in quotes
 * and before a colon. Keeps the place of the first one. */
static void look_in(const char *line, size_t number, const char *key,
                    struct place *out)
{
    size_t n = strlen(key);
    for (const char *at = line; (at = strstr(at, key)); at += n) {
        if (at == line || at[-1] != '"' || at[n] != '"' ||
            at[n + 1 + strspn(at + n + 1, " \t")] != ':')
            continue;
        if (out->seen++ == 0) {
            out->line = number;
            out->column = (size_t)(at - line);
        }
    }
}

const char *json_key_place(const char *file, const char *key,
                           char out[JSON_PLACE_MAX])
{
    struct place place = {0};
    char *line = NULL;
    size_t room = 0;
    FILE *from = *key ? fopen(file, "r") : NULL;
    for (size_t i = 1; from && getline(&line, &room, from) >= 0; i++)
        look_in(line, i, key, &place);
    free(line);
    if (from)
        fclose(from);
    if (place.seen == 1)
        snprintf(out, JSON_PLACE_MAX, "%s:%zu:%zu", file, place.line,
                 place.column);
    else
        snprintf(out, JSON_PLACE_MAX, "%s", file);
    return out;
}

static enum status unknown(const char *key, const char *const *names,
                           const char *file, const char *where,
                           struct error *err)
{
    char words[512] = "", place[JSON_PLACE_MAX];
    const char *near = text_nearest(text_from(key), names, count(names));
    size_t n = 0;
    if (near)
        snprintf(words, sizeof words, "did you mean '%s'?", near);
    for (size_t i = 0; !near && names[i] && n < sizeof words; i++)
        n += (size_t)snprintf(words + n, sizeof words - n, "%s%s",
                              i ? ", " : "there are ", names[i]);
    return error_set(err, STATUS_BAD_INPUT, "%s: %s%sno key '%.100s'; %s",
                     json_key_place(file, key, place), where,
                     *where ? ": " : "", key, words);
}

enum status json_keys_known(const json_t *object, const char *const *names,
                            const char *file, const char *where,
                            struct error *err)
{
    const char *key;
    json_t *value;
    /* jansson's iterator takes no const pointer, but changes nothing */
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (!is_one_of(key, names))
            return unknown(key, names, file, where, err);
    }
    return STATUS_OK;
}
