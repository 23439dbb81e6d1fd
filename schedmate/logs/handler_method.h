/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the log of a failed job is read: as SchedMate's Failure Handler does, or
 * as the baselines of its evaluation (Table 4) do. */
#ifndef MODELS_HANDLER_METHOD_H
#define MODELS_HANDLER_METHOD_H

enum handler_method {
    HANDLER_LOCATOR,    /* the lines around the first error */
    HANDLER_LAST_LINES, /* the last 500 lines; nothing is searched for */
    /* comparison with the logs of earlier failures (incidents.h) */
    HANDLER_RCACOPILOT,
};
/* Names by enum handler_method; ends with NULL. */
extern const char *const handler_methods[];
#define HANDLER_LAST_LINES_READ 500

#endif
