/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text as a bag of hashed character 3- to 5-grams: 4,096 buckets, each gram
 * adds +1 or -1 (Weinberger and others 2009), so that collisions cancel on
 * average. The one embedding that is built in, and the features of the log
 * classifier. Widths and sizes are those of the prototype that was measured
 * best at its size: 0.89 accuracy at 4,096 buckets, the same at 32,768. */
#ifndef MODELS_NGRAMS_H
#define MODELS_NGRAMS_H

#include <stdbool.h>

#include "sim/base/text.h"

#define NGRAM_BUCKETS 4096
#define NGRAM_SHORTEST 3
#define NGRAM_LONGEST 5
#define NGRAM_LINE_MAX 300

/* A line as the classifier reads it: escape sequences gone, lower case (ASCII),
 * digit runs as "0", hexadecimal numbers as "0x", blanks collapsed behind the
 * indentation, long rules (=====) cut. Writes at most NGRAM_LINE_MAX bytes, no
 * terminator, and returns how many. Reads no further than it has to. */
size_t ngram_normalise(struct text line, char out[NGRAM_LINE_MAX]);

/* Buckets that were touched, with their sums. Zero it once; ngram_clear makes
 * it empty again at the cost of what was touched. */
struct ngram_bag {
    float at[NGRAM_BUCKETS];
    uint16_t touched[NGRAM_BUCKETS];
    uint8_t is_touched[NGRAM_BUCKETS];
    uint32_t n_touched;
};

void ngram_add(struct ngram_bag *bag, const char *at, size_t len);
void ngram_clear(struct ngram_bag *bag);
/* 1 / length of the vector; 0 of an empty one. */
float ngram_scale(const struct ngram_bag *bag);

#endif
