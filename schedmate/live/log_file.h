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
#include "schedmate/logs/diagnosis.h"

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

/* Finds in a log on disk the few lines that say why a job failed: runs the
 * locator over the file and reads a window around the line that it located. */

struct log_window {
    struct located located;
    struct text text; /* lines of the window; log_window_fini frees them */
    size_t error_at;  /* offset in `text` of the located line */
    /* number of the window's first line in the log, from 1 */
    uint64_t first_line;
    uint64_t lines; /* number of lines in the window */
};

/* Finds the window. If the locator finds no error, out->located.found is false;
 * the text is then empty or, with LOCATE_LAST, the end of the log. The caller
 * frees *out with log_window_fini. */
enum status log_window_find(struct log_file *file,
                            const struct locator_config *locator,
                            const struct handler_config *handler,
                            struct log_classifier *classifier,
                            const struct log_knowledge *knowledge,
                            struct log_window *out, struct error *err) MUST_USE;

/* Fills *out, whose text must be empty, with the last `lines` lines of the log,
 * at most 1 MiB of them. No error is located in them. */
enum status log_window_last(struct log_file *file, uint32_t lines,
                            struct log_window *out, struct error *err) MUST_USE;

/* Fills an empty window with the last lines of the log if the scheduler says
 * that the job failed: a log without an error then has to be judged by its end.
 * window->located stays. */
enum status log_window_failed(struct log_file *file,
                              const struct handler_config *handler,
                              const struct job_end *end,
                              struct log_window *window,
                              struct error *err) MUST_USE;

/* Fills *tail, whose text must be empty, with the end of the log, if a model
 * may be asked. */
enum status log_window_tail(struct log_file *file,
                            const struct diagnosis_sources *from,
                            struct log_window *tail,
                            struct error *err) MUST_USE;

/* Makes the window that of *out, which borrows its text. */
void log_window_judged(const struct log_window *window,
                       struct diagnosis_sources *out);

void log_window_fini(struct log_window *window);

#endif
