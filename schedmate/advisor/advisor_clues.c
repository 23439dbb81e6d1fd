/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/advisor_clues.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/advisor_clues_internal.h"

/* Returns the first occurrence of `word` in `t` as a whole word; NULL if there
 * is none. */
static const char *find_word(struct text t, const char *word)
{
    size_t n = strlen(word);
    if (!t.len)
        return NULL;
    const char *end = t.at + t.len, *hit = t.at;
    while ((hit = memmem(hit, (size_t)(end - hit), word, n))) {
        if ((hit == t.at || !ascii_is_name(hit[-1])) &&
            (hit + n == end || !ascii_is_name(hit[n])))
            return hit;
        hit++;
    }
    return NULL;
}

bool clue_has_word(struct text t, const char *word)
{
    return find_word(t, word) != NULL;
}

static bool starts_with(struct text name, const char *clue)
{
    size_t n = strlen(clue);
    return name.len >= n && (name.len == n || n >= 4) &&
           text_is_nocase((struct text){name.at, n}, clue);
}

/* Returns the value of the first row of the table that matches any name in the
 * evidence; NULL if no row does. */
static const char *look_up(const struct clue_list *table, struct text evidence)
{
    size_t best = table->n;
    for (size_t i = 0; i < evidence.len;) {
        size_t from = i;
        while (i < evidence.len && ascii_is_alnum(evidence.at[i]))
            i++;
        struct text name = {evidence.at + from, i - from};
        /* A clue also fits the rest of a name from a capital that follows no
         * other capital: ViT fits SmallViT. */
        for (size_t part = 0; part < name.len; part++) {
            struct text rest = text_skip(name, part);
            bool begins = part == 0 || (ascii_is_upper(rest.at[0]) &&
                                        !ascii_is_upper(rest.at[-1]));
            for (size_t k = 0; k < best && begins; k++) {
                if (starts_with(rest, table->at[k].name))
                    best = k;
            }
        }
        i += i == from;
    }
    return best < table->n ? table->at[best].value : NULL;
}

const char *clue_task(const struct clues *clues, struct text evidence)
{
    return look_up(&clues->lists[CLUES_TASKS], evidence);
}

const char *clue_model_type(const struct clues *clues, struct text evidence)
{
    return look_up(&clues->lists[CLUES_MODEL_TYPES], evidence);
}

const char *clue_dataset(const struct clues *clues, struct text evidence)
{
    return look_up(&clues->lists[CLUES_DATASETS], evidence);
}

const char *clue_dataset_in_code(const struct clues *clues, struct text code)
{
    const struct clue_list *names = &clues->lists[CLUES_DATASET_NAMES];
    const char *first = NULL, *value = NULL;
    for (size_t i = 0; i < names->n; i++) {
        const char *at = find_word(code, names->at[i].name);
        if (at && (!first || at < first)) {
            first = at;
            value = names->at[i].value;
        }
    }
    return value;
}

const char *clue_optimizer_in_code(const struct clues *clues, struct text code)
{
    const struct clue_list *names = &clues->lists[CLUES_OPTIMIZERS];
    const char *first = NULL, *value = NULL;
    for (size_t i = 0; i < names->n; i++) {
        const char *at = find_word(code, names->at[i].name);
        size_t n = strlen(names->at[i].name);
        bool called = at && at + n < code.at + code.len && at[n] == '(';
        if (called && (!first || at < first)) {
            first = at;
            value = names->at[i].name;
        }
    }
    return value;
}

const char *clue_optimizer(const struct clues *clues, struct text name)
{
    const struct clue_list *names = &clues->lists[CLUES_OPTIMIZERS];
    for (size_t i = 0; i < names->n; i++) {
        if (text_is_nocase(name, names->at[i].name))
            return names->at[i].name;
    }
    return NULL;
}

const char *clue_augmentation_in_code(const struct clues *clues,
                                      struct text code, size_t i)
{
    const struct clue_list *names = &clues->lists[CLUES_AUGMENTATIONS];
    for (size_t k = 0; k < names->n; k++) {
        if (clue_has_word(code, names->at[k].name) && i-- == 0)
            return names->at[k].name;
    }
    return NULL;
}

const char *const *clue_options(const struct clues *clues, const char *field,
                                struct arena *arena)
{
    const struct clue_list *names = &clues->lists[CLUES_OPTION_NAMES];
    const struct clue_list *words = &clues->lists[CLUES_OPTION_WORDS];
    const char **list = arena_alloc(arena, (names->n + 2) * sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < names->n; i++) {
        if (strcmp(names->at[i].value, field) == 0)
            list[n++] = names->at[i].name;
    }
    for (size_t i = 0; i < words->n; i++) {
        const struct clue *row = &words->at[i];
        if (strcmp(row->name, field) != 0)
            continue;
        size_t room = strlen(row->value) + strlen(row->more) + 3;
        char *pattern = arena_alloc(arena, room);
        snprintf(pattern, room, "~%s/%s", row->value, row->more);
        list[n++] = pattern;
        break;
    }
    list[n] = NULL;
    return list;
}

const char *clue_framework(const struct clues *clues, struct text package,
                           bool *base)
{
    const struct clue_list *list = &clues->lists[CLUES_FRAMEWORKS];
    for (size_t i = 0; i < list->n; i++) {
        if (text_is(package, list->at[i].name)) {
            *base = list->at[i].base;
            return list->at[i].value;
        }
    }
    return NULL;
}
