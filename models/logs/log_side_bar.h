/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress bars of work that is not training: downloads, preparation of data,
 * loading, evaluation. They look like the bar of the training and show a speed
 * of their own. */
#ifndef MODELS_LOG_SIDE_BAR_H
#define MODELS_LOG_SIDE_BAR_H

#include "sim/base/text.h"

/* True if the line is a state of such a bar: its label names the work or a
 * file, or it counts bytes. */
bool log_is_side_bar(struct text line);

#endif
