/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of a log in memory. A line ends at "\n", "\r\n" or "\r": a progress
 * bar that redraws itself writes one line after the other. */
#ifndef MODELS_LOG_LINES_H
#define MODELS_LOG_LINES_H

#include "sim/base/text.h"

/* The first line of *rest, without its end; *rest becomes what follows. False
 * if there is none. */
bool log_first_line(struct text *rest, struct text *line) MUST_USE;

/* The last line of *rest, without its end; *rest becomes what comes before. */
bool log_last_line(struct text *rest, struct text *line) MUST_USE;

#endif
