/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and checks what a language model says of a job, and merges it with what
 * the rules found.
 *
 * A model answers with one line for each field, FIELD | VALUE | PLACE | QUOTE.
 * The place is a file or `command`; the quote is what stands there and must be
 * found there, blanks aside. A field whose quote is not found is refused,
 * alone. VALUE null withdraws what the rules found.
 *
 * Where model and rules differ, the value with the greater weight counts, which
 * is an estimate of how often such values are right. */
#ifndef MODELS_ANSWER_H
#define MODELS_ANSWER_H

#include "schedmate/advisor/look.h"
#include "schedmate/advisor/metadata.h"
#include "schedmate/advisor/schedmate_advisor.h"

/* Shares of right values without counts: of a line that the rules read, and of
 * a model with a telling quote. The first is of 371 fields of jobs that the
 * rules did not know; the second is assumed, below the large model that was
 * recorded (docs/schedmate.md). */
#define ANSWER_RULES_USUAL 0.88
#define ANSWER_MODEL_USUAL 0.9

struct model_answer {
    struct metadata metadata; /* with a verified quote for each field */
    bool withdrawn[METADATA_FIELDS];
    /* What was refused and why, one sentence each. */
    const char *refused[ADVISOR_REFUSED_MAX];
    size_t n_refused;
};

/* Reads the lines of an answer. `look` gives the files, and finds those without
 * a place among its `first` ones. */
void answer_read(const struct look *look, const char *command,
                 const char *const *lines, size_t n, struct model_answer *out);

/* Adds to `out` the fields of an earlier answer that it does not speak of and
 * whose quotes still stand where they stood. */
void answer_keep(const struct look *look, const char *command,
                 const struct metadata *before, struct model_answer *out);

/* Merges the answer of a model with what the rules found. `trust`: share of the
 * values of the model with a telling quote that are right, 0 to 1; 0: what
 * `measured` counts by field, for rules and model; without counts, judged by
 * the numbers of the rules with which the answer agrees. */
void answer_merge(const struct model_answer *answer,
                  const struct metadata *rules, double trust,
                  const struct llm_trust *measured, struct arena *arena,
                  struct metadata *out);

#endif
