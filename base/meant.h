/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words that people bring from other programs and papers, and what they are
 * called here. An error for a name that is not known says it, where spelling
 * alone finds no near name. */
#ifndef SIM_BASE_MEANT_H
#define SIM_BASE_MEANT_H

#include "base/text.h"

#define MEANT_WORDS_MAX 240

/* Writes to `words` what someone who typed `word` for a WHAT ("policy",
 * "option", "command", "kind", and the other nouns of find_by_name) probably
 * means: "did you mean 'tiresias'?". Suggests a name only if it is among the n
 * names that can be given. Returns false, and leaves `words` untouched, if
 * nothing is known of the word. */
bool meant_find(const char *what, struct text word, const char *const *names,
                size_t n, char words[MEANT_WORDS_MAX]);

#endif
