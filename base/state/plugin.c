/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/state/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/find.h"

/* Largest number of plug-ins of one kind. */
#define PLUGINS_MAX 128

void env_note(const struct run_env *env, const char *key, const char *value,
              const char *help, const char *source)
{
    if (env->note)
        env->note(env->note_self, env->owner, key, value, help, source);
}

enum status plugin_find(const struct plugin_kind *kind, struct text name,
                        const struct plugin **out, struct error *err)
{
    const char *names[PLUGINS_MAX] = {0};
    size_t n = 0, i;
    for (; n < PLUGINS_MAX && kind->at(n); n++) {
        const struct plugin *plugin = kind->at(n);
        names[n] = plugin->name;
        if (plugin->old_name && text_is(name, plugin->old_name)) {
            *out = plugin;
            return STATUS_OK;
        }
    }
    enum status st = find_in(kind->words, names, n, name, &i, err);
    if (st == STATUS_OK)
        *out = kind->at(i);
    return st;
}

void plugins_add(struct plugins *plugins, struct part *part, const char *kind,
                 struct arena *arena)
{
    char owner[128];
    int n = snprintf(owner, sizeof owner, "%s %s", kind, part->plugin->name);
    part->self = arena_alloc(arena, part->plugin->state_size + 1);
    plugins->at = mem_grow(plugins->at, &plugins->cap, plugins->count + 1,
                           sizeof *plugins->at);
    plugins->at[plugins->count++] = (struct plugin_entry){
        .part = *part, .owner = arena_copy(arena, owner, (size_t)n)};
}

enum status plugins_begin(struct plugins *plugins, const struct run_env *env,
                          struct error *err)
{
    enum status st = STATUS_OK;
    while (st == STATUS_OK && plugins->n_begun < plugins->count) {
        const struct plugin_entry *entry = &plugins->at[plugins->n_begun++];
        const struct part *part = &entry->part;
        struct run_env own = *env;
        own.owner = entry->owner;
        if (part->plugin->init)
            st = part->plugin->init(part->self, part->config, &own, err);
    }
    return st;
}

void plugins_end(struct plugins *plugins)
{
    while (plugins->n_begun > 0) {
        const struct part *part = &plugins->at[--plugins->n_begun].part;
        if (part->plugin->fini)
            part->plugin->fini(part->self);
    }
    free(plugins->at);
    *plugins = (struct plugins){0};
}
