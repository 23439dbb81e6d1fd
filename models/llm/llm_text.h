/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encodes and decodes what is sent to and received from a model: UTF-8, JSON
 * strings and numbers in canonical form, and vectors as base64. */
#ifndef MODELS_LLM_TEXT_H
#define MODELS_LLM_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/out.h"

/* Replaces in place each byte that is not part of well-formed UTF-8 (no
 * surrogates, no overlong forms), and each 0 byte, by '?'. Returns the number
 * of replaced bytes. */
size_t llm_utf8_clean(char *at, size_t len);
/* Returns a clean copy that ends with a 0 byte. */
const char *llm_utf8_copy(struct arena *arena, struct text t);

/* Writes a JSON string as RFC 8785 does: only ", \ and control characters are
 * escaped. `t` must be UTF-8. */
void llm_json_string(struct out *out, struct text t);
/* Writes the number with 15, 16 or 17 significant digits: the fewest that read
 * back as the same value. */
void llm_json_number(struct out *out, double value);

/* Encodes n floats, little-endian, as base64 (RFC 4648, padded), and decodes
 * them. Decoding returns false if the text is not base64 or does not hold a
 * whole number of finite floats. */
void llm_floats_encode(struct out *out, const float *at, size_t n);
bool llm_floats_decode(struct text base64, struct arena *arena, float **at,
                       size_t *n) MUST_USE;

#endif
