/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text to vector. Vectors have length 1 (or are zero, for text without
 * content), so that the cosine of two is their scalar product. A threshold on
 * it belongs to the embedding it was chosen with: compare names before
 * reusing one. */
#ifndef MODELS_EMBED_H
#define MODELS_EMBED_H

#include "sim/base/error.h"
#include "sim/base/text.h"

struct embed_ops {
    const char *name, *summary;
    uint32_t dimensions; /* 0: known only after the first answer */
    /* Writes count vectors one after the other into `out`, owned by the
     * caller, of count x dimensions floats. `self` may be NULL where an
     * embedding keeps no state. */
    enum status (*embed)(void *self, const struct text *texts, size_t count,
                         float *out, struct error *err) MUST_USE;
};

/* Hashed character n-grams (models/ngrams.h) of the text as it is, in lower
 * case. No state, no failure, no dependency. */
extern const struct embed_ops embed_hashed;

/* The scalar product, summed in double in index order. */
double embed_cosine(const float *a, const float *b, size_t dimensions);

#endif
