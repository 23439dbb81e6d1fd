/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The prompts for language models. The build puts
 * models/advisor/prompts/NAME.txt into the program. The key of a recording
 * depends on the prompt, so a changed prompt makes old recordings useless:
 * raise the version that the module puts into its requests. */
#ifndef MODELS_PROMPTS_H
#define MODELS_PROMPTS_H

#include <stddef.h>

struct prompt {
    const char *name;
    const char *text; /* `len` bytes, not ended by a 0 byte */
    size_t len;
};
extern const struct prompt prompts[]; /* the last row has no name */

#endif
