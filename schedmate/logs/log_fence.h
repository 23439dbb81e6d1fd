/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fences log text for a language model: puts it between <log> and </log>. If
 * the text itself contains one of these tags or one that begins like them, the
 * tag's '<' becomes '(', so that the text cannot fake the end of the fence. The
 * code is in log_stream.c. */
#ifndef MODELS_LOG_FENCE_H
#define MODELS_LOG_FENCE_H

#include "base/out.h"

void log_fence_open(struct out *out);
/* Writes one line, cut to LOG_MARKS_BYTES bytes, as many as log_marks
 * examines. */
void log_fence_line(struct out *out, struct text line);
/* Ends the fence, frees `out`, which writes to memory, and returns its text,
 * which lies in the arena. */
const char *log_fence_close(struct out *out, struct arena *arena);

#endif
