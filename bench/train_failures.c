/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trains the table that classifies reports of failures by their words, if no
 * signature matches. Usage: train_failures CORPUS [OUT.json]. A report gets the
 * kind of failure with the nearest centroid; words are weighted by their
 * rarity. The table contains the products of the centroids and the rarities.
 * Prints how well kinds are recognised in sources that were left out of
 * training. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/log_corpus.h"
#include "sim/base/out.h"

struct trainer {
    struct corpus corpus;
    struct handler_bag *bags; /* by file: the words of its failure report */
    struct handler_weights *weights;
    struct log_knowledge *knowledge;
};

static float quantise(const float *row, int8_t *out)
{
    float most = 0;
    for (size_t i = 0; i < HANDLER_WORDS; i++)
        most = fmaxf(most, fabsf(row[i]));
    float scale = most > 0 ? most / 127 : 1;
    for (size_t i = 0; i < HANDLER_WORDS; i++)
        out[i] = (int8_t)lroundf(row[i] / scale);
    return scale;
}

/* Computes for each word how rare it is in the training reports: all reports
 * except those of the source `without`. */
static void rarity(const struct trainer *t, const char *without, float *out)
{
    unsigned n = 0, *often = mem_zalloc(HANDLER_WORDS, sizeof *often);
    for (size_t f = 0; f < t->corpus.n_files; f++) {
        const struct corpus_file *file = &t->corpus.files[f];
        if (!file->failed || strcmp(file->source, without) == 0)
            continue;
        n++;
        for (size_t i = 0; i < HANDLER_WORDS; i++)
            often[i] += t->bags[f].has[i];
    }
    for (size_t i = 0; i < HANDLER_WORDS; i++)
        out[i] = logf((1 + (float)n) / (1 + (float)often[i]));
    free(often);
}

/* Adds a report, as a vector of length 1, to the centroid of its kind. */
static void add_report(const struct handler_bag *bag, const float *rare,
                       float *row)
{
    float sum = 0;
    for (size_t i = 0; i < HANDLER_WORDS; i++)
        sum += bag->has[i] ? rare[i] * rare[i] : 0;
    for (size_t i = 0; i < HANDLER_WORDS && sum > 0; i++)
        row[i] += bag->has[i] ? rare[i] / sqrtf(sum) : 0;
}

/* Trains on all failure reports except those of the source `without`. */
static void train(struct trainer *t, const char *without)
{
    int8_t *bytes = mem_alloc(HANDLER_WORDS);
    float *rare = mem_alloc(HANDLER_WORDS * sizeof *rare);
    memset(t->weights, 0, sizeof *t->weights);
    rarity(t, without, rare);
    for (size_t f = 0; f < t->corpus.n_files; f++) {
        const struct corpus_file *file = &t->corpus.files[f];
        if (file->failed && strcmp(file->source, without) != 0)
            add_report(&t->bags[f], rare, t->weights->at[file->kind]);
    }
    for (size_t k = 0; k < N_FAILURE_KINDS; k++) {
        float *row = t->weights->at[k], sum = 0;
        for (size_t i = 0; i < HANDLER_WORDS; i++)
            sum += row[i] * row[i];
        for (size_t i = 0; i < HANDLER_WORDS && sum > 0; i++)
            row[i] *= rare[i] / sqrtf(sum);
        float scale = quantise(row, bytes);
        for (size_t i = 0; i < HANDLER_WORDS; i++)
            row[i] = (float)bytes[i] * scale;
    }
    free(rare);
    free(bytes);
}

struct score {
    /* number of reports; number of those with the right kind */
    unsigned files, right;
    /* For infrastructure failures, numbers of reports: judged so and truly so;
     * judged so; truly so. */
    unsigned hit, said, is;
};

static void count(struct score *score, const struct diagnosis *d,
                  enum failure_kind truth)
{
    bool is = truth == FAILURE_INFRASTRUCTURE;
    bool said = d->kind == FAILURE_INFRASTRUCTURE;
    score->files++;
    score->right += d->kind == truth;
    score->hit += is && said;
    score->said += said;
    score->is += is;
}

static double f1(const struct score *s)
{
    return s->said + s->is ? 2.0 * s->hit / (s->said + s->is) : 0;
}

/* Judges a report by its words only. The position of the error is set to the
 * end of the report, so that no signature can match. */
static void judge_words(const struct trainer *t, const struct corpus_file *file,
                        struct diagnosis *out)
{
    struct text report = {file->window.at + file->error_at,
                          file->window.len - file->error_at};
    handler_judge(t->knowledge, report, report.len, true, t->weights, NULL,
                  out);
}

static void validate(struct trainer *t, struct score *nearest,
                     struct score *both)
{
    for (size_t f = 0; f < t->corpus.n_files; f++) {
        const struct corpus_file *file = &t->corpus.files[f];
        struct diagnosis d;
        if (!file->failed)
            continue;
        train(t, file->source);
        judge_words(t, file, &d);
        count(nearest, &d, file->kind);
        handler_judge(t->knowledge, file->window, file->error_at, true,
                      t->weights, NULL, &d);
        count(both, &d, file->kind);
        if (d.kind != file->kind)
            printf("%s: is %s, said %s (%s, line %u)\n", file->name,
                   failure_kinds[file->kind], failure_kinds[d.kind], d.reason,
                   (unsigned)d.line);
    }
}

static void print_score(const char *what, const struct score *s)
{
    printf("%s, leaving out the source: infrastructure or not F1 %.3f; kind "
           "right %u of %u\n",
           what, f1(s), s->right, s->files);
}

static enum status write_table(struct trainer *t, const struct score *nearest,
                               const char *path, struct error *err)
{
    int8_t *bytes = mem_alloc(HANDLER_WORDS);
    struct out *out;
    enum status st = out_open(path, &out, err);
    if (st != STATUS_OK) {
        free(bytes);
        return st;
    }
    out_printf(
        out,
        "{\n  \"what\": \"what words of failure reports say for each kind\",\n"
        "  \"made_by\": \"train_failures CORPUS OUT "
        "(bench/train_failures.c)\",\n  \"trained_on\": {\"failures\": "
        "%u},\n  \"cross_validation\": {\"leaving_out\": \"source "
        "repository\", \"infrastructure_f1\": %.3f},\n"
        "  \"weights\": {\n",
        nearest->files, f1(nearest));
    for (size_t k = 0; k < N_FAILURE_KINDS; k++) {
        float scale = quantise(t->weights->at[k], bytes);
        out_printf(out, "    \"%s\": {\"scale\": %.9g,\n      \"int8\": \"",
                   failure_kinds[k], (double)scale);
        for (size_t i = 0; i < HANDLER_WORDS; i++)
            out_printf(out, "%02x", (unsigned)(uint8_t)bytes[i]);
        out_printf(out, "\"}%s\n", k + 1 < N_FAILURE_KINDS ? "," : "");
    }
    out_text(out, "  }\n}\n");
    free(bytes);
    return out_close(out, err);
}

int main(int argc, char **argv)
{
    static struct error err;
    struct trainer t = {.weights = mem_zalloc(1, sizeof *t.weights)};
    struct score nearest = {0}, both = {0};
    if (argc < 2 || argc > 3) {
        fputs("usage: train_failures CORPUS [OUT.json]\n", stderr);
        return 2;
    }
    enum status st = log_knowledge_new(&t.knowledge, &err);
    if (st == STATUS_OK)
        st = log_knowledge_ready(t.knowledge, &err);
    if (st == STATUS_OK)
        st = corpus_read(argv[1], 1, &t.corpus, &err);
    if (st == STATUS_OK) {
        t.bags = mem_zalloc(t.corpus.n_files + 1, sizeof *t.bags);
        for (size_t f = 0; f < t.corpus.n_files; f++) {
            const struct corpus_file *file = &t.corpus.files[f];
            handler_words((struct text){file->window.at + file->error_at,
                                        file->window.len - file->error_at},
                          &t.bags[f]);
        }
        validate(&t, &nearest, &both);
        print_score("nearest centroid", &nearest);
        print_score("signatures, then nearest", &both);
        train(&t, "");
        if (argc == 3)
            st = write_table(&t, &nearest, argv[2], &err);
    }
    if (st != STATUS_OK)
        fprintf(stderr, "train_failures: %s\n", err.message);
    corpus_fini(&t.corpus);
    free(t.bags);
    free(t.weights);
    log_knowledge_free(t.knowledge);
    return status_exit(st);
}
