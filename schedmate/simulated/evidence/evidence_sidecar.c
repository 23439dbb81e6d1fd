/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the side-car of a trace as evidence of the jobs of a run. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "schedmate/simulated/evidence/evidence_internal.h"
#include "traces/evidence/sidecar.h"
#include "traces/load.h"

enum { EVIDENCE_ROOTS_MAX = 4 };

struct evidence_sidecar_reader {
    struct rows *rows;
    int16_t at[SIDECAR_COLUMNS];
    const char *path; /* path of the side-car */
    struct arena *arena;
    struct job_ids ids;
    /* Copies of texts by their symbols, because many jobs have equal
     * directories and commands. */
    struct interner texts;
    const char **copies;
    size_t cap_copies;
    /* folders in which the paths must be, without links; those of the caller
     * come after that of the side-car */
    char *roots[EVIDENCE_ROOTS_MAX];
    size_t n_roots;
    struct interner places; /* paths that have been checked */
    struct evidence *out;
};

/* Returns a copy of the text that lives as long as the run. */
static const char *sidecar_copy(struct evidence_sidecar_reader *r,
                                struct text t)
{
    size_t known = r->texts.n_strings;
    uint32_t symbol = interner_add(&r->texts, t);
    if (symbol == 0)
        return "";
    r->copies =
        mem_grow(r->copies, &r->cap_copies, symbol + 1, sizeof *r->copies);
    if (symbol == known)
        r->copies[symbol] = arena_copy(r->arena, t.at, t.len);
    return r->copies[symbol];
}

/* Returns the path of a file or folder that the side-car names. A name that
 * does not begin with "/" is relative to the folder of the side-car. */
static const char *copy_path(struct evidence_sidecar_reader *r,
                             struct text name)
{
    const char *slash = strrchr(r->path, '/');
    if (!name.len)
        return "";
    if (!slash || name.at[0] == '/')
        return sidecar_copy(r, name);
    struct out *joined = out_to_memory();
    out_bytes(joined, r->path, (size_t)(slash + 1 - r->path));
    out_bytes(joined, name.at, name.len);
    const char *path = sidecar_copy(r, out_memory(joined));
    out_abandon(joined);
    return path;
}

/* Resolves the links of a path whose last parts may not exist. Returns false if
 * those parts have a "..", or if the path is too long. */
static bool sidecar_resolve(const char *path, char out[PATH_MAX])
{
    char head[PATH_MAX];
    size_t len = strlen(path);
    if (len >= sizeof head)
        return false;
    memcpy(head, path, len + 1);
    while (!realpath(*head ? head : ".", out)) {
        char *slash = strrchr(head, '/');
        const char *last = slash ? slash + 1 : head;
        if (strcmp(last, "..") == 0 || strcmp(head, "/") == 0)
            return false;
        head[slash == head ? 1 : slash ? (size_t)(slash - head) : 0] = '\0';
    }
    return true;
}

/* Adds a folder in which paths may be; one that does not exist holds none. */
static void add_root(struct evidence_sidecar_reader *r, const char *path)
{
    char *real = r->n_roots < EVIDENCE_ROOTS_MAX ? realpath(path, NULL) : NULL;
    if (real)
        r->roots[r->n_roots++] = real;
}

static void add_roots(struct evidence_sidecar_reader *r,
                      const char *const *roots)
{
    const char *slash = strrchr(r->path, '/');
    size_t len = slash ? (size_t)(slash + 1 - r->path) : 1;
    add_root(r, arena_copy(r->arena, slash ? r->path : ".", len));
    for (; *roots; roots++)
        add_root(r, *roots);
}

/* Refuses a path that leads out of the folders in which it must be: a side-car
 * of somebody else must not name any file of this user. */
static enum status sidecar_check_place(struct evidence_sidecar_reader *r,
                                       enum sidecar_column column,
                                       const char *path, struct error *err)
{
    char real[PATH_MAX];
    size_t known = r->places.n_strings;
    if (!*path || interner_add(&r->places, text_from(path)) < known)
        return STATUS_OK;
    bool is_path = sidecar_resolve(path, real);
    for (size_t i = 0; is_path && i < r->n_roots; i++) {
        size_t len = strlen(r->roots[i]);
        if (strncmp(real, r->roots[i], len) == 0 &&
            (real[len] == '\0' || real[len] == '/' || len == 1))
            return STATUS_OK;
    }
    return rows_bad(r->rows, r->at[column], err,
                    "'%.200s' leads out of the folder of the side-car; "
                    "--evidence-root DIR allows what is in DIR",
                    path);
}

static enum status sidecar_take(struct evidence_sidecar_reader *r,
                                struct error *err)
{
    struct sidecar_row row;
    enum status st = sidecar_read(r->rows, r->at, r->arena, &row, err);
    if (st != STATUS_OK)
        return st;
    job_id id = job_ids_find(&r->ids, row.job);
    if (id == JOB_NONE)
        return STATUS_OK;
    struct job_evidence *job = &r->out->jobs[id];
    if (job->has_command || job->has_log)
        return rows_bad(r->rows, r->at[SIDECAR_JOB], err,
                        "job '%.*s' has a row already", TEXT_ARGS(row.job));
    *job = (struct job_evidence){
        .command = {.directory = copy_path(r, row.directory),
                    .command = sidecar_copy(r, row.command),
                    .branch = sidecar_copy(r, row.branch)},
        .log = row.log,
        .has_command = row.command.len > 0,
        .has_log = row.has_log,
    };
    st = sidecar_check_place(r, SIDECAR_DIRECTORY, job->command.directory, err);
    if (!row.log.path || st != STATUS_OK)
        return st;
    job->log.path = copy_path(r, text_from(row.log.path));
    return sidecar_check_place(r, SIDECAR_LOG, job->log.path, err);
}

enum status evidence_read(const char *path, const char *const *roots,
                          const struct run_env *env, struct evidence **out,
                          char sha256[65], struct error *err)
{
    struct evidence_sidecar_reader r = {.path = path, .arena = env->arena};
    enum status st = rows_open(path, &r.rows, err);
    if (st != STATUS_OK)
        return st;
    job_ids_init(&r.ids, env);
    interner_init(&r.texts);
    interner_init(&r.places);
    add_roots(&r, roots);
    r.out = ARENA_NEW(env->arena, struct evidence);
    r.out->n_jobs = env->n_jobs;
    r.out->jobs = ARENA_ARRAY(env->arena, struct job_evidence, env->n_jobs);
    st = rows_header(r.rows, sidecar_columns, SIDECAR_COLUMNS, r.at, err);
    if (st == STATUS_OK)
        st = rows_header_known(r.rows, sidecar_columns, SIDECAR_COLUMNS, NULL,
                               NULL, err);
    while (st == STATUS_OK && (st = rows_next(r.rows, err)) == STATUS_OK)
        st = sidecar_take(&r, err);
    if (st == STATUS_END)
        snprintf(sha256, 65, "%s", rows_digest(r.rows));
    free(r.copies);
    while (r.n_roots)
        free(r.roots[--r.n_roots]);
    interner_fini(&r.places);
    interner_fini(&r.texts);
    job_ids_fini(&r.ids);
    rows_close(r.rows);
    *out = r.out;
    return st == STATUS_END ? STATUS_OK : st;
}
