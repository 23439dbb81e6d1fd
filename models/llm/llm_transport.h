/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends one HTTP request with libcurl, which is loaded at the first request.
 * Only this file uses libcurl. */
#ifndef MODELS_LLM_TRANSPORT_H
#define MODELS_LLM_TRANSPORT_H

#include "models/llm/llm.h"
#include "models/llm/llm_retry.h"

struct llm_post {
    const char *url, *body;
    const char *const *headers; /* lines of the header; ends with NULL */
    sim_span connect_timeout, timeout;
    size_t body_max; /* largest size of a reply, bytes */
    sim_time utc;    /* current time, for dates in headers */
};

struct llm_answer {
    struct llm_outcome outcome;
    struct text body;    /* body of the reply, in the arena */
    const char *trouble; /* libcurl's error text if there is no reply */
    /* True if the reply was larger than body_max. Asking again does not
     * help. */
    bool too_large;
};

/* Sends the request. Returns STATUS_OK for an answer with any HTTP status, and
 * STATUS_FAILED if libcurl is missing. */
enum status llm_post(const struct llm_post *post, struct arena *arena,
                     struct llm_answer *answer, struct error *err) MUST_USE;

#endif
