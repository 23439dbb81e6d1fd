/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Failure Handler by rules: judges the window around the first error by
 * signatures and by the report in it. */

#include <string.h>

#include "schedmate/logs/handler.h"
#include "schedmate/logs/log_locator.h"
#include "schedmate/logs/log_stream.h"

/* Smallest weight of a specific cause. Any later cause of larger weight
 * replaces a cause that is not specific, unless only the later one is a
 * consequence. */
#define SPECIFIC 60

/* A later cause replaces a specific one only if its weight is larger by more
 * than this, because a later error is mostly a consequence of the first. A
 * cause that "Caused by" names replaces it even if its weight is smaller, by
 * less than this. */
#define LATER 12

/* Smallest weight of a line that says why a process was killed, such as "DUE TO
 * TIME LIMIT". */
#define EXPLAINED 90

/* The cause that one line names. */
struct log_handler_evidence {
    const struct log_signature *signature; /* NULL: no cause */
    /* the last signature with the anchor LOG_ANCHOR_CLASS_END; NULL: none */
    const struct log_signature *any_class;
    bool fallout;
    bool wrapper; /* true if a process failed and the line does not say why */
    /* true if the line names the cause of the exception before it */
    bool root;
};

/* Returns what the signatures of a line tell: nothing if one is harmless; if
 * one is a wrapper, the cause that it names, if any; else the cause that
 * decides, or that of the largest weight. */
static struct log_handler_evidence handler_weigh(const struct log_knowledge *k,
                                                 struct text line)
{
    struct log_handler_evidence e = {0};
    struct log_matches m;
    const struct log_signature *s;
    log_matches_begin(k, line, &m);
    while ((s = log_matches_next(&m))) {
        if (s->role == LOG_ROLE_HARMLESS)
            return (struct log_handler_evidence){0};
        if (s->role == LOG_ROLE_WRAPPER) {
            e = (struct log_handler_evidence){.signature = s->reason ? s : NULL,
                                              .wrapper = true};
            continue;
        }
        if (!s->reason || e.wrapper)
            continue;
        if (s->anchor == LOG_ANCHOR_CLASS_END)
            e.any_class = s;
        if (!e.signature || s->weight > e.signature->weight)
            e.signature = s;
        if (s->decides) {
            e.signature = s;
            break;
        }
    }
    e.fallout = e.signature && e.signature->role == LOG_ROLE_FALLOUT;
    return e;
}

/* True for a line that is probably source code, quoted outside of a
 * traceback. */
static bool handler_is_code(struct text line)
{
    static const char *const code[] = {"raise ", "except ", "assert "};
    struct text t = text_trim(line);
    for (size_t i = 0; i < sizeof code / sizeof *code; i++) {
        if (text_starts(t, code[i]) && t.len > strlen(code[i]))
            return true;
    }
    return false;
}

/* Weighs the line that names an exception. The signature of the largest weight
 * counts, whether it is of the class or of the message. If that weight is not
 * specific and the user's code raised the exception, a signature with the
 * anchor LOG_ANCHOR_CLASS_END counts instead. */
static struct log_handler_evidence weigh_exception(
    const struct log_knowledge *k, const struct log_traced *traced)
{
    struct log_handler_evidence e = handler_weigh(k, traced->text);
    if (e.wrapper)
        return e;
    if (traced->raised && e.any_class && e.signature->weight < SPECIFIC)
        e.signature = e.any_class;
    e.fallout |= traced->survived;
    e.root = traced->root;
    return e;
}

/* True if the later cause `e` replaces the cause found so far. */
static bool takes_over(const struct log_finding *f,
                       const struct log_handler_evidence *e)
{
    unsigned best = f->cause.weight, next = e->signature->weight;
    if (best == 0)
        return true;
    if (f->fallout != e->fallout)
        return f->fallout && (next >= SPECIFIC || next > best);
    if (e->root && next + LATER > best)
        return true;
    if (best >= SPECIFIC && e->signature->reason->kind == FAILURE_OTHER)
        return false;
    return next > best + (best >= SPECIFIC ? LATER : 0);
}

static void handler_consider(struct log_finding *f,
                             const struct log_handler_evidence *e,
                             struct text line, uint64_t number)
{
    f->wrapped |= e->wrapper;
    if (!e->signature)
        return;
    const struct log_reason *reason = e->signature->reason;
    /* After a process failed, its launcher and the scheduler end the others. */
    if (f->wrapped && reason->kind == FAILURE_OTHER &&
        e->signature->weight < EXPLAINED)
        return;
    if (!takes_over(f, e))
        return;
    f->cause = (struct log_cause){.kind = reason->kind,
                                  .part = reason->part,
                                  .weight = e->signature->weight,
                                  .reason = reason->name,
                                  .signature = e->signature};
    f->line = number;
    f->host = (struct text){0};
    log_signature_host(e->signature, line, &f->host);
    f->fallout = e->fallout;
}

void log_report_read(const struct log_knowledge *k, struct text report,
                     size_t from, struct log_finding *out)
{
    struct log_traceback traceback = {0};
    struct text rest = report, line;
    *out = (struct log_finding){
        .cause = {.kind = FAILURE_OTHER, .part = PART_NONE, .reason = ""}};
    for (uint64_t i = 0; log_first_line(&rest, &line); i++) {
        struct log_traced traced = log_traceback_next(&traceback, line);
        bool silent = traced.kind == LINE_FRAME || handler_is_code(traced.text);
        if ((size_t)(line.at - report.at) < from || silent)
            continue;
        struct log_handler_evidence e = traced.kind == LINE_EXCEPTION
                                            ? weigh_exception(k, &traced)
                                            : handler_weigh(k, line);
        handler_consider(out, &e, line, i);
    }
}

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
               "when a model is asked: where the rules are silent or it is "
               "trusted more, always, never",
               "assumed: a signature is more reliable than a small model"),
    {0},
};

/* Factor for the confidence if only a consequence of the failure was found. */
#define FALLOUT_TRUST 0.95

void handler_judge(const struct log_knowledge *knowledge, struct text window,
                   size_t error_at, bool sure, struct diagnosis *out)
{
    struct log_finding found;
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
    /* One line that looks like an error shows nothing if it names no cause, or
     * only by its severity. */
    bool named = out->signature && out->signature->anchor != LOG_ANCHOR_REPORT;
    out->failed = sure || named || found.wrapped;
    if (!out->failed)
        *out = (struct diagnosis){
            .kind = FAILURE_OTHER, .part = PART_NONE, .reason = ""};
    out->action = handler_action_for(knowledge, out);
}

/* Smallest confidence of a diagnosis from the end of a log. */
#define END_TRUST 0.6

void handler_judge_end(const struct log_knowledge *knowledge, struct text tail,
                       struct diagnosis *out)
{
    handler_judge(knowledge, tail, 0, true, out);
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
