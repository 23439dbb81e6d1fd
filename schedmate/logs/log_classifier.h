/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classifies a line of a log: error, warning, training progress or other normal
 * output. These are the four categories of SchedMate's Log Classifier (its text
 * says five and lists four).
 *
 * There are two methods. LOG_LINEAR, the default, is a logistic regression over
 * hashed n-grams (ngrams.h) of the line and marks (log_marks.h) of the line and
 * the two lines before it. Its weights come from a table that
 * bench/train_logs.c makes; one is compiled in. LOG_COSINE is the paper's
 * method: the line and one text per category are embedded, and the nearest
 * category wins. With hashed n-grams in place of a language model's embedding
 * LOG_COSINE is much worse. It is kept for comparison and for use with real
 * embeddings. */
#ifndef MODELS_LOG_CLASSIFIER_H
#define MODELS_LOG_CLASSIFIER_H

#include "schedmate/llm/ngrams.h"
#include "schedmate/logs/log_marks.h"

enum log_class {
    LOG_ERROR,
    LOG_WARNING,
    LOG_PROGRESS,
    LOG_OTHER,
    LOG_BLANK, /* a line without text, which gets no score */
};
#define LOG_CLASSES 4
extern const char *const log_class_names[LOG_CLASSES + 1];

enum log_method { LOG_LINEAR, LOG_COSINE };

/* One row of weights: first the n-gram buckets of the line, then the marks of
 * the line and of the two lines before it, newest first (blank lines do not
 * count), last the constant. */
#define LOG_CONTEXT 3
#define LOG_FEATURES (NGRAM_BUCKETS + LOG_CONTEXT * N_LOG_MARKS + 1)
/* The value of a mark. The bag of n-grams has length 1, so with 0.3 neither the
 * n-grams nor the marks dominate (chosen by cross-validation). */
#define LOG_MARK_VALUE 0.3f

struct log_weights {
    float at[LOG_CLASSES][LOG_FEATURES];
};

/* The marks of the two lines before the line to classify, newest first. */
struct log_context {
    uint64_t marks[LOG_CONTEXT - 1];
};

struct log_verdict {
    enum log_class class;
    /* LOG_LINEAR: probability of the class; LOG_COSINE: its similarity */
    float score;
    uint64_t marks;
    /* Hash of the normalised line, equal for lines that differ only in
     * numbers. */
    uint64_t hash;
};

/* A classifier with its cache. Each thread needs one of its own. */
struct log_classifier;

/* Makes a classifier. LOG_LINEAR has the weights in `json` or, if `json` is
 * NULL, the compiled-in weights; LOG_COSINE uses neither. Returns
 * STATUS_BAD_INPUT, with *out unchanged, if the weights are not valid. The
 * caller owns *out and frees it with log_classifier_free, which accepts
 * NULL. */
enum status log_classifier_new(enum log_method method, const struct text *json,
                               struct log_classifier **out,
                               struct error *err) MUST_USE;
void log_classifier_free(struct log_classifier *c);

/* Switches to LOG_COSINE with a real embedding in place of n-grams. Call it at
 * most once, before the first line. `self` is passed to the embedding; both are
 * borrowed. The embedding is called once for the texts of the categories, then
 * once per distinct line, and again for a line that the cache has dropped.
 * Returns the error of the first call, if it fails. */
enum status log_classifier_embed(struct log_classifier *c,
                                 const struct embed_ops *embed, void *self,
                                 struct error *err) MUST_USE;
/* Returns the first failure of the embedding, or STATUS_OK. After a failure
 * each new line is classified as "other", so the caller must discard all
 * results. */
enum status log_classifier_status(const struct log_classifier *c,
                                  struct error *err) MUST_USE;

/* Classifies a line. The same line and context always give the same verdict,
 * unless the embedding fails. `context` may be NULL: no line comes before. */
struct log_verdict log_classify(struct log_classifier *c, struct text line,
                                const struct log_context *context);

/* Classifies the line and then makes it the newest of the context. A blank line
 * does not change the context. */
struct log_verdict log_classify_next(struct log_classifier *c, struct text line,
                                     struct log_context *context);

bool log_is_blank(struct text line);

/* Calls `use` for each nonzero feature of a line, with its value. `bag` must be
 * empty and is empty again after the call; `context` may be NULL. The trainer
 * uses this function, so that it trains on the features that the classifier
 * computes. */
typedef void (*log_use_feature)(void *self, uint32_t feature, float value);
void log_features(struct ngram_bag *bag, struct text line,
                  const struct log_context *context, log_use_feature use,
                  void *self);

#endif
