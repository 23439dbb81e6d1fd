/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress bars in logs: the label of a bar, its counter, how long it has run,
 * and whether its work is the training. Bars of downloads, loading, preparation
 * of data, evaluation, inference and generation look like the bar of the
 * training and show a speed of their own. */
#ifndef MODELS_LOG_BAR_H
#define MODELS_LOG_BAR_H

#include "sim/base/text.h"

/* What the label of a bar says about its work. */
enum bar_work {
    BAR_UNLABELLED, /* there is no label, or no known word in it */
    /* the label names steps or an epoch, or the bar shows a loss */
    BAR_TRAINING,
    BAR_EPOCHS, /* the bar counts epochs */
    /* the label names other work or a file, or the bar counts bytes */
    BAR_OTHER,
};

struct log_bar {
    enum bar_work work;
    bool named;  /* true if the label itself names steps, epochs or training */
    bool trains; /* true if the label itself names epochs or training */
    bool lettered; /* true if the label has letters */
    bool keras; /* true for "3/10 [==>...]" and "3/10 ━━", without a percentage
                 */
    double at, of;    /* counter and its end; 0 if unknown */
    double elapsed_s; /* time since the bar began; NaN if unknown */
    /* equal for states of bars whose labels have the same letters or, if these
     * have none, for bars with the same end */
    uint64_t scope;
};

/* Reads the first bar of a line. Returns false if the line has none. */
bool log_bar_read(struct text line, struct log_bar *out) MUST_USE;

/* True if the text names work that is not training, such as "Evaluating" or
 * "Loading model", and no training. The Metric Tracker reads the headings of
 * bars with this function. */
bool log_names_other_work(struct text text);

/* True if the text names a training or epochs. */
bool log_names_training(struct text text);

/* True for a line like "Starting training" or "***** Running training *****".
 */
bool log_starts_training(struct text line);

/* True for a line that begins an epoch: "Epoch 3/20" and little else. */
bool log_begins_epoch(struct text line);

#endif
