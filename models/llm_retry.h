/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When to ask a server again, after openai-python 2026 (_base_client.py), and
 * when to leave it alone for a while. Pure: time is given. */
#ifndef MODELS_LLM_RETRY_H
#define MODELS_LLM_RETRY_H

#include <stdbool.h>

#include "sim/base/text.h"

enum llm_should { LLM_SHOULD_UNSAID, LLM_SHOULD_YES, LLM_SHOULD_NO };

/* What came of one request. */
struct llm_outcome {
    int http;               /* status; 0: no reply (connection, time-out) */
    bool quota;             /* code insufficient_quota: waiting is no use */
    enum llm_should should; /* header x-should-retry */
    /* Header retry-after-ms, or retry-after in seconds or as a date less the
     * time it came; 0 or less: unsaid. */
    sim_span retry_after;
};

struct llm_backoff {
    uint32_t retries;          /* at most */
    sim_span first, most;      /* of 0.5 x 2^n s */
    sim_span retry_after_most; /* a server that asks for more is given up */
};

/* Whether to ask again after try number `n`, counted from 0, and after how
 * long. `jitter` is in [0, 1): it takes up to a quarter off. */
bool llm_retry_after(const struct llm_backoff *backoff,
                     const struct llm_outcome *outcome, uint32_t n,
                     double jitter, sim_span *delay) MUST_USE;

/* Stays shut for `pause` after `failures` failures in a row; then one request
 * may try. */
struct llm_breaker {
    uint32_t in_a_row;
    sim_time open_until; /* of the clock; 0: closed */
};
bool llm_breaker_allows(struct llm_breaker *breaker, sim_time now,
                        sim_span pause);
void llm_breaker_note(struct llm_breaker *breaker, bool good, sim_time now,
                      uint32_t failures, sim_span pause);

#endif
