/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log text on its way to a language model: between <log> and </log>, of which
 * the text itself can hold neither, so that it cannot pretend to have ended. */
#ifndef MODELS_LOG_FENCE_H
#define MODELS_LOG_FENCE_H

#include "sim/base/out.h"

void log_fence_open(struct out *out);
/* A line, cut as the rules cut it. */
void log_fence_line(struct out *out, struct text line);
/* Ends the fence and the stream; the text lies in the arena. */
const char *log_fence_close(struct out *out, struct arena *arena);

#endif
