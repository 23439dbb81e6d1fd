/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a log as lines: stamps of time, prefixes, lines, and fences
 * around what a model is shown.
 *
 * Takes away what launchers, container engines and loggers put before the lines
 * of a process: ranks ("[rank3]:", "3: ", "[1,12]<stderr>:", "(pid=7) "), hosts
 * ("node-2: ") and times, and a progress bar before them. The prefixes that are
 * not times say which process wrote the line. */
#ifndef SIM_LOG_STREAM_H
#define SIM_LOG_STREAM_H

#include "base/out.h"
#include "base/text.h"

/* The time stamp of a line, in forms such as
 *
 *     ISO 8601   2026-03-01 04:01:35,123
 *     American   03/01/2026 04:01:35
 *     syslog     Mar  1 04:01:35
 *     dmesg -T   [Sun Mar  1 04:01:35 2026]
 *     glog       E0301 04:01:35.123456 */

struct log_stamp {
    sim_time at; /* us since 1970 UTC; a stamp without a zone is taken as UTC */
    bool dated;  /* true if the stamp has a year; otherwise `at` lies in 1972 */
    bool zoned;  /* true if the stamp names its zone */
};

/* Finds the first stamp that begins in the first 64 bytes of a line. If it
 * returns false, *out means nothing. */
bool log_stamp_of(struct text line, struct log_stamp *out) MUST_USE;

/* True if two stamps can be compared: both with a year or both without, both
 * with a zone or both without. */
bool log_stamp_alike(const struct log_stamp *a, const struct log_stamp *b);

/* Gives a stamp without a year the year of `near` (us since 1970), or the year
 * before or after that if the stamp is then nearer to `near`, and sets `dated`.
 * Does nothing to a stamp with a year. */
void log_stamp_complete(struct log_stamp *stamp, sim_time near);

/* The lines of a log in memory. A line ends at "\n", "\r\n" or "\r", because a
 * progress bar that redraws itself separates its states with "\r". */

/* Takes the first line of *rest, without its end; *rest becomes the text after
 * that end. Returns false if *rest is empty. */
bool log_first_line(struct text *rest, struct text *line) MUST_USE;

/* Takes the last line of *rest, without its end; *rest becomes the text before
 * the line. Returns false if *rest is empty. */
bool log_last_line(struct text *rest, struct text *line) MUST_USE;

/* Fences log text for a language model: puts it between <log> and </log>. If
 * the text itself contains one of these tags or one that begins like them, the
 * tag's '<' becomes '(', so that the text cannot fake the end of the fence. */

void log_fence_open(struct out *out);

/* Writes one line, cut to LOG_MARKS_BYTES bytes, as many as log_marks
 * examines. */
void log_fence_line(struct out *out, struct text line);

/* Ends the fence, frees `out`, which writes to memory, and returns its text,
 * which lies in the arena. */
const char *log_fence_close(struct out *out, struct arena *arena);

/* True if the line has the words of a quote; blanks do not count. False for a
 * quote of fewer than 8 other bytes. */
bool log_line_has(struct text line, const char *words);

struct log_stream {
    /* the line without its prefixes, part of the given line */
    struct text line;
    /* equal for lines whose prefixes, apart from times, are equal; 0: none */
    uint64_t id;
};

struct log_stream log_stream_of(struct text line);

#endif
