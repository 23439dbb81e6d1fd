/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records, for the manifest, the settings in force and the files that a run
 * reads; reads the options for results on request. */
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "sim/run/compose_internal.h"
#include "traces/registry.h"

/* Returns a string equal to `owner`: the string of an earlier setting if there
 * is one, otherwise a new copy. */
static const char *owner_of(struct run_result *r, const char *owner)
{
    const char *last = NULL;
    for (size_t i = r->n_settings; i-- > 0;) {
        const char *one = r->settings[i].owner;
        if (one != last && strcmp(one, owner) == 0)
            return one;
        last = one;
    }
    return arena_copy(&r->arena, owner, strlen(owner));
}

void compose_note(struct run *run, const char *owner, const char *key,
                  const char *value, const char *help, const char *source)
{
    struct run_result *r = &run->result;
    owner = owner_of(r, owner);
    r->settings = mem_grow(r->settings, &run->cap_settings, r->n_settings + 1,
                           sizeof *r->settings);
    r->settings[r->n_settings++] = (struct run_setting){
        .owner = owner,
        .key = key,
        .value = arena_copy(&r->arena, value, strlen(value)),
        .help = help,
        .source = source,
    };
}

const char *compose_file(struct run *run, const char *what, const char *path,
                         const char *sha256)
{
    struct run_result *r = &run->result;
    r->files =
        mem_grow(r->files, &run->cap_files, r->n_files + 1, sizeof *r->files);
    struct run_file *file = &r->files[r->n_files++];
    *file = (struct run_file){
        .what = arena_copy(&r->arena, what, strlen(what)),
        .path = arena_copy(&r->arena, path, strlen(path)),
    };
    if (sha256)
        snprintf(file->sha256, sizeof file->sha256, "%s", sha256);
    else if (digest_path(path, file->sha256, NULL) != STATUS_OK)
        file->sha256[0] = '\0'; /* the reader of the file reports the error */
    return file->sha256;
}

/* Records a file. Returns "sha256 DIGEST" as the value of the setting, because
 * the path differs between machines; the path if the file has no digest. */
static const char *note_file(struct run *run, const char *owner,
                             const char *key, const char *path)
{
    struct arena *arena = &run->result.arena;
    char what[128];
    snprintf(what, sizeof what, "%s: %s", owner, key);
    const char *sha256 = compose_file(run, what, path, NULL);
    return *sha256 ? compose_join(arena, "sha256", sha256) : path;
}

void compose_note_options(struct run *run, const char *owner,
                          const struct option *rows, const void *config)
{
    char buf[OPTION_TEXT_MAX];
    for (const struct option *row = rows; row && row->kind != OPTION_END;
         row++) {
        const char *value = option_value(row, config, buf);
        if (row->path && *value)
            value = note_file(run, owner, row->name, value);
        compose_note(run, owner, row->name, value, row->help, row->source);
        run->result.settings[run->result.n_settings - 1].idle =
            !option_is_read(rows, row, config);
    }
}

void compose_note_format(struct run *run, const char *format)
{
    struct spec spec;
    struct error err;
    char path[4096];
    if (!format ||
        spec_parse("format", text_from(format), &spec, &err) != STATUS_OK)
        return; /* the reader of the trace reports the error */
    const struct trace_ops *ops = trace_find(spec.name);
    for (size_t i = 0; ops && i < spec.n_settings; i++) {
        const struct spec_setting *s = &spec.settings[i];
        const struct option *row = ops->options;
        while (row && row->kind != OPTION_END && !text_is(s->key, row->name))
            row++;
        if (!row || !row->path || s->value.len >= sizeof path)
            continue;
        memcpy(path, s->value.at, s->value.len);
        path[s->value.len] = '\0';
        compose_file(run, "format of the trace", path, NULL);
    }
}

const char *compose_join(struct arena *arena, const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    char *s = arena_alloc(arena, n + m + 2);
    memcpy(s, a, n);
    s[n] = ' ';
    memcpy(s + n + 1, b, m + 1);
    return s;
}

const char *compose_prefix(struct arena *arena, const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    char *s = arena_alloc(arena, n + m + 1);
    memcpy(s, a, n);
    memcpy(s + n, b, m + 1);
    return s;
}

enum status compose_extras(struct run *run, struct error *err)
{
    const struct run_config *config = &run->config;
    struct extras *m = &run->result.extras;
    char text[EXTRAS_TEXT_MAX];
    enum status st = extras_parse(config->wait_over, config->by, m, err);
    if (st != STATUS_OK)
        return st;
    if (m->n_over)
        compose_note(run, "results", "wait_over", extras_over_text(m, text),
                     "seconds: shares of jobs that wait longer", NULL);
    if (m->by_user || m->by_type)
        compose_note(run, "results", "by",
                     !m->by_type   ? "user"
                     : !m->by_user ? "type"
                                   : "user,type",
                     "groups of jobs in the summary", NULL);
    return STATUS_OK;
}

enum status compose_what_if(struct run *run, bool as_one, struct error *err)
{
    struct run_result *r = &run->result;
    const char *text = run->config.what_if;
    if (!text)
        return STATUS_OK;
    enum status st =
        what_if_parse(text, r->jobset.zero, &r->arena, &run->what_if, err);
    if (st == STATUS_OK)
        st = what_if_nodes(&run->what_if, as_one, &run->spec, &r->arena,
                           &r->remarks, err);
    if (st != STATUS_OK)
        return st;
    what_if_load(&run->what_if, &r->jobset, &r->remarks);
    compose_note(run, "what-if", "clauses", text,
                 "changes to the cluster and to the load", NULL);
    return STATUS_OK;
}
