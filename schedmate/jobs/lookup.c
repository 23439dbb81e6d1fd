/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the query with all texts, without an index: comparing 100,000
 * distinct texts takes less time than one question to a language model. */
#include "schedmate/jobs/lookup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

const struct option lookup_options[] = {
    OPT_U32(struct lookup_config, top, "top", 3, 1, LOOKUP_TOP_MAX,
            "number of the most similar jobs whose mean is the estimate",
            "SchedMate: 3, with Lucid and alone"),
    OPT_DOUBLE(struct lookup_config, threshold, "threshold", 0.9, -1, 1,
               "least cosine of the descriptions of two jobs that count as "
               "similar; valid for one embedding only",
               "SchedMate: 0.90 (with BGE-m3); hashed n-grams keep variants of "
               "one job above it and others below"),
    OPT_DOUBLE(struct lookup_config, coverage, "coverage", 0.5, 0, 1,
               "least coverage (share of the description that was found) at "
               "which a job is compared with others",
               NULL),
    {0},
};

const char *lookup_basis_name(enum lookup_basis basis)
{
    static const char *const names[] = {"nothing", "resubmission", "similar",
                                        "little known"};
    return names[basis];
}

static void add_figure(struct figures *f, double value)
{
    if (value < 0)
        return;
    f->n++;
    double delta = value - f->mean;
    f->mean += delta / f->n;
    /* until end_figure is called, `spread` is a sum of squared deviations */
    f->spread += delta * (value - f->mean);
}

static void end_figure(struct figures *f)
{
    f->spread = f->n > 1 ? sqrt(f->spread / (f->n - 1)) : 0;
}

static void average(struct lookup *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const struct jobdb_job *job = &r->matches[i].job;
        add_figure(&r->duration_s, span_seconds(job->duration));
        add_figure(&r->gpu_util, job->gpu_util);
        add_figure(&r->mem_mib, job->mem_mib);
    }
    end_figure(&r->duration_s);
    end_figure(&r->gpu_util);
    end_figure(&r->mem_mib);
}

/* What gather() needs to collect completed jobs. It copies their texts, which
 * are valid only during the visit. */
struct gathering {
    struct lookup *out;
    struct arena *arena;
    uint32_t top;
    double score;
};

static bool lookup_gather(void *self, const struct jobdb_job *job)
{
    struct gathering *g = self;
    if (!text_is(job->end, "completed"))
        return true;
    struct lookup_match *m = &g->out->matches[g->out->n++];
    *m = (struct lookup_match){.job = *job, .score = g->score};
    struct text *const texts[] = {
        &m->job.source,    &m->job.source_id, &m->job.user,   &m->job.workdir,
        &m->job.command,   &m->job.branch,    &m->job.name,   &m->job.vc,
        &m->job.gpu_type,  &m->job.metadata,  &m->job.end,    &m->job.state,
        &m->job.exit_code, &m->job.hosts,     &m->job.failure};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        texts[i]->at = arena_copy(g->arena, texts[i]->at, texts[i]->len);
    return g->out->n < g->top;
}

enum status lookup_resubmission(struct jobdb *jobdb,
                                const struct lookup_config *config,
                                const struct jobdb_filter *who,
                                struct arena *arena, struct lookup *out,
                                struct error *err)
{
    struct gathering g = {out, arena, config->top, 1};
    struct jobdb_filter filter = *who;
    *out = (struct lookup){0};
    if (!who->user.len || !who->command.len)
        /* otherwise jobs with an unknown user or command would match each
         * other */
        return STATUS_OK;
    filter.exactly = true;
    filter.limit = 0;
    enum status st = jobdb_each(jobdb, &filter, lookup_gather, &g, err);
    if (st == STATUS_OK && out->n) {
        out->basis = LOOKUP_RESUBMISSION;
        average(out);
    }
    return st;
}

/* The id of a metadata text and its cosine with the query. */
struct near_text {
    int64_t id;
    double score;
};

struct lookup_scan {
    struct jobdb *jobdb;
    const struct embed_ops *embedding;
    void *self;
    const float *query;
    double threshold;
    struct near_text best[LOOKUP_TOP_MAX]; /* nearest texts, best first */
    uint32_t n, top;
    /* Texts that had no vector yet, with their new vectors, which are stored
     * after the walk. */
    struct lookup_fresh {
        struct text text;
        float *vector;
    } * fresh;
    size_t n_fresh, cap_fresh;
    struct arena arena;
};

static void lookup_offer(struct lookup_scan *s, int64_t id, double score)
{
    uint32_t at = s->n;
    while (at > 0 && s->best[at - 1].score < score)
        at--;
    if (at == s->top)
        return;
    uint32_t last = s->n < s->top ? s->n++ : s->top - 1;
    memmove(&s->best[at + 1], &s->best[at], (last - at) * sizeof *s->best);
    s->best[at] = (struct near_text){id, score};
}

/* True for the text of a job about which little was known: it has `command=`
 * with the words of the job's command. */
static bool is_little_known(struct text text)
{
    return text_starts(text, "command=") ||
           (text.len && memmem(text.at, text.len, " command=", 9));
}

static enum status visit_text(void *self, int64_t id, struct text text,
                              uint64_t n_jobs, const float *values, size_t n,
                              struct error *err)
{
    struct lookup_scan *s = self;
    if (!n_jobs || is_little_known(text))
        return STATUS_OK;
    if (!values || n != s->embedding->dimensions) {
        size_t bytes = s->embedding->dimensions * sizeof(float);
        float *vector = arena_alloc(&s->arena, bytes);
        enum status st = s->embedding->embed(s->self, &text, 1, vector, err);
        if (st != STATUS_OK)
            return st;
        s->fresh =
            mem_grow(s->fresh, &s->cap_fresh, s->n_fresh + 1, sizeof *s->fresh);
        s->fresh[s->n_fresh++] = (struct lookup_fresh){
            {arena_copy(&s->arena, text.at, text.len), text.len}, vector};
        values = vector;
    }
    double score = embed_cosine(s->query, values, s->embedding->dimensions);
    if (score >= s->threshold)
        lookup_offer(s, id, score);
    return STATUS_OK;
}

static enum status keep_fresh(struct lookup_scan *s, struct error *err)
{
    if (!s->n_fresh)
        return STATUS_OK;
    enum status st = jobdb_begin(s->jobdb, err);
    for (size_t i = 0; i < s->n_fresh && st == STATUS_OK; i++)
        st =
            jobdb_put_vector(s->jobdb, s->fresh[i].text, s->embedding->name,
                             s->fresh[i].vector, s->embedding->dimensions, err);
    return st == STATUS_OK ? jobdb_commit(s->jobdb, err) : st;
}

enum status lookup_similar(struct jobdb *jobdb,
                           const struct lookup_config *config,
                           const struct embed_ops *embedding, void *self,
                           struct text metadata, double coverage,
                           struct arena *arena, struct lookup *out,
                           struct error *err)
{
    struct lookup_scan s = {.jobdb = jobdb,
                            .embedding = embedding,
                            .self = self,
                            .threshold = config->threshold,
                            .top = config->top};
    struct gathering g = {out, arena, config->top, 0};
    *out = (struct lookup){0};
    if (coverage < config->coverage) {
        out->basis = LOOKUP_LITTLE;
        return STATUS_OK;
    }
    arena_init(&s.arena);
    float *query = arena_alloc(&s.arena, embedding->dimensions * sizeof *query);
    s.query = query;
    enum status st = embedding->embed(self, &metadata, 1, query, err);
    if (st == STATUS_OK)
        st = jobdb_each_text(jobdb, embedding->name, visit_text, &s, err);
    if (st == STATUS_OK)
        st = keep_fresh(&s, err);
    for (uint32_t i = 0; i < s.n && out->n < config->top && st == STATUS_OK;
         i++) {
        g.score = s.best[i].score;
        st = jobdb_each_of_text(jobdb, s.best[i].id, lookup_gather, &g, err);
    }
    if (st == STATUS_OK && out->n) {
        out->basis = LOOKUP_SIMILAR;
        average(out);
    }
    free(s.fresh);
    arena_fini(&s.arena);
    return st;
}
