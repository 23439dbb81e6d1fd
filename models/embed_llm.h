/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Embeddings by whatever model a client asks (SchedMate uses BGE-m3). */
#ifndef MODELS_EMBED_LLM_H
#define MODELS_EMBED_LLM_H

#include "models/embed.h"
#include "models/llm_client.h"

#define EMBED_NAME_MAX 128

struct embed_llm {
    struct embed_ops ops; /* to be called with the struct itself as `self` */
    char name[EMBED_NAME_MAX]; /* "llm:" and the model's name */
    struct llm_client *client;
};

/* Asks for one vector, to learn how wide they are. STATUS_FAILED with the
 * reason if there is no answer, now or later: vectors of another embedding
 * cannot stand in. The client is borrowed. */
enum status embed_llm_init(struct embed_llm *embed, struct llm_client *client,
                           struct error *err) MUST_USE;

#endif
