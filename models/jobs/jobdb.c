/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Only this file and jobdb_read.c use SQLite. The library is loaded when a
 * history is opened, so a simulation without a history does not pay for it. The
 * journal is a rollback journal and not a write-ahead log, so that the history
 * stays one file that can be copied. */
#include "models/jobs/jobdb_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/arena.h"
#include "sim/base/library.h"

enum {
    VERSION = 1,
    APPLICATION = 0x73636864, /* "schd" */
    BUSY_MS = 60000,
};

static const char schema[] =
    "CREATE TABLE texts("
    " id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
    "CREATE TABLE jobs("
    " id INTEGER PRIMARY KEY, source TEXT NOT NULL, source_id TEXT,"
    " user TEXT NOT NULL, workdir TEXT NOT NULL, command TEXT NOT NULL,"
    " branch TEXT NOT NULL, name TEXT NOT NULL, vc TEXT NOT NULL,"
    " gpu_type TEXT NOT NULL, text INTEGER REFERENCES texts(id),"
    " end TEXT NOT NULL, submitted_us INTEGER, duration_us INTEGER NOT NULL,"
    " gpus INTEGER NOT NULL, gpu_util REAL, mem_mib REAL,"
    " UNIQUE(source, source_id));"
    "CREATE INDEX jobs_match ON jobs(user, workdir, command, branch);"
    "CREATE INDEX jobs_text ON jobs(text);"
    "CREATE TABLE vectors("
    " text INTEGER NOT NULL REFERENCES texts(id), embedding TEXT NOT NULL,"
    " n INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(text, embedding))"
    " WITHOUT ROWID;"
    "PRAGMA application_id = 1935894628; PRAGMA user_version = 1;";

_Static_assert(APPLICATION == 1935894628, "as in the schema");

enum status jobdb_failed(const struct jobdb *s, const char *what,
                         struct error *err)
{
    int code = s->sql.sqlite3_extended_errcode(s->db) & 0xff;
    return error_set(err,
                     code == SQLITE_NOTADB || code == SQLITE_CORRUPT
                         ? STATUS_BAD_INPUT
                         : STATUS_FAILED,
                     "%s: %s: %s", s->path, what, s->sql.sqlite3_errmsg(s->db));
}

static enum status exec(struct jobdb *s, const char *sql, const char *what,
                        struct error *err)
{
    if (s->sql.sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return jobdb_failed(s, what, err);
    return STATUS_OK;
}

enum status jobdb_prepare(struct jobdb *s, const char *sql, sqlite3_stmt **out,
                          struct error *err)
{
    if (s->sql.sqlite3_prepare_v2(s->db, sql, -1, out, NULL) != SQLITE_OK)
        return jobdb_failed(s, "cannot read the history", err);
    return STATUS_OK;
}

static enum status pragma(struct jobdb *s, const char *sql, int64_t *out,
                          struct error *err)
{
    sqlite3_stmt *stmt;
    enum status st = jobdb_prepare(s, sql, &stmt, err);
    if (st != STATUS_OK)
        return st;
    if (s->sql.sqlite3_step(stmt) == SQLITE_ROW)
        *out = s->sql.sqlite3_column_int64(stmt, 0);
    else
        st = jobdb_failed(s, "cannot read the history", err);
    s->sql.sqlite3_finalize(stmt);
    return st;
}

/* Makes an empty file a history. If two programs find it empty, the one that
 * locks it first makes the tables. */
static enum status make_tables(struct jobdb *s, struct error *err)
{
    int64_t application = 0, version = 0, tables = 0;
    enum status st =
        exec(s, "BEGIN IMMEDIATE", "cannot write the history", err);
    if (st != STATUS_OK)
        return st;
    st = pragma(s, "PRAGMA application_id", &application, err);
    if (st == STATUS_OK)
        st = pragma(s, "PRAGMA user_version", &version, err);
    if (st == STATUS_OK)
        st = pragma(s, "SELECT count(*) FROM sqlite_master", &tables, err);
    if (st == STATUS_OK && application == 0 && tables == 0)
        st = exec(s, schema, "cannot make the history's tables", err);
    if (st == STATUS_OK)
        return exec(s, "COMMIT", "cannot write the history", err);
    (void)exec(s, "ROLLBACK", "", NULL);
    return st;
}

static enum status check_tables(struct jobdb *s, struct error *err)
{
    int64_t application = 0, version = 0;
    enum status st = pragma(s, "PRAGMA application_id", &application, err);
    if (st == STATUS_OK)
        st = pragma(s, "PRAGMA user_version", &version, err);
    if (st == STATUS_OK && application != APPLICATION)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: is no job history of schedsim", s->path);
    if (st == STATUS_OK && version != VERSION)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: is a job history of version %" PRId64
                         "; this program reads version %d",
                         s->path, version, VERSION);
    return st;
}

/* Creates the file for its owner only, because commands may hold passwords.
 * SQLite would create it with all the permissions that the umask allows. The
 * journal takes the mode of the file. */
static enum status make_file(const struct jobdb *s, struct error *err)
{
    int fd = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return error_set(err, STATUS_FAILED, "%s: cannot open the history: %s",
                         s->path, strerror(errno));
    close(fd);
    return STATUS_OK;
}

static enum status open_file(struct jobdb *s, bool create, struct error *err)
{
    static const char *const files[] = {"libsqlite3.so.0", "libsqlite3.so",
                                        NULL};
    static const char *const names[] = {
#define SQLITE_NAME(name) #name,
        SQLITE(SQLITE_NAME)
#undef SQLITE_NAME
    };
    int64_t application = 0;
    enum status st = library_load(files, "libsqlite3-dev", names,
                                  sizeof names / sizeof *names, &s->sql, err);
    if (st == STATUS_OK && create)
        st = make_file(s, err);
    if (st != STATUS_OK)
        return st;
    int code =
        s->sql.sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE, NULL);
    if (code != SQLITE_OK)
        return error_set(err, STATUS_FAILED, "%s: cannot open the history: %s",
                         s->path, s->sql.sqlite3_errstr(code));
    s->sql.sqlite3_busy_timeout(s->db, BUSY_MS);
    st = pragma(s, "PRAGMA application_id", &application, err);
    /* This also covers a program that was killed before it had made the tables:
     * after SQLite has played back the journal, the file is empty. */
    if (st == STATUS_OK && application == 0)
        st = make_tables(s, err);
    return st == STATUS_OK ? check_tables(s, err) : st;
}

enum status jobdb_open(const char *path, bool create, struct jobdb **out,
                       struct error *err)
{
    size_t len = strlen(path) + 1;
    struct jobdb *s = mem_zalloc(1, sizeof *s + len);
    memcpy(s->path, path, len);
    enum status st = open_file(s, create, err);
    if (st != STATUS_OK) {
        jobdb_close(s);
        s = NULL;
    }
    *out = s;
    return st;
}

void jobdb_close(struct jobdb *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < N_STATEMENTS && s->db; i++)
        s->sql.sqlite3_finalize(s->prepared[i]);
    if (s->db)
        s->sql.sqlite3_close_v2(s->db);
    free(s->values);
    free(s);
}

enum status jobdb_begin(struct jobdb *s, struct error *err)
{
    enum status st =
        exec(s, "BEGIN IMMEDIATE", "cannot write the history", err);
    s->open = st == STATUS_OK;
    return st;
}

enum status jobdb_commit(struct jobdb *s, struct error *err)
{
    s->open = false;
    return exec(s, "COMMIT", "cannot write the history", err);
}

void jobdb_bind_text(struct jobdb *s, sqlite3_stmt *stmt, int at,
                     struct text text)
{
    s->sql.sqlite3_bind_text64(stmt, at, text.at ? text.at : "", text.len,
                               SQLITE_STATIC, SQLITE_UTF8);
}

static void bind_figure(struct jobdb *s, sqlite3_stmt *stmt, int at,
                        double value)
{
    if (value < 0)
        s->sql.sqlite3_bind_null(stmt, at);
    else
        s->sql.sqlite3_bind_double(stmt, at, value);
}

/* Compiles a statement once if it runs once per job. */
static enum status kept(struct jobdb *s, int which, const char *sql,
                        sqlite3_stmt **out, struct error *err)
{
    enum status st = STATUS_OK;
    if (!s->prepared[which])
        st = jobdb_prepare(s, sql, &s->prepared[which], err);
    *out = s->prepared[which];
    return st;
}

/* Runs a statement to its end. Returns its first column if there is a row. */
static enum status run(struct jobdb *s, sqlite3_stmt *stmt, int64_t *row,
                       struct error *err)
{
    enum status st = STATUS_OK;
    int code = s->sql.sqlite3_step(stmt);
    if (code == SQLITE_ROW && row)
        *row = s->sql.sqlite3_column_int64(stmt, 0);
    else if (code != SQLITE_DONE)
        st = jobdb_failed(s, "cannot write the history", err);
    s->sql.sqlite3_reset(stmt);
    return st;
}

/* Returns the number of a metadata text, and adds the text if it is new. */
static enum status text_number(struct jobdb *s, struct text metadata,
                               int64_t *out, struct error *err)
{
    sqlite3_stmt *stmt;
    enum status st = kept(
        s, ADD_TEXT, "INSERT OR IGNORE INTO texts(text) VALUES(?)", &stmt, err);
    if (st != STATUS_OK)
        return st;
    jobdb_bind_text(s, stmt, 1, metadata);
    st = run(s, stmt, NULL, err);
    if (st == STATUS_OK)
        st = kept(s, FIND_TEXT, "SELECT id FROM texts WHERE text = ?", &stmt,
                  err);
    if (st != STATUS_OK)
        return st;
    jobdb_bind_text(s, stmt, 1, metadata);
    return run(s, stmt, out, err);
}

static void bind_job(struct jobdb *s, sqlite3_stmt *stmt,
                     const struct jobdb_job *job, int64_t text)
{
    const struct text texts[] = {
        job->source, job->source_id, job->user, job->workdir,  job->command,
        job->branch, job->name,      job->vc,   job->gpu_type, job->end};
    int at = 1;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++, at++) {
        /* NULL, because two jobs without a source are never the same job */
        if (i == 1 && texts[i].len == 0)
            s->sql.sqlite3_bind_null(stmt, at);
        else
            jobdb_bind_text(s, stmt, at, texts[i]);
    }
    if (text)
        s->sql.sqlite3_bind_int64(stmt, at++, text);
    else
        s->sql.sqlite3_bind_null(stmt, at++);
    if (job->submitted == JOBDB_NO_TIME)
        s->sql.sqlite3_bind_null(stmt, at++);
    else
        s->sql.sqlite3_bind_int64(stmt, at++, job->submitted);
    s->sql.sqlite3_bind_int64(stmt, at++, job->duration);
    s->sql.sqlite3_bind_int64(stmt, at++, job->gpus);
    bind_figure(s, stmt, at++, job->gpu_util);
    bind_figure(s, stmt, at, job->mem_mib);
}

static enum status add(struct jobdb *s, struct jobdb_job *job, bool *added,
                       struct error *err)
{
    sqlite3_stmt *stmt;
    int64_t text = 0;
    enum status st = STATUS_OK;
    if (job->metadata.len)
        st = text_number(s, job->metadata, &text, err);
    if (st == STATUS_OK)
        st = kept(s, ADD_JOB,
                  "INSERT INTO jobs(source, source_id, user, workdir, command,"
                  " branch, name, vc, gpu_type, end, text, submitted_us,"
                  " duration_us, gpus, gpu_util, mem_mib)"
                  " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
                  " ON CONFLICT(source, source_id) DO NOTHING",
                  &stmt, err);
    if (st != STATUS_OK)
        return st;
    bind_job(s, stmt, job, text);
    st = run(s, stmt, NULL, err);
    if (st == STATUS_OK) {
        *added = s->sql.sqlite3_changes(s->db) > 0;
        job->id = *added ? s->sql.sqlite3_last_insert_rowid(s->db) : 0;
    }
    return st;
}

/* Ends a change that the caller made outside a transaction. The change is a
 * transaction of its own, so that no text is left without its job. */
static enum status end_own(struct jobdb *s, enum status st, struct error *err)
{
    if (st == STATUS_OK)
        return jobdb_commit(s, err);
    s->open = false;
    (void)exec(s, "ROLLBACK", "", NULL);
    return st;
}

enum status jobdb_add(struct jobdb *s, struct jobdb_job *job, bool *added,
                      struct error *err)
{
    bool own = !s->open, is_new = false;
    enum status st = own ? jobdb_begin(s, err) : STATUS_OK;
    if (st != STATUS_OK)
        return st;
    st = add(s, job, &is_new, err);
    if (added)
        *added = is_new;
    return own ? end_own(s, st, err) : st;
}

static size_t pack_vector(const float *values, size_t n,
                          struct jobdb_place *places)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (values[i] != 0 && used < n / 3)
            places[used++] = (struct jobdb_place){(uint32_t)i, values[i]};
        else if (values[i] != 0)
            return 0;
    }
    return used;
}

static enum status put_vector(struct jobdb *s, int64_t text,
                              const char *embedding, const float *values,
                              size_t n, struct error *err)
{
    sqlite3_stmt *stmt;
    enum status st =
        jobdb_prepare(s,
                      "INSERT OR REPLACE INTO vectors(text, embedding, n, data)"
                      " VALUES(?,?,?,?)",
                      &stmt, err);
    if (st != STATUS_OK)
        return st;
    struct jobdb_place *places = mem_alloc((n / 3 + 1) * sizeof *places);
    size_t used = pack_vector(values, n, places);
    const void *data = used ? (const void *)places : values;
    size_t bytes = used ? used * sizeof *places : n * sizeof *values;
    s->sql.sqlite3_bind_int64(stmt, 1, text);
    jobdb_bind_text(s, stmt, 2, text_from(embedding));
    s->sql.sqlite3_bind_int64(stmt, 3, (int64_t)n);
    s->sql.sqlite3_bind_blob64(stmt, 4, data, bytes, SQLITE_STATIC);
    st = run(s, stmt, NULL, err);
    s->sql.sqlite3_finalize(stmt);
    free(places);
    return st;
}

enum status jobdb_put_vector(struct jobdb *s, struct text metadata,
                             const char *embedding, const float *values,
                             size_t n, struct error *err)
{
    int64_t text = 0;
    bool own = !s->open;
    enum status st = own ? jobdb_begin(s, err) : STATUS_OK;
    if (st != STATUS_OK)
        return st;
    st = text_number(s, metadata, &text, err);
    if (st == STATUS_OK)
        st = put_vector(s, text, embedding, values, n, err);
    return own ? end_own(s, st, err) : st;
}

enum status jobdb_count(struct jobdb *s, uint64_t *jobs, struct error *err)
{
    int64_t n = 0;
    enum status st = pragma(s, "SELECT count(*) FROM jobs", &n, err);
    *jobs = (uint64_t)n;
    return st;
}
