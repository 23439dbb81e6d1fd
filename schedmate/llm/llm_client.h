/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface through which modules ask a model. The client holds a chain of
 * llm layers. It shortens questions that are too long, checks structured
 * replies, asks one corrective question, and keeps the account of the cost.
 * (SchedMate, section 4, enforces JSON with JsonFormer. Not every server can do
 * that, so replies are checked here.) The code is in llm.c. */
#ifndef MODELS_LLM_CLIENT_H
#define MODELS_LLM_CLIENT_H

#include <pthread.h>

#include "schedmate/llm/llm.h"

#define LLM_PURPOSES_MAX 16
#define LLM_NAME_MAX 128

/* Counts of the questions of one module, and their cost. Modules after the
 * first LLM_PURPOSES_MAX share the last account. */
struct llm_account {
    const char *purpose;
    uint64_t calls;   /* questions asked, shortened and corrective ones too */
    uint64_t hits;    /* questions that a recording answered */
    uint64_t asked;   /* questions that a model answered */
    uint64_t unknown; /* questions that got no answer */
    /* answers that did not fit the schema; `hits` or `asked` counts them too */
    uint64_t invalid;
    uint64_t requests; /* requests sent to a server, retries included */
    /* bytes left out of questions so that they fit the context of the model */
    uint64_t left_out;
    /* Tokens and time of all answers. A hit counts those of the recorded
     * answer. */
    struct llm_usage usage;
    sim_span latency;
};

struct llm_client {
    const struct llm *top;
    struct llm_sampling sampling;
    struct llm_account accounts[LLM_PURPOSES_MAX];
    size_t n_accounts;
    /* Name of the model that answered (reply->model); "several" if the answers
     * came from different ones, "" if none did. A name that is too long is
     * cut. */
    char answered_by[LLM_NAME_MAX];
    pthread_mutex_t lock;
};

void llm_client_init(struct llm_client *client, const struct llm *top,
                     const struct llm_sampling *sampling);
void llm_client_fini(struct llm_client *client);

/* Asks one question. If the server says that a chat is too long for the model,
 * the client leaves out the middle of its longest messages and asks again. If
 * the reply does not fit the schema, the client asks once more and tells the
 * model what was wrong, unless the reply was cut off at its limit of tokens. If
 * the last reply does not fit either, there is no answer. reply->values is set
 * if there are a schema and an answer. Bytes of the request that are not UTF-8
 * are sent as '?'. Several threads may ask at once, each with an arena of its
 * own. Returns errors of the chain (llm.h), and STATUS_FAILED if cJSON cannot
 * be loaded. */
enum status llm_client_ask(struct llm_client *client,
                           const struct llm_request *request,
                           struct arena *arena, struct llm_reply *reply,
                           struct error *err) MUST_USE;

/* Returns the sum over all purposes. No other thread may be asking. */
struct llm_account llm_client_total(const struct llm_client *client);

/* Option rows model, embed_model, temperature, top_p and seed, for a struct
 * llm_sampling. */
extern const struct option llm_sampling_options[];

#endif
