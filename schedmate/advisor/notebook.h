/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the code of a Jupyter notebook. The code is in gather.c. */
#ifndef MODELS_NOTEBOOK_H
#define MODELS_NOTEBOOK_H

#include "base/text.h"

/* Returns the text of the code cells, one after the other, in the arena. Lines
 * that are magics or shell commands become empty lines. Returns an empty text
 * if the notebook cannot be parsed. */
struct text notebook_code(struct text source, struct arena *arena);

#endif
