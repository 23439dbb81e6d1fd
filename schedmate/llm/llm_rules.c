/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layer without a model. It never gives an answer, so that each module
 * falls back to its own rules. */
#include "schedmate/llm/llm.h"

static enum status rules_ask(void *self, const struct llm *below,
                             const struct llm_request *request,
                             struct arena *arena, struct llm_reply *reply,
                             struct error *err)
{
    (void)self;
    (void)below;
    (void)request;
    (void)err;
    reply->method = LLM_BY_RULES;
    llm_unknown(reply, arena, "no language model is asked; rules answer");
    return STATUS_OK;
}

const struct llm_ops llm_rules = {
    .name = "rules",
    .summary = "no model: each module answers by its own rules",
    .ask = rules_ask,
};
