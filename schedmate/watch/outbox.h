/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the lines of the watch to a file or to standard output. Each line
 * begins with {"seq":N,"watch":"ID", where N counts from 1 without gaps and ID
 * names the state.
 *
 * A file gets each line exactly once, whenever the program is killed: the file
 * itself shows which line came last, an unfinished line at its end is removed,
 * and the lines of the state after it are appended. This holds as long as no
 * other program writes to the file. Standard output gets each line at least
 * once: lines whose arrival was not yet noted are written again after a
 * restart, with the same numbers. */
#ifndef SIM_WATCH_OUTBOX_H
#define SIM_WATCH_OUTBOX_H

#include "schedmate/watch/store.h"

struct outbox; /* opaque */

/* Opens the file, or standard output if `path` is NULL. The store is borrowed.
 * Refuses a file that ends in an unfinished line of another program, one that
 * holds a line of this state with a larger number than store_last(), and one
 * that another program has locked. *out is NULL on an error. */
enum status outbox_open(const char *path, struct store *store,
                        struct outbox **out, struct error *err) MUST_USE;
void outbox_close(struct outbox *outbox); /* accepts NULL */

/* Opens the file again, because it may have been rotated, with the same checks.
 * Does nothing for standard output. */
enum status outbox_renew(struct outbox *outbox, struct error *err) MUST_USE;
/* Writes all stored lines that were not written yet, and waits until those of a
 * file are on the disk. */
enum status outbox_flush(struct outbox *outbox, struct error *err) MUST_USE;
/* Returns the number of the last line that was written; 0: none. After an error
 * of outbox_flush it may count lines that were not. */
int64_t outbox_told(const struct outbox *outbox);

#endif
