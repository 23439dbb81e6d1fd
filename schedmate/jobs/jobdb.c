/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens and closes a job database, makes its tables, and begins and ends
 * transactions. SQLite is loaded when a database is opened, so that a
 * simulation without a database does not load it. The journal is a rollback
 * journal and not a write-ahead log, so that the database stays one file that
 * can be copied. */
#include "schedmate/jobs/jobdb.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/sqlite_lazy.h"

/* Statements that adding a job runs. They are compiled at their first use and
 * kept, because a trace adds many jobs. */
enum { ADD_JOB, FILL_JOB, ADD_TEXT, FIND_TEXT, N_STATEMENTS };

struct jobdb {
    struct sqlite sql;
    sqlite3 *db;
    sqlite3_stmt *prepared[N_STATEMENTS];
    bool open;     /* true inside a transaction */
    float *values; /* buffer for the vector that is being read; owned */
    size_t cap_values;
    char path[];
};

/* One value of a vector and its index. Most values of a hashed vector are zero.
 * If some are not, but at most a third, the vector is stored as these pairs,
 * which take fewer bytes than all its values. The number of bytes tells the two
 * forms apart. */
struct jobdb_place {
    uint32_t at;
    float value;
};

enum {
    JOBDB_VERSION = 2,
    JOBDB_APPLICATION = 0x73636864, /* the letters "schd" */
    BUSY_MS = 60000,
};

static const char jobdb_schema[] =
    "CREATE TABLE texts("
    " id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
    "CREATE TABLE jobs("
    " id INTEGER PRIMARY KEY, source TEXT NOT NULL, source_id TEXT,"
    " user TEXT NOT NULL, workdir TEXT NOT NULL, command TEXT NOT NULL,"
    " branch TEXT NOT NULL, name TEXT NOT NULL, vc TEXT NOT NULL,"
    " gpu_type TEXT NOT NULL, text INTEGER REFERENCES texts(id),"
    " end TEXT NOT NULL, submitted_us INTEGER, duration_us INTEGER NOT NULL,"
    " gpus INTEGER NOT NULL, gpu_util REAL, mem_mib REAL,"
    " state TEXT NOT NULL DEFAULT '', exit_code TEXT NOT NULL DEFAULT '',"
    " hosts TEXT NOT NULL DEFAULT '', failure TEXT NOT NULL DEFAULT '',"
    " UNIQUE(source, source_id));"
    "CREATE INDEX jobs_match ON jobs(user, workdir, command, branch);"
    "CREATE INDEX jobs_text ON jobs(text);"
    "CREATE TABLE vectors("
    " text INTEGER NOT NULL REFERENCES texts(id), embedding TEXT NOT NULL,"
    " n INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(text, embedding))"
    " WITHOUT ROWID;"
    "PRAGMA application_id = 1935894628; PRAGMA user_version = 2;";

/* Statements that convert a database of version 1 to version 2. */
static const char from_version_1[] =
    "ALTER TABLE jobs ADD COLUMN state TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE jobs ADD COLUMN exit_code TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE jobs ADD COLUMN hosts TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE jobs ADD COLUMN failure TEXT NOT NULL DEFAULT '';"
    "PRAGMA user_version = 2;";

_Static_assert(JOBDB_APPLICATION == 1935894628, "as in the schema");

/* Sets an error: the path of the database, `what`, and SQLite's message about
 * the last call. Returns STATUS_BAD_INPUT if the file is no SQLite database or
 * is damaged, otherwise STATUS_FAILED. */
static enum status jobdb_failed(const struct jobdb *s, const char *what,
                                struct error *err)
{
    int code = s->sql.sqlite3_extended_errcode(s->db) & 0xff;
    return error_set(err,
                     code == SQLITE_NOTADB || code == SQLITE_CORRUPT
                         ? STATUS_BAD_INPUT
                         : STATUS_FAILED,
                     "%s: %s: %s", s->path, what, s->sql.sqlite3_errmsg(s->db));
}

/* Runs statements that return no rows; `what` says in an error what could not
 * be done. */
static enum status jobdb_exec(struct jobdb *s, const char *sql,
                              const char *what, struct error *err)
{
    if (s->sql.sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return jobdb_failed(s, what, err);
    return STATUS_OK;
}

static enum status jobdb_prepare(struct jobdb *s, const char *sql,
                                 sqlite3_stmt **out, struct error *err)
{
    if (s->sql.sqlite3_prepare_v2(s->db, sql, -1, out, NULL) != SQLITE_OK)
        return jobdb_failed(s, "cannot read the history", err);
    return STATUS_OK;
}

/* Reads the one number that a query or a pragma returns. It is an error if
 * there is no row. */
static enum status jobdb_number(struct jobdb *s, const char *sql, int64_t *out,
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

/* Makes the tables in an empty file, or adds the columns that a database of
 * version 1 lacks. If two programs open the file at the same time, the first to
 * lock it does this, and the second finds it done. */
static enum status jobdb_make_tables(struct jobdb *s, struct error *err)
{
    int64_t application = 0, version = 0, tables = 0;
    enum status st =
        jobdb_exec(s, "BEGIN IMMEDIATE", "cannot write the history", err);
    if (st != STATUS_OK)
        return st;
    st = jobdb_number(s, "PRAGMA application_id", &application, err);
    if (st == STATUS_OK)
        st = jobdb_number(s, "PRAGMA user_version", &version, err);
    if (st == STATUS_OK)
        st =
            jobdb_number(s, "SELECT count(*) FROM sqlite_master", &tables, err);
    if (st == STATUS_OK && application == 0 && tables == 0)
        st = jobdb_exec(s, jobdb_schema, "cannot make the history's tables",
                        err);
    if (st == STATUS_OK && application == JOBDB_APPLICATION && version == 1)
        st = jobdb_exec(s, from_version_1, "cannot extend the history's tables",
                        err);
    if (st == STATUS_OK)
        return jobdb_exec(s, "COMMIT", "cannot write the history", err);
    (void)jobdb_exec(s, "ROLLBACK", "", NULL);
    return st;
}

static enum status check_tables(struct jobdb *s, struct error *err)
{
    int64_t application = 0, version = 0;
    enum status st =
        jobdb_number(s, "PRAGMA application_id", &application, err);
    if (st == STATUS_OK)
        st = jobdb_number(s, "PRAGMA user_version", &version, err);
    if (st == STATUS_OK && application != JOBDB_APPLICATION)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: is not a job history of schedsim; name another "
                         "file with --history",
                         s->path);
    if (st == STATUS_OK && version != JOBDB_VERSION)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: is a job history of version %" PRId64
                         "; this program reads version %d",
                         s->path, version, JOBDB_VERSION);
    return st;
}

/* Creates the file, if it does not exist, with permissions for its owner only,
 * because commands may hold passwords. SQLite would let others read it if the
 * umask allows that. SQLite gives the journal the permissions of the file. */
static enum status make_file(const struct jobdb *s, struct error *err)
{
    int fd = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return error_set(err, STATUS_FAILED, "%s: cannot open the history: %s",
                         s->path, strerror(errno));
    close(fd);
    return STATUS_OK;
}

static enum status jobdb_open_file(struct jobdb *s, bool create,
                                   struct error *err)
{
    int64_t application = 0, version = 0;
    enum status st = sqlite_load(&s->sql, err);
    if (st == STATUS_OK && create && strcmp(s->path, JOBDB_MEMORY) != 0)
        st = make_file(s, err);
    if (st != STATUS_OK)
        return st;
    int code =
        s->sql.sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE, NULL);
    if (code != SQLITE_OK)
        return error_set(err, STATUS_FAILED, "%s: cannot open the history: %s",
                         s->path, s->sql.sqlite3_errstr(code));
    s->sql.sqlite3_busy_timeout(s->db, BUSY_MS);
    st = jobdb_number(s, "PRAGMA application_id", &application, err);
    if (st == STATUS_OK)
        st = jobdb_number(s, "PRAGMA user_version", &version, err);
    /* An `application` of 0 may mean an empty file: a new one, or one whose
     * creator was killed before it had made the tables, because SQLite then
     * rolls the changes back. */
    if (st == STATUS_OK && (application == 0 ||
                            (application == JOBDB_APPLICATION && version == 1)))
        st = jobdb_make_tables(s, err);
    return st == STATUS_OK ? check_tables(s, err) : st;
}

enum status jobdb_open(const char *path, bool create, struct jobdb **out,
                       struct error *err)
{
    size_t len = strlen(path) + 1;
    struct jobdb *s = mem_zalloc(1, sizeof *s + len);
    memcpy(s->path, path, len);
    enum status st = jobdb_open_file(s, create, err);
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
        jobdb_exec(s, "BEGIN IMMEDIATE", "cannot write the history", err);
    s->open = st == STATUS_OK;
    return st;
}

enum status jobdb_commit(struct jobdb *s, struct error *err)
{
    s->open = false;
    return jobdb_exec(s, "COMMIT", "cannot write the history", err);
}

/* Adds jobs, metadata texts and vectors. */

static const char insert_job[] =
    "INSERT INTO jobs(source, source_id, user, workdir, command,"
    " branch, name, vc, gpu_type, end, text, submitted_us,"
    " duration_us, gpus, gpu_util, mem_mib, state, exit_code, hosts, failure)"
    " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
    " ON CONFLICT(source, source_id) DO NOTHING";

/* Fills in what was unknown of a job that the table already has. The parameters
 * are those of insert_job; ?13, the duration, is not used, because it is always
 * known. */
static const char fill_job[] =
    "UPDATE jobs SET user = iif(user = '', ?3, user),"
    " workdir = iif(workdir = '', ?4, workdir),"
    " command = iif(command = '', ?5, command),"
    " branch = iif(branch = '', ?6, branch),"
    " name = iif(name = '', ?7, name), vc = iif(vc = '', ?8, vc),"
    " gpu_type = iif(gpu_type = '', ?9, gpu_type),"
    " end = iif(end = 'unknown', ?10, end), text = coalesce(text, ?11),"
    " submitted_us = coalesce(submitted_us, ?12),"
    " gpus = iif(gpus = 0, ?14, gpus),"
    " gpu_util = coalesce(gpu_util, ?15), mem_mib = coalesce(mem_mib, ?16),"
    " state = iif(state = '', ?17, state),"
    " exit_code = iif(exit_code = '', ?18, exit_code),"
    " hosts = iif(hosts = '', ?19, hosts),"
    " failure = iif(failure = '', ?20, failure)"
    " WHERE source = ?1 AND source_id = ?2";

static const char insert_vector[] =
    "INSERT OR REPLACE INTO vectors(text, embedding, n, data)"
    " VALUES(?,?,?,?)";

static void jobdb_bind_text(struct jobdb *s, sqlite3_stmt *stmt, int at,
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

/* Sets *out to statement number `which`, which is compiled at its first use and
 * kept in `s`. */
static enum status jobdb_kept(struct jobdb *s, int which, const char *sql,
                              sqlite3_stmt **out, struct error *err)
{
    enum status st = STATUS_OK;
    if (!s->prepared[which])
        st = jobdb_prepare(s, sql, &s->prepared[which], err);
    *out = s->prepared[which];
    return st;
}

/* Runs a statement that returns at most one row, and resets it. Stores the
 * first column of the row in *row; without a row, *row keeps its value. `row`
 * is NULL for a statement that returns none. */
static enum status jobdb_run(struct jobdb *s, sqlite3_stmt *stmt, int64_t *row,
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

/* Sets *out to the id of a metadata text, and adds the text if it is new. */
static enum status text_number(struct jobdb *s, struct text metadata,
                               int64_t *out, struct error *err)
{
    sqlite3_stmt *stmt;
    enum status st = jobdb_kept(
        s, ADD_TEXT, "INSERT OR IGNORE INTO texts(text) VALUES(?)", &stmt, err);
    if (st != STATUS_OK)
        return st;
    jobdb_bind_text(s, stmt, 1, metadata);
    st = jobdb_run(s, stmt, NULL, err);
    if (st == STATUS_OK)
        st = jobdb_kept(s, FIND_TEXT, "SELECT id FROM texts WHERE text = ?",
                        &stmt, err);
    if (st != STATUS_OK)
        return st;
    jobdb_bind_text(s, stmt, 1, metadata);
    return jobdb_run(s, stmt, out, err);
}

static void bind_job(struct jobdb *s, sqlite3_stmt *stmt,
                     const struct jobdb_job *job, int64_t text)
{
    const struct text texts[] = {
        job->source, job->source_id, job->user, job->workdir,  job->command,
        job->branch, job->name,      job->vc,   job->gpu_type, job->end};
    int at = 1;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++, at++) {
        /* An empty source_id is stored as NULL, because SQLite treats no two
         * NULLs as equal: jobs without an id are never duplicates of each
         * other. */
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
    bind_figure(s, stmt, at++, job->mem_mib);
    jobdb_bind_text(s, stmt, at++, job->state);
    jobdb_bind_text(s, stmt, at++, job->exit_code);
    jobdb_bind_text(s, stmt, at++, job->hosts);
    jobdb_bind_text(s, stmt, at, job->failure);
}

static enum status jobdb_add_one(struct jobdb *s, struct jobdb_job *job,
                                 bool *added, struct error *err)
{
    sqlite3_stmt *stmt;
    int64_t text = 0;
    enum status st = STATUS_OK;
    if (job->metadata.len)
        st = text_number(s, job->metadata, &text, err);
    if (st == STATUS_OK)
        st = jobdb_kept(s, ADD_JOB, insert_job, &stmt, err);
    if (st != STATUS_OK)
        return st;
    bind_job(s, stmt, job, text);
    st = jobdb_run(s, stmt, NULL, err);
    if (st == STATUS_OK) {
        *added = s->sql.sqlite3_changes(s->db) > 0;
        job->id = *added ? s->sql.sqlite3_last_insert_rowid(s->db) : 0;
    }
    if (st != STATUS_OK || *added)
        return st;
    st = jobdb_kept(s, FILL_JOB, fill_job, &stmt, err);
    if (st != STATUS_OK)
        return st;
    bind_job(s, stmt, job, text);
    return jobdb_run(s, stmt, NULL, err);
}

/* Ends the transaction that a change began because the caller had begun none:
 * commits it, or rolls it back if `st` is an error. Returns `st` or the error
 * of the commit. Every change is in a transaction, so that no metadata text is
 * stored without its job or vector. */
static enum status end_own(struct jobdb *s, enum status st, struct error *err)
{
    if (st == STATUS_OK)
        return jobdb_commit(s, err);
    s->open = false;
    (void)jobdb_exec(s, "ROLLBACK", "", NULL);
    return st;
}

enum status jobdb_add(struct jobdb *s, struct jobdb_job *job, bool *added,
                      struct error *err)
{
    bool own = !s->open, is_new = false;
    enum status st = own ? jobdb_begin(s, err) : STATUS_OK;
    if (st != STATUS_OK)
        return st;
    st = jobdb_add_one(s, job, &is_new, err);
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
    enum status st = jobdb_prepare(s, insert_vector, &stmt, err);
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
    st = jobdb_run(s, stmt, NULL, err);
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

/* Reads jobs, metadata texts and vectors. */

#define JOBDB_JOB_COLUMNS \
    "SELECT j.id, source, source_id, user, workdir, command, branch, name, " \
    "vc, gpu_type, t.text, end, submitted_us, duration_us, gpus, gpu_util, " \
    "mem_mib, state, exit_code, hosts, failure FROM jobs j LEFT JOIN texts t " \
    "ON t.id = j.text "

#define NEWEST_FIRST " ORDER BY submitted_us DESC NULLS LAST, j.id DESC"

/* An empty text of the filter (?1 to ?4) matches any job, unless ?5 is true. */
static const char jobdb_select_jobs[] = JOBDB_JOB_COLUMNS
    "WHERE (?1 = '' AND NOT ?5 OR user = ?1)"
    " AND (?2 = '' AND NOT ?5 OR workdir = ?2)"
    " AND (?3 = '' AND NOT ?5 OR command = ?3)"
    " AND (?4 = '' AND NOT ?5 OR branch = ?4)" NEWEST_FIRST " LIMIT ?6";

/* Selects the jobs for ?5 = true, in a form for which SQLite uses the index
 * jobs_match. */
static const char select_exactly[] = JOBDB_JOB_COLUMNS
    "WHERE user = ?1 AND workdir = ?2 AND command = ?3 AND branch = ?4"
    " AND ?5" NEWEST_FIRST " LIMIT ?6";

static const char select_of_text[] =
    JOBDB_JOB_COLUMNS "WHERE j.text = ?" NEWEST_FIRST;

static const char select_texts[] =
    "SELECT t.id, t.text, v.n, v.data,"
    " (SELECT count(*) FROM jobs j"
    "  WHERE j.text = t.id AND j.end = 'completed')"
    " FROM texts t LEFT JOIN vectors v"
    " ON v.text = t.id AND v.embedding = ? ORDER BY t.id";

static struct text column_text(struct jobdb *s, sqlite3_stmt *stmt, int at)
{
    const char *text = (const char *)s->sql.sqlite3_column_text(stmt, at);
    return (struct text){text ? text : "",
                         (size_t)s->sql.sqlite3_column_bytes(stmt, at)};
}

static double column_figure(struct jobdb *s, sqlite3_stmt *stmt, int at)
{
    return s->sql.sqlite3_column_type(stmt, at) == SQLITE_NULL
               ? -1
               : s->sql.sqlite3_column_double(stmt, at);
}

static struct jobdb_job column_job(struct jobdb *s, sqlite3_stmt *stmt)
{
    struct jobdb_job job = {.id = s->sql.sqlite3_column_int64(stmt, 0)};
    struct text *const texts[] = {&job.source,   &job.source_id, &job.user,
                                  &job.workdir,  &job.command,   &job.branch,
                                  &job.name,     &job.vc,        &job.gpu_type,
                                  &job.metadata, &job.end};
    int at = 1;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = column_text(s, stmt, at++);
    job.submitted = s->sql.sqlite3_column_type(stmt, at) == SQLITE_NULL
                        ? JOBDB_NO_TIME
                        : s->sql.sqlite3_column_int64(stmt, at);
    job.duration = s->sql.sqlite3_column_int64(stmt, at + 1);
    job.gpus = (uint32_t)s->sql.sqlite3_column_int64(stmt, at + 2);
    job.gpu_util = column_figure(s, stmt, at + 3);
    job.mem_mib = column_figure(s, stmt, at + 4);
    job.state = column_text(s, stmt, at + 5);
    job.exit_code = column_text(s, stmt, at + 6);
    job.hosts = column_text(s, stmt, at + 7);
    job.failure = column_text(s, stmt, at + 8);
    return job;
}

static enum status visit_all(struct jobdb *s, sqlite3_stmt *stmt,
                             jobdb_visit *visit, void *self, struct error *err)
{
    int code;
    while ((code = s->sql.sqlite3_step(stmt)) == SQLITE_ROW) {
        struct jobdb_job job = column_job(s, stmt);
        if (!visit(self, &job))
            break;
    }
    enum status st = code == SQLITE_ROW || code == SQLITE_DONE
                         ? STATUS_OK
                         : jobdb_failed(s, "cannot read the history", err);
    s->sql.sqlite3_finalize(stmt);
    return st;
}

enum status jobdb_each(struct jobdb *s, const struct jobdb_filter *filter,
                       jobdb_visit *visit, void *self, struct error *err)
{
    const struct text texts[] = {filter->user, filter->workdir, filter->command,
                                 filter->branch};
    sqlite3_stmt *stmt;
    enum status st = jobdb_prepare(
        s, filter->exactly ? select_exactly : jobdb_select_jobs, &stmt, err);
    if (st != STATUS_OK)
        return st;
    for (int i = 0; i < 4; i++)
        jobdb_bind_text(s, stmt, i + 1, texts[i]);
    s->sql.sqlite3_bind_int64(stmt, 5, filter->exactly);
    s->sql.sqlite3_bind_int64(
        stmt, 6, filter->limit ? (int64_t)filter->limit : INT64_MAX);
    return visit_all(s, stmt, visit, self, err);
}

/* Reads a vector, its length from column `at` and its data from the next one,
 * into s->values and returns that. Returns NULL if there is no vector, or if
 * its length or an index is out of range. */
static const float *column_vector(struct jobdb *s, sqlite3_stmt *stmt, int at,
                                  size_t *n)
{
    int64_t count = s->sql.sqlite3_column_int64(stmt, at);
    const char *data = s->sql.sqlite3_column_blob(stmt, at + 1);
    size_t bytes = (size_t)s->sql.sqlite3_column_bytes(stmt, at + 1);
    if (!data || count <= 0 || count > JOBDB_VECTOR_MAX)
        return NULL;
    *n = (size_t)count;
    s->values = mem_grow(s->values, &s->cap_values, *n, sizeof *s->values);
    if (bytes == *n * sizeof *s->values) {
        memcpy(s->values, data, bytes);
        return s->values;
    }
    memset(s->values, 0, *n * sizeof *s->values);
    for (size_t i = 0; i + sizeof(struct jobdb_place) <= bytes;
         i += sizeof(struct jobdb_place)) {
        struct jobdb_place place;
        memcpy(&place, data + i, sizeof place);
        if (place.at >= *n)
            return NULL;
        s->values[place.at] = place.value;
    }
    return s->values;
}

enum status jobdb_each_text(struct jobdb *s, const char *embedding,
                            jobdb_visit_text *visit, void *self,
                            struct error *err)
{
    sqlite3_stmt *stmt;
    int code = SQLITE_DONE;
    enum status st = jobdb_prepare(s, select_texts, &stmt, err);
    if (st != STATUS_OK)
        return st;
    jobdb_bind_text(s, stmt, 1, text_from(embedding));
    while (st == STATUS_OK &&
           (code = s->sql.sqlite3_step(stmt)) == SQLITE_ROW) {
        size_t n;
        const float *values = column_vector(s, stmt, 2, &n);
        st = visit(self, s->sql.sqlite3_column_int64(stmt, 0),
                   column_text(s, stmt, 1),
                   (uint64_t)s->sql.sqlite3_column_int64(stmt, 4), values,
                   values ? n : 0, err);
    }
    if (st == STATUS_OK && code != SQLITE_DONE)
        st = jobdb_failed(s, "cannot read the history", err);
    s->sql.sqlite3_finalize(stmt);
    return st;
}

enum status jobdb_each_of_text(struct jobdb *s, int64_t text_id,
                               jobdb_visit *visit, void *self,
                               struct error *err)
{
    sqlite3_stmt *stmt;
    enum status st = jobdb_prepare(s, select_of_text, &stmt, err);
    if (st != STATUS_OK)
        return st;
    s->sql.sqlite3_bind_int64(stmt, 1, text_id);
    return visit_all(s, stmt, visit, self, err);
}

enum status jobdb_count(struct jobdb *s, uint64_t *jobs, struct error *err)
{
    int64_t n = 0;
    enum status st = jobdb_number(s, "SELECT count(*) FROM jobs", &n, err);
    *jobs = (uint64_t)n;
    return st;
}
