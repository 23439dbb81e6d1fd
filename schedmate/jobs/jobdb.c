/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens and closes a job database, makes its tables, and begins and ends
 * transactions. SQLite is loaded when a database is opened, so that a
 * simulation without a database does not load it. The journal is a rollback
 * journal and not a write-ahead log, so that the database stays one file that
 * can be copied. */
#include "schedmate/jobs/jobdb_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

enum {
    VERSION = 2,
    APPLICATION = 0x73636864, /* the letters "schd" */
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

enum status jobdb_exec(struct jobdb *s, const char *sql, const char *what,
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

enum status jobdb_number(struct jobdb *s, const char *sql, int64_t *out,
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
static enum status make_tables(struct jobdb *s, struct error *err)
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
        st = jobdb_exec(s, schema, "cannot make the history's tables", err);
    if (st == STATUS_OK && application == APPLICATION && version == 1)
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
    if (st == STATUS_OK && application != APPLICATION)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: is not a job history of schedsim; name another "
                         "file with --history",
                         s->path);
    if (st == STATUS_OK && version != VERSION)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: is a job history of version %" PRId64
                         "; this program reads version %d",
                         s->path, version, VERSION);
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

static enum status open_file(struct jobdb *s, bool create, struct error *err)
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
    if (st == STATUS_OK &&
        (application == 0 || (application == APPLICATION && version == 1)))
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
        jobdb_exec(s, "BEGIN IMMEDIATE", "cannot write the history", err);
    s->open = st == STATUS_OK;
    return st;
}

enum status jobdb_commit(struct jobdb *s, struct error *err)
{
    s->open = false;
    return jobdb_exec(s, "COMMIT", "cannot write the history", err);
}
