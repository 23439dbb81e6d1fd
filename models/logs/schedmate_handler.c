/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/logs/schedmate_handler.h"

#include <stdlib.h>
#include <string.h>

#include "models/logs/log_lines.h"
#include "models/logs/log_prefix.h"
#include "models/logs/log_tables.h"
#include "sim/base/ascii.h"

const char *const handler_methods[] = {"locator", "last-lines", "rcacopilot",
                                       NULL};

const char *const handler_sources[] = {"nothing", "signature", "nearest",
                                       "model", "scheduler"};

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

/* Least weight of a specific cause. A cause of smaller weight is replaced by
 * any later cause of larger weight. */
#define SPECIFIC 60
/* How much larger the weight of a later cause must be to replace an earlier
 * one, because a later error is mostly a consequence of the first. */
#define LATER 12

/* True if the later cause `next` replaces the best cause so far. A kill by the
 * scheduler never replaces a specific error: after such an error a job may hang
 * until the scheduler ends it. */
static bool takes_over(const struct log_cause *best,
                       const struct log_cause *next)
{
    if (best->weight >= SPECIFIC && next->kind == FAILURE_OTHER)
        return false;
    if (best->weight < SPECIFIC)
        return next->weight > best->weight;
    return next->weight > best->weight + LATER;
}

/* True for a line that names no cause: a line of source code in a traceback,
 * which shows an error that the code could raise, not the error that occurred;
 * a line that is known to be harmless. */
static bool is_no_cause(const struct log_knowledge *k, struct text line)
{
    static const char *const code[] = {"raise ", "except ", "assert "};
    struct text t = text_trim(log_strip_rank(line));
    for (size_t i = 0; i < sizeof code / sizeof *code; i++) {
        if (text_starts(t, code[i]) && t.len > strlen(code[i]))
            return true;
    }
    return log_has_role(k, t, LOG_ROLE_HARMLESS);
}

static bool by_signature(const struct log_knowledge *k, struct text window,
                         size_t error_at, struct diagnosis *out)
{
    struct log_cause best = {0};
    struct text rest = window, line;
    for (uint64_t i = 0; log_first_line(&rest, &line); i++) {
        if ((size_t)(line.at - window.at) < error_at || is_no_cause(k, line))
            continue;
        struct log_cause next = log_cause_of(k, line);
        if (next.weight > 0 && takes_over(&best, &next)) {
            best = next;
            out->line = i;
            out->host = (struct text){0};
            log_signature_host(next.signature, line, &out->host);
        }
    }
    if (best.weight == 0)
        return false;
    out->kind = best.kind;
    out->part = best.part;
    out->reason = best.reason;
    out->signature = best.signature;
    out->source = HANDLER_SIGNATURE;
    out->confidence = best.weight / 100.0;
    return true;
}

/* Sets which words occur in the first HANDLER_WORD_LINES lines of a report. A
 * word is a run of three or more letters and underscores, in lower case. */
void handler_words(struct text report, struct handler_bag *out)
{
    struct text rest = report, line;
    *out = (struct handler_bag){0};
    for (unsigned n = 0; n < HANDLER_WORD_LINES && log_first_line(&rest, &line);
         n++) {
        char word[64];
        size_t len = 0;
        for (size_t i = 0; i <= line.len && i < NGRAM_LINE_MAX; i++) {
            char c = ascii_lower(text_char(line, i));
            if ((c >= 'a' && c <= 'z') || c == '_') {
                if (len < sizeof word)
                    word[len++] = c;
                continue;
            }
            if (len >= 3)
                out->has[text_hash((struct text){word, len}) % HANDLER_WORDS] =
                    true;
            len = 0;
        }
    }
}

/* Highest confidence of a kind that was found by resemblance, which is weak
 * evidence. */
#define NEAREST_TRUST 0.5

static void by_nearest(struct text report,
                       const struct handler_weights *weights,
                       struct diagnosis *out)
{
    struct handler_bag *bag = mem_alloc(sizeof *bag);
    double best = 0, second = 0;
    handler_words(report, bag);
    for (unsigned k = 0; k < N_FAILURE_KINDS; k++) {
        double sum = 0;
        for (size_t i = 0; i < HANDLER_WORDS; i++)
            sum += bag->has[i] ? (double)weights->at[k][i] : 0;
        if (sum > best) {
            second = best;
            best = sum;
            out->kind = (enum failure_kind)k;
        } else if (sum > second) {
            second = sum;
        }
    }
    if (best > 0) {
        out->source = HANDLER_NEAREST;
        out->part =
            out->kind == FAILURE_INFRASTRUCTURE ? PART_OTHER : PART_NONE;
        out->confidence = NEAREST_TRUST * (best - second) / best;
    }
    free(bag);
}

void handler_judge(const struct log_knowledge *knowledge, struct text window,
                   size_t error_at, bool sure,
                   const struct handler_weights *weights,
                   const struct job_end *end, struct diagnosis *out)
{
    (void)end;
    *out = (struct diagnosis){
        .failed = true, .kind = FAILURE_OTHER, .part = PART_NONE, .reason = ""};
    struct text report = window;
    if (error_at < window.len)
        report = (struct text){window.at + error_at, window.len - error_at};
    if (!by_signature(knowledge, window, error_at, out) && weights)
        by_nearest(report, weights, out);
    if (!sure)
        out->confidence *= 0.8; /* the located line may be wrong */
    out->action = handler_action_for(knowledge, out);
}

/* Least confidence of a diagnosis from the end of a log. */
#define END_TRUST 0.6

void handler_judge_end(const struct log_knowledge *knowledge, struct text tail,
                       const struct job_end *end, struct diagnosis *out)
{
    handler_judge(knowledge, tail, 0, true, NULL, end, out);
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

enum status handler_weights_read(const struct text *json,
                                 struct handler_weights *out, struct error *err)
{
    const struct log_table *table = &log_tables[1];
    struct text built_in = {table->json, table->len};
    return log_table_read(json ? "weights" : table->name,
                          json ? *json : built_in, failure_kinds, HANDLER_WORDS,
                          out->at[0], err);
}
