/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the policy of a run knew about its jobs: on what the beliefs rested
 * that it asked for. */
#include "sim/run/run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/out.h"
#include "sim/run/run_internal.h"

/* By basis: its word in `run_times` and `demand`, the words after "run times"
 * or "demand", and those between it and what the next layers rest on. */
static const struct {
    const char *kind, *words, *joint;
} bases[] = {
    [BASIS_UNSAID] = {.kind = "other", .words = "believed", .joint = ", else "},
    [BASIS_LEARNED] = {.kind = "learned",
                       .words = "learned from ended jobs",
                       .joint = ", else "},
    [BASIS_TRUTH] = {.kind = "oracle",
                     .words = "known exactly",
                     .joint = ", else "},
    [BASIS_DECLARED] = {.kind = "declared",
                        .words = "declared by the users",
                        .joint = ", else "},
    [BASIS_FILE] = {.kind = "file",
                    .words = "predicted by a file",
                    .joint = ", else "},
    [BASIS_ERRORS] = {.kind = "errors",
                      .words = "with random errors",
                      .joint = " of those "},
    [BASIS_BLEND] = {.kind = "blend",
                     .words = "blended",
                     .joint = " of those "},
    [BASIS_TRACE] = {.kind = "trace",
                     .words = "as the trace gives it",
                     .joint = ", else "},
    [BASIS_PROFILED] = {.kind = "profiled",
                        .words = "measured by profiling",
                        .joint = ", else "},
};
static const char truth_mark[] = "oracle, an upper bound",
                  errors_mark[] = "truth with errors";

enum knowledge_question { ASKS_TIMES, ASKS_DEMAND };

static bool knowledge_answers(const struct estimator *layer,
                              enum knowledge_question question)
{
    return question == ASKS_TIMES ? layer->ops->remaining != NULL
                                  : layer->ops->demand != NULL;
}

/* True if no layer below is ever asked. */
static bool answers_all(const struct estimator *layer)
{
    return layer->ops->basis == BASIS_TRUTH || layer->ops->basis == BASIS_TRACE;
}

struct description {
    struct out *kinds, *words;
    const char *mark;
};

/* Adds a layer. `above`: the basis of the layer above that answers the same
 * question; -1: there is none. */
static void knowledge_add_layer(struct description *d,
                                const struct estimator *layer, int above)
{
    const enum estimator_basis basis = layer->ops->basis;
    const char *name = layer->ops->name, *kind = bases[basis].kind;
    if (above == (int)basis) {
        out_printf(d->kinds, ",%s", name);
        out_printf(d->words, ", %s", name);
        return;
    }
    if (above >= 0) {
        out_text(d->kinds, "; ");
        out_printf(d->words, ")%s", bases[above].joint);
    }
    out_text(d->kinds, kind);
    if (strcmp(kind, name) != 0)
        out_printf(d->kinds, ": %s", name);
    out_printf(d->words, "%s (%s", bases[basis].words, name);
    if (basis != BASIS_TRUTH)
        return;
    out_text(d->words, ", an upper bound");
    d->mark = above == BASIS_ERRORS || above == BASIS_BLEND ? errors_mark
                                                            : truth_mark;
}

/* True if the layer waits for profiles and no job was profiled. */
static bool saw_nothing(const struct run *run, const struct estimator *layer)
{
    const struct ledger *ledger = &run->result.ledger;
    if (layer->ops->basis != BASIS_PROFILED)
        return false;
    for (size_t i = 0; i < ledger->n_attempts; i++) {
        if (ledger->attempts[i].profiling)
            return false;
    }
    return true;
}

/* Describes the layers that answer a question. Returns their kinds. */
static const char *knowledge_describe(const struct run *run,
                                      enum knowledge_question question,
                                      double law, struct description *d,
                                      struct arena *arena)
{
    int above = -1;
    bool nothing = false; /* true if a layer waited for profiles in vain */
    out_clear(d->kinds);
    if (law > 0) {
        out_text(d->kinds, "truth with errors: advisor; ");
        out_printf(d->words,
                   "known with the published errors for %.0f %% of the "
                   "jobs (advisor), else ",
                   100 * law);
        d->mark = d->mark ? d->mark : errors_mark;
    }
    for (const struct estimator *l = run->parts.estimator; l; l = l->below) {
        if (!knowledge_answers(l, question))
            continue;
        if (question == ASKS_DEMAND && saw_nothing(run, l)) {
            nothing = true;
            continue;
        }
        knowledge_add_layer(d, l, above);
        above = (int)l->ops->basis;
        if (answers_all(l))
            break;
    }
    out_text(d->words, above >= 0 ? ")" : "unknown");
    if (nothing)
        out_text(d->words, ", for no job was profiled");
    struct text kinds = out_memory(d->kinds);
    return above >= 0 ? arena_copy(arena, kinds.at, kinds.len) : "none";
}

/* Returns the share of the jobs for which the advisor drew its beliefs from the
 * truth. */
static double law_of(const struct run *run)
{
    const struct ledger *ledger = &run->result.ledger;
    size_t n = 0;
    for (size_t i = 0; i < ledger->n_advices; i++)
        n += ledger->advices[i].basis == ADVICE_LAW;
    return n ? (double)n / run->result.jobset.n_jobs : 0;
}

static void remark_few(struct run *run, uint32_t asked, uint32_t answered)
{
    const struct run_result *r = &run->result;
    if (2 * answered >= asked)
        return;
    remarks_add(&run->result.remarks, REMARK_CONCLUSION,
                "the policy asks for the run times of %" PRIu32
                " jobs, and gets an "
                "answer for %" PRIu32 " (%s); "
                "of the others it knows nothing (--estimators)",
                asked, answered, r->knowledge.run_times);
}

void knowledge_find(struct run *run)
{
    struct run_result *r = &run->result;
    struct knowledge *k = &r->knowledge;
    struct description d = {out_to_memory(), out_to_memory(), NULL};
    const double law = law_of(run);
    uint32_t asked = 0, answered = 0;
    for (uint32_t i = 0; i < r->jobset.n_jobs; i++) {
        asked += run->engine.asked[i] & VIEW_ASKED;
        answered += (run->engine.asked[i] & VIEW_ANSWERED) != 0;
    }
    *k = (struct knowledge){.answered = asked ? (double)answered / asked : NAN};
    if (asked) {
        out_text(d.words, "run times ");
        k->run_times = knowledge_describe(run, ASKS_TIMES, law, &d, &r->arena);
        if (k->answered < 0.9)
            out_printf(d.words, ", for %.0f %% of the jobs", 100 * k->answered);
        remark_few(run, asked, answered);
    }
    if (r->policy_needs & POLICY_NEEDS_DEMAND) {
        out_text(d.words, asked ? "; demand " : "demand ");
        k->demand = knowledge_describe(run, ASKS_DEMAND, law, &d, &r->arena);
    }
    if (r->policy_needs & POLICY_REPLAYS)
        out_text(d.words, "starts as the trace recorded them");
    struct text words = out_memory(d.words);
    if (words.len)
        k->words = arena_copy(&r->arena, words.at, words.len);
    k->mark = d.mark;
    out_abandon(d.kinds);
    out_abandon(d.words);
}

static const char *knowledge_copy_one(const char *text, struct arena *arena)
{
    return text ? arena_copy(arena, text, strlen(text)) : NULL;
}

struct knowledge knowledge_copy(const struct knowledge *k, struct arena *arena)
{
    return (struct knowledge){.run_times =
                                  knowledge_copy_one(k->run_times, arena),
                              .demand = knowledge_copy_one(k->demand, arena),
                              .mark = knowledge_copy_one(k->mark, arena),
                              .words = knowledge_copy_one(k->words, arena),
                              .answered = k->answered};
}

const char *knowledge_name(const char *name, const char *mark,
                           struct arena *arena)
{
    const size_t n = strlen(name), m = mark ? strlen(mark) : 0;
    if (!m)
        return name;
    char *text = arena_alloc(arena, n + m + sizeof " ()");
    memcpy(text, name, n);
    memcpy(text + n, " (", 2);
    memcpy(text + n + 2, mark, m);
    memcpy(text + n + 2 + m, ")", 2);
    return text;
}
