/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the commands that a Python script starts with os.system, os.popen or
 * subprocess. */
#ifndef MODELS_ADVISOR_DRIVER_H
#define MODELS_ADVISOR_DRIVER_H

#include "base/text.h"

/* Returns a shell script with at most 16 commands that the code starts or
 * assigns to a variable and that begin like one that starts a job (python,
 * torchrun, bash, sbatch and others), and with its assignments of literals, in
 * the order in which they stand in the code. A plain name in the braces of an
 * f-string becomes a reference to that variable, any other value ${UNKNOWN}.
 * Returns an empty text if the code starts no program, has no such command, or
 * trains by itself. `code` has no comments. The text lies in the arena. */
struct text driver_commands(struct text code, struct arena *arena);

#endif
