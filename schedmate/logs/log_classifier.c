/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classifies lines. Most lines of a log resemble other lines, so the scores
 * that do not depend on marks are cached in a table of fixed size, by the hash
 * of the normalised line. */
#include "schedmate/logs/log_classifier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/logs/log_knowledge_internal.h"

const char *const log_class_names[LOG_CLASSES + 1] = {
    "error", "warning", "progress", "other", "blank"};

/* Texts of the categories, for LOG_COSINE. The paper does not publish its
 * texts; the texts here use the words with which the paper describes the
 * categories. */
static const char *const category_texts[LOG_CLASSES] = {
    "error: exception, traceback, failed, fatal, aborted, killed, crashed",
    "warning: deprecated, may be slow, will be ignored, userwarning",
    "training progress: epoch, step, iteration, loss, learning rate, "
    "throughput, samples per second, it/s",
    "info: loading configuration, saving checkpoint, model parameters, "
    "initialising, arguments",
};

#define CACHE_SLOTS 8192
struct cached {
    uint64_t hash; /* hash of the normalised line; 0: an empty slot */
    float sums[LOG_CLASSES];
};

struct log_classifier {
    enum log_method method;
    struct log_weights weights;
    struct ngram_bag bag;
    const struct embed_ops *embed; /* NULL: n-grams take its place */
    void *embed_self;
    float *vectors; /* one vector per category, then the vector of a line */
    /* first failure of the embedding; STATUS_OK: none so far */
    struct error trouble;
    struct cached cache[CACHE_SLOTS];
};

bool log_is_blank(struct text line)
{
    for (size_t i = 0; i < line.len; i++) {
        if ((unsigned char)line.at[i] > ' ')
            return false;
    }
    return true;
}

static void use_marks(uint64_t marks, uint32_t base, log_use_feature use,
                      void *self)
{
    for (; marks; marks &= marks - 1)
        use(self, base + (uint32_t)__builtin_ctzll(marks), LOG_MARK_VALUE);
}

static void use_bag(struct ngram_bag *bag, log_use_feature use, void *self)
{
    float scale = ngram_scale(bag);
    for (uint32_t i = 0; i < bag->n_touched; i++) {
        uint32_t bucket = bag->touched[i];
        use(self, bucket, bag->at[bucket] * scale);
    }
    ngram_clear(bag);
}

void log_features(struct ngram_bag *bag, struct text line,
                  const struct log_context *context, log_use_feature use,
                  void *self)
{
    char normal[NGRAM_LINE_MAX];
    ngram_add(bag, normal, ngram_normalise(line, normal));
    use_bag(bag, use, self);
    use_marks(log_marks(line), NGRAM_BUCKETS, use, self);
    for (uint32_t i = 0; context && i + 1 < LOG_CONTEXT; i++)
        use_marks(context->marks[i], NGRAM_BUCKETS + (i + 1) * N_LOG_MARKS, use,
                  self);
    use(self, LOG_FEATURES - 1, 1);
}

struct log_classifier_sums {
    const struct log_weights *weights;
    float at[LOG_CLASSES];
};

static void add_feature(void *self, uint32_t feature, float value)
{
    struct log_classifier_sums *sums = self;
    for (size_t k = 0; k < LOG_CLASSES; k++)
        sums->at[k] += sums->weights->at[k][feature] * value;
}

/* Computes the cosine of the line with each category. All vectors have length
 * 1, so the scalar product is the cosine. If this call of the embedding or an
 * earlier one fails, LOG_OTHER gets 1 and each other category 0. */
static void sum_vector(struct log_classifier *c, struct text line,
                       float out[LOG_CLASSES])
{
    size_t width = c->embed->dimensions;
    float *vector = c->vectors + LOG_CLASSES * width;
    memset(out, 0, LOG_CLASSES * sizeof *out);
    out[LOG_OTHER] = 1;
    if (c->trouble.status != STATUS_OK)
        return;
    enum status st =
        c->embed->embed(c->embed_self, &line, 1, vector, &c->trouble);
    for (size_t k = 0; k < LOG_CLASSES && st == STATUS_OK; k++)
        out[k] = (float)embed_cosine(c->vectors + k * width, vector, width);
}

/* Computes the score of each class from the n-grams or the embedding of the
 * normalised line, without the marks. Returns the hash of the normalised
 * line. */
static uint64_t sum_letters(struct log_classifier *c, struct text line,
                            float out[LOG_CLASSES])
{
    char normal[NGRAM_LINE_MAX];
    struct text text = {normal, ngram_normalise(line, normal)};
    uint64_t hash = text_hash(text) | 1;
    struct cached *slot = &c->cache[(hash >> 17) % CACHE_SLOTS];
    if (slot->hash != hash && c->embed) {
        slot->hash = hash;
        sum_vector(c, text, slot->sums);
    } else if (slot->hash != hash) {
        struct log_classifier_sums sums = {.weights = &c->weights};
        ngram_add(&c->bag, text.at, text.len);
        use_bag(&c->bag, add_feature, &sums);
        slot->hash = hash;
        memcpy(slot->sums, sums.at, sizeof slot->sums);
    }
    memcpy(out, slot->sums, sizeof slot->sums);
    return hash;
}

static enum log_class best_of(const float sums[LOG_CLASSES])
{
    enum log_class best = LOG_ERROR;
    for (unsigned k = 1; k < LOG_CLASSES; k++) {
        if (sums[k] > sums[best])
            best = (enum log_class)k;
    }
    return best;
}

static float probability(const float sums[LOG_CLASSES], enum log_class of)
{
    float total = 0;
    for (size_t k = 0; k < LOG_CLASSES; k++)
        total += expf(sums[k] - sums[of]);
    return 1 / total;
}

struct log_verdict log_classify(struct log_classifier *c, struct text line,
                                const struct log_context *context)
{
    struct log_verdict v = {.class = LOG_BLANK};
    if (log_is_blank(line))
        return v;
    struct log_classifier_sums sums = {.weights = &c->weights};
    v.hash = sum_letters(c, line, sums.at);
    v.marks = log_marks(line);
    if (c->method == LOG_LINEAR) {
        use_marks(v.marks, NGRAM_BUCKETS, add_feature, &sums);
        for (uint32_t i = 0; context && i + 1 < LOG_CONTEXT; i++)
            use_marks(context->marks[i], NGRAM_BUCKETS + (i + 1) * N_LOG_MARKS,
                      add_feature, &sums);
        add_feature(&sums, LOG_FEATURES - 1, 1);
    }
    v.class = best_of(sums.at);
    v.score = c->method == LOG_LINEAR ? probability(sums.at, v.class)
                                      : sums.at[v.class];
    return v;
}

struct log_verdict log_classify_next(struct log_classifier *c, struct text line,
                                     struct log_context *context)
{
    struct log_verdict v = log_classify(c, line, context);
    if (v.class != LOG_BLANK) {
        memmove(context->marks + 1, context->marks,
                sizeof context->marks - sizeof context->marks[0]);
        context->marks[0] = v.marks;
    }
    return v;
}

/* Reads a table that bench/train_logs.c wrote. */
static enum status weights_read(struct text json, struct log_weights *out,
                                struct error *err)
{
    static const char *const keys[] = {"error", "warning", "progress", "other",
                                       NULL};
    return log_table_read("weights", json, keys, LOG_FEATURES, out->at[0], err);
}

/* Prepares LOG_COSINE: sets each row of weights to the n-gram vector of the
 * category's text, and all other weights to 0. */
static void embed_categories(struct log_classifier *c)
{
    memset(&c->weights, 0, sizeof c->weights);
    for (size_t k = 0; k < LOG_CLASSES; k++) {
        ngram_add(&c->bag, category_texts[k], strlen(category_texts[k]));
        float scale = ngram_scale(&c->bag);
        for (size_t i = 0; i < NGRAM_BUCKETS; i++)
            c->weights.at[k][i] = c->bag.at[i] * scale;
        ngram_clear(&c->bag);
    }
}

enum status log_classifier_new(enum log_method method, const struct text *json,
                               struct log_classifier **out, struct error *err)
{
    struct log_classifier *c = mem_zalloc(1, sizeof *c);
    enum status st = STATUS_OK;
    c->method = method;
    if (method == LOG_COSINE)
        embed_categories(c);
    else if (json)
        st = weights_read(*json, &c->weights, err);
    else
        c->weights = log_weights_built_in;
    if (st != STATUS_OK) {
        free(c);
        return st;
    }
    *out = c;
    return STATUS_OK;
}

enum status log_classifier_embed(struct log_classifier *c,
                                 const struct embed_ops *embed, void *self,
                                 struct error *err)
{
    struct text texts[LOG_CLASSES];
    c->method = LOG_COSINE;
    c->embed = embed;
    c->embed_self = self;
    c->vectors = mem_zalloc((size_t)(LOG_CLASSES + 1) * embed->dimensions,
                            sizeof *c->vectors);
    for (size_t k = 0; k < LOG_CLASSES; k++)
        texts[k] = text_from(category_texts[k]);
    return embed->embed(self, texts, LOG_CLASSES, c->vectors, err);
}

enum status log_classifier_status(const struct log_classifier *c,
                                  struct error *err)
{
    if (c->trouble.status != STATUS_OK && err)
        *err = c->trouble;
    return c->trouble.status;
}

void log_classifier_free(struct log_classifier *c)
{
    if (c)
        free(c->vectors);
    free(c);
}
