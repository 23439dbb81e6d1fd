/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/advisor_versions.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct versions {
    char *path;
    json_t *jobs; /* array; the result that was stored first comes first */
};

static void digest_text(struct text t, char hex[DIGEST_HEX_MAX])
{
    struct digest *digest = digest_new();
    digest_add(digest, t.at, t.len);
    digest_end(digest, hex);
}

static void digest_tree(const struct workspace *workspace,
                        char hex[DIGEST_HEX_MAX])
{
    struct digest *digest = digest_new();
    for (size_t i = 0; i < workspace->n_files; i++)
        digest_add(digest, workspace->files[i].path,
                   strlen(workspace->files[i].path) + 1);
    digest_end(digest, hex);
}

/* Writes the digest of a file's text to `hex`. Returns false if the file cannot
 * be read. */
static bool digest_source(const struct workspace *workspace, const char *path,
                          char hex[DIGEST_HEX_MAX])
{
    char why[WORKSPACE_WHY_MAX];
    struct arena arena;
    struct text text;
    bool cut;
    arena_init(&arena);
    bool good =
        workspace->read(workspace->self, path, &arena, &text, &cut, why);
    if (good)
        digest_text(text, hex);
    arena_fini(&arena);
    return good;
}

static bool is_job(const json_t *job)
{
    static const char *const strings[] = {"identity", "tree", "text", "method"};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        if (!json_is_string(json_object_get(job, strings[i])))
            return false;
    }
    return json_is_object(json_object_get(job, "files")) &&
           json_is_object(json_object_get(job, "fields")) &&
           json_is_object(json_object_get(job, "where")) &&
           json_is_object(json_object_get(job, "other")) &&
           json_is_number(json_object_get(job, "agreement"));
}

static enum status parse(struct versions *versions, json_t *root,
                         struct error *err)
{
    json_t *jobs = json_object_get(root, "jobs");
    if (json_integer_value(json_object_get(root, "version")) != 1 ||
        !json_is_array(jobs))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: no cache of the advisor of version 1",
                         versions->path);
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        if (!is_job(json_array_get(jobs, i)))
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: job %zu of the cache is damaged",
                             versions->path, i + 1);
    }
    versions->jobs = json_incref(jobs);
    return STATUS_OK;
}

enum status versions_open(const char *path, struct versions **out,
                          struct error *err)
{
    struct versions *versions = mem_zalloc(1, sizeof *versions);
    json_error_t where;
    enum status st = STATUS_OK;
    versions->path = strdup(path);
    if (!versions->path)
        abort();
    if (access(path, F_OK) != 0) {
        versions->jobs = json_array();
    } else {
        json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
        st = root ? parse(versions, root, err)
                  : error_set(err, STATUS_BAD_INPUT, "%s:%d:%d: %s", path,
                              where.line, where.column, where.text);
        json_decref(root);
    }
    if (st != STATUS_OK) {
        versions_free(versions);
        versions = NULL;
    }
    *out = versions;
    return st;
}

void versions_free(struct versions *versions)
{
    if (!versions)
        return;
    json_decref(versions->jobs);
    free(versions->path);
    free(versions);
}

static json_t *find_job(const struct versions *versions, const char *identity,
                        size_t *where)
{
    for (*where = json_array_size(versions->jobs); (*where)-- > 0;) {
        json_t *job = json_array_get(versions->jobs, *where);
        if (strcmp(json_string_value(json_object_get(job, "identity")),
                   identity) == 0)
            return job;
    }
    return NULL;
}

static const char *copy(struct arena *arena, const json_t *value)
{
    const char *s = json_string_value(value);
    return s ? arena_copy(arena, s, strlen(s)) : "";
}

static void restore(const json_t *job, struct arena *arena,
                    struct advisor_result *out)
{
    const char *name;
    json_t *value;
    *out = (struct advisor_result){0};
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        const char *key = metadata_name(i);
        value = json_object_get(json_object_get(job, "fields"), key);
        if (json_is_string(value))
            metadata_set(&out->metadata, i, text_from(json_string_value(value)),
                         copy(arena, json_object_get(
                                         json_object_get(job, "where"), key)),
                         arena);
    }
    json_object_foreach(json_object_get(job, "other"), name, value)
        metadata_add(
            &out->metadata, text_from(name),
            text_from(json_is_string(value) ? json_string_value(value) : ""),
            arena);
    json_object_foreach(json_object_get(job, "files"), name, value)
        advisor_note_file(out, arena_copy(arena, name, strlen(name)));
    out->method =
        strcmp(json_string_value(json_object_get(job, "method")), "rules") == 0
            ? LLM_BY_RULES
            : LLM_BY_MODEL;
    out->agreement = json_number_value(json_object_get(job, "agreement"));
    out->metadata.command = copy(arena, json_object_get(job, "command"));
    const char *note = copy(arena, json_object_get(job, "note"));
    out->note = *note ? note : NULL;
    out->coverage = metadata_coverage(&out->metadata);
}

enum versions_state versions_check(const struct versions *versions,
                                   const char *identity,
                                   const struct workspace *workspace,
                                   struct arena *arena,
                                   struct advisor_result *result,
                                   struct advisor_memory *memory)
{
    size_t where;
    const char *name;
    json_t *value, *job = find_job(versions, identity, &where);
    char hex[DIGEST_HEX_MAX];
    if (!job)
        return VERSIONS_NEW;
    json_t *files = json_object_get(job, "files");
    const char **changed =
        ARENA_ARRAY(arena, const char *, json_object_size(files) + 1);
    const char **seen =
        ARENA_ARRAY(arena, const char *, json_object_size(files) + 1);
    size_t n = 0, n_seen = 0;
    json_object_foreach(files, name, value)
    {
        seen[n_seen++] = arena_copy(arena, name, strlen(name));
        const char *before = json_string_value(value);
        if (!before || !digest_source(workspace, name, hex) ||
            strcmp(before, hex) != 0)
            changed[n++] = seen[n_seen - 1];
    }
    digest_tree(workspace, hex);
    if (n == 0 &&
        strcmp(json_string_value(json_object_get(job, "tree")), hex) == 0) {
        restore(job, arena, result);
        return VERSIONS_SAME;
    }
    *memory = (struct advisor_memory){
        .text = copy(arena, json_object_get(job, "text")),
        .changed = changed,
        .n_changed = n,
        .seen = seen,
        .n_seen = n_seen};
    return VERSIONS_CHANGED;
}

static json_t *string(const char *s)
{
    json_t *value = json_string(s);
    return value ? value : json_string("");
}

static json_t *fields_of(const struct metadata *metadata, bool where)
{
    json_t *object = json_object();
    for (unsigned i = 0; i < METADATA_FIELDS; i++) {
        const struct metadata_value *value = &metadata->fields[i];
        if (value->text)
            json_object_set_new(object, metadata_name(i),
                                string(where ? value->where : value->text));
    }
    return object;
}

static json_t *job_of(const char *identity, const struct workspace *workspace,
                      const struct advisor_result *result)
{
    char hex[DIGEST_HEX_MAX];
    json_t *job = json_object(), *files = json_object(), *other = json_object();
    const struct metadata *metadata = &result->metadata;
    struct out *text = out_to_memory();
    for (size_t i = 0; i < result->n_files; i++) {
        if (digest_source(workspace, result->files[i], hex))
            json_object_set_new(files, result->files[i], string(hex));
    }
    for (size_t i = 0; i < metadata->n_other; i++)
        json_object_set_new(other, metadata->other[i].key,
                            string(metadata->other[i].value));
    digest_tree(workspace, hex);
    metadata_text(metadata, text);
    out_char(text, '\0');
    json_object_set_new(job, "identity", string(identity));
    json_object_set_new(job, "tree", string(hex));
    json_object_set_new(job, "files", files);
    json_object_set_new(
        job, "method",
        string(result->method == LLM_BY_RULES ? "rules" : "llm"));
    json_object_set_new(job, "agreement", json_real(result->agreement));
    json_object_set_new(job, "text", string(out_memory(text).at));
    json_object_set_new(job, "command",
                        string(metadata->command ? metadata->command : ""));
    json_object_set_new(job, "note", string(result->note ? result->note : ""));
    json_object_set_new(job, "fields", fields_of(metadata, false));
    json_object_set_new(job, "where", fields_of(metadata, true));
    json_object_set_new(job, "other", other);
    out_abandon(text);
    return job;
}

static enum status write_file(const struct versions *versions,
                              struct error *err)
{
    struct out *out;
    json_t *root = json_object();
    json_object_set_new(root, "version", json_integer(1));
    json_object_set(root, "jobs", versions->jobs);
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    json_decref(root);
    if (!text)
        return error_set(err, STATUS_FAILED, "%s: cannot be written",
                         versions->path);
    /* Only the owner may read the file: launch commands and files may hold
     * secrets. */
    enum status st = out_open_private(versions->path, &out, err);
    if (st == STATUS_OK) {
        out_text(out, text);
        out_char(out, '\n');
        st = out_close(out, err);
    }
    free(text);
    return st;
}

enum status versions_keep(struct versions *versions, const char *identity,
                          const struct workspace *workspace,
                          const struct advisor_result *result,
                          struct error *err)
{
    size_t where;
    if (find_job(versions, identity, &where))
        json_array_remove(versions->jobs, where);
    while (json_array_size(versions->jobs) >= VERSIONS_MAX)
        json_array_remove(versions->jobs, 0);
    json_array_append_new(versions->jobs, job_of(identity, workspace, result));
    return write_file(versions, err);
}
