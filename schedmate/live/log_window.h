/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds in a log on disk the few lines that say why a job failed: runs the
 * locator over the file and reads a window around the line that it located. The
 * code is in log_file.c. */
#ifndef SIM_LOG_WINDOW_H
#define SIM_LOG_WINDOW_H

#include "schedmate/live/log_file.h"
#include "schedmate/logs/diagnosis.h"

struct log_window {
    struct located located;
    struct text text; /* lines of the window; log_window_fini frees them */
    size_t error_at;  /* offset in `text` of the located line */
    /* number of the window's first line in the log, from 1 */
    uint64_t first_line;
    uint64_t lines; /* number of lines in the window */
};

/* Finds the window. If the locator finds no error, out->located.found is false;
 * the text is then empty or, with LOCATE_LAST, the end of the log. The caller
 * frees *out with log_window_fini. */
enum status log_window_find(struct log_file *file,
                            const struct locator_config *locator,
                            const struct handler_config *handler,
                            struct log_classifier *classifier,
                            const struct log_knowledge *knowledge,
                            struct log_window *out, struct error *err) MUST_USE;
/* Fills *out, whose text must be empty, with the last `lines` lines of the log,
 * at most 1 MiB of them. No error is located in them. */
enum status log_window_last(struct log_file *file, uint32_t lines,
                            struct log_window *out, struct error *err) MUST_USE;
/* Fills an empty window with the last lines of the log if the scheduler says
 * that the job failed: a log without an error then has to be judged by its end.
 * window->located stays. */
enum status log_window_failed(struct log_file *file,
                              const struct handler_config *handler,
                              const struct job_end *end,
                              struct log_window *window,
                              struct error *err) MUST_USE;
/* Makes the window that of *out, which borrows its text. */
void log_window_judged(const struct log_window *window,
                       struct diagnosis_sources *out);
void log_window_fini(struct log_window *window);

#endif
