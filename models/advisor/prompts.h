/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The prompts. The build puts models/advisor/prompts/NAME.txt into the program.
 * A recording is keyed by the prompt, so a changed prompt makes old recordings
 * useless: raise the version that the module puts into its requests. */
#ifndef MODELS_PROMPTS_H
#define MODELS_PROMPTS_H

#include <stddef.h>

struct prompt {
    const char *name;
    const char *text; /* `len` bytes without a final 0 */
    size_t len;
};
extern const struct prompt prompts[]; /* the last row has no name */

#endif
