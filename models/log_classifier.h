/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a line of a log is: error, warning, training progress or other normal
 * output. The four categories of SchedMate's Log Classifier (its text says
 * five and lists four).
 *
 * Two ways. LOG_LINEAR, the default, is a logistic regression over hashed
 * character n-grams (ngrams.h) and marks (log_marks.h) of the line and the two
 * before it; its weights come from a table trained by bench/train_logs.c and
 * compiled in. LOG_COSINE is the paper's: the line and one text per category
 * are embedded, the nearest category wins. With hashed n-grams in place of a
 * language model's embedding that is much worse; it is here to be compared and
 * for real embeddings. */
#ifndef MODELS_LOG_CLASSIFIER_H
#define MODELS_LOG_CLASSIFIER_H

#include "models/embed.h"
#include "models/log_marks.h"
#include "models/ngrams.h"

enum log_class {
    LOG_ERROR,
    LOG_WARNING,
    LOG_PROGRESS,
    LOG_OTHER,
    LOG_BLANK, /* nothing but blanks; never asked about */
};
#define LOG_CLASSES 4
extern const char *const log_class_names[LOG_CLASSES + 1];

enum log_method { LOG_LINEAR, LOG_COSINE };

/* One row of weights: buckets, then marks of the line, of the line before, and
 * of the one before that; blank lines do not count. Last the constant. */
#define LOG_CONTEXT 3
#define LOG_FEATURES (NGRAM_BUCKETS + LOG_CONTEXT * N_LOG_MARKS + 1)
/* The value of a mark beside the bag, whose length is 1: small enough to leave
 * the letters a say, large enough to be learnt (chosen by cross-validation). */
#define LOG_MARK_VALUE 0.3f

struct log_weights {
    float at[LOG_CLASSES][LOG_FEATURES];
};

/* Marks of the lines before the one that is asked about, newest first. */
struct log_context {
    uint64_t marks[LOG_CONTEXT - 1];
};

struct log_verdict {
    enum log_class class;
    float score; /* linear: probability; cosine: similarity */
    uint64_t marks;
    uint64_t hash; /* of the normalised text: alike lines, one number */
};

struct log_classifier; /* opaque; holds a cache, so one a thread */

/* The weights that are compiled in, or those of `json` if it is not NULL.
 * Owned by the caller; free with log_classifier_free, which accepts NULL. */
enum status log_classifier_new(enum log_method method, const struct text *json,
                               struct log_classifier **out,
                               struct error *err) MUST_USE;
void log_classifier_free(struct log_classifier *c);

/* The cosine mode by a real embedding in place of n-grams; `self` is its own,
 * both are borrowed. It is asked once for the texts of the categories and then
 * once a distinct line, but for those that the cache has forgotten. */
enum status log_classifier_embed(struct log_classifier *c,
                                 const struct embed_ops *embed, void *self,
                                 struct error *err) MUST_USE;
/* What the embedding could not answer first, or STATUS_OK: every line since
 * then is "other", and nothing that was read may be believed. */
enum status log_classifier_status(const struct log_classifier *c,
                                  struct error *err) MUST_USE;

/* Pure: the same line and context, the same verdict. `context`
 * may be NULL. */
struct log_verdict log_classify(struct log_classifier *c, struct text line,
                                const struct log_context *context);

/* The verdict, then the line becomes the newest of the context; blank lines
 * leave it as it is. */
struct log_verdict log_classify_next(struct log_classifier *c, struct text line,
                                     struct log_context *context);

bool log_is_blank(struct text line);

/* Adds value x row of the features of a line to the sums: shared with the
 * trainer, so that both see the same features. `use` is called for each. */
typedef void (*log_use_feature)(void *self, uint32_t feature, float value);
void log_features(struct ngram_bag *bag, struct text line,
                  const struct log_context *context, log_use_feature use,
                  void *self);

#endif
