/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads reports of several lines: tracebacks of Python (also those that rich
 * draws) and stacks of C++, Java, Julia and Go. Only the line that names the
 * exception can name a cause; frames and quoted source code show what the
 * program could have raised. Tracebacks of several processes may be interleaved
 * if each has a prefix of its own (log_stream.h). The code is in log_locator.c.
 */
#ifndef MODELS_LOG_TRACEBACK_H
#define MODELS_LOG_TRACEBACK_H

#include "schedmate/logs/log_stream.h"

enum log_line_kind {
    LINE_PLAIN,
    LINE_FRAME,     /* part of a traceback that names no cause */
    LINE_EXCEPTION, /* the line names an exception */
};

struct log_traced {
    enum log_line_kind kind;
    /* the line without prefixes; for LINE_EXCEPTION also without words such as
     * "Caused by: " */
    struct text text;
    /* For LINE_EXCEPTION: the class as printed, such as
     * "torch.OutOfMemoryError", and the text after it, such as ": CUDA out of
     * memory". */
    struct text class, message;
    /* True if the code of the last frame is a "raise" outside of any library.
     */
    bool raised;
    /* True if the process goes on: the exception ended a helper thread, or
     * Python ignored it. Set for all lines of that report. */
    bool survived;
    /* true if the line names the cause of the exception before it ("Caused by:
     * ..."), outside of a traceback of Python */
    bool root;
};

/* Largest number of processes whose tracebacks are kept apart. */
#define TRACEBACK_STREAMS 8

struct log_trace_state {
    uint64_t id; /* id of struct log_stream */
    /* number of the last line of this process; 0: the row is free */
    uint64_t used;
    unsigned phase; /* enum phase of log_locator.c */
    /* number of lines between those of the traceback that do not belong to
     * it */
    unsigned alien;
    size_t indent; /* number of blanks before "Traceback" */
    bool in_library, raised, survived;
    bool survives; /* true if the process survives the next traceback */
};

/* A struct of zeroes is the start of a log. */
struct log_traceback {
    struct log_trace_state streams[TRACEBACK_STREAMS];
    uint64_t lines;
};

/* Takes the next line of a log and returns its place in a report. The texts are
 * parts of the line. */
struct log_traced log_traceback_next(struct log_traceback *t, struct text line);

#endif
