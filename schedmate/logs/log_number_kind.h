/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides what kind of number log_numbers.c has found. */
#ifndef MODELS_LOG_NUMBER_KIND_H
#define MODELS_LOG_NUMBER_KIND_H

#include "schedmate/logs/log_numbers.h"

/* Sets the kind, tier, value, key and unit of a number; the caller has set
 * `printed` and `of`. `key` is the text between the number and the one before
 * it or a separator such as '|'; `after` is the rest of the line. Returns false
 * if the number is of no known kind. */
bool log_number_classify(struct log_number *number, struct text key,
                         struct text after) MUST_USE;

/* True if the words before a number name the time that a step waits for data,
 * as in "data_time: 0.01". Another time in the line is probably that of the
 * whole step. */
bool log_number_is_part(struct text key) MUST_USE;

#endif
