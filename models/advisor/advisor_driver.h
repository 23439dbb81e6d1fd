/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the commands that a Python script starts by os.system or subprocess. */
#ifndef MODELS_ADVISOR_DRIVER_H
#define MODELS_ADVISOR_DRIVER_H

#include "sim/base/text.h"

/* Returns a shell script of the commands that the code starts, after the
 * variables that the code sets to literals. Values that depend on anything else
 * are references to variables that are not set. Returns an empty text if the
 * code starts none, or if it trains by itself. `code` is without comments. */
struct text driver_commands(struct text code, struct arena *arena);

#endif
