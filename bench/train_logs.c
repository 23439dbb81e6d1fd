/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trains the log classifier, and prints how good it is on sources that were
 * left out of training. Usage: train_logs CORPUS [OUT.json | --misses | --folds
 * DIR]. OUT.json gets the table of all sources. --misses prints the lines that
 * the cross-validation classified wrongly. --folds writes the table of each
 * fold and the names of the files that were left out to DIR/fold-K.json. The
 * method is multinomial logistic regression by AdaGrad (Duchi and others 2011)
 * over the templates of each file. Their order is drawn from a fixed seed, so
 * that equal corpora give equal tables. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "base/rng.h"
#include "bench/log_corpus.h"

/* Number of folds, and number of passes over the samples, which was chosen by
 * the cross-validation that this program prints. */
#define N_FOLDS 8
#define EPOCHS 24
#define RATE 0.5f
#define DECAY 1e-3f /* L2 penalty at each use of a sample */

struct feature {
    uint32_t at;
    float value;
};

struct sample {
    const struct corpus_line *line;
    /* file: index of the file. first: index of the sample's first feature.
     * count: number of its features. */
    uint32_t file, first, count;
    float weight;
};

struct trainer {
    struct corpus corpus;
    struct sample *samples; /* one sample for each template of each file */
    size_t n_samples, cap_samples;
    struct feature *features;
    size_t n_features, cap_features;
    struct ngram_bag *bag;
    struct log_weights *weights, *squares;
    bool show_misses;
    /* Directory for the table of each fold; NULL: none. */
    const char *folds;
};

static void keep_feature(void *self, uint32_t feature, float value)
{
    struct trainer *t = self;
    t->features = mem_grow(t->features, &t->cap_features, t->n_features + 1,
                           sizeof *t->features);
    t->features[t->n_features++] = (struct feature){feature, value};
}

/* Adds a sample for each template of a file. The first line of a template gives
 * its text and its label. */
static void add_samples(struct trainer *t, uint32_t f)
{
    const struct corpus_file *file = &t->corpus.files[f];
    uint8_t *seen = mem_zalloc(file->n_templates + 1u, 1);
    for (uint32_t i = 0; i < file->n_lines; i++) {
        const struct corpus_line *line = &file->lines[i];
        if (seen[line->template]++)
            continue;
        t->samples = mem_grow(t->samples, &t->cap_samples, t->n_samples + 1,
                              sizeof *t->samples);
        struct sample *s = &t->samples[t->n_samples++];
        *s = (struct sample){.line = line,
                             .file = f,
                             .first = (uint32_t)t->n_features,
                             .weight = 1};
        log_features(t->bag, line->text, &line->context, keep_feature, t);
        s->count = (uint32_t)t->n_features - s->first;
    }
    free(seen);
}

static void probabilities(const struct log_weights *w,
                          const struct feature *features, uint32_t count,
                          float out[LOG_CLASSES])
{
    float total = 0, most = -INFINITY;
    for (size_t k = 0; k < LOG_CLASSES; k++) {
        out[k] = 0;
        for (uint32_t i = 0; i < count; i++)
            out[k] += w->at[k][features[i].at] * features[i].value;
        most = out[k] > most ? out[k] : most;
    }
    for (size_t k = 0; k < LOG_CLASSES; k++)
        total += out[k] = expf(out[k] - most);
    for (size_t k = 0; k < LOG_CLASSES; k++)
        out[k] /= total;
}

static void learn(struct trainer *t, const struct sample *s)
{
    const struct feature *features = t->features + s->first;
    float p[LOG_CLASSES];
    probabilities(t->weights, features, s->count, p);
    for (size_t k = 0; k < LOG_CLASSES; k++) {
        float miss = s->weight * (p[k] - (k == s->line->label));
        for (uint32_t i = 0; i < s->count; i++) {
            float *w = &t->weights->at[k][features[i].at];
            float *q = &t->squares->at[k][features[i].at];
            float slope = miss * features[i].value + DECAY * *w;
            *q += slope * slope;
            *w -= RATE * slope / sqrtf(*q + 1e-8f);
        }
    }
}

/* Weights each sample by the square root of the rarity of its class outside the
 * fold `without`. */
static void weigh_classes(struct trainer *t, uint32_t without)
{
    size_t n[LOG_CLASSES] = {0}, all = 0;
    for (size_t i = 0; i < t->n_samples; i++) {
        bool in = t->corpus.files[t->samples[i].file].fold != without;
        n[t->samples[i].line->label] += in;
        all += in;
    }
    for (size_t i = 0; i < t->n_samples; i++) {
        size_t mine = n[t->samples[i].line->label];
        t->samples[i].weight =
            mine ? sqrtf((float)all / (LOG_CLASSES * (float)mine)) : 0;
    }
}

/* Trains on all samples except those of fold `without`; on all samples if that
 * is N_FOLDS. */
static void train(struct trainer *t, uint32_t without)
{
    uint32_t *order = mem_alloc(t->n_samples * sizeof *order);
    gsl_rng *rng = rng_open(1, "train_logs");
    size_t n = 0;
    memset(t->weights, 0, sizeof *t->weights);
    memset(t->squares, 0, sizeof *t->squares);
    weigh_classes(t, without);
    for (uint32_t i = 0; i < t->n_samples; i++) {
        if (t->corpus.files[t->samples[i].file].fold != without)
            order[n++] = i;
    }
    for (unsigned epoch = 0; epoch < EPOCHS; epoch++) {
        for (size_t i = n; i > 1; i--) {
            uint32_t k = rng_below(rng, (uint32_t)i);
            uint32_t swap = order[i - 1];
            order[i - 1] = order[k];
            order[k] = swap;
        }
        for (size_t i = 0; i < n; i++)
            learn(t, &t->samples[order[i]]);
    }
    rng_free(rng);
    free(order);
}

/* Rounds the weights of class k, also in place, to signed bytes as the table
 * stores them. Returns the scale of the bytes. */
static float quantise(struct log_weights *w, size_t k, int8_t *out)
{
    float most = 0;
    for (size_t i = 0; i < LOG_FEATURES; i++)
        most = fmaxf(most, fabsf(w->at[k][i]));
    float scale = most > 0 ? most / 127 : 1;
    for (size_t i = 0; i < LOG_FEATURES; i++) {
        out[i] = (int8_t)lroundf(w->at[k][i] / scale);
        w->at[k][i] = (float)out[i] * scale;
    }
    return scale;
}

struct score {
    double templates, right_templates;
    double lines, right_lines;
    double hit[LOG_CLASSES], said[LOG_CLASSES], is[LOG_CLASSES];
};

struct features_of_line {
    struct feature at[8192];
    uint32_t count;
};

static void collect(void *self, uint32_t feature, float value)
{
    struct features_of_line *f = self;
    if (f->count < sizeof f->at / sizeof *f->at)
        f->at[f->count++] = (struct feature){feature, value};
}

/* Tests one file. Each template has weight 1, which its lines share equally. */
static void test_file(struct trainer *t, const struct corpus_file *file,
                      struct score *score)
{
    struct features_of_line *f = mem_alloc(sizeof *f);
    uint32_t *often = mem_zalloc(file->n_templates + 1u, sizeof *often);
    for (uint32_t i = 0; i < file->n_lines; i++)
        often[file->lines[i].template]++;
    for (uint32_t i = 0; i < file->n_lines; i++) {
        const struct corpus_line *line = &file->lines[i];
        float p[LOG_CLASSES];
        uint32_t best = 0;
        double share = 1.0 / often[line->template];
        f->count = 0;
        log_features(t->bag, line->text, &line->context, collect, f);
        probabilities(t->weights, f->at, f->count, p);
        for (uint32_t k = 1; k < LOG_CLASSES; k++)
            best = p[k] > p[best] ? k : best;
        bool right = best == line->label;
        score->lines++;
        score->right_lines += right;
        score->templates += share;
        score->right_templates += right ? share : 0;
        score->hit[best] += right ? share : 0;
        score->said[best] += share;
        score->is[line->label] += share;
        if (t->show_misses && !right)
            fprintf(stderr, "%s\t%s\t%s\t%.3f\t%.*s\n", file->name,
                    log_class_names[line->label], log_class_names[best], share,
                    (int)(line->text.len > 200 ? 200 : line->text.len),
                    line->text.at);
    }
    free(often);
    free(f);
}

static double f1(const struct score *s, size_t k)
{
    double sum = s->said[k] + s->is[k];
    return sum > 0 ? 2 * s->hit[k] / sum : 0;
}

static double macro_f1(const struct score *s)
{
    double sum = 0;
    for (size_t k = 0; k < LOG_CLASSES; k++)
        sum += f1(s, k);
    return sum / LOG_CLASSES;
}

static void print_score(const char *what, const struct score *s)
{
    printf("%s: template accuracy %.3f, macro-F1 %.3f, line accuracy %.3f;"
           " F1",
           what, s->right_templates / s->templates, macro_f1(s),
           s->right_lines / s->lines);
    for (size_t k = 0; k < LOG_CLASSES; k++)
        printf(" %s %.3f", log_class_names[k], f1(s, k));
    printf("\n");
}

static void write_rows(struct trainer *t, struct out *out)
{
    int8_t *bytes = mem_alloc(LOG_FEATURES);
    for (size_t k = 0; k < LOG_CLASSES; k++) {
        float scale = quantise(t->weights, k, bytes);
        out_printf(out, "    \"%s\": {\"scale\": %.9g,\n      \"int8\": \"",
                   log_class_names[k], (double)scale);
        for (size_t i = 0; i < LOG_FEATURES; i++)
            out_printf(out, "%02x", (unsigned)(uint8_t)bytes[i]);
        out_printf(out, "\"}%s\n", k + 1 < LOG_CLASSES ? "," : "");
    }
    free(bytes);
}

/* Writes a table. `without`: the fold that was left out of training; N_FOLDS:
 * none. `score`: result of the cross-validation; NULL: not written. */
static enum status write_table(struct trainer *t, const struct score *score,
                               uint32_t without, const char *path,
                               struct error *err)
{
    struct out *out;
    size_t lines = 0, files = 0;
    const char *comma = "";
    enum status st = out_open(path, &out, err);
    if (st != STATUS_OK)
        return st;
    out_text(out, "{\n  \"what\": \"weights of the log classifier\",\n"
                  "  \"made_by\": \"train_logs CORPUS OUT "
                  "(bench/train_logs.c)\",\n  \"held_out\": [");
    for (size_t i = 0; i < t->corpus.n_files; i++) {
        bool in = t->corpus.files[i].fold != without;
        files += in;
        lines += in ? t->corpus.files[i].n_lines : 0;
        if (in)
            continue;
        out_printf(out, "%s\"%s\"", comma, t->corpus.files[i].name);
        comma = ", ";
    }
    out_printf(out, "],\n  \"trained_on\": {\"files\": %zu, \"lines\": %zu},\n",
               files, lines);
    if (score)
        out_printf(out,
                   "  \"cross_validation\": {\"folds\": %d, \"by\": \"source "
                   "repository\", \"template_accuracy\": %.3f, "
                   "\"macro_f1\": %.3f, \"line_accuracy\": %.3f},\n",
                   N_FOLDS, score->right_templates / score->templates,
                   macro_f1(score), score->right_lines / score->lines);
    out_text(out, "  \"weights\": {\n");
    write_rows(t, out);
    out_text(out, "  }\n}\n");
    return out_close(out, err);
}

static enum status cross_validate(struct trainer *t, struct score *score,
                                  struct error *err)
{
    int8_t *bytes = mem_alloc(LOG_FEATURES);
    enum status st = STATUS_OK;
    for (uint32_t fold = 0; fold < N_FOLDS && st == STATUS_OK; fold++) {
        char path[4096];
        train(t, fold);
        for (size_t k = 0; k < LOG_CLASSES; k++)
            quantise(t->weights, k, bytes);
        for (size_t i = 0; i < t->corpus.n_files; i++) {
            if (t->corpus.files[i].fold == fold)
                test_file(t, &t->corpus.files[i], score);
        }
        if (t->folds) {
            snprintf(path, sizeof path, "%s/fold-%u.json", t->folds, fold);
            st = write_table(t, NULL, fold, path, err);
        }
    }
    free(bytes);
    if (st == STATUS_OK)
        print_score("cross-validation", score);
    return st;
}

static void trainer_fini(struct trainer *t)
{
    corpus_fini(&t->corpus);
    free(t->samples);
    free(t->features);
    free(t->bag);
    free(t->weights);
    free(t->squares);
}

static enum status train_all(struct trainer *t, const char *path,
                             struct error *err)
{
    struct score cv = {0}, fit = {0};
    for (uint32_t f = 0; f < t->corpus.n_files; f++)
        add_samples(t, f);
    enum status st = cross_validate(t, &cv, err);
    if (st != STATUS_OK)
        return st;
    train(t, N_FOLDS);
    t->show_misses = false;
    for (size_t i = 0; i < t->corpus.n_files; i++)
        test_file(t, &t->corpus.files[i], &fit);
    print_score("on what it was trained on", &fit);
    return path ? write_table(t, &cv, N_FOLDS, path, err) : STATUS_OK;
}

int main(int argc, char **argv)
{
    static struct error err;
    struct trainer t = {.bag = mem_zalloc(1, sizeof *t.bag),
                        .weights = mem_zalloc(1, sizeof *t.weights),
                        .squares = mem_zalloc(1, sizeof *t.squares)};
    const char *path = NULL;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--misses") == 0)
            t.show_misses = true;
        else if (strcmp(argv[i], "--folds") == 0 && i + 1 < argc)
            t.folds = argv[++i];
        else
            path = argv[i];
    }
    if (argc < 2) {
        fputs("usage: train_logs CORPUS [OUT.json | --misses | --folds DIR]\n",
              stderr);
        return 2;
    }
    enum status st = corpus_read(argv[1], N_FOLDS, &t.corpus, &err);
    if (st == STATUS_OK)
        st = train_all(&t, path, &err);
    if (st != STATUS_OK)
        fprintf(stderr, "train_logs: %s\n", err.message);
    trainer_fini(&t);
    return status_exit(st);
}
