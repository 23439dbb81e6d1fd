/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/llm/llm_retry.h"

static bool is_worth_it(const struct llm_outcome *outcome)
{
    if (outcome->quota)
        return false;
    if (outcome->should != LLM_SHOULD_UNSAID)
        return outcome->should == LLM_SHOULD_YES;
    return outcome->http == 0 || outcome->http == 408 || outcome->http == 409 ||
           outcome->http == 429 || outcome->http >= 500;
}

bool llm_retry_after(const struct llm_backoff *backoff,
                     const struct llm_outcome *outcome, uint32_t n,
                     double jitter, sim_span *delay)
{
    sim_span wait = backoff->first;
    if (n >= backoff->retries || !is_worth_it(outcome))
        return false;
    if (outcome->retry_after > 0) {
        *delay = outcome->retry_after;
        return outcome->retry_after <= backoff->retry_after_most;
    }
    for (uint32_t i = 0; i < n && wait < backoff->most; i++)
        wait *= 2;
    wait = wait < backoff->most ? wait : backoff->most;
    *delay = (sim_span)((double)wait * (1 - jitter / 4));
    return true;
}

bool llm_breaker_allows(struct llm_breaker *breaker, sim_time now,
                        sim_span pause)
{
    if (breaker->open_until == 0)
        return true;
    if (now < breaker->open_until)
        return false;
    /* Block other requests for another pause, in which this one can return. */
    breaker->open_until = now + pause;
    return true;
}

void llm_breaker_note(struct llm_breaker *breaker, bool good, sim_time now,
                      uint32_t failures, sim_span pause)
{
    if (good) {
        *breaker = (struct llm_breaker){0};
        return;
    }
    if (breaker->in_a_row < UINT32_MAX)
        breaker->in_a_row++;
    if (breaker->in_a_row >= failures)
        breaker->open_until = now + pause;
}
