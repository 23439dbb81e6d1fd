/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/schedmate_handler.h"

#include <string.h>

#include "schedmate/logs/log_report.h"

const char *const handler_methods[] = {"locator", "last-lines", "rcacopilot",
                                       NULL};

const char *const handler_sources[] = {"nothing", "signature", "nearest",
                                       "model",   "scheduler", "kernel"};

const char *const handler_evidence_words[] = {"log", "kernel", "hook",
                                              "scheduler", NULL};

static const char *const handler_askings[] = {"weak", "always", "never", NULL};

const char *const handler_agreements[] = {"rules-only", "model-only", "same",
                                          "differs", NULL};

const struct option handler_options[] = {
    OPT_U32(struct handler_config, window, "window", 200, 10, 5000,
            "lines around the first error that are judged",
            "SchedMate: 200 in its evaluation, 500 in its description"),
    OPT_CHOICE(struct handler_config, ask, "ask", ASK_WEAK, handler_askings,
               "when a model is asked: where the rules are weak or silent, "
               "always, never",
               "assumed: a signature is more reliable than a small model"),
    OPT_DOUBLE(struct handler_config, strong, "strong", 0.7, 0, 1,
               "least confidence of a signature that no model overrules",
               "assumed: below the precision of SchedMate's model, 0.76"),
    {0},
};

/* Factor for the confidence if only a consequence of the failure was found. */
#define FALLOUT_TRUST 0.95

void handler_judge(const struct log_knowledge *knowledge, struct text window,
                   size_t error_at, bool sure, const struct job_end *end,
                   struct diagnosis *out)
{
    struct log_finding found;
    (void)end;
    log_report_read(knowledge, window, error_at, &found);
    *out = (struct diagnosis){.failed = true,
                              .kind = found.cause.kind,
                              .part = found.cause.part,
                              .reason = found.cause.reason,
                              .signature = found.cause.signature,
                              .line = found.line,
                              .host = found.host,
                              .confidence = found.cause.weight / 100.0};
    if (found.cause.weight > 0)
        out->source = HANDLER_SIGNATURE;
    if (found.fallout)
        out->confidence *= FALLOUT_TRUST;
    if (!sure)
        out->confidence *= 0.8; /* the located line may be wrong */
    /* One line that looks like an error and names no cause shows nothing. */
    out->failed = sure || found.cause.weight > 0 || found.wrapped;
    out->action = handler_action_for(knowledge, out);
}

/* Smallest confidence of a diagnosis from the end of a log. */
#define END_TRUST 0.6

void handler_judge_end(const struct log_knowledge *knowledge, struct text tail,
                       const struct job_end *end, struct diagnosis *out)
{
    handler_judge(knowledge, tail, 0, true, end, out);
    if (out->confidence < END_TRUST)
        *out = (struct diagnosis){.reason = "", .part = PART_NONE};
}

enum handler_action handler_action_for(const struct log_knowledge *knowledge,
                                       const struct diagnosis *d)
{
    const struct log_reason *reason = NULL;
    if (!d->failed)
        return ACTION_NONE;
    if (knowledge)
        reason = log_knowledge_reason(knowledge, d->reason);
    if (reason && reason->kind == d->kind)
        return reason->action;
    if (d->kind != FAILURE_INFRASTRUCTURE)
        return ACTION_TELL_USER;
    switch (d->part) {
    case PART_GPU:
    case PART_NODE:
        return ACTION_REPLACE_NODE;
    case PART_NVLINK:
    case PART_NETWORK:
        return ACTION_TEST_NETWORK;
    case PART_OTHER:
        return ACTION_TELL_OPERATOR;
    case PART_NONE:
    case N_FAILURE_PARTS:
        break;
    }
    return ACTION_TELL_USER;
}
