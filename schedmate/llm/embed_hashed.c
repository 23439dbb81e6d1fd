/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An embedding that needs no model: hashed n-grams of 3 to 5 bytes with signs,
 * scaled to length 1. It keeps digits, because in "batch_size=64" they carry
 * the meaning; the log classifier reads each number as "0". */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/llm/embed.h"
#include "schedmate/llm/ngrams.h"

static void embed_one(struct ngram_bag *bag, struct text text, float *out)
{
    char *lower = mem_alloc(text.len + 1);
    for (size_t i = 0; i < text.len; i++)
        lower[i] = ascii_lower(text.at[i]);
    ngram_add(bag, lower, text.len);
    free(lower);
    float scale = ngram_scale(bag);
    for (size_t i = 0; i < NGRAM_BUCKETS; i++)
        out[i] = bag->at[i] * scale;
    ngram_clear(bag);
}

static enum status hashed_embed(void *self, const struct text *texts,
                                size_t count, float *out, struct error *err)
{
    struct ngram_bag *bag = mem_zalloc(1, sizeof *bag);
    (void)self;
    (void)err;
    for (size_t i = 0; i < count; i++)
        embed_one(bag, texts[i], out + i * NGRAM_BUCKETS);
    free(bag);
    return STATUS_OK;
}

double embed_cosine(const float *a, const float *b, size_t dimensions)
{
    double sum = 0;
    for (size_t i = 0; i < dimensions; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

const struct embed_ops embed_hashed = {
    .name = "hashed",
    .summary = "hashed character 3-5-grams, 4096 buckets; needs no server",
    .dimensions = NGRAM_BUCKETS,
    .embed = hashed_embed,
};
