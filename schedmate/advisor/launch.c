/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/launch.h"

#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/launch_internal.h"

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] && !strchr("0123456789.", word[1]);
}

/* True for a key such as solver.lr, whose value is the next word. A word with
 * one of the known endings is the name of a file. */
static bool is_dotted_key(const char *word)
{
    static const char endings[] =
        "py sh yaml yml json toml cfg ini gin txt csv tsv npz npy pt pth ckpt "
        "bin safetensors h5 hdf5 zip tar gz parquet jsonl arrow lmdb xml db "
        "png jpg wav mp3 mat xyz pkl pickle conf md log ipynb";
    const char *dot = strrchr(word, '.');
    for (const char *c = word; *c; c++) {
        if (!ascii_is_name(*c) && *c != '.')
            return false;
    }
    return dot && dot > word && dot[1] && !ascii_is_digit(word[0]) &&
           !ascii_is_digit(dot[1]) && !launch_listed(endings, dot + 1);
}

/* Returns what follows the last unknown part of a path: "imagenet/train" for
 * "$DATA/imagenet/train". A value that ends with an unknown part becomes "$".
 */
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

enum word_kind {
    WORD_OTHER, /* no setting */
    WORD_PAIR,  /* key=value */
    WORD_KEY,   /* the next word is the value */
    WORD_FLAG,  /* a switch */
};

/* Returns the kind of a word of the command; `next` is the word after it, or
 * NULL. */
static enum word_kind kind_of(const char *word, const char *next)
{
    if (strchr(word, '=') && (is_option(word) || launch_is_assignment(word)))
        return WORD_PAIR;
    bool valued = next && !is_option(next);
    if (!is_option(word))
        return valued && is_dotted_key(word) ? WORD_KEY : WORD_OTHER;
    return valued && !launch_is_assignment(next) ? WORD_KEY : WORD_FLAG;
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
        enum word_kind kind = kind_of(word, next);
        if (kind == WORD_OTHER)
            continue;
        if (kind == WORD_KEY)
            value = text_from(launch->words[++i]);
        else if (kind == WORD_FLAG)
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
