/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model wrote, read with patience and checked without mercy: thinking
 * blocks and fences are passed over, the first balanced object that keeps to
 * the schema is taken. */
#ifndef MODELS_LLM_PARSE_H
#define MODELS_LLM_PARSE_H

#include "models/cjson.h"
#include "models/llm.h"

#define LLM_COMPLAINT_MAX 256

/* Values in the order of the rows, in the arena; NULL if no object in `text`
 * keeps to the schema, and `complaint` says in one line, fit to be sent back to
 * the model, what is wrong with the first object that was found. A row that is
 * not required may be absent or null. Keys that no row names are passed over.
 * Takes time proportional to the text. */
const struct llm_value *llm_parse(const struct cjson *cj, struct text text,
                                  const struct llm_schema *schema,
                                  struct arena *arena,
                                  char complaint[LLM_COMPLAINT_MAX]);

#endif
