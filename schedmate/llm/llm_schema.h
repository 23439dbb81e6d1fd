/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the fields of a schema as a JSON Schema, and computes the key under
 * which a recording keeps the reply to a request: the SHA-256 of a canonical
 * JSON text of all that a request says about the answer (docs/schedmate.md
 * specifies recordings). The code is in llm_json.c. */
#ifndef MODELS_LLM_SCHEMA_H
#define MODELS_LLM_SCHEMA_H

#include "base/digest.h"
#include "base/out.h"
#include "schedmate/llm/llm.h"

/* Writes a JSON Schema. Its properties are in the order of schema->fields, so
 * that a model writes them in that order, or sorted by name if `canonical` is
 * true. Servers with strict schemas want each property listed as required, so a
 * field that is not required may be null instead. Fields after the first
 * LLM_FIELDS_MAX are left out. */
void llm_schema_json(const struct llm_schema *schema, bool canonical,
                     struct out *out);

/* Writes the canonical JSON of a request: keys sorted, no blanks between
 * tokens, numbers as llm_json_number writes them. Chat:
 * {"kind","max_tokens","messages","model","prompt_version",
 * "response_schema_hash","seed","temperature","top_p","v"}. Embeddings:
 * {"input","kind","model","prompt_version","v"}. The text does not depend on
 * the server, its key, the purpose, or the form in which the server gets the
 * schema. */
void llm_request_json(const struct llm_request *request, struct out *out);

void llm_request_key(const struct llm_request *request,
                     char hex[DIGEST_HEX_MAX]);

/* Returns `model` of the request's sampling for a chat, `embed_model` for
 * embeddings. */
const char *llm_request_model(const struct llm_request *request);

#endif
