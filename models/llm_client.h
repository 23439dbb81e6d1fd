/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a module asks: a chain of llm layers, with parsing and validation of
 * structured replies, one corrective question (SchedMate asks for JSON by
 * JsonFormer, section 4; servers of today are only asked politely), and the
 * account of what it cost. */
#ifndef MODELS_LLM_CLIENT_H
#define MODELS_LLM_CLIENT_H

#include <pthread.h>

#include "models/llm.h"

#define LLM_PURPOSES_MAX 16

/* What one module spent. */
struct llm_account {
    const char *purpose;
    uint64_t calls;         /* questions to the chain */
    uint64_t hits;          /* answered by a recording */
    uint64_t asked;         /* answered by a model */
    uint64_t unknown;       /* not answered */
    uint64_t invalid;       /* answered against the schema */
    uint64_t requests;      /* sent to a server, retries included */
    struct llm_usage usage; /* of hits too: what they would have cost */
    sim_span latency;
};

struct llm_client {
    const struct llm *top;
    struct llm_sampling sampling;
    struct llm_account accounts[LLM_PURPOSES_MAX];
    size_t n_accounts;
    pthread_mutex_t lock;
};

void llm_client_init(struct llm_client *client, const struct llm *top,
                     const struct llm_sampling *sampling);
void llm_client_fini(struct llm_client *client);

/* Asks; a reply that breaks the schema is answered once with what was wrong
 * with it, and a second time is no answer. reply->values is filled if there is
 * a schema. Bytes of the request that are no UTF-8 are sent as '?'. */
enum status llm_client_ask(struct llm_client *client,
                           const struct llm_request *request,
                           struct arena *arena, struct llm_reply *reply,
                           struct error *err) MUST_USE;

/* The sum over all purposes. */
struct llm_account llm_client_total(const struct llm_client *client);

/* Rows model, embed_model, temperature, top_p, seed of struct llm_sampling. */
extern const struct option llm_sampling_options[];

#endif
