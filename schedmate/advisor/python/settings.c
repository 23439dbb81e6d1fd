/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/python/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

/* Largest number of aliases in one project; further ones are ignored. They are
 * searched one by one. */
enum { ALIASES_MAX = 1000 };

void settings_init(struct settings *settings, struct arena *arena)
{
    *settings = (struct settings){.arena = arena};
}

void settings_fini(struct settings *settings)
{
    free(settings->at);
    free(settings->aliases);
    *settings = (struct settings){0};
}

static struct text unquoted(struct text t)
{
    t = text_trim(t);
    if (t.len >= 2 && (t.at[0] == '"' || t.at[0] == '\'') &&
        t.at[t.len - 1] == t.at[0])
        return (struct text){t.at + 1, t.len - 2};
    return t;
}

static const char *normal_key(struct arena *arena, struct text key)
{
    while (key.len && key.at[0] == '-')
        key.at++, key.len--;
    char *copy = arena_copy(arena, key.at, key.len);
    for (size_t i = 0; i < key.len; i++)
        copy[i] = copy[i] == '-' ? '_' : ascii_lower(copy[i]);
    return copy;
}

/* True for a tag of HyperPyYAML, which is not a value: !new:torch.nn.Linear. */
static bool is_tag(struct text value)
{
    return text_starts(value, "!new:") || text_starts(value, "!name:") ||
           text_starts(value, "!apply:") || text_starts(value, "!ref ") ||
           text_is(value, "!PLACEHOLDER");
}

/* Returns 10_000_000 without the underscores; any other text unchanged. */
static struct text plain_digits(struct settings *settings, struct text value)
{
    bool found = false;
    for (size_t i = 0; i < value.len; i++) {
        char c = value.at[i];
        bool between = c == '_' && i > 0 && ascii_is_digit(value.at[i - 1]) &&
                       ascii_is_digit(text_char(value, i + 1));
        if (!ascii_is_digit(c) && !between)
            return value;
        found |= between;
    }
    if (!found)
        return value;
    char *copy = arena_copy(settings->arena, value.at, value.len);
    size_t n = 0;
    for (size_t i = 0; i < value.len; i++) {
        if (value.at[i] != '_')
            copy[n++] = value.at[i];
    }
    return (struct text){copy, n};
}

void settings_add(struct settings *settings, enum setting_rank rank,
                  struct text key, struct text value, const char *path,
                  size_t line)
{
    value = plain_digits(settings, unquoted(value));
    key = text_trim(key);
    if (key.len == 0 || key.len > 100 || value.len == 0 || value.len > 500 ||
        memchr(key.at, '\0', key.len) || memchr(value.at, '\0', value.len) ||
        text_is(value, "None") || text_is(value, "null") || is_tag(value) ||
        settings->n == SETTINGS_MAX)
        return;
    size_t room = strlen(path) + U64_TEXT_MAX + 2;
    char *where = arena_alloc(settings->arena, room);
    if (line)
        snprintf(where, room, "%s:%zu", path, line);
    else
        snprintf(where, room, "%s", path);
    settings->at = mem_grow(settings->at, &settings->cap, settings->n + 1,
                            sizeof *settings->at);
    settings->at[settings->n++] = (struct setting){
        .key = normal_key(settings->arena, key),
        .value = arena_copy(settings->arena, value.at, value.len),
        .where = where,
        .rank = rank};
}

void settings_alias(struct settings *settings, struct text name,
                    struct text means)
{
    const char *key = normal_key(settings->arena, name);
    if (settings->n_aliases == ALIASES_MAX || !key[0])
        return;
    for (size_t i = 0; i < settings->n_aliases; i++) {
        if (strcmp(settings->aliases[i].name, key) == 0)
            return;
    }
    settings->aliases =
        mem_grow(settings->aliases, &settings->cap_aliases,
                 settings->n_aliases + 1, sizeof *settings->aliases);
    settings->aliases[settings->n_aliases++] =
        (struct setting_alias){key, normal_key(settings->arena, means)};
}

void settings_resolve(struct settings *settings)
{
    for (size_t i = 0; i < settings->n; i++) {
        struct setting *setting = &settings->at[i];
        for (size_t k = 0;
             setting->rank == SETTING_COMMAND && k < settings->n_aliases; k++) {
            if (strcmp(settings->aliases[k].name, setting->key) == 0) {
                setting->key = settings->aliases[k].means;
                break;
            }
        }
    }
}

bool setting_is_positive(struct text value)
{
    double number;
    return text_to_double(value, &number) && number > 0;
}

/* True if a part of a dotted key names an evaluation, as in
 * validation.batch_size. */
static bool settings_is_of_evaluation(const char *key, size_t len)
{
    static const char *const parts[] = {
        "val",  "valid",           "validation",     "eval",      "evaluation",
        "test", "test_dataloader", "val_dataloader", "infer",     "inference",
        "dev",  "predict",         "train_eval",     "infer_eval"};
    struct text path = {key, len};
    while (path.len) {
        struct text part = text_split(path, '.', &path);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            if (text_is(part, parts[i]))
                return true;
        }
    }
    return false;
}

/* For each word of the list that begins at `from` in the key, sets the bits
 * `add` in `ends` at the index after the word. */
static void follow_words(struct text key, size_t from, struct text list,
                         unsigned char add, unsigned char *ends)
{
    while (list.len) {
        struct text word = text_split(list, ' ', &list);
        if (word.len && from + word.len <= key.len &&
            memcmp(key.at + from, word.at, word.len) == 0)
            ends[from + word.len] |= add;
    }
}

/* True if the key without '_' is a sequence of words of the pattern "CORE
 * WORDS/OTHER WORDS", at least one of them a core word. */
static bool is_made_of(const char *key, const char *pattern)
{
    enum { PLAIN = 1, CORE = 2, KEY_MAX = 64 };
    unsigned char ends[KEY_MAX + 1] = {PLAIN};
    char letters[KEY_MAX];
    struct text rest, core = text_split(text_from(pattern), '/', &rest);
    struct text joined = {letters, 0};
    for (; *key; key++) {
        if (*key == '_')
            continue;
        if (joined.len == KEY_MAX)
            return false;
        letters[joined.len++] = *key;
    }
    for (size_t i = 0; i < joined.len; i++) {
        if (!ends[i])
            continue;
        follow_words(joined, i, core, CORE, ends);
        follow_words(joined, i, rest, ends[i], ends);
    }
    return ends[joined.len] & CORE;
}

/* True if the key is the name or ends with it after a dot. */
static bool settings_ends_with(const char *key, const char *name)
{
    size_t n = strlen(key), m = strlen(name);
    return n >= m && strcmp(key + n - m, name) == 0 &&
           (n == m || key[n - m - 1] == '.');
}

/* Returns the index of the first entry of `keys` that fits the setting's key;
 * -1 if none does or the key belongs to an evaluation. */
static int settings_place_of(const struct setting *setting,
                             const char *const *keys)
{
    const char *dot = strrchr(setting->key, '.');
    if (dot &&
        settings_is_of_evaluation(setting->key, (size_t)(dot - setting->key)))
        return -1;
    const char *last = dot ? dot + 1 : setting->key;
    for (int i = 0; keys[i]; i++) {
        if (keys[i][0] == '~' ? is_made_of(last, keys[i] + 1)
                              : settings_ends_with(setting->key, keys[i]))
            return i;
    }
    return -1;
}

/* True for an argument of the command whose value is not known. It still
 * overrides settings of a larger rank. */
static bool is_unknown(const struct setting *setting)
{
    return setting->rank == SETTING_COMMAND && strcmp(setting->value, "$") == 0;
}

/* True if `setting` comes before `best`, which has the same rank: a setting
 * that is used comes first, then the setting of the preferred key, then the
 * last word of the command, or a value that the code reads, because a value
 * that is only assigned may be assigned again. */
static bool comes_first(const struct setting *setting, int place,
                        const struct setting *best, int best_place)
{
    if (setting->used != best->used)
        return setting->used;
    if (place != best_place)
        return place < best_place;
    return setting->rank == SETTING_COMMAND ||
           (setting->is_read && !best->is_read &&
            setting->rank >= SETTING_ASSIGNED);
}

/* Returns the setting of a configuration file that the code puts over an
 * argument of the command with the same name, or the argument itself. The code
 * does so if it has read the argument and a call of the training gets the value
 * of the file, but no use of the argument was found. A file in Python does not
 * count, because it may be run before the arguments are read. */
static const struct setting *overriding(const struct settings *settings,
                                        const struct setting *argument,
                                        setting_fits *fits)
{
    const struct setting *over = NULL;
    bool is_read = argument->is_read;
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->at[i];
        if (strcmp(setting->key, argument->key) != 0)
            continue;
        is_read |= setting->rank == SETTING_CARRIED && !setting->used;
        if (setting->used && setting->rank == SETTING_CARRIED)
            return argument;
        if (setting->trains && setting->rank == SETTING_CONFIG && !over &&
            !strstr(setting->where, ".py:") &&
            (!fits || fits(text_from(setting->value))))
            over = setting;
    }
    return over && is_read ? over : argument;
}

static size_t count_dots(const char *key)
{
    size_t n = 0;
    for (; *key; key++)
        n += *key == '.';
    return n;
}

/* True if two sections of a configuration give an option different values, as
 * in base.lr and large.lr, and it is not known which one the code takes. */
static bool is_rival(const struct setting *setting, const struct setting *best)
{
    return setting->rank == SETTING_CONFIG && best->rank == SETTING_CONFIG &&
           !setting->used && !best->used &&
           strcmp(setting->key, best->key) != 0 &&
           strcmp(setting->value, best->value) != 0 &&
           count_dots(setting->key) == count_dots(best->key);
}

/* The best setting of a search so far. */
struct settings_search {
    const struct setting *best;
    int place;
    bool unsure; /* true if the best setting has a rival */
};

static void settings_consider(struct settings_search *search,
                              const struct setting *setting, int place)
{
    const struct setting *best = search->best;
    if (!best || setting->rank < best->rank ||
        (setting->rank == best->rank &&
         comes_first(setting, place, best, search->place)))
        *search = (struct settings_search){setting, place, false};
    else
        search->unsure |= place == search->place && is_rival(setting, best);
}

const struct setting *settings_find(const struct settings *settings,
                                    const char *const *keys, setting_fits *fits)
{
    struct settings_search search = {NULL, 0, false};
    for (size_t i = 0; i < settings->n; i++) {
        const struct setting *setting = &settings->at[i];
        int place = settings_place_of(setting, keys);
        if (place >= 0 &&
            (!fits || is_unknown(setting) || fits(text_from(setting->value))))
            settings_consider(&search, setting, place);
    }
    const struct setting *best = search.best;
    if (best && best->rank == SETTING_COMMAND)
        best = overriding(settings, best, fits);
    return best && (search.unsure || is_unknown(best)) ? NULL : best;
}

struct text settings_without_comment(struct text line)
{
    char quote = 0;
    for (size_t i = 0; i < line.len; i++) {
        char c = line.at[i];
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '#' && (i == 0 || strchr(" \t", line.at[i - 1])))
            return (struct text){line.at, i};
    }
    return line;
}
