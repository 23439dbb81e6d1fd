/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends one HTTP request with libcurl, which is loaded at the first request.
 * Only llm_transport.c uses libcurl. */
#ifndef MODELS_LLM_TRANSPORT_H
#define MODELS_LLM_TRANSPORT_H

#include "schedmate/llm/llm.h"
#include "schedmate/llm/llm_retry.h"

struct llm_post {
    const char *url, *body;
    const char *const *headers; /* lines of the header; ends with NULL */
    sim_span connect_timeout, timeout;
    size_t body_max; /* largest size of a reply, bytes */
    /* current time, us since 1970 UTC, to turn a date in a header into a
     * wait */
    sim_time utc;
};

struct llm_answer {
    struct llm_outcome outcome;
    /* body of the reply, in the arena; empty if there is none */
    struct text body;
    /* why there is no reply, such as libcurl's error text; "" if there is
     * one */
    const char *trouble;
    /* True if the reply was larger than body_max: it was dropped, and asking
     * again does not help. */
    bool too_large;
};

/* Sends the request. Returns STATUS_OK for a reply with any HTTP status and
 * also if there is no reply (outcome.http is then 0); STATUS_FAILED if libcurl
 * is missing or cannot be started. */
enum status llm_post(const struct llm_post *post, struct arena *arena,
                     struct llm_answer *answer, struct error *err) MUST_USE;

#endif
