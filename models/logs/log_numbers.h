/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the numbers of a line of training output, each with the words before it
 * and the unit after it, and what these make it: a time per step, a throughput,
 * a loss, a step counter. Uses general ways of writing, none of a single
 * program. */
#ifndef MODELS_LOG_NUMBERS_H
#define MODELS_LOG_NUMBERS_H

#include "sim/base/text.h"

enum number_kind {
    NUMBER_NONE,
    NUMBER_STEP_TIME,  /* seconds per step */
    NUMBER_THROUGHPUT, /* things per second; `unit` names the things */
    NUMBER_LOSS,
    NUMBER_STEP,    /* the current step; `of`: the last, 0 if not given */
    NUMBER_ELAPSED, /* seconds since an unknown start */
    NUMBER_BATCH,   /* samples per step */
};

/* How sure a time per step is: the line names it or its unit shows it; the time
 * stands alone in a training line; a bare time without words. */
enum number_tier { TIER_SAID, TIER_TIME, TIER_BARE, N_TIERS };

#define NUMBER_KEY_MAX 48
struct log_number {
    enum number_kind kind;
    enum number_tier tier;
    double value;   /* in the unit of the kind */
    double printed; /* as printed */
    double of;
    char key[NUMBER_KEY_MAX]; /* words before it, lower case, one blank apart */
    /* as printed after it or in the key; "" if none */
    char unit[16];
};

#define LOG_NUMBERS_MAX 48
struct log_numbers {
    struct log_number at[LOG_NUMBERS_MAX];
    size_t n;
    bool has_clock; /* a time of day stands at the start of the line */
    double clock;   /* seconds since midnight */
};

/* Reads the first kilobyte of a line. Keeps only numbers of a known kind. */
void log_numbers_read(struct text line, struct log_numbers *out);

#endif
