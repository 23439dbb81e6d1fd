/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What OpenAI-compatible servers differ in, one row a server, and what was
 * learned about the one that is asked. */
#ifndef MODELS_LLM_SERVER_H
#define MODELS_LLM_SERVER_H

#include <stdbool.h>

#include "sim/base/text.h"

/* How the schema of the answer is put to a server. */
enum llm_form {
    LLM_FORM_SCHEMA,     /* response_format json_schema (OpenAI) */
    LLM_FORM_STRUCTURED, /* structured_outputs (vLLM since 0.12) */
    LLM_FORM_OBJECT,     /* response_format json_object */
    LLM_FORM_PLAIN,      /* in the prompt alone */
    LLM_FORMS
};

struct llm_server {
    const char *name;
    const char *host, *port;            /* by which it is recognised, or NULL */
    enum llm_form forms[LLM_FORMS + 1]; /* to be tried, up to PLAIN */
    /* response_format.schema, which older builds of llama.cpp want */
    bool schema_on_top;
    bool new_token_field; /* max_completion_tokens */
};
extern const struct llm_server llm_servers[]; /* ends with a name of NULL */

/* By name, or by the address if `name` is "auto"; the last row, "other", if
 * nothing fits. */
const struct llm_server *llm_server_find(const char *name, struct text url);

/* What it was found not to understand. */
struct llm_learned {
    unsigned form; /* index into forms */
    bool swap_token_field, no_seed, no_temperature, no_top_p;
};

/* After a status of 400 or 422: does the complaint name a field that can be
 * put differently? Then *learned is changed and true is returned; at most
 * LLM_LESSONS_MAX times for one server. */
#define LLM_LESSONS_MAX 8
bool llm_server_learn(const struct llm_server *server, struct text complaint,
                      bool has_schema, struct llm_learned *learned);

#endif
