/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/advisor/advisor_clues.h"

#include <stdio.h>
#include <string.h>

#include "models/advisor/advisor_clues_internal.h"
#include "sim/base/ascii.h"

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
static const char *look_up(const struct clues *table, struct text evidence)
{
    size_t best = table->n;
    for (size_t i = 0; i < evidence.len;) {
        size_t from = i;
        while (i < evidence.len && ascii_is_alnum(evidence.at[i]))
            i++;
        struct text name = {evidence.at + from, i - from};
        /* SmallViT is also ViT. */
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

const char *clue_task(struct text evidence)
{
    return look_up(&clues_of_tasks, evidence);
}

const char *clue_model_type(struct text evidence)
{
    return look_up(&clues_of_model_types, evidence);
}

const char *clue_dataset(struct text evidence)
{
    return look_up(&clues_of_datasets, evidence);
}

/* Returns the dataset that the code names first. */
const char *clue_dataset_in_code(struct text code)
{
    const char *first = NULL, *value = NULL;
    for (size_t i = 0; i < clues_of_dataset_names.n; i++) {
        const char *at = find_word(code, clues_of_dataset_names.at[i].name);
        if (at && (!first || at < first)) {
            first = at;
            value = clues_of_dataset_names.at[i].value;
        }
    }
    return value;
}

const char *clue_optimizer_in_code(struct text code)
{
    const char *first = NULL, *value = NULL;
    for (size_t i = 0; i < clues_of_optimizers.n; i++) {
        const char *at = find_word(code, clues_of_optimizers.at[i].name);
        size_t n = strlen(clues_of_optimizers.at[i].name);
        bool called = at && at + n < code.at + code.len && at[n] == '(';
        if (called && (!first || at < first)) {
            first = at;
            value = clues_of_optimizers.at[i].name;
        }
    }
    return value;
}

const char *clue_optimizer(struct text name)
{
    for (size_t i = 0; i < clues_of_optimizers.n; i++) {
        if (text_is_nocase(name, clues_of_optimizers.at[i].name))
            return clues_of_optimizers.at[i].name;
    }
    return NULL;
}

const char *clue_augmentation_in_code(struct text code, size_t i)
{
    for (size_t k = 0; k < clues_of_augmentations.n; k++) {
        if (clue_has_word(code, clues_of_augmentations.at[k].name) && i-- == 0)
            return clues_of_augmentations.at[k].name;
    }
    return NULL;
}

const char *const *clue_options(const char *field, struct arena *arena)
{
    const struct clues *names = &clues_of_option_names;
    const char **list = arena_alloc(arena, (names->n + 2) * sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < names->n; i++) {
        if (strcmp(names->at[i].value, field) == 0)
            list[n++] = names->at[i].name;
    }
    for (size_t i = 0; i < clues_of_option_words.n; i++) {
        const struct clue *row = &clues_of_option_words.at[i];
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

const char *clue_framework(struct text package, bool *base)
{
    for (size_t i = 0; i < clues_of_frameworks.n; i++) {
        if (text_is(package, clues_of_frameworks.at[i].name)) {
            *base = clues_of_frameworks.at[i].base;
            return clues_of_frameworks.at[i].value;
        }
    }
    return NULL;
}
