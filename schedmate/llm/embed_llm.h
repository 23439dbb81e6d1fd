/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An embedding by a language model, which is asked through a client (SchedMate
 * uses BGE-m3). */
#ifndef MODELS_EMBED_LLM_H
#define MODELS_EMBED_LLM_H

#include "schedmate/llm/llm.h"
#include "schedmate/llm/ngrams.h"

#define EMBED_NAME_MAX 128

struct embed_llm {
    /* the embedding; its calls need this struct as `self` */
    struct embed_ops ops;
    char name[EMBED_NAME_MAX]; /* "llm:", then the name of the model */
    struct llm_client *client;
};

/* Prepares the embedding: asks for one vector to find the number of dimensions.
 * This call and all later embeddings return STATUS_FAILED with the reason if
 * there is no answer, because vectors of another embedding cannot replace the
 * missing ones; later ones also if the number of dimensions changes. Both
 * return any error of the client. The client is borrowed and must outlive
 * `embed`. embed->ops points into `embed`, so do not copy or move it. */
enum status embed_llm_init(struct embed_llm *embed, struct llm_client *client,
                           struct error *err) MUST_USE;

#endif
