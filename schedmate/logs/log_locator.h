/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Failure Locator: finds where in a log the report of the failure
 * begins.
 *
 * LOCATE_SCAN, the default, looks at each line once, forwards, in constant
 * memory. Errors close together form a run. A run after which training goes on
 * is a decoy, unless a line of it says that the process ended. Among the other
 * runs, the answer is the first credible one (dense, or with a line that says
 * that the process ended, or with the end of a traceback), else the first. A
 * much later run that names a cause takes its place, unless the process had
 * ended. If there is no run, or it is long past, the answer is a line with a
 * strong signature (log_causes.h) after which training did not go on.
 *
 * LOCATE_BINARY is the paper's Algorithm 1, corrected: a binary search for the
 * first chunk (20 lines by default) with an error. The printed algorithm has
 * three mistakes: it compares the class with "<= 2", which stops at warnings
 * and training steps too; its trailing "else return -1" belongs to the inner
 * condition; and it promises a line but returns a chunk. The algorithm assumes
 * that all chunks after the first error have errors too. Real logs violate
 * this: even with perfect labels the algorithm finds 22 of 31 failures.
 *
 * LOCATE_LAST does not search: the window is the end of the log. It is a
 * baseline. */
#ifndef SIM_LOG_LOCATOR_H
#define SIM_LOG_LOCATOR_H

#include "base/option.h"
#include "schedmate/logs/log_classifier.h"
#include "schedmate/logs/log_knowledge.h"
#include "schedmate/logs/log_stream.h"

/* Reads reports of several lines: tracebacks of Python (also those that rich
 * draws) and stacks of C++, Java, Julia and Go. Only the line that names the
 * exception can name a cause; frames and quoted source code show what the
 * program could have raised. Tracebacks of several processes may be interleaved
 * if each has a prefix of its own (log_stream.h).
 */

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

enum locate_method { LOCATE_SCAN, LOCATE_BINARY, LOCATE_LAST };

extern const char *const locate_methods[];

struct locator_config {
    unsigned method; /* enum locate_method */
    uint32_t chunk;  /* lines per chunk */
    /* largest number of consecutive chunks without errors inside a run */
    uint32_t gap;
    uint32_t dense; /* number of error lines that make a run dense */
    /* Number of progress lines after a run that make the run a decoy. */
    uint32_t survived;
    /* A later run that names a cause takes the place of a run if it begins more
     * than this many lines after it. */
    uint32_t forgotten;
};

extern const struct option locator_options[];

struct located {
    bool found;
    /* True if the run is credible (see the head of this file) and the chunk
     * before it has no error. LOCATE_BINARY: false. */
    bool sure;
    /* Line and chunk where the report begins; lines count from 1, chunks from
     * 0. LOCATE_BINARY: the first error line. */
    uint64_t line, chunk;
    /* offset of that line, as passed to locator_feed; LOCATE_BINARY: in the
     * chunk */
    uint64_t offset;
    /* number of error lines in the run or, by LOCATE_BINARY, in the chunk */
    uint64_t error_lines;
    /* number of decoys before the report */
    uint64_t decoys;
    uint64_t lines;      /* number of lines of the log; LOCATE_BINARY: 0 */
    uint64_t classified; /* number of lines that were classified */
};

/* A run of errors, or a line with a strong signature. */
struct locator_run {
    /* Line at which the report begins, and its offset; lines count from 1. It
     * is the first error, or a line with a strong signature before it. */
    uint64_t line, offset;
    uint64_t last_chunk;     /* index of the chunk of the last error */
    uint64_t last_line;      /* number of the line of the last error */
    uint64_t errors;         /* number of error lines */
    uint64_t progress_after; /* number of progress lines after the last error */
    /* true if a line of the run says that a process was ended or that the
     * machine failed */
    bool fatal;
    /* true if a line of the run names an exception and has a message */
    bool exception;
    /* Largest weight of a cause that a line of the run names; 0: none.
     * Consequences do not count. */
    unsigned weight;
    bool clean_before; /* true if the chunk before the run has no error */
};

#define LOCATOR_SEEN 4096

/* The state of the scan; locator_start sets it. Config, classifier and
 * knowledge are borrowed. */
struct locator {
    const struct locator_config *config;
    struct log_classifier *classifier;
    const struct log_knowledge *knowledge;
    struct log_context context;
    struct log_traceback traceback;
    struct locator_run run;  /* the current run of errors, valid if `open` */
    struct locator_run best; /* the best run so far, valid if `have` */
    /* a line with a strong signature that training has not survived, valid if
     * `have_sign` */
    struct locator_run sign;
    bool open, have, have_sign;
    bool last_chunk_clean; /* true if the previous chunk has no error */
    uint64_t line;         /* number of lines read so far */
    /* Numbers of decoys: in total, and before `best`. */
    uint64_t decoys, decoys_before;
    uint32_t chunk_errors; /* number of error lines in the current chunk */
    /* Cache of the hashes of lines that were compared with the signatures. It
     * saves time, because the table of signatures is long and most lines
     * resemble each other. */
    uint64_t seen[LOCATOR_SEEN];
};

void locator_start(struct locator *l, const struct locator_config *config,
                   struct log_classifier *classifier,
                   const struct log_knowledge *knowledge);

/* Takes the next line and its offset in the log. Returns the class that the
 * classifier gives the line. */
enum log_class locator_feed(struct locator *l, struct text line,
                            uint64_t offset);

void locator_end(struct locator *l, struct located *out);

/* Sets *out to the text of chunk i, which is valid until the next call. Returns
 * false if it cannot be read. */
typedef bool (*locator_chunk)(void *self, uint64_t i, struct text *out);

/* Runs the binary search over `n` chunks of config->chunk lines. out->offset
 * counts from the start of the chunk out->chunk. If a chunk cannot be read,
 * out->found is false. */
void locator_search(const struct locator_config *config,
                    struct log_classifier *classifier, uint64_t n,
                    locator_chunk chunk, void *self, struct located *out);

#endif
