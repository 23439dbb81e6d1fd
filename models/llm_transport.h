/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One HTTP request by libcurl, which is loaded with the first. The only file
 * that knows libcurl. */
#ifndef MODELS_LLM_TRANSPORT_H
#define MODELS_LLM_TRANSPORT_H

#include "models/llm.h"
#include "models/llm_retry.h"

struct llm_post {
    const char *url, *body;
    const char *const *headers; /* ends with NULL */
    sim_span connect_timeout, timeout;
    size_t body_max; /* bytes of the reply */
    sim_time utc;    /* now, for dates in headers */
};

struct llm_answer {
    struct llm_outcome outcome;
    struct text body;    /* in the arena */
    const char *trouble; /* if there is no reply: what libcurl says */
    bool too_large;      /* the reply; to ask again is no use */
};

/* An answer of any kind is STATUS_OK; STATUS_FAILED if there is no libcurl. */
enum status llm_post(const struct llm_post *post, struct arena *arena,
                     struct llm_answer *answer, struct error *err) MUST_USE;

#endif
