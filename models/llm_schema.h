/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A schema's rows as a JSON Schema, and the key of a request: SHA-256 over a
 * canonical JSON of all that decides the answer (specification of recordings in
 * docs/schedmate.md). */
#ifndef MODELS_LLM_SCHEMA_H
#define MODELS_LLM_SCHEMA_H

#include "models/llm.h"
#include "sim/base/digest.h"
#include "sim/base/out.h"

/* In the order of the rows, in which a model will write them; or canonical:
 * keys sorted. A row that is not required may be null, since servers with
 * strict schemas want every property listed as required. */
void llm_schema_json(const struct llm_schema *schema, bool canonical,
                     struct out *out);

/* The canonical JSON of a request: keys sorted, no blanks, shortest numbers.
 * {"kind","max_tokens","messages","model","prompt_version",
 * "response_schema_hash","seed","temperature","top_p","v"}, for embeddings
 * {"input","kind","model","prompt_version","v"}. Not in it: server, key,
 * purpose, how the schema is spelled to the server. */
void llm_request_json(const struct llm_request *request, struct out *out);

void llm_request_key(const struct llm_request *request,
                     char hex[DIGEST_HEX_MAX]);

/* The model that a request asks for. */
const char *llm_request_model(const struct llm_request *request);

#endif
