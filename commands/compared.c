/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/compared.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/out.h"

static const char *compared_join(struct arena *arena, const char *a,
                                 const char *b, const char *c)
{
    const size_t room = strlen(a) + strlen(b) + strlen(c) + 1;
    char *all = arena_alloc(arena, room);
    snprintf(all, room, "%s%s%s", a, b, c);
    return all;
}

static bool compared_is_taken(const char *const *names, size_t n,
                              const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

void compared_names(const struct arg_list *policies, struct arena *arena,
                    const char *names[ARG_LIST_MAX])
{
    for (size_t i = 0; i < policies->n; i++) {
        char number[16];
        char *name =
            arena_copy(arena, policies->at[i], strlen(policies->at[i]));
        for (char *c = name; *c; c++) {
            if (!isalnum((unsigned char)*c) && !strchr("+-=", *c))
                *c = '_';
        }
        names[i] = name;
        for (unsigned k = 2; compared_is_taken(names, i, names[i]); k++) {
            snprintf(number, sizeof number, "-%u", k);
            names[i] = compared_join(arena, name, number, "");
        }
    }
}

enum status compared_write(const char *dir, const char *const *names, size_t n,
                           struct error *err)
{
    struct arena arena;
    struct out *out;
    arena_init(&arena);
    enum status st =
        out_open(compared_join(&arena, dir, "/compare.json", ""), &out, err);
    arena_fini(&arena);
    if (st != STATUS_OK)
        return st;
    json_t *root = json_object(), *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_text(names[i]));
    json_put(root, "results", list);
    json_write(out, root);
    json_decref(root);
    return out_close(out, err);
}

static enum status compared_read(const char *dir, const char *path,
                                 struct arg_words *to, struct arena *arena,
                                 struct error *err)
{
    json_t *root = json_read_file(path, err);
    const json_t *list = json_object_get(root, "results");
    enum status st = STATUS_OK;
    if (!root)
        return STATUS_BAD_INPUT;
    if (!json_is_array(list))
        st =
            error_set(err, STATUS_BAD_INPUT,
                      "%s: expected an object with an array \"results\"", path);
    for (size_t i = 0; i < json_array_size(list) && st == STATUS_OK; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (!name || strchr(name, '/'))
            st = error_set(err, STATUS_BAD_INPUT,
                           "%s: results[%zu]: expected the name of a directory",
                           path, i);
        else
            arg_words_add(to, compared_join(arena, dir, "/", name), arena);
    }
    json_decref(root);
    return st;
}

enum status compared_expand(struct arg_words *words, struct arena *arena,
                            struct error *err)
{
    struct arg_words all = {0};
    enum status st = STATUS_OK;
    for (size_t i = 0; i < words->n && st == STATUS_OK; i++) {
        const char *path =
            compared_join(arena, words->at[i], "/compare.json", "");
        if (access(path, F_OK) == 0)
            st = compared_read(words->at[i], path, &all, arena, err);
        else
            arg_words_add(&all, words->at[i], arena);
    }
    if (st == STATUS_OK)
        *words = all;
    return st;
}
