/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/advisor/launch.h"

#include <string.h>

#include "models/advisor/launch_internal.h"

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] && !strchr("0123456789.", word[1]);
}

/* Returns the value without the leading parts of a path that are unknown:
 * "imagenet/train" of "$DATA/imagenet/train". A value that is unknown becomes
 * "$". */
static struct text known_part(struct text value)
{
    const char *dollar = value.len ? memrchr(value.at, '$', value.len) : NULL;
    if (!dollar)
        return value;
    size_t rest = (size_t)(value.at + value.len - dollar);
    const char *slash = memchr(dollar, '/', rest);
    size_t from = slash ? (size_t)(slash + 1 - value.at) : value.len;
    return from < value.len ? text_skip(value, from) : text_from("$");
}

static void add(struct settings *out, struct text key, struct text value,
                const char *where, size_t line)
{
    settings_add(out, SETTING_COMMAND, key, known_part(value), where, line);
}

void launch_settings(const struct launch *launch, const char *where,
                     size_t line, struct settings *out)
{
    for (size_t i = 0; i < launch->n_words; i++) {
        const char *word = launch->words[i];
        struct text value, key = text_split(text_from(word), '=', &value);
        while (text_char(key, 0) == '+')
            key = text_skip(key, 1);
        const char *next =
            i + 1 < launch->n_words ? launch->words[i + 1] : NULL;
        if (strchr(word, '=') &&
            (is_option(word) || launch_is_assignment(word)))
            ; /* the word is key=value */
        else if (!is_option(word))
            continue;
        else if (next && !is_option(next) && !launch_is_assignment(next))
            value = text_from(launch->words[++i]);
        else
            value = text_from("true");
        add(out, key, value, where, line);
        /* a list of settings: --hparams=a=1,b=2 */
        struct text rest = value, pair;
        while (rest.len && memchr(value.at, '=', value.len)) {
            pair = text_split(rest, ',', &rest);
            struct text inner, name = text_split(pair, '=', &inner);
            add(out, name, inner, where, line);
        }
    }
}
