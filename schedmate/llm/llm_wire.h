/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes requests and reads replies of the OpenAI-compatible interface, which
 * are JSON. */
#ifndef MODELS_LLM_WIRE_H
#define MODELS_LLM_WIRE_H

#include "schedmate/llm/llm.h"
#include "schedmate/llm/llm_json.h"
#include "schedmate/llm/llm_server.h"

/* Returns the body of the request as JSON; the caller frees it. A chat's reply
 * may have request->max_tokens tokens, and `thinking_tokens` more for the
 * thoughts of the model before its answer. If request->max_tokens is 0, no
 * limit is sent. */
char *llm_wire_request(const struct cjson *cj,
                       const struct llm_request *request,
                       const struct llm_server *server,
                       const struct llm_learned *learned,
                       uint32_t thinking_tokens);

/* Reads the body of a reply with HTTP status 200, as one JSON object or as a
 * stream of events. A body that cannot be used counts as no answer; reply->why
 * has the reason. */
void llm_wire_reply(const struct cjson *cj, const struct llm_request *request,
                    struct text body, struct arena *arena,
                    struct llm_reply *reply);

/* Reads the body of a reply that came as a stream of events
 * (text/event-stream). Returns false, and leaves *reply as it is, if the
 * request is not a chat or the body is not a stream. */
bool llm_stream_reply(const struct cjson *cj, const struct llm_request *request,
                      struct text body, struct arena *arena,
                      struct llm_reply *reply);

/* Stores in *reply the answer of a model, or why there is none. `content`: the
 * text of the answer, or NULL; `thought`: true if the reply holds thoughts
 * apart from the answer. reply->finish_reason must be set. */
void llm_wire_content(const char *content, bool thought, struct arena *arena,
                      struct llm_reply *reply);

/* Stores the counts of tokens in reply->usage, or an estimate if `usage` lacks
 * them or is NULL. reply->text must be set. */
void llm_wire_usage(const struct cjson *cj, const cJSON *usage,
                    const struct llm_request *request, struct llm_reply *reply);

/* The error in the body of a reply with an HTTP status other than 200:
 * {"error": {message, type, param, code}}, or one of the other forms that
 * servers use. */
struct llm_wire_error {
    const char *message, *code; /* in the arena; "": not given */
};
void llm_wire_error(const struct cjson *cj, struct text body,
                    struct arena *arena, struct llm_wire_error *out);

#endif
