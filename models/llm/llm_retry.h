/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides when to ask a server again, after openai-python 2026
 * (_base_client.py), and when to leave the server alone for a while. Reads no
 * clock: the caller gives the time. */
#ifndef MODELS_LLM_RETRY_H
#define MODELS_LLM_RETRY_H

#include <stdbool.h>

#include "sim/base/text.h"

enum llm_should { LLM_SHOULD_UNSAID, LLM_SHOULD_YES, LLM_SHOULD_NO };

/* The result of one request. */
struct llm_outcome {
    /* HTTP status; 0: no reply (no connection, or too late) */
    int http;
    /* true for the error insufficient_quota: waiting does not help */
    bool quota;
    enum llm_should should; /* what the header x-should-retry says */
    /* The wait that the server asks for, us, from the header retry-after-ms or
     * retry-after (seconds, or a date minus the time of the request). 0 or
     * less: the server asks for none. */
    sim_span retry_after;
};

struct llm_backoff {
    uint32_t retries; /* largest number of repetitions of one request */
    /* wait after try n, us: `first` x 2^n, at most `most` */
    sim_span first, most;
    sim_span retry_after_most; /* longest wait that a server may ask for, us */
};

/* Returns whether to ask again after try number `n`, counted from 0, and sets
 * the wait. `jitter`, in [0, 1), shortens the wait by up to a quarter. */
bool llm_retry_after(const struct llm_backoff *backoff,
                     const struct llm_outcome *outcome, uint32_t n,
                     double jitter, sim_span *delay) MUST_USE;

/* A circuit breaker. After `failures` consecutive failures it blocks requests
 * for `pause`, then lets one request through to test whether the server
 * works. */
struct llm_breaker {
    uint32_t in_a_row; /* number of failures since the last success */
    /* Time until which requests are blocked; 0: requests are not blocked. */
    sim_time open_until;
};
bool llm_breaker_allows(struct llm_breaker *breaker, sim_time now,
                        sim_span pause);
void llm_breaker_note(struct llm_breaker *breaker, bool good, sim_time now,
                      uint32_t failures, sim_span pause);

#endif
