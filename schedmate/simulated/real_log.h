/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the end of a real log, which the side-car of a trace names. */
#ifndef SCHEDMATE_REAL_LOG_H
#define SCHEDMATE_REAL_LOG_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"

/* Largest number of bytes that are read from the end of a file. */
#define REAL_LOG_BYTES (4 << 20)

/* Reads the end of a file into the arena. Returns false if the file cannot be
 * read or is not a regular file. A link is not followed and a pipe is not
 * waited for, because strangers write side-cars. */
bool real_log_read(const char *path, struct arena *arena,
                   struct text *out) MUST_USE;
/* Returns the last n lines of a text, or all lines if there are fewer. The
 * result points into `text`. */
struct text real_log_tail(struct text text, uint64_t n);

#endif
