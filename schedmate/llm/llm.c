/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/llm/llm.h"

#include <stdio.h>
#include <string.h>

#include "base/find.h"

extern const struct llm_ops llm_http, llm_replay, llm_rules;

const struct llm_ops *const llms[] = {
    &llm_rules,
    &llm_http,
    &llm_replay,
    NULL,
};
FIND_IN(llms, llm_ops, llm_find, "llm")

const char *llm_method_name(enum llm_method method)
{
    static const char *const names[] = {[LLM_BY_RULES] = "rules",
                                        [LLM_BY_MODEL] = "llm",
                                        [LLM_BY_RECORDING] = "recording"};
    return names[method];
}

enum status llm_ask(const struct llm *top, const struct llm_request *request,
                    struct arena *arena, struct llm_reply *reply,
                    struct error *err)
{
    *reply = (struct llm_reply){.text = "",
                                .why = "",
                                .finish_reason = "",
                                .model = "",
                                .server = "",
                                .fingerprint = ""};
    if (!top) {
        llm_unknown(reply, arena, "no model is configured");
        return STATUS_OK;
    }
    return top->ops->ask(top->self, top->below, request, arena, reply, err);
}

void llm_unknown(struct llm_reply *reply, struct arena *arena, const char *fmt,
                 ...)
{
    char buf[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(buf, sizeof buf, fmt, args);
    va_end(args);
    for (char *c = buf; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    }
    reply->known = false;
    reply->why = arena_copy(arena, buf, strlen(buf));
}
