/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words before a number and the unit after it, and what a single word
 * means. All words are in lower case. */
#ifndef MODELS_LOG_NUMBER_WORDS_H
#define MODELS_LOG_NUMBER_WORDS_H

#include "schedmate/logs/log_numbers.h"

/* True if the list contains the word. The list ends with NULL. */
bool word_is_one_of(const char *word, const char *const *list);
/* True for a word that means a step, such as "it", "step" or "batch". */
bool word_is_step(const char *word);
/* True for a word that means a unit of data, such as "samples" or "tokens". */
bool word_is_sample(const char *word);
/* Returns the seconds in a unit of time such as "ms"; 0 for another word. */
double word_seconds(const char *word);

#define NUMBER_WORDS_MAX 12
/* The last words of a key, in the order in which they stand in it: at most
 * NUMBER_WORDS_MAX, and no more than fit into `text`. "/" counts as a word. */
struct number_words {
    char text[NUMBER_KEY_MAX]; /* the words, each ended by a 0 byte */
    const char *at[NUMBER_WORDS_MAX];
    size_t n;
};

/* Splits a key at each character that is not a letter, and before a capital
 * that follows a lower-case letter. A digit before a letter is part of the
 * word, as in "l2loss". Digits at the end of a word are dropped: "top5" gives
 * "top". */
void number_words_split(struct text key, struct number_words *out);
/* Writes the words with one blank between them; the last words are left out if
 * they do not fit into NUMBER_KEY_MAX bytes. */
void number_words_join(const struct number_words *words,
                       char out[NUMBER_KEY_MAX]);
bool number_words_has(const struct number_words *words, const char *word);
bool number_words_has_any(const struct number_words *words,
                          const char *const *list);

/* The unit after a number, in lower case: letters, optionally with "/" and more
 * letters. Each run of letters is cut to 15. */
struct number_unit {
    char text[16];            /* "ms/iter"; "" if it does not fit */
    char left[16], right[16]; /* "ms", "iter"; "" if missing */
};
void number_unit_read(struct text after, struct number_unit *out);

#endif
