/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of a line of training output, each with the words before it and
 * the unit behind it, and what they make it: a time per step, a throughput, a
 * loss, a step counter. Knows ways of writing, not programs. */
#ifndef MODELS_LOG_NUMBERS_H
#define MODELS_LOG_NUMBERS_H

#include "sim/base/text.h"

enum number_kind {
    NUMBER_NONE,
    NUMBER_STEP_TIME,  /* seconds per step */
    NUMBER_THROUGHPUT, /* things per second: see unit */
    NUMBER_LOSS,
    NUMBER_STEP,    /* where training is; `of` the last step, 0 if unsaid */
    NUMBER_ELAPSED, /* seconds since some start */
    NUMBER_BATCH,   /* samples per step */
};

/* How sure a time per step is: said in so many words or by its unit; a time
 * that stands alone in a training line; a bare time without words. */
enum number_tier { TIER_SAID, TIER_TIME, TIER_BARE, N_TIERS };

#define NUMBER_KEY_MAX 48
struct log_number {
    enum number_kind kind;
    enum number_tier tier;
    double value;   /* in the unit of its kind */
    double printed; /* as printed */
    double of;
    char key[NUMBER_KEY_MAX]; /* words before, lower case, one blank between */
    char unit[16];            /* as printed behind or in the key; "" if none */
};

#define LOG_NUMBERS_MAX 48
struct log_numbers {
    struct log_number at[LOG_NUMBERS_MAX];
    size_t n;
    bool has_clock; /* a time of day in front */
    double clock;   /* seconds since midnight */
};

/* Looks at the first kilobyte; keeps only numbers of a known kind. */
void log_numbers_read(struct text line, struct log_numbers *out);

#endif
