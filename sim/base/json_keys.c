/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/base/json_keys.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"

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

static enum status unknown(const char *key, const char *const *names,
                           const char *file, const char *where,
                           struct error *err)
{
    char words[512] = "";
    const char *near = text_nearest(text_from(key), names, count(names));
    size_t n = 0;
    if (near)
        snprintf(words, sizeof words, "did you mean '%s'?", near);
    for (size_t i = 0; !near && names[i] && n < sizeof words; i++)
        n += (size_t)snprintf(words + n, sizeof words - n, "%s%s",
                              i ? ", " : "there are ", names[i]);
    return error_set(err, STATUS_BAD_INPUT, "%s: %s%sno key '%.100s'; %s", file,
                     where, *where ? ": " : "", key, words);
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
