/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declares the part of SQLite that schedsim uses, so that a build without
 * SQLite compiles. */
#ifndef SIM_ABSENT_SQLITE_H
#define SIM_ABSENT_SQLITE_H

#include <stdint.h>

enum {
    SQLITE_OK = 0,
    SQLITE_BUSY = 5,
    SQLITE_CORRUPT = 11,
    SQLITE_NOTADB = 26,
    SQLITE_ROW = 100,
    SQLITE_DONE = 101,
    SQLITE_NULL = 5,
    SQLITE_UTF8 = 1,
    SQLITE_OPEN_READONLY = 1,
    SQLITE_OPEN_READWRITE = 2,
    SQLITE_OPEN_CREATE = 4,
};
#define SQLITE_STATIC ((void (*)(void *))0)

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef int64_t sqlite3_int64;
typedef uint64_t sqlite3_uint64;

int sqlite3_bind_blob64(sqlite3_stmt *s, int i, const void *at,
                        sqlite3_uint64 n, void (*free)(void *));
int sqlite3_bind_double(sqlite3_stmt *s, int i, double value);
int sqlite3_bind_int64(sqlite3_stmt *s, int i, sqlite3_int64 value);
int sqlite3_bind_null(sqlite3_stmt *s, int i);
int sqlite3_bind_text64(sqlite3_stmt *s, int i, const char *at,
                        sqlite3_uint64 n, void (*free)(void *),
                        unsigned char encoding);
int sqlite3_busy_timeout(sqlite3 *db, int ms);
int sqlite3_changes(sqlite3 *db);
int sqlite3_close_v2(sqlite3 *db);
const void *sqlite3_column_blob(sqlite3_stmt *s, int i);
int sqlite3_column_bytes(sqlite3_stmt *s, int i);
double sqlite3_column_double(sqlite3_stmt *s, int i);
sqlite3_int64 sqlite3_column_int64(sqlite3_stmt *s, int i);
const unsigned char *sqlite3_column_text(sqlite3_stmt *s, int i);
int sqlite3_column_type(sqlite3_stmt *s, int i);
const char *sqlite3_errmsg(sqlite3 *db);
const char *sqlite3_errstr(int code);
int sqlite3_exec(sqlite3 *db, const char *sql,
                 int (*row)(void *self, int n, char **values, char **names),
                 void *self, char **message);
int sqlite3_extended_errcode(sqlite3 *db);
int sqlite3_finalize(sqlite3_stmt *s);
sqlite3_int64 sqlite3_last_insert_rowid(sqlite3 *db);
int sqlite3_open_v2(const char *path, sqlite3 **out, int flags,
                    const char *vfs);
int sqlite3_prepare_v2(sqlite3 *db, const char *sql, int n, sqlite3_stmt **out,
                       const char **rest);
int sqlite3_reset(sqlite3_stmt *s);
int sqlite3_step(sqlite3_stmt *s);

#endif
