/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the two halves of log_numbers: finding numbers, and naming them. */
#ifndef MODELS_LOG_NUMBER_KIND_H
#define MODELS_LOG_NUMBER_KIND_H

#include "models/log_numbers.h"

/* Fills in kind, tier, value, key and unit of a number of which `printed` and
 * `of` are known. `key` is the text since the number before, `after` the rest
 * of the line. False: nothing that is of use. */
bool log_number_classify(struct log_number *number, struct text key,
                         struct text after) MUST_USE;

#endif
