/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log on disk, which may be growing and may be larger than memory. Only
 * pieces of it are read. It is never mapped, because a process that reads a
 * mapped file is killed when somebody truncates the file. A packed log (gzip,
 * zstd) is unpacked to a nameless file first, a log in UTF-16 is converted to
 * UTF-8 in one, and a pipe, which has no positions, is copied to one.
 * log_file_say reports the first two. */
#ifndef SIM_LOG_FILE_H
#define SIM_LOG_FILE_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

struct log_file; /* an open log; opaque */

/* Opens a log; "-" is standard input. A packed log that is cut off or damaged
 * is read up to the damage. STATUS_BAD_INPUT if the log cannot be opened, is a
 * directory, xz, bzip2, zip or UTF-32, or a copy of it would exceed 4 GiB. The
 * caller owns *out; log_file_close accepts NULL. */
enum status log_file_open(const char *path, struct log_file **out,
                          struct error *err) MUST_USE;
void log_file_close(struct log_file *file);

/* Opens the file that the name means now. Returns true if it is a different
 * regular file (the log was rotated), which is read from then on, but not
 * unpacked or converted. Otherwise keeps the old file. A copy or standard input
 * is never renewed. */
bool log_file_renew(struct log_file *file);

/* True if a copy of the log is read, or the log is standard input. Such a log
 * is not followed. */
bool log_file_is_copy(const struct log_file *file);

/* Calls `say` once per remark on how the bytes of the log were turned into
 * lines. Remarks that count lines are those of the last log_file_scan. The
 * texts are valid during the call only. */
void log_file_say(const struct log_file *file,
                  void (*say)(void *self, const char *remark), void *self);

/* Sets *out to the current size of the log in bytes. This and all offsets leave
 * out a byte-order mark. */
enum status log_file_size(const struct log_file *file, uint64_t *out,
                          struct error *err) MUST_USE;

/* Reads `len` bytes from offset `from`, or fewer at the end of the log. The
 * caller frees out->at, which ends with a zero byte that out->len does not
 * count. */
enum status log_file_piece(const struct log_file *file, uint64_t from,
                           size_t len, struct text *out,
                           struct error *err) MUST_USE;

/* Passes all lines in order to the callback, each with its offset. Zero bytes
 * at the beginning of a line are left out, and a line longer than LOG_LINE_KEPT
 * bytes is cut. The walk stops if the callback returns false. */
#define LOG_LINE_KEPT 65536
typedef bool (*log_file_line)(void *self, struct text line, uint64_t offset);
enum status log_file_scan(struct log_file *file, log_file_line line, void *self,
                          struct error *err) MUST_USE;

#endif
