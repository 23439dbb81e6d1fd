/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The prompts, put into the program from models/prompts/NAME.txt when it is
 * built. A change of one is a change of what recordings were made with: raise
 * the version that the module puts into its requests. */
#ifndef MODELS_PROMPTS_H
#define MODELS_PROMPTS_H

#include <stddef.h>

struct prompt {
    const char *name;
    const char *text; /* not ended by a 0 */
    size_t len;
};
extern const struct prompt prompts[]; /* ends with a name of NULL */

#endif
