/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the numbers in a line of training output and decides, by the words
 * before a number and the unit after it, what the number is, such as a time per
 * step, a throughput, a loss or a step counter. Reads common formats only. */
#ifndef MODELS_LOG_NUMBERS_H
#define MODELS_LOG_NUMBERS_H

#include "base/text.h"

enum number_kind {
    NUMBER_NONE,
    NUMBER_STEP_TIME, /* seconds per step */
    /* samples, tokens, ... per second; `unit` or `key` tells which */
    NUMBER_THROUGHPUT,
    NUMBER_LOSS,
    NUMBER_STEP,    /* the current step */
    NUMBER_EPOCH,   /* the current epoch */
    NUMBER_ELAPSED, /* seconds since an unknown start */
    NUMBER_BATCH,   /* samples per step */
};

/* How certain it is that a NUMBER_STEP_TIME is a time per step, most certain
 * first. */
enum number_tier {
    TIER_SAID, /* the line names the time of a step, or the unit implies it */
    TIER_RUN,  /* the time that a bar has run, divided by its counter */
    TIER_TIME, /* the line names a time of something unknown */
    TIER_BARE, /* a time without any words */
    N_TIERS,
};

#define NUMBER_KEY_MAX 48
struct log_number {
    enum number_kind kind;
    enum number_tier tier;
    double value;   /* in the unit that the kind names */
    double printed; /* the number as printed */
    double of;      /* the number after "/", as in "3/10"; 0 if there is none */
    /* The last words before the number, in lower case, with one blank
     * between. */
    char key[NUMBER_KEY_MAX];
    /* Unit after the number or in the key, in lower case, such as "ms/iter"; ""
     * if none was used. */
    char unit[16];
};

#define LOG_NUMBERS_MAX 48
struct log_numbers {
    struct log_number at[LOG_NUMBERS_MAX];
    size_t n;
    /* true if the line gives the time that a step waits for data */
    bool has_part;
    /* true if a time of day stands near the start of the line */
    bool has_clock;
    double clock; /* this time of day, seconds since midnight */
};

/* Reads the first KiB of a line. Keeps only numbers of a known kind, at most
 * LOG_NUMBERS_MAX. */
void log_numbers_read(struct text line, struct log_numbers *out);

#endif
