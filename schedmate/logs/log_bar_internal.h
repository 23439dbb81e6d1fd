/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface between log_bar.c and its lists of words. Each list holds
 * beginnings of words in lower case and ends with NULL. */
#ifndef MODELS_LOG_BAR_INTERNAL_H
#define MODELS_LOG_BAR_INTERNAL_H

#include "base/text.h"

/* Bytes of a longer text that are read: the last ones of a label, the first
 * ones of a heading or another line. */
#define LABEL_MAX 120

/* True if one of the words of the text begins with an entry of the list. */
bool log_has_beginning(struct text text, const char *const *list);

/* Work that is not training although its steps may have a loss. */
extern const char *const log_trial_words[];
/* Work that is not training, unless the label also names training and the bar
 * shows a loss. */
extern const char *const log_other_words[];
/* Training, its steps and its epochs. */
extern const char *const log_training_words[];
/* Training and epochs: words that an inference or a simulation does not use. */
extern const char *const log_sure_words[];
/* Steps, of training or of other work. */
extern const char *const log_step_words[];

#endif
