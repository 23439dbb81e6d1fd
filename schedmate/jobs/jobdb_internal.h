/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a job database, for the three files that open it, write to it
 * and read it. */
#ifndef MODELS_JOBDB_INTERNAL_H
#define MODELS_JOBDB_INTERNAL_H

#include "base/sqlite_lazy.h"
#include "schedmate/jobs/jobdb.h"

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

/* Sets an error: the path of the database, `what`, and SQLite's message about
 * the last call. Returns STATUS_BAD_INPUT if the file is no SQLite database or
 * is damaged, otherwise STATUS_FAILED. */
enum status jobdb_failed(const struct jobdb *s, const char *what,
                         struct error *err);
/* Runs statements that return no rows; `what` says in an error what could not
 * be done. */
enum status jobdb_exec(struct jobdb *s, const char *sql, const char *what,
                       struct error *err);
enum status jobdb_prepare(struct jobdb *s, const char *sql, sqlite3_stmt **out,
                          struct error *err) MUST_USE;
/* Reads the one number that a query or a pragma returns. It is an error if
 * there is no row. */
enum status jobdb_number(struct jobdb *s, const char *sql, int64_t *out,
                         struct error *err) MUST_USE;
void jobdb_bind_text(struct jobdb *s, sqlite3_stmt *stmt, int at,
                     struct text text);

#endif
