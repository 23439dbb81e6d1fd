/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/incident_file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "schedmate/live/log_file.h"

/* Largest number of bytes read from the end of an incident's log. */
#define END_BYTES (1u << 20)

static unsigned incident_file_index_of(const char *const *names,
                                       const char *word)
{
    unsigned i = 0;
    while (names[i] && (!word || strcmp(names[i], word) != 0))
        i++;
    return i;
}

/* Reads the end of a log. The caller frees out->at. */
static enum status incident_file_read_end(const char *path, struct text *out,
                                          struct error *err)
{
    struct log_file *file = NULL;
    uint64_t size = 0;
    enum status st = log_file_open(path, &file, err);
    if (st == STATUS_OK)
        st = log_file_size(file, &size, err);
    if (st == STATUS_OK)
        st = log_file_piece(file, size > END_BYTES ? size - END_BYTES : 0,
                            END_BYTES, out, err);
    log_file_close(file);
    return st;
}

struct incident_file_reader {
    const char *path;
    uint64_t line;
    size_t folder; /* number of bytes of `path` up to and including its last
                    * slash */
    sim_time now;
    struct incidents *all;
};

static enum status incident_file_wrong(const struct incident_file_reader *r,
                                       const char *key, const char *words,
                                       struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT, "%s:%llu: %s: %s", r->path,
                     (unsigned long long)r->line, key, words);
}

static enum status incident_file_time_of(const struct incident_file_reader *r,
                                         const json_t *row, sim_time *out,
                                         struct error *err)
{
    const json_t *at = json_object_get(row, "failed_at");
    bool zoned;
    *out = r->now;
    double seconds = json_is_number(at) ? json_number_value(at) : -1;
    if (seconds >= 0 && span_from_outside(seconds, SECONDS_MAX, out))
        return STATUS_OK;
    if (at && (!json_is_string(at) ||
               !text_to_time(text_from(json_string_value(at)), out, &zoned)))
        return incident_file_wrong(
            r, "failed_at", "expected a date or seconds since 1970", err);
    return STATUS_OK;
}

static enum status add_log(const struct incident_file_reader *r,
                           const char *name, const struct incident *incident,
                           struct error *err)
{
    size_t folder = name[0] == '/' ? 0 : r->folder, len = strlen(name);
    char *path = mem_alloc(folder + len + 1);
    struct text log = {0};
    memcpy(path, r->path, folder);
    memcpy(path + folder, name, len + 1);
    enum status st = incident_file_read_end(path, &log, err);
    if (st == STATUS_OK)
        st = incidents_add(r->all, log, incident, err);
    free((char *)(uintptr_t)log.at);
    free(path);
    return st;
}

static enum status incident_file_read_row(const struct incident_file_reader *r,
                                          const json_t *row, struct error *err)
{
    const json_t *failure = json_object_get(row, "failure");
    const char *file = json_string_value(json_object_get(row, "file"));
    const char *cls = json_string_value(json_object_get(failure, "cls"));
    const char *sub = json_string_value(json_object_get(failure, "sub"));
    unsigned kind = incident_file_index_of(failure_kinds, cls);
    struct incident incident = {.part = PART_NONE};
    if (!json_is_object(row) || !file || !*file)
        return incident_file_wrong(r, "file", "expected the name of a log",
                                   err);
    if (!failure || json_is_null(failure))
        return STATUS_OK;
    if (kind >= FAILURE_N_KINDS)
        return incident_file_wrong(
            r, "failure.cls",
            "expected infrastructure, framework, user_script or other", err);
    incident.kind = (enum failure_kind)kind;
    if (incident.kind == FAILURE_INFRASTRUCTURE) {
        unsigned part = incident_file_index_of(failure_parts, sub);
        incident.part = part < PART_NONE ? (enum failure_part)part : PART_OTHER;
    }
    enum status st = incident_file_time_of(r, row, &incident.at, err);
    return st == STATUS_OK ? add_log(r, file, &incident, err) : st;
}

enum status incident_file_read(const char *path, sim_time now,
                               struct incidents *all, struct error *err)
{
    const char *slash = strrchr(path, '/');
    struct incident_file_reader r = {.path = path,
                                     .folder =
                                         slash ? (size_t)(slash + 1 - path) : 0,
                                     .now = now,
                                     .all = all};
    struct rows *rows = NULL;
    struct text line;
    enum status st = rows_open(path, &rows, err);
    while (st == STATUS_OK && (st = rows_line(rows, &line, err)) == STATUS_OK) {
        json_error_t where;
        json_t *row =
            json_loadb(line.at, line.len, JSON_REJECT_DUPLICATES, &where);
        r.line = rows_line_number(rows);
        st =
            row ? incident_file_read_row(&r, row, err)
                : incident_file_wrong(&r, "not a JSON object", where.text, err);
        json_decref(row);
    }
    rows_close(rows);
    return st == STATUS_END ? STATUS_OK : st;
}
