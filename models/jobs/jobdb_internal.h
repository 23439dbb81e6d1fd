/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a job database, for the three files that open it, write to it
 * and read it. */
#ifndef MODELS_JOBDB_INTERNAL_H
#define MODELS_JOBDB_INTERNAL_H

#include "models/jobs/jobdb.h"
#include "sim/base/sqlite_lazy.h"

/* Statements that run once for each job; they are compiled only once. */
enum { ADD_JOB, FILL_JOB, ADD_TEXT, FIND_TEXT, N_STATEMENTS };

struct jobdb {
    struct sqlite sql;
    sqlite3 *db;
    sqlite3_stmt *prepared[N_STATEMENTS];
    bool open;     /* true inside a transaction that the caller began */
    float *values; /* the vector that is being read; owned */
    size_t cap_values;
    char path[];
};

/* One value of a vector and its index. Most values of a hashed vector are zero,
 * so such a vector is stored as pairs, which take fewer bytes. The length of
 * the stored data tells the two forms apart. */
struct jobdb_place {
    uint32_t at;
    float value;
};

/* Sets an error: the path of the database, `what`, and SQLite's message about
 * the last call. */
enum status jobdb_failed(const struct jobdb *s, const char *what,
                         struct error *err);
/* Runs statements that return no rows; `what` begins the message of an
 * error. */
enum status jobdb_exec(struct jobdb *s, const char *sql, const char *what,
                       struct error *err);
enum status jobdb_prepare(struct jobdb *s, const char *sql, sqlite3_stmt **out,
                          struct error *err) MUST_USE;
/* Reads the one number that a query or a pragma returns. */
enum status jobdb_number(struct jobdb *s, const char *sql, int64_t *out,
                         struct error *err) MUST_USE;
void jobdb_bind_text(struct jobdb *s, sqlite3_stmt *stmt, int at,
                     struct text text);

#endif
