/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses what a model wrote: skips thinking blocks, then takes the first JSON
 * object that fits the schema. Text around the object, such as fences, is
 * ignored. Numbers and booleans may be in quotes, and commas before a closing
 * bracket are forgiven. The code is in llm_json.c. */
#ifndef MODELS_LLM_PARSE_H
#define MODELS_LLM_PARSE_H

#include "schedmate/llm/cjson.h"
#include "schedmate/llm/llm.h"

#define LLM_COMPLAINT_MAX 256

/* Returns the values of the fields, in the order in which the schema lists
 * them, in the arena. Returns NULL if none of the first 16 objects in `text`
 * fits the schema; `complaint` then says what is wrong with the first
 * well-formed one, or that there is none, as a text that can be sent back to
 * the model. If values are returned, its content means nothing. A field that is
 * not required may be absent or null. Keys that no field names are ignored.
 * Takes time proportional to the length of the text. */
const struct llm_value *llm_parse(const struct cjson *cj, struct text text,
                                  const struct llm_schema *schema,
                                  struct arena *arena,
                                  char complaint[LLM_COMPLAINT_MAX]);

#endif
