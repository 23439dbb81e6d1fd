/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses what a model wrote: skips thinking blocks and fences, then takes the
 * first balanced object that fits the schema. The search is lenient, the check
 * of the object strict. */
#ifndef MODELS_LLM_PARSE_H
#define MODELS_LLM_PARSE_H

#include "models/llm/cjson.h"
#include "models/llm/llm.h"

#define LLM_COMPLAINT_MAX 256

/* Returns values in the order of the schema's rows, in the arena. Returns NULL
 * if no object in `text` fits the schema; `complaint` then says in one line
 * what is wrong with the first object found, as a text that can be sent back to
 * the model. A row that is not required may be absent or null. Keys that no row
 * names are ignored. Takes time proportional to the length of the text. */
const struct llm_value *llm_parse(const struct cjson *cj, struct text text,
                                  const struct llm_schema *schema,
                                  struct arena *arena,
                                  char complaint[LLM_COMPLAINT_MAX]);

#endif
