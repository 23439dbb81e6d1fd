/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads SQLite when the first database is opened, because simulations use no
 * database. The code is in library.c. */
#ifndef SIM_BASE_SQLITE_LAZY_H
#define SIM_BASE_SQLITE_LAZY_H

#include <schedsim_features.h>
#ifdef SCHEDSIM_WITHOUT_SQLITE
#include "base/absent/sqlite_absent.h"
#else
#include <sqlite3.h>
#endif

#include "base/error.h"

/* The functions of SQLite that schedsim uses. The members of struct sqlite and
 * the names to look up are made from this one list. */
#define SQLITE_FUNCTIONS(X) \
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
    SQLITE_FUNCTIONS(SQLITE_MEMBER)
#undef SQLITE_MEMBER
};

/* Returns STATUS_FAILED if SQLite is not installed, lacks one of the functions,
 * or was left out of the build. A second call is cheap. */
enum status sqlite_load(struct sqlite *out, struct error *err) MUST_USE;

#endif
