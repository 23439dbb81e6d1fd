/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The differences between OpenAI-compatible servers, one row per server, and
 * what was learned about the server in use. */
#ifndef MODELS_LLM_SERVER_H
#define MODELS_LLM_SERVER_H

#include <stdbool.h>

#include "base/text.h"

/* The form in which a server is asked for an answer that fits the schema. */
enum llm_form {
    LLM_FORM_SCHEMA,     /* response_format json_schema (OpenAI) */
    LLM_FORM_STRUCTURED, /* structured_outputs (vLLM since 0.12) */
    /* response_format json_object, and the schema in the prompt */
    LLM_FORM_OBJECT,
    LLM_FORM_PLAIN, /* the schema is only in the prompt */
    LLM_FORMS
};

struct llm_server {
    const char *name;
    /* A server at this host or this port is of this kind; NULL: not used. */
    const char *host, *port;
    /* Forms in the order in which they are tried; the last is
     * LLM_FORM_PLAIN. */
    enum llm_form forms[LLM_FORMS + 1];
    /* True: also send response_format.schema, which older builds of llama.cpp
     * expect. */
    bool schema_on_top;
    /* true: send max_completion_tokens in place of max_tokens */
    bool new_token_field;
};

/* Finds a server by name, or by its address `url` if `name` is "auto". Returns
 * the row "other" if no server matches. */
const struct llm_server *llm_server_find(const char *name, struct text url);

/* What was learned from requests that the server refused. Begin with a zeroed
 * struct. */
struct llm_learned {
    unsigned form; /* index in `forms` of the form in use */
    bool swap_token_field, no_seed, no_temperature, no_top_p;
    bool stream; /* true: the server answers only as a stream of events */
};

/* Call this after a reply with HTTP status 400, 413, 422 or 5xx. If the
 * complaint names a field that can be left out or sent in another form, and
 * that was not yet done, changes *learned and returns true. After a status of
 * 5xx (`failed` true), only a complaint about the schema counts, because with
 * 5xx servers report a grammar that they cannot build. The caller allows at
 * most LLM_LESSONS_MAX changes. */
#define LLM_LESSONS_MAX 8
bool llm_server_learn(const struct llm_server *server, struct text complaint,
                      bool has_schema, bool failed,
                      struct llm_learned *learned);

/* True if a server complains that a request exceeds the context of the model,
 * or that it has too many texts to embed at a time. */
bool llm_server_too_long(struct text complaint);

#endif
