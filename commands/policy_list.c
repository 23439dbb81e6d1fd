/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/policy_list.h"

#include <string.h>

#include "base/text.h"
#include "policies/registry.h"

static enum status policy_list_add(struct arg_list *list, const char *spec,
                                   struct error *err)
{
    if (list->n == ARG_LIST_MAX)
        return error_set(err, STATUS_USAGE, "at most %d policies",
                         ARG_LIST_MAX);
    list->at[list->n++] = spec;
    return STATUS_OK;
}

static enum status policy_list_add_all(struct arg_list *list, struct error *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; policies[i] && st == STATUS_OK; i++) {
        if (!(policies[i]->needs & POLICY_ELASTIC))
            st = policy_list_add(list, policies[i]->name, err);
    }
    return st;
}

enum status policy_list_expand(struct arg_list *list, struct arena *arena,
                               struct error *err)
{
    struct arg_list given = *list;
    enum status st = STATUS_OK;
    list->n = 0;
    for (size_t i = 0; i < given.n && st == STATUS_OK; i++) {
        struct text rest = text_from(given.at[i]);
        do {
            struct text whole = rest, one = text_split(rest, ',', &rest);
            if (memchr(one.at, ':', one.len)) {
                one = whole; /* the commas after a ':' are those of settings */
                rest = (struct text){0};
            }
            st = text_is(one, "all")
                     ? policy_list_add_all(list, err)
                     : policy_list_add(list, arena_copy(arena, one.at, one.len),
                                       err);
        } while (rest.len && st == STATUS_OK);
    }
    return st;
}
