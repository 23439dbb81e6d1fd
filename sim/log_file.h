/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log on disk, perhaps growing, perhaps larger than memory: pieces of it are
 * read, never all of it, and never mapped, because a mapped file that somebody
 * cuts kills the reader. What cannot be sought (a pipe) is copied to a
 * nameless file first. */
#ifndef SIM_LOG_FILE_H
#define SIM_LOG_FILE_H

#include <stdint.h>

#include "sim/base/error.h"
#include "sim/base/text.h"

struct log_file; /* opaque */

/* "-" is standard input. Owned by the caller; log_file_close accepts NULL. */
enum status log_file_open(const char *path, struct log_file **out,
                          struct error *err) MUST_USE;
void log_file_close(struct log_file *file);

/* True if another file lies under its name now (a log that was rotated), which
 * is read from then on. While nothing lies there, the old one is kept. */
bool log_file_renew(struct log_file *file);

/* Bytes there are now. */
enum status log_file_size(const struct log_file *file, uint64_t *out,
                          struct error *err) MUST_USE;

/* At most `len` bytes from `from`; fewer at the end of the file. out->at is
 * owned by the caller (free). */
enum status log_file_piece(const struct log_file *file, uint64_t from,
                           size_t len, struct text *out,
                           struct error *err) MUST_USE;

/* All lines from the start, in order. A line longer than LOG_LINE_KEPT is
 * shown without the rest of it. `line` is false to stop. */
#define LOG_LINE_KEPT 65536
typedef bool (*log_file_line)(void *self, struct text line, uint64_t offset);
enum status log_file_scan(const struct log_file *file, log_file_line line,
                          void *self, struct error *err) MUST_USE;

#endif
