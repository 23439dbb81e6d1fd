/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The prompts for language models. The build puts
 * schedmate/advisor/prompts/NAME.txt into the program. The key under which a
 * recording keeps a reply depends on the prompt, so old recordings cannot be
 * used after a prompt has changed. Raise the version that the module puts into
 * its requests when you change its prompt. */
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
