/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes the prefix that a launcher puts before each line of a process. */
#ifndef MODELS_LOG_PREFIX_H
#define MODELS_LOG_PREFIX_H

#include "sim/base/text.h"

/* Returns the line without the prefix of a launcher: "[rank3]:", "[default0]:",
 * "12: ", "(pid=123)". The indentation of the line is kept. */
struct text log_strip_rank(struct text line);

#endif
