/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encodes and decodes what is sent to and received from a model: UTF-8, JSON
 * strings and numbers in canonical form, and vectors as base64. */
#ifndef MODELS_LLM_TEXT_H
#define MODELS_LLM_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/out.h"

/* Overwrites with '?' each byte that is not part of well-formed UTF-8 (no
 * surrogates, no overlong forms), and each 0 byte. Returns the number of
 * replaced bytes. */
size_t llm_utf8_clean(char *at, size_t len);
/* Returns a copy in the arena, cleaned by llm_utf8_clean, with a 0 byte at its
 * end. */
const char *llm_utf8_copy(struct arena *arena, struct text t);

/* Writes a JSON string as RFC 8785 does: only ", \ and control characters are
 * escaped. `t` must be UTF-8. */
void llm_json_string(struct out *out, struct text t);
/* Writes a finite number with up to 15, 16 or 17 significant digits: the fewest
 * that read back as the same value. */
void llm_json_number(struct out *out, double value);

/* Encode n floats, little-endian, as base64 (RFC 4648, padded), and decode them
 * into the arena. The decoder accepts text without padding. It returns false if
 * the text is not base64 or does not hold a whole number of finite floats; *at
 * and *n then mean nothing. */
void llm_floats_encode(struct out *out, const float *at, size_t n);
bool llm_floats_decode(struct text base64, struct arena *arena, float **at,
                       size_t *n) MUST_USE;

#endif
