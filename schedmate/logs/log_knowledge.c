/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "schedmate/logs/log_knowledge_internal.h"

const char *const failure_kinds[] = {"infrastructure", "framework",
                                     "user_script", "other", NULL};
const char *const failure_parts[] = {"gpu",   "nvlink", "network", "node",
                                     "other", "none",   NULL};
const char *const handler_actions[] = {
    "none",          "replace-node",   "test-network", "restart",
    "tell-operator", "restart-bigger", "tell-user",    NULL};

enum status log_knowledge_new(struct log_knowledge **out, struct error *err)
{
    struct log_knowledge *k = mem_zalloc(1, sizeof *k);
    enum status st = STATUS_OK;
    *out = k;
    arena_init(&k->arena);
    k->content = digest_new();
    for (const struct log_knowledge_part *part = log_knowledge_parts;
         part->name && st == STATUS_OK; part++)
        st = log_knowledge_add(k, part->name,
                               (struct text){part->json, part->len}, err);
    k->n_built_in = k->n_files;
    return st;
}

enum status log_knowledge_add(struct log_knowledge *k, const char *file,
                              struct text json, struct error *err)
{
    k->files =
        mem_grow(k->files, &k->cap_files, k->n_files + 1, sizeof *k->files);
    const char *name = arena_copy(&k->arena, file, strlen(file));
    k->files[k->n_files++] = name;
    digest_add(k->content, json.at, json.len);
    return log_knowledge_read(k, name, json, err);
}

/* Puts the signatures of later files before those of earlier ones. */
static void order_signatures(struct log_knowledge *k)
{
    struct log_signature **sorted =
        mem_zalloc(k->n_signatures + 1, sizeof *sorted);
    size_t n = 0;
    for (size_t f = k->n_files; f-- > 0;) {
        for (size_t i = 0; i < k->n_signatures; i++) {
            if (k->signatures[i]->file == k->files[f])
                sorted[n++] = k->signatures[i];
        }
    }
    free(k->signatures);
    k->signatures = sorted;
    k->cap_signatures = n + 1;
}

enum status log_knowledge_ready(struct log_knowledge *k, struct error *err)
{
    order_signatures(k);
    digest_end(k->content, k->digest);
    k->content = NULL;
    return log_automaton_make(&k->automaton, k->signatures, k->n_signatures,
                              err);
}

void log_knowledge_free(struct log_knowledge *k)
{
    if (!k)
        return;
    log_automaton_fini(&k->automaton);
    digest_free(k->content);
    free(k->files);
    free(k->reasons);
    free(k->signatures);
    arena_fini(&k->arena);
    free(k);
}

bool log_knowledge_is_ours(const struct log_knowledge *k, const char *file)
{
    for (size_t i = 0; i < k->n_built_in; i++) {
        if (k->files[i] == file)
            return true;
    }
    return false;
}

const char *log_knowledge_file(const struct log_knowledge *k, size_t i)
{
    return i < k->n_files - k->n_built_in ? k->files[k->n_built_in + i] : NULL;
}

const char *log_knowledge_digest(const struct log_knowledge *k)
{
    return k->digest;
}

const struct log_action *log_knowledge_action(const struct log_knowledge *k,
                                              enum handler_action action)
{
    return &k->actions[action];
}

const struct log_reason *log_knowledge_reason(const struct log_knowledge *k,
                                              const char *name)
{
    for (size_t i = 0; i < k->n_reasons; i++) {
        if (strcmp(k->reasons[i]->name, name) == 0)
            return k->reasons[i];
    }
    return NULL;
}

const char *log_knowledge_near(const struct log_knowledge *k, const char *name)
{
    const char **names = mem_zalloc(k->n_reasons + 1, sizeof *names);
    for (size_t i = 0; i < k->n_reasons; i++)
        names[i] = k->reasons[i]->name;
    const char *near = text_nearest(text_from(name), names, k->n_reasons);
    free(names);
    return near;
}
