/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between store.c, which opens and writes a history, and store_read.c, which
 * reads it: the only files that know SQLite. */
#ifndef MODELS_STORE_SQL_H
#define MODELS_STORE_SQL_H

#include <sqlite3.h>

#include "models/store.h"

/* The functions used, in one list: declared, named and looked up from it. */
#define SQLITE(X) \
    X(sqlite3_bind_blob64) \
    X(sqlite3_bind_double) \
    X(sqlite3_bind_int64) \
    X(sqlite3_bind_null) \
    X(sqlite3_bind_text64) \
    X(sqlite3_busy_timeout) \
    X(sqlite3_changes) \
    X(sqlite3_close_v2) \
    X(sqlite3_column_blob) \
    X(sqlite3_column_bytes) \
    X(sqlite3_column_double) \
    X(sqlite3_column_int64) \
    X(sqlite3_column_text) \
    X(sqlite3_column_type) \
    X(sqlite3_errmsg) \
    X(sqlite3_errstr) \
    X(sqlite3_exec) \
    X(sqlite3_extended_errcode) \
    X(sqlite3_finalize) \
    X(sqlite3_last_insert_rowid) \
    X(sqlite3_open_v2) \
    X(sqlite3_prepare_v2) \
    X(sqlite3_reset) \
    X(sqlite3_step)

struct sqlite {
#define SQLITE_MEMBER(name) __typeof__(name) *name;
    SQLITE(SQLITE_MEMBER)
#undef SQLITE_MEMBER
};

/* The statements that are run once a job. */
enum { ADD_JOB, ADD_TEXT, FIND_TEXT, N_STATEMENTS };

struct store {
    struct sqlite sql;
    sqlite3 *db;
    sqlite3_stmt *prepared[N_STATEMENTS];
    bool open;     /* a transaction of the caller's */
    float *values; /* of the vector that is being read */
    size_t cap_values;
    char path[];
};

/* Most of a hashed vector is zero: then pairs of place and value are kept,
 * which are fewer bytes than the values and so cannot be taken for them. */
struct store_place {
    uint32_t at;
    float value;
};

/* What SQLite says of the last call, with the history's path in front. */
enum status store_failed(const struct store *store, const char *what,
                         struct error *err);
enum status store_prepare(struct store *store, const char *sql,
                          sqlite3_stmt **out, struct error *err) MUST_USE;
void store_bind_text(struct store *store, sqlite3_stmt *stmt, int at,
                     struct text text);

#endif
