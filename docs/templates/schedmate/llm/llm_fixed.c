/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Never answers; a place to begin. */
#include "schedmate/llm/llm.h"

static enum status fixed_ask(void *self, const struct llm *below,
                             const struct llm_request *request,
                             struct arena *arena, struct llm_reply *reply,
                             struct error *err)
{
    (void)self;
    (void)below;
    (void)request;
    (void)err;
    llm_unknown(reply, arena, "this layer has no model");
    return STATUS_OK;
}

const struct llm_ops llm_fixed = {
    .name = "fixed",
    .summary = "never answers",
    .ask = fixed_ask,
};
