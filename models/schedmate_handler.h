/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Failure Handler: from the text around the first error of a log to
 * what kind of failure it was, which part of the machine is to blame, and what
 * to do (Failure Handler of the paper; kinds after Acme, NSDI '24). By rules:
 * signatures (log_causes.h), then the nearest of what labelled failures look
 * like. By a language model where one is given, which sees the window only and
 * whose answer has to be of the declared words. Text in, beliefs out.
 *
 * The text of a log is data. Nothing in it can choose an action that is not in
 * the table below, and no text of it gets into a command. */
#ifndef MODELS_SCHEDMATE_HANDLER_H
#define MODELS_SCHEDMATE_HANDLER_H

#include "models/llm.h"
#include "models/log_causes.h"
#include "models/log_lines.h"
#include "models/log_locator.h"

/* What may be recommended, after SchedMate: test, isolate, take a spare,
 * restart; tell the user if that is not what helps. */
enum handler_action {
    ACTION_NONE,           /* nothing failed */
    ACTION_REPLACE_NODE,   /* isolate the node, take a spare, restart the job */
    ACTION_TEST_NETWORK,   /* nccl-tests find the node; then as above */
    ACTION_RESTART,        /* it was outside the cluster: try again */
    ACTION_TELL_OPERATOR,  /* storage, power: to be repaired first */
    ACTION_RESTART_BIGGER, /* restart with more of what ran out */
    ACTION_TELL_USER,
    N_ACTIONS,
};
extern const char *const handler_actions[]; /* ends with NULL */
extern const char *const handler_action_words[];

/* How the kind was found. */
enum handler_source {
    HANDLER_NOTHING,   /* no failure, or nobody knows */
    HANDLER_SIGNATURE, /* a code or phrase of log_causes.h */
    HANDLER_NEAREST,   /* resemblance to labelled failures */
    HANDLER_MODEL,
};
extern const char *const handler_sources[];

struct diagnosis {
    bool failed;
    enum failure_kind kind;
    enum failure_part part;
    enum handler_source source;
    const char *reason; /* a few words of ours; "" if there are none */
    uint64_t line;      /* of the window, from 0: where the signature stands */
    double confidence;  /* 0 to 1 */
    enum handler_action action;
    enum llm_method method;
    const char *why; /* a model was asked and gave no answer; NULL otherwise */
    uint64_t tokens; /* of the model, both ways */
    sim_span latency;
};

/* The lines around the first error that are looked at: `before` of them lie
 * before it. 200 in the paper's evaluation, 500 in its description. */
struct handler_config {
    uint32_t window;
};
extern const struct option handler_options[];
/* The share of a window that lies before the error. */
#define HANDLER_BEFORE_SHARE 10

/* Which words stand in the first lines of a failure report, hashed; and what
 * each says for each kind: the nearest centroid of labelled failures by words
 * weighed by their rarity (tf-idf), folded into one table. Words did better
 * than n-grams here: bench/README.md. */
#define HANDLER_WORDS 4096
#define HANDLER_WORD_LINES 31
struct handler_bag {
    bool has[HANDLER_WORDS];
};
struct handler_weights {
    float at[N_FAILURE_KINDS][HANDLER_WORDS];
};
void handler_words(struct text report, struct handler_bag *out);

/* Reads a table as bench/train_failures.c writes it; json NULL: the one that
 * is compiled in. */
enum status handler_weights_read(const struct text *json,
                                 struct handler_weights *out,
                                 struct error *err) MUST_USE;

/* By rules. The window begins `error_at` bytes before the first error; `sure`
 * is what the locator said of it. `weights` NULL: signatures only. */
void handler_judge(struct text window, size_t error_at, bool sure,
                   const struct handler_weights *weights,
                   struct diagnosis *out);

/* By a model, of the same window; what it does not know stays as it is in
 * *out, where the rules have been before. */
struct llm_client; /* models/llm_client.h */
enum status handler_ask(struct llm_client *client, struct text window,
                        struct arena *arena, struct diagnosis *out,
                        struct error *err) MUST_USE;

/* What to do about it. */
enum handler_action handler_action_for(const struct diagnosis *d);

#endif
