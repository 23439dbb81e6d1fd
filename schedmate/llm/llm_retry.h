/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides when to ask a server again, as openai-python 2026 (_base_client.py)
 * does, and when to leave the server alone for a while. Reads no clock: the
 * caller gives the time. The code is in llm_http.c. */
#ifndef MODELS_LLM_RETRY_H
#define MODELS_LLM_RETRY_H

#include <stdbool.h>

#include "base/text.h"

enum llm_should { LLM_SHOULD_UNSAID, LLM_SHOULD_YES, LLM_SHOULD_NO };

/* The result of one request. */
struct llm_outcome {
    /* HTTP status; 0: no whole reply, such as without a connection, after the
     * timeout, or if the reply is too large */
    int http;
    /* true for the error insufficient_quota: asking again does not help */
    bool quota;
    enum llm_should should; /* what the header x-should-retry says */
    /* The wait that the server asks for, us, from the header retry-after-ms or
     * retry-after (seconds, or a date minus the time of the request). 0 or
     * less: the server asks for none. */
    sim_span retry_after;
};

struct llm_backoff {
    uint32_t retries; /* largest number of repetitions of one request */
    /* wait after try n = 0, 1, ..., us: `first` x 2^n, at most `most` */
    sim_span first, most;
    /* us; a server that asks for a longer wait is not asked again */
    sim_span retry_after_most;
};

/* Returns true to ask again after try number `n`, counted from 0, and sets
 * *delay to the wait, us. This is the wait that the server asks for; if it asks
 * for none, that of `backoff`, which `jitter`, in [0, 1), shortens by up to a
 * quarter. If false is returned, *delay means nothing. */
bool llm_retry_after(const struct llm_backoff *backoff,
                     const struct llm_outcome *outcome, uint32_t n,
                     double jitter, sim_span *delay) MUST_USE;

/* A circuit breaker. After `failures` consecutive failures it blocks requests
 * for `pause` (us), then lets one request through per `pause` until one
 * succeeds. */
struct llm_breaker {
    uint32_t in_a_row; /* number of failures since the last success */
    /* Time until which requests are blocked, us of the caller's clock; 0: not
     * blocked. */
    sim_time open_until;
};

#endif
