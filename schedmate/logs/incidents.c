/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/incidents.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedmate/llm/ngrams.h"

const struct option incidents_options[] = {
    OPT_U32(struct incidents_config, lines, "lines", 500, 1, 5000,
            "lines at the end of a log that are compared",
            "SchedMate, Table 4: what is read without the locator"),
    OPT_DOUBLE(struct incidents_config, alpha, "alpha", 0.3, 0, 100,
               "decay of the similarity per day between two failures",
               "RCACopilot (EuroSys'24), from memory, not confirmed"),
    OPT_DOUBLE(struct incidents_config, least, "least", 0, 0, 1,
               "similarity below which a failure is of no known category; 0: "
               "the most similar incident always decides",
               "assumed: 0; RCACopilot asks a language model"),
    {0},
};

struct incidents {
    const struct incidents_config *config;
    const struct embed_ops *embed;
    void *self;
    struct incident *at;
    float *vectors; /* n rows of `width` numbers */
    size_t n, cap, cap_vectors;
    uint32_t width;
};

struct incidents *incidents_new(const struct incidents_config *config,
                                const struct embed_ops *embed, void *self)
{
    struct incidents *all = mem_zalloc(1, sizeof *all);
    *all = (struct incidents){.config = config,
                              .embed = embed,
                              .self = self,
                              .width = embed->dimensions};
    return all;
}

void incidents_free(struct incidents *all)
{
    if (!all)
        return;
    free(all->at);
    free(all->vectors);
    free(all);
}

/* Returns the last `lines` lines of a log. */
static struct text incidents_end_of(struct text log, uint32_t lines)
{
    struct text rest = log, line;
    while (lines > 0 && log_last_line(&rest, &line))
        lines--;
    return text_skip(log, rest.len);
}

/* Adds the hash to the list and returns true, unless the list has it
 * already. */
static bool incidents_is_new(uint64_t *seen, size_t *n, uint64_t hash)
{
    for (size_t i = 0; i < *n; i++) {
        if (seen[i] == hash)
            return false;
    }
    seen[(*n)++] = hash;
    return true;
}

/* Returns the distinct lines of the end of a log, without numbers, so that
 * repeated lines and counters do not outweigh the error. The caller frees the
 * text. */
static struct text incidents_content_of(struct text log, uint32_t lines)
{
    struct text rest = incidents_end_of(log, lines), line;
    uint64_t *seen = mem_alloc(lines * sizeof *seen);
    char *at = mem_alloc((size_t)lines * (NGRAM_LINE_MAX + 1) + 1);
    size_t len = 0, n = 0;
    while (log_first_line(&rest, &line)) {
        size_t m = ngram_normalise(line, at + len);
        if (m == 0 ||
            !incidents_is_new(seen, &n, text_hash((struct text){at + len, m})))
            continue;
        len += m;
        at[len++] = '\n';
    }
    free(seen);
    return (struct text){at, len};
}

static enum status vector_of(struct incidents *all, struct text log, float *out,
                             struct error *err)
{
    struct text text = incidents_content_of(log, all->config->lines);
    enum status st = all->embed->embed(all->self, &text, 1, out, err);
    free((char *)(uintptr_t)text.at);
    return st;
}

enum status incidents_add(struct incidents *all, struct text log,
                          const struct incident *incident, struct error *err)
{
    all->vectors = mem_grow(all->vectors, &all->cap_vectors,
                            (all->n + 1) * all->width, sizeof *all->vectors);
    enum status st =
        vector_of(all, log, all->vectors + all->n * all->width, err);
    if (st != STATUS_OK)
        return st;
    all->at = mem_grow(all->at, &all->cap, all->n + 1, sizeof *all->at);
    all->at[all->n++] = *incident;
    return STATUS_OK;
}

/* Returns how similar incident `i` is to a failure at `at`, 0..1. */
static double similarity(const struct incidents *all, size_t i,
                         const float *vector, sim_time at)
{
    double cosine =
        embed_cosine(vector, all->vectors + i * all->width, all->width);
    double distance = sqrt(cosine < 1 ? 2 - 2 * cosine : 0);
    double days = fabs((double)(at - all->at[i].at)) / (double)SPAN_DAY;
    return 1 / (1 + distance) * exp(-all->config->alpha * days);
}

static void incidents_judge_one(const struct incidents *all,
                                const float *vector, sim_time at,
                                struct diagnosis *out)
{
    const struct incident *best = NULL;
    double most = 0;
    for (size_t i = 0; i < all->n; i++) {
        double s = similarity(all, i, vector, at);
        if (s <= most)
            continue;
        most = s;
        best = &all->at[i];
    }
    *out = (struct diagnosis){
        .failed = true, .kind = FAILURE_OTHER, .part = PART_NONE, .reason = ""};
    if (best && most >= all->config->least) {
        out->kind = best->kind;
        out->part = best->part;
        out->source = HANDLER_NEAREST;
        out->confidence = most;
    }
    out->action = handler_action_for(NULL, out);
}

enum status incidents_judge(struct incidents *all, struct text log, sim_time at,
                            struct diagnosis *out, struct error *err)
{
    float *vector = mem_alloc(all->width * sizeof *vector);
    enum status st = vector_of(all, log, vector, err);
    if (st == STATUS_OK)
        incidents_judge_one(all, vector, at, out);
    free(vector);
    return st;
}
