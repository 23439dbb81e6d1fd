/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes away what launchers, container engines and loggers put before the lines
 * of a process: ranks ("[rank3]:", "3: ", "[1,12]<stderr>:", "(pid=7) "), hosts
 * ("node-2: ") and times, and a progress bar before them. The prefixes that are
 * not times say which process wrote the line. */
#ifndef MODELS_LOG_STREAM_H
#define MODELS_LOG_STREAM_H

#include "base/text.h"

struct log_stream {
    /* the line without its prefixes, part of the given line */
    struct text line;
    /* equal for lines whose prefixes, apart from times, are equal; 0: none */
    uint64_t id;
};

struct log_stream log_stream_of(struct text line);

#endif
