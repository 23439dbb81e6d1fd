/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes away what launchers, container engines and loggers put before the lines
 * of a process: ranks ("[rank3]:", "3: ", "[1,12]<stderr>:", "(pid=7, ip=x) "),
 * hosts ("node-2: ") and times. The prefixes that are not times say which
 * process wrote the line. */
#ifndef MODELS_LOG_STREAM_H
#define MODELS_LOG_STREAM_H

#include "sim/base/text.h"

struct log_stream {
    struct text line; /* the line without its prefixes */
    uint64_t id;      /* equal for lines with equal prefixes; 0: no prefix */
};

struct log_stream log_stream_of(struct text line);

#endif
