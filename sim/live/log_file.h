/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log on disk, which may be growing and may be larger than memory. Only
 * pieces of it are read. A log that is packed (gzip, zstd) or is UTF-16 is
 * first copied, unpacked and as UTF-8, to a nameless file; log_file_say reports
 * this. The log is never mapped, because a process that reads a mapped file is
 * killed when somebody truncates the file. A pipe, which has no positions, is
 * first copied to a nameless file. */
#ifndef SIM_LOG_FILE_H
#define SIM_LOG_FILE_H

#include <stdint.h>

#include "sim/base/error.h"
#include "sim/base/text.h"

struct log_file; /* an open log; opaque */

/* Opens a log; "-" is standard input. A packed log that is cut off or damaged
 * is read up to the damage. The caller owns *out; log_file_close accepts
 * NULL. */
enum status log_file_open(const char *path, struct log_file **out,
                          struct error *err) MUST_USE;
void log_file_close(struct log_file *file);

/* Opens the file that the name means now. Returns true if it is a different
 * file (the log was rotated), which is read from then on. Keeps the old file if
 * no file has that name. */
bool log_file_renew(struct log_file *file);

/* True if a copy of the file is read, so that its growth is not seen. */
bool log_file_is_copy(const struct log_file *file);

/* Calls `say` once per remark on how the bytes of the log were turned into
 * lines. Remarks that count lines are those of the last log_file_scan. */
void log_file_say(const struct log_file *file,
                  void (*say)(void *self, const char *remark), void *self);

/* Sets *out to the current size of the file in bytes. */
enum status log_file_size(const struct log_file *file, uint64_t *out,
                          struct error *err) MUST_USE;

/* Reads `len` bytes from offset `from`, or fewer at the end of the file. The
 * caller owns out->at (free). */
enum status log_file_piece(const struct log_file *file, uint64_t from,
                           size_t len, struct text *out,
                           struct error *err) MUST_USE;

/* Passes all lines in order to the callback, each with its offset in the file.
 * A line longer than LOG_LINE_KEPT bytes is cut. The walk stops if the callback
 * returns false. */
#define LOG_LINE_KEPT 65536
typedef bool (*log_file_line)(void *self, struct text line, uint64_t offset);
enum status log_file_scan(struct log_file *file, log_file_line line, void *self,
                          struct error *err) MUST_USE;

#endif
