/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes the prefix that a launcher puts before each line of a process. The
 * code is in log_marks.c. */
#ifndef MODELS_LOG_PREFIX_H
#define MODELS_LOG_PREFIX_H

#include "base/text.h"

/* Returns the length of a progress bar and the blanks after it, if on the same
 * line there follows a traceback or a message with a launcher's prefix in
 * square brackets, as in "40%|##  | 4/10 [00:04<00:06,  1.0s/it][rank2]:
 * Traceback"; 0 for any other line. A bar ends without a line end, so that the
 * next message of any process continues its line. */
size_t log_bar_prefix(struct text line);

/* Returns the line without the prefix of a launcher, such as "[rank3]:",
 * "[default0]:", "12: " or "(pid=123)", and without a progress bar before it.
 * The indentation of the message is kept. */
struct text log_strip_rank(struct text line);

#endif
