/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Goes from a log on disk to the few lines that say why a job failed: runs the
 * locator over the file and reads the window around what it found. */
#ifndef SIM_LOG_WINDOW_H
#define SIM_LOG_WINDOW_H

#include "models/logs/schedmate_handler.h"
#include "sim/live/log_file.h"

struct log_window {
    struct located located;
    struct text text;    /* the lines of the window; log_window_fini frees it */
    size_t error_at;     /* offset of the first error in the text */
    uint64_t first_line; /* line number in the log of the first line, from 1 */
    uint64_t lines;      /* number of lines */
};

/* If nothing is found, out->located.found is false and the text is empty. With
 * LOCATE_LAST the text is the end of the log. */
enum status log_window_find(const struct log_file *file,
                            const struct locator_config *locator,
                            const struct handler_config *handler,
                            struct log_classifier *classifier,
                            struct log_window *out, struct error *err) MUST_USE;
void log_window_fini(struct log_window *window);

#endif
