/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface between log_marks.c and its table of words. */
#ifndef MODELS_LOG_MARKS_INTERNAL_H
#define MODELS_LOG_MARKS_INTERNAL_H

#include "schedmate/logs/log_marks.h"

/* Words of this many letters or more set no mark. */
#define LOG_MARKS_WORD_MAX 16

/* Returns the bit of the mark that a word in lower case sets, 0 if it sets
 * none. */
uint64_t log_mark_word(const char *word, size_t len);

#endif
