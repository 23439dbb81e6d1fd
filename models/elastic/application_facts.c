/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a source of applications and reads what its tables do not contain:
 * epochs, the cost of a restart, the slowdown. These come from applications.csv
 * in the directory if it names the application, else from
 * models/elastic/applications.json. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "models/elastic/application_internal.h"

#define EPOCHS_MAX 100000

static enum status check_directory(const char *path, struct error *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return error_set(err, STATUS_BAD_INPUT, "%s: %s", path,
                         strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: not a directory with one folder per application",
                         path);
    return STATUS_OK;
}

enum status applications_open(const char *path, const char *const *types,
                              size_t n_types, struct applications **out,
                              struct error *err)
{
    json_error_t why;
    *out = NULL;
    if (path) {
        enum status st = check_directory(path, err);
        if (st != STATUS_OK)
            return st;
    }
    json_t *root = json_loadb(applications_jsons[0].json,
                              applications_jsons[0].len, 0, &why);
    if (!root)
        return error_set(err, STATUS_FAILED, "applications:%d:%d: %s", why.line,
                         why.column, why.text);
    struct applications *apps = mem_zalloc(1, sizeof *apps);
    arena_init(&apps->arena);
    apps->root = root;
    apps->path = path ? arena_copy(&apps->arena, path, strlen(path)) : NULL;
    apps->n_types = n_types;
    apps->types = ARENA_ARRAY(&apps->arena, const char *, n_types);
    for (size_t i = 0; i < n_types; i++)
        apps->types[i] = arena_copy(&apps->arena, types[i], strlen(types[i]));
    *out = apps;
    return STATUS_OK;
}

void applications_close(struct applications *apps)
{
    if (!apps)
        return;
    json_decref(apps->root);
    arena_fini(&apps->arena);
    free(apps->known);
    free(apps->files);
    free(apps);
}

const char *applications_source(const struct applications *apps)
{
    return apps->path ? apps->path : "fitted coefficients, synthetic";
}

size_t applications_files(const struct applications *apps)
{
    return apps->n_files;
}

const char *applications_file(const struct applications *apps, size_t i,
                              const char **digest)
{
    *digest = apps->files[i].digest;
    return apps->files[i].path;
}

const char *application_type_name(const struct applications *apps,
                                  const char *type)
{
    json_t *all = json_object_get(apps->root, "types"), *names;
    const char *own;
    json_object_foreach(all, own, names)
    {
        for (size_t i = 0; i < json_array_size(names); i++) {
            const char *name = json_string_value(json_array_get(names, i));
            if (text_is_nocase(text_from(type), name))
                return own;
        }
    }
    return type;
}

struct pipeline application_stages(const struct application_facts *facts,
                                   const char *type)
{
    const json_t *at = json_object_get(facts->entry, "pipeline");
    const json_t *stages = json_object_get(json_object_get(at, "stages"), type);
    if (!stages)
        return (struct pipeline){0};
    return (struct pipeline){
        .stages = (uint32_t)json_integer_value(stages),
        .micro_batches =
            (uint32_t)json_integer_value(json_object_get(at, "micro_batches")),
    };
}

static double constant(const json_t *entry, const char *name)
{
    return json_number_value(
        json_object_get(json_object_get(entry, "constants"), name));
}

static void compiled_facts(const struct applications *apps,
                           struct application_facts *out)
{
    const json_t *entry =
        json_object_get(json_object_get(apps->root, "applications"), out->name);
    out->entry = entry;
    out->epochs = (uint32_t)constant(entry, "epochs");
    out->restart = span_from_seconds(constant(entry, "restart_s"));
    out->penalty = span_from_seconds(constant(entry, "penalty_s"));
    out->slowdown = constant(entry, "slowdown");
}

static enum status read_facts_row(const struct table_reader *r,
                                  const int16_t *at,
                                  struct application_facts *out)
{
    double epochs, restart, penalty, slowdown;
    enum status st = table_whole(r, at[1], EPOCHS_MAX, &epochs);
    if (st == STATUS_OK)
        st = table_number(r, at[2], 0, SECONDS_MAX, &restart);
    if (st == STATUS_OK)
        st = table_number(r, at[3], 0, SECONDS_MAX, &penalty);
    if (st == STATUS_OK)
        st = table_number(r, at[4], 1e-3, 1e3, &slowdown);
    if (st != STATUS_OK)
        return st;
    out->epochs = (uint32_t)epochs;
    out->restart = span_from_seconds(restart);
    out->penalty = span_from_seconds(penalty);
    out->slowdown = slowdown;
    return STATUS_OK;
}

/* Reads the row of an application in the directory's applications.csv. Without
 * file or row, *out stays as it is. */
static enum status directory_facts(struct applications *apps,
                                   struct application_facts *out,
                                   struct error *err)
{
    static const struct rows_column columns[] = {
        {.names = "application", .required = true},
        {.names = "epochs", .required = true},
        {.names = "restart_s", .required = true},
        {.names = "penalty_s", .required = true},
        {.names = "slowdown", .required = true}};
    struct table_reader r = {.apps = apps, .err = err};
    struct stat there;
    int16_t at[5];
    snprintf(r.folder, sizeof r.folder, "%s", apps->path);
    snprintf(r.path, sizeof r.path, "%s/applications.csv", r.folder);
    if (stat(r.path, &there) != 0)
        return STATUS_OK;
    enum status st = table_open(&r, "applications", NULL, columns, 5, at);
    while (st == STATUS_OK && (st = rows_next(r.rows, err)) == STATUS_OK) {
        if (text_is(rows_cell(r.rows, at[0]), out->name))
            st = read_facts_row(&r, at, out);
    }
    table_close(&r, st == STATUS_END);
    return st == STATUS_END ? STATUS_OK : st;
}

static enum status unknown(const struct applications *apps, const char *name,
                           struct error *err)
{
    const char *names[64], *key;
    size_t n = 0;
    json_t *entry;
    json_object_foreach(json_object_get(apps->root, "applications"), key, entry)
    {
        if (n < sizeof names / sizeof *names)
            names[n++] = key;
    }
    const char *near = text_nearest(text_from(name), names, n);
    return error_set(err, STATUS_BAD_INPUT, "no application '%.60s'%s%s%s: %s",
                     name, near ? "; did you mean '" : "", near ? near : "",
                     near ? "'" : "",
                     apps->path ? "neither known nor in the directory's "
                                  "applications.csv"
                                : "give a directory of its tables");
}

static enum status load(struct applications *apps,
                        const struct application_facts *facts,
                        struct application *out, struct error *err)
{
    *out = (struct application){
        .name = facts->name,
        .slowdown = facts->slowdown,
        .restart = facts->restart,
        .penalty = facts->penalty,
        .epochs = facts->epochs,
        .data = ARENA_NEW(&apps->arena, struct application_data),
    };
    out->data->n_types = apps->n_types;
    out->data->types =
        ARENA_ARRAY(&apps->arena, struct type_tables, apps->n_types);
    return apps->path ? application_read(apps, facts, out, err)
                      : application_fitted(apps, facts, out, err);
}

enum status application_find(struct applications *apps, const char *name,
                             const struct application **out, struct error *err)
{
    for (size_t i = 0; i < apps->n; i++) {
        if (strcmp(apps->known[i]->name, name) == 0) {
            *out = apps->known[i];
            return STATUS_OK;
        }
    }
    struct application_facts facts = {
        .name = arena_copy(&apps->arena, name, strlen(name))};
    compiled_facts(apps, &facts);
    if (apps->path) {
        enum status st = directory_facts(apps, &facts, err);
        if (st != STATUS_OK)
            return st;
    }
    if (!facts.epochs)
        return unknown(apps, name, err);
    struct application *app = ARENA_NEW(&apps->arena, struct application);
    enum status st = load(apps, &facts, app, err);
    if (st != STATUS_OK)
        return st;
    apps->known =
        mem_grow(apps->known, &apps->cap, apps->n + 1, sizeof *apps->known);
    apps->known[apps->n++] = app;
    *out = app;
    return STATUS_OK;
}

bool application_is_known(const struct applications *apps, const char *name)
{
    struct stat st;
    char path[4096];
    if (json_object_get(json_object_get(apps->root, "applications"), name))
        return true;
    if (!apps->path || !name[0] || name[0] == '.' || strchr(name, '/'))
        return false;
    int n = snprintf(path, sizeof path, "%s/%s", apps->path, name);
    return n > 0 && (size_t)n < sizeof path && stat(path, &st) == 0 &&
           S_ISDIR(st.st_mode);
}
