/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks are properties of a log line that help to classify it and that a bag of
 * n-grams shows badly or not at all, such as level words, the shape of a
 * traceback, a progress bar, or how many numbers there are. */
#ifndef SIM_LOG_MARKS_H
#define SIM_LOG_MARKS_H

#include "base/text.h"

/* All marks. Those up to TRACEBACK_WORD say that the line has a word of a list
 * (log_marks.c) or, for EXCEPTION_WORD, a name such as "KeyError" inside
 * a sentence; most others describe the form of the line. */
#define LOG_MARKS(X) \
    X(ERROR_WORD) \
    X(FAIL_WORD) \
    X(EXCEPTION_WORD) \
    X(KILL_WORD) \
    X(NEGATION) \
    X(WARN_WORD) \
    X(DEPRECATED) \
    X(INFO_WORD) \
    X(LOSS_WORD) \
    X(STEP_WORD) \
    X(EPOCH_WORD) \
    X(RATE_WORD) \
    X(TRAIN_WORD) \
    X(EVAL_WORD) \
    X(FILE_WORD) \
    X(LOAD_WORD) \
    X(TIME_WORD) \
    X(TRACEBACK_WORD) \
    X(UPPER_ERROR) \
    X(UPPER_WARNING) \
    X(UPPER_INFO) \
    X(EXCEPTION_NAME) \
    X(WARNING_NAME) \
    X(INDENTED) \
    X(QUOTED_FILE) \
    X(FRAME) \
    X(CARETS) \
    X(GLOG_ERROR) \
    X(GLOG_WARNING) \
    X(GLOG_INFO) \
    X(BAR) \
    X(RATE_UNIT) \
    X(FRACTION) \
    X(PERCENT) \
    X(KEY_NUMBER) \
    X(KEY_NUMBERS) \
    X(NO_NUMBER) \
    X(MANY_NUMBERS) \
    X(NOT_ASCII) \
    X(SHORT) \
    X(LONG) \
    X(OPENS_BRACKET) \
    X(OPENS_BRACE) \
    X(OPENS_DIGIT) \
    X(OPENS_DASH) \
    X(ENDS_COLON) \
    X(ENDS_BRACKET) \
    X(CALL) \
    X(PROSE) \
    X(PATH_LINE) \
    X(HEX) \
    X(STAR) \
    X(STEP_NUMBER) \
    X(EPOCH_NUMBER) \
    X(LOSS_NUMBER) \
    X(RATE_NUMBER) \
    X(NO_LETTER)

enum log_mark {
#define LOG_MARK_ENUM(name) MARK_##name,
    LOG_MARKS(LOG_MARK_ENUM)
#undef LOG_MARK_ENUM
        N_LOG_MARKS
};

_Static_assert(N_LOG_MARKS <= 64, "a set of marks is 64 bits");

#define MARK_BIT(name) (UINT64_C(1) << MARK_##name)

/* Bytes at the start of a line, after the prefix of a launcher, that are
 * examined. */
#define LOG_MARKS_BYTES 512

/* Returns the set of marks of a line: bit i is set for enum log_mark i. */
uint64_t log_marks(struct text line);

/* Removes the prefix that a launcher puts before each line of a process. */

/* Returns the length of a progress bar and the blanks after it, if on the same
 * line there follows a traceback or a message with a launcher's prefix in
 * square brackets, as in "40%|##  | 4/10 [00:04<00:06,  1.0s/it][rank2]:
 * Traceback"; 0 for any other line. A bar ends without a line end, so that the
 * next message of any process continues its line. */
size_t log_bar_prefix(struct text line);

/* Returns the line without the prefix of a launcher, such as "[rank3]:",
 * "[default0]:", "12: " or "(pid=123)", and without a progress bar before it.
 * The indentation of the message is kept. */
struct text log_strip_rank(struct text line);

#endif
