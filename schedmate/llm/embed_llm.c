/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/llm/embed_llm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Largest number of texts in one request. If the server says that a request is
 * too large, this one and the next ones of the call are sent with half as many
 * texts, but at least one. */
enum { BATCH = 32 };

static void to_length_1(float *at, size_t width)
{
    double sum = 0;
    for (size_t i = 0; i < width; i++)
        sum += (double)at[i] * (double)at[i];
    double scale = sum > 0 ? 1 / sqrt(sum) : 0;
    for (size_t i = 0; i < width; i++)
        at[i] = (float)((double)at[i] * scale);
}

static enum status embed_llm_ask(const struct embed_llm *embed,
                                 const struct text *texts, size_t n,
                                 struct arena *arena, struct llm_reply *reply,
                                 struct error *err)
{
    const char *inputs[BATCH];
    const struct llm_request request = {.kind = LLM_EMBED,
                                        .purpose = "embedding",
                                        .prompt_version = "embedding/1",
                                        .inputs = inputs,
                                        .n_inputs = n};
    for (size_t i = 0; i < n; i++)
        inputs[i] = arena_copy(arena, texts[i].at, texts[i].len);
    enum status st = llm_client_ask(embed->client, &request, arena, reply, err);
    if (st == STATUS_OK && !reply->known && !(reply->too_long && n > 1))
        st = error_set(err, STATUS_FAILED, "%s: no vectors: %.500s",
                       embed->name, reply->why);
    return st;
}

static enum status embed_texts(void *self, const struct text *texts,
                               size_t count, float *out, struct error *err)
{
    const struct embed_llm *embed = self;
    const size_t width = embed->ops.dimensions;
    enum status st = STATUS_OK;
    struct arena arena;
    size_t batch = BATCH;
    arena_init(&arena);
    for (size_t i = 0, n; i < count && st == STATUS_OK; i += n) {
        struct llm_reply reply;
        n = count - i < batch ? count - i : batch;
        st = embed_llm_ask(embed, texts + i, n, &arena, &reply, err);
        if (st == STATUS_OK && !reply.known) {
            /* The server refused the request because it has too many texts or
             * is too long. */
            batch = n / 2;
            n = 0;
            continue;
        }
        if (st == STATUS_OK && reply.width != width)
            st = error_set(err, STATUS_FAILED,
                           "%s: vectors of %zu numbers, then of %zu",
                           embed->name, width, reply.width);
        for (size_t k = 0; k < n && st == STATUS_OK; k++) {
            float *at = out + (i + k) * width;
            memcpy(at, reply.vectors + k * width, width * sizeof *at);
            to_length_1(at, width);
        }
        arena_reset(&arena);
    }
    arena_fini(&arena);
    return st;
}

enum status embed_llm_init(struct embed_llm *embed, struct llm_client *client,
                           struct error *err)
{
    const struct text probe = text_from("width");
    struct llm_reply reply;
    struct arena arena;
    *embed = (struct embed_llm){.client = client};
    snprintf(embed->name, sizeof embed->name, "llm:%s",
             client->sampling.embed_model);
    arena_init(&arena);
    enum status st = embed_llm_ask(embed, &probe, 1, &arena, &reply, err);
    if (st == STATUS_OK)
        embed->ops = (struct embed_ops){.name = embed->name,
                                        .summary = "the embeddings of a server",
                                        .dimensions = (uint32_t)reply.width,
                                        .embed = embed_texts};
    arena_fini(&arena);
    return st;
}
