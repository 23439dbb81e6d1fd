/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text on its way to and from a model: UTF-8, JSON strings and numbers in one
 * canonical form, vectors as base64. */
#ifndef MODELS_LLM_TEXT_H
#define MODELS_LLM_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/out.h"

/* Replaces in place each byte that is not part of well-formed UTF-8 (no
 * surrogates, no overlong forms), and each 0, by '?'. Returns how many. */
size_t llm_utf8_clean(char *at, size_t len);
/* A clean copy, ended by a 0. */
const char *llm_utf8_copy(struct arena *arena, struct text t);

/* A JSON string as RFC 8785 writes it: only ", \ and control characters are
 * escaped. `t` must be UTF-8. */
void llm_json_string(struct out *out, struct text t);
/* The shortest of 15 to 17 digits that reads back equal. */
void llm_json_number(struct out *out, double value);

/* n floats, little-endian, as base64 (RFC 4648, padded); and back. Decoding is
 * false if it is no base64 or no whole number of finite floats. */
void llm_floats_encode(struct out *out, const float *at, size_t n);
bool llm_floats_decode(struct text base64, struct arena *arena, float **at,
                       size_t *n) MUST_USE;

#endif
