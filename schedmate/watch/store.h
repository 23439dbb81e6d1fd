/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of the watch on disk: one SQLite database with a write-ahead log.
 * All changes of one look are one transaction: where each log was read to, what
 * is known of each job, and the lines that report the changes. So a change and
 * its line are durable together, and a program that is killed at any point
 * loses nothing and reports nothing twice (outbox.h describes what holds for
 * the reader of the lines). */
#ifndef SIM_WATCH_STORE_H
#define SIM_WATCH_STORE_H

#include "base/text.h"
#include "schedmate/watch/book.h"

struct store; /* opaque */

/* Opens the state; makes the file, readable by its owner only, if it does not
 * exist. STATUS_FAILED if another program uses it, it cannot be opened or
 * SQLite cannot be loaded, STATUS_BAD_INPUT if it is not the state of a watch,
 * or the state of another version. *out is NULL on an error. */
enum status store_open(const char *path, struct store **out,
                       struct error *err) MUST_USE;
void store_close(struct store *store); /* accepts NULL */

/* Returns 16 hexadecimal digits that name this state; each line carries
 * them. */
const char *store_id(const struct store *store);
/* Returns the time at which the state was made, microseconds since 1970, cut to
 * whole seconds. */
sim_time store_made(const struct store *store);
/* Returns the number of the last line that the state notes as written to the
 * output; 0: none. */
int64_t store_told(const struct store *store);
/* Returns the number of the last line that was ever added; 0: none. */
int64_t store_last(const struct store *store);

/* Adds all jobs and files of the state to the book. */
enum status store_read(struct store *store, struct book *book,
                       struct error *err) MUST_USE;

enum status store_begin(struct store *store, struct error *err) MUST_USE;
enum status store_commit(struct store *store, struct error *err) MUST_USE;
/* Each of the next four functions writes or removes one row. Call them inside a
 * transaction. */
enum status store_put_job(struct store *store, const struct watch_job *job,
                          struct error *err) MUST_USE;
enum status store_put_file(struct store *store, const struct watch_file *file,
                           struct error *err) MUST_USE;
enum status store_drop_job(struct store *store, const char *id,
                           struct error *err) MUST_USE;
enum status store_drop_file(struct store *store, const char *path,
                            struct error *err) MUST_USE;
/* Adds a line, whose number is store_last() + 1. Call it inside a
 * transaction. */
enum status store_add_line(struct store *store, struct text line,
                           struct error *err) MUST_USE;
/* Notes that all lines up to this one were written to the output, and removes
 * them. Call it inside a transaction. */
enum status store_set_told(struct store *store, int64_t told,
                           struct error *err) MUST_USE;

/* Calls `show` for the lines after the number `told`, in their order. Stops
 * with the error of `show` if it fails. */
typedef enum status store_line(void *self, int64_t number, struct text line,
                               struct error *err);
enum status store_each_line(struct store *store, int64_t told, store_line *show,
                            void *self, struct error *err) MUST_USE;

#endif
