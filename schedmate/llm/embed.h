/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns text into vectors. A vector has length 1, so the scalar product of two
 * vectors is their cosine. The vector of a very short text may be zero instead.
 * A threshold on the cosine is valid only for the embedding for which it was
 * chosen, so compare the names of embeddings before reusing a threshold. The
 * code is in ngrams.c. */
#ifndef MODELS_EMBED_H
#define MODELS_EMBED_H

#include "base/error.h"
#include "base/text.h"

struct embed_ops {
    const char *name, *summary;
    /* number of elements of a vector, > 0 */
    uint32_t dimensions;
    /* Writes `count` vectors one after another into `out`, which the caller
     * owns and which holds count x dimensions floats. `self` may be NULL if the
     * embedding keeps no state. */
    enum status (*embed)(void *self, const struct text *texts, size_t count,
                         float *out, struct error *err) MUST_USE;
};

/* Hashed n-grams of bytes (schedmate/llm/ngrams.h) of the text in lower case.
 * Has no state, needs no server and cannot fail. */
extern const struct embed_ops embed_hashed;

/* Returns the scalar product of two vectors, summed in double precision and in
 * index order. */
double embed_cosine(const float *a, const float *b, size_t dimensions);

#endif
