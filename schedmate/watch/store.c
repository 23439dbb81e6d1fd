/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the state and makes its tables. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "schedmate/watch/store_internal.h"

enum {
    STORE_VERSION = 1,
    STORE_APPLICATION = 0x73636877 /* the letters "schw" */
};

/* The columns follow the order in which numbers_of_job and store_put_file
 * (store_rows.c) give their numbers. */
static const char store_schema[] =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE job(id TEXT PRIMARY KEY, facts TEXT NOT NULL, phase INTEGER,"
    " scheduled INTEGER, over INTEGER, seen_us INTEGER, grown_us INTEGER,"
    " progressed_us INTEGER, judged_us INTEGER, measured_us INTEGER,"
    " over_us INTEGER, gap_us INTEGER, longest_us INTEGER, progress INTEGER,"
    " read_at INTEGER, again INTEGER, gpu_samples INTEGER,"
    " mem_samples INTEGER, step_s REAL, candidate_s REAL, step REAL,"
    " steps REAL, util_sum REAL, util_max REAL, mem_sum REAL, mem_max REAL);"
    "CREATE TABLE file(path TEXT PRIMARY KEY, job TEXT NOT NULL, dev INTEGER,"
    " inode INTEGER, offset INTEGER, size INTEGER, mtime_us INTEGER,"
    " head INTEGER, head_len INTEGER, context0 INTEGER, context1 INTEGER,"
    " skip INTEGER, lines INTEGER, hash INTEGER, suspects INTEGER,"
    " progress INTEGER, uid INTEGER);"
    "CREATE TABLE line(number INTEGER PRIMARY KEY, text TEXT NOT NULL);"
    "INSERT INTO meta VALUES('id', lower(hex(randomblob(8))));"
    "INSERT INTO meta VALUES('told', 0);"
    "INSERT INTO meta VALUES('made', CAST(strftime('%s', 'now') AS INTEGER));"
    "PRAGMA application_id = 1935894647; PRAGMA user_version = 1;";
_Static_assert(STORE_APPLICATION == 1935894647, "as in the schema");

enum status store_failed(const struct store *s, const char *what,
                         struct error *err)
{
    int code = s->sql.sqlite3_extended_errcode(s->db) & 0xff;
    bool bad = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
    if (code == SQLITE_BUSY)
        return error_set(
            err, STATUS_FAILED,
            "%s: another program uses this state; name another file with "
            "--state-file",
            s->path);
    return error_set(err, bad ? STATUS_BAD_INPUT : STATUS_FAILED, "%s: %s: %s",
                     s->path, what, s->sql.sqlite3_errmsg(s->db));
}

static enum status store_execute(struct store *s, const char *sql,
                                 struct error *err)
{
    if (s->sql.sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return store_failed(s, "cannot write the state", err);
    return STATUS_OK;
}

enum status store_prepare(struct store *s, const char *sql, sqlite3_stmt **out,
                          struct error *err)
{
    if (s->sql.sqlite3_prepare_v2(s->db, sql, -1, out, NULL) != SQLITE_OK)
        return store_failed(s, "cannot read the state", err);
    return STATUS_OK;
}

enum status store_number(struct store *s, const char *sql, int64_t *out,
                         struct error *err)
{
    sqlite3_stmt *stmt;
    enum status st = store_prepare(s, sql, &stmt, err);
    if (st != STATUS_OK)
        return st;
    int code = s->sql.sqlite3_step(stmt);
    if (code == SQLITE_ROW)
        *out = s->sql.sqlite3_column_int64(stmt, 0);
    else if (code != SQLITE_DONE)
        st = store_failed(s, "cannot read the state", err);
    s->sql.sqlite3_finalize(stmt);
    return st;
}

/* Locks the state, because only one program may use it, and makes its tables if
 * it is new. Refuses a file that is not a state of this version. SQLite's lock,
 * which the system drops when a program is killed, is taken by the first
 * transaction and kept. */
static enum status store_make_tables(struct store *s, struct error *err)
{
    int64_t application = 0, version = 0, tables = 0;
    enum status st = store_execute(s,
                                   "PRAGMA locking_mode = EXCLUSIVE;"
                                   "PRAGMA journal_mode = WAL;"
                                   "PRAGMA synchronous = FULL;"
                                   "BEGIN IMMEDIATE",
                                   err);
    if (st == STATUS_OK)
        st = store_number(s, "PRAGMA application_id", &application, err);
    if (st == STATUS_OK)
        st = store_number(s, "PRAGMA user_version", &version, err);
    if (st == STATUS_OK)
        st =
            store_number(s, "SELECT count(*) FROM sqlite_master", &tables, err);
    if (st != STATUS_OK)
        return st;
    if (application == 0 && tables == 0)
        st = store_execute(s, store_schema, err);
    else if (application != STORE_APPLICATION)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: is not a state file of schedsim mate watch; name "
                         "another file with --set state-file",
                         s->path);
    else if (version != STORE_VERSION)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: is a state file of version %" PRId64
                         "; this program uses version %d",
                         s->path, version, STORE_VERSION);
    return st == STATUS_OK ? store_execute(s, "COMMIT", err) : st;
}

static enum status read_meta(struct store *s, struct error *err)
{
    sqlite3_stmt *stmt;
    enum status st = store_number(
        s, "SELECT value FROM meta WHERE key = 'told'", &s->told, err);
    if (st == STATUS_OK)
        st = store_number(
            s,
            "SELECT max(value, coalesce((SELECT max(number) FROM line), 0))"
            " FROM meta WHERE key = 'told'",
            &s->last, err);
    if (st == STATUS_OK)
        st = store_number(s, "SELECT value FROM meta WHERE key = 'made'",
                          &s->made, err);
    if (st == STATUS_OK)
        st = store_prepare(s, "SELECT value FROM meta WHERE key = 'id'", &stmt,
                           err);
    if (st != STATUS_OK)
        return st;
    const char *id = NULL;
    if (s->sql.sqlite3_step(stmt) == SQLITE_ROW)
        id = (const char *)s->sql.sqlite3_column_text(stmt, 0);
    if (id && strlen(id) == sizeof s->id - 1)
        memcpy(s->id, id, sizeof s->id);
    else
        st = error_set(err, STATUS_BAD_INPUT, "%s: the state has no id",
                       s->path);
    s->sql.sqlite3_finalize(stmt);
    return st;
}

static enum status store_open_state(struct store *s, struct error *err)
{
    enum status st = sqlite_load(&s->sql, err);
    if (st != STATUS_OK)
        return st;
    int fd = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return error_set(err, STATUS_FAILED, "%s: cannot open the state: %s",
                         s->path, strerror(errno));
    close(fd);
    int code =
        s->sql.sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE, NULL);
    if (code != SQLITE_OK)
        return error_set(err, STATUS_FAILED, "%s: cannot open the state: %s",
                         s->path, s->sql.sqlite3_errstr(code));
    st = store_make_tables(s, err);
    return st == STATUS_OK ? read_meta(s, err) : st;
}

enum status store_open(const char *path, struct store **out, struct error *err)
{
    size_t len = strlen(path) + 1;
    struct store *s = mem_zalloc(1, sizeof *s + len);
    memcpy(s->path, path, len);
    enum status st = store_open_state(s, err);
    if (st != STATUS_OK) {
        store_close(s);
        s = NULL;
    }
    *out = s;
    return st;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < N_STORE_STATEMENTS && s->db; i++)
        s->sql.sqlite3_finalize(s->prepared[i]);
    if (s->db)
        s->sql.sqlite3_close_v2(s->db);
    free(s);
}

const char *store_id(const struct store *s)
{
    return s->id;
}

sim_time store_made(const struct store *s)
{
    return s->made * SPAN_SECOND;
}

int64_t store_told(const struct store *s)
{
    return s->told;
}

int64_t store_last(const struct store *s)
{
    return s->last;
}

enum status store_begin(struct store *s, struct error *err)
{
    return store_execute(s, "BEGIN IMMEDIATE", err);
}

enum status store_commit(struct store *s, struct error *err)
{
    return store_execute(s, "COMMIT", err);
}
