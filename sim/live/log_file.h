/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log on disk, which may be growing and may be larger than memory. Only
 * pieces of it are read. It is never mapped, because a mapped file that
 * somebody cuts kills the reader. Input that cannot be sought (a pipe) is first
 * copied to a nameless file. */
#ifndef SIM_LOG_FILE_H
#define SIM_LOG_FILE_H

#include <stdint.h>

#include "sim/base/error.h"
#include "sim/base/text.h"

struct log_file; /* opaque */

/* "-" is standard input. The caller owns *out; log_file_close accepts NULL. */
enum status log_file_open(const char *path, struct log_file **out,
                          struct error *err) MUST_USE;
void log_file_close(struct log_file *file);

/* Returns true if the name now means another file (the log was rotated), which
 * is read from then on. If the name means no file, the old file is kept. */
bool log_file_renew(struct log_file *file);

/* Sets the bytes that the file has now. */
enum status log_file_size(const struct log_file *file, uint64_t *out,
                          struct error *err) MUST_USE;

/* Reads at most `len` bytes from `from`, fewer at the end of the file. The
 * caller owns out->at (free). */
enum status log_file_piece(const struct log_file *file, uint64_t from,
                           size_t len, struct text *out,
                           struct error *err) MUST_USE;

/* Shows all lines from the start, in order. Of a line longer than LOG_LINE_KEPT
 * only the beginning is shown. A callback that returns false stops the walk. */
#define LOG_LINE_KEPT 65536
typedef bool (*log_file_line)(void *self, struct text line, uint64_t offset);
enum status log_file_scan(const struct log_file *file, log_file_line line,
                          void *self, struct error *err) MUST_USE;

#endif
