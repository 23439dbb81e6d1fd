/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress bars in logs: the label of a bar, its counter, how long it has run,
 * and whether its work is the training. Bars of downloads, loading, preparation
 * of data, evaluation, inference and generation look like the bar of the
 * training and show a speed of their own. */
#ifndef MODELS_LOG_BAR_H
#define MODELS_LOG_BAR_H

#include "base/text.h"

/* What a bar shows about its work. */
enum bar_work {
    BAR_UNLABELLED, /* nothing shows what the work is */
    /* the label names training, steps or an epoch, or the bar shows a loss or
     * other metrics */
    BAR_TRAINING,
    BAR_EPOCHS, /* the bar counts epochs */
    /* the label names other work or a file, or the bar shows a speed in bytes
     * or that of an inference */
    BAR_OTHER,
};

struct log_bar {
    enum bar_work work;
    bool named; /* true if the label names steps, epochs or training */
    /* true if the label names epochs or training, not only steps */
    bool trains;
    bool lettered; /* true if the label has letters */
    /* true for "3/10 [==>...]" and "3/10 ━━" without a percentage */
    bool keras;
    double at, of;    /* counter and its end; 0 if unknown */
    double elapsed_s; /* time since the bar began; NaN if unknown */
    /* Hash of the letters of the label or, if it has none, of `of`: equal for
     * the states of one bar. */
    uint64_t scope;
};

/* Reads the first bar in the first 768 bytes of a line. Returns false if there
 * is none. */
bool log_bar_read(struct text line, struct log_bar *out) MUST_USE;

/* True if the first 120 bytes of the text name work that is not training, such
 * as "Evaluating" or "Loading model", and neither training nor steps or epochs.
 * The Metric Tracker reads the headings of bars with this function. */
bool log_names_other_work(struct text text);

/* True if the first 120 bytes of the text name training or epochs. */
bool log_names_training(struct text text);

/* True for a line like "Starting training" or "***** Running training *****".
 */
bool log_starts_training(struct text line);

/* True for a short line that begins an epoch, such as "Epoch 3/20": no letters
 * follow the number. */
bool log_begins_epoch(struct text line);

#endif
