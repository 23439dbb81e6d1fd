/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What store.c, which opens the state of the watch, and store_rows.c, which
 * reads and writes its rows, share. */
#ifndef SIM_WATCH_STORE_INTERNAL_H
#define SIM_WATCH_STORE_INTERNAL_H

#include "base/sqlite_lazy.h"
#include "schedmate/watch/watch_internal.h"

/* Statements, compiled at their first use. */
enum {
    PUT_JOB,
    PUT_FILE,
    DROP_JOB,
    DROP_FILE,
    ADD_LINE,
    SET_TOLD,
    DROP_LINES,
    N_STORE_STATEMENTS
};

struct store {
    struct sqlite sql;
    sqlite3 *db;
    sqlite3_stmt *prepared[N_STORE_STATEMENTS];
    char id[17];
    int64_t told, last;
    sim_time made;
    char path[];
};

enum status store_failed(const struct store *s, const char *what,
                         struct error *err);
enum status store_prepare(struct store *s, const char *sql, sqlite3_stmt **out,
                          struct error *err) MUST_USE;
/* Reads the number that a query returns; *out is unchanged if it returns no
 * row. */
enum status store_number(struct store *s, const char *sql, int64_t *out,
                         struct error *err) MUST_USE;

#endif
