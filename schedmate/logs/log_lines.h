/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of a log in memory. A line ends at "\n", "\r\n" or "\r", because a
 * progress bar that redraws itself separates its states with "\r". The code is
 * in log_stream.c. */
#ifndef MODELS_LOG_LINES_H
#define MODELS_LOG_LINES_H

#include "base/text.h"

/* Takes the first line of *rest, without its end; *rest becomes the text after
 * that end. Returns false if *rest is empty. */
bool log_first_line(struct text *rest, struct text *line) MUST_USE;

/* Takes the last line of *rest, without its end; *rest becomes the text before
 * the line. Returns false if *rest is empty. */
bool log_last_line(struct text *rest, struct text *line) MUST_USE;

#endif
