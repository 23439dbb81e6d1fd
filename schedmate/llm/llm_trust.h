/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a model's answers are trusted against those of the rules. On labelled
 * logs, `schedsim llm-trust` counts for each class of answers of the rules how
 * often the rules and how often the model were right. Of two answers that
 * differ, that counts which was right more often in the class.
 *
 * A share is (right + PRIOR * usual) / (n + PRIOR). `usual` of the rules is the
 * default of the class; that of the model is its share over all classes of the
 * question, for which `usual` is the default of models. So a few labelled logs
 * move the shares a little, and many decide them. */
#ifndef SCHEDMATE_LLM_TRUST_H
#define SCHEDMATE_LLM_TRUST_H

#include <stdbool.h>
#include <stdint.h>

/* Classes of answers of the rules: identifier, name, the usual share of right
 * answers of the rules, and what the class holds. The first LLM_TRUST_STEPS are
 * about why a job failed, the last about which part failed, the others about
 * the time of a step.
 *
 * Source of the shares: on 66 public logs with which the rules were written,
 * the rules are right in 32 of 33 classed silent or doubtful and in 32 of 33
 * classed strong or hard; on 116 failed logs that an independent review kept
 * back they name 86 kinds (102 if each reading of an ambiguous log counts). The
 * shares are assumed between the two. Step times: 44 of 52 of those that the
 * review kept back; parts: 30 of 40. */
#define LLM_TRUST_CLASSES(X) \
    X(SILENT, silent, 0.90, "no failure, and no shown line speaks of one") \
    X(DOUBTFUL, doubtful, 0.60, "no failure, but lines that speak of one") \
    X(UNKNOWN, unknown, 0.02, "a failure of unknown cause") \
    X(WEAK, weak, 0.60, "a cause of little confidence, or a consequence") \
    X(STRONG, strong, 0.90, "a cause of confidence 0.7 or more") \
    X(HARD, hard, 0.96, "a signature of hardware, of confidence 0.85 or more") \
    X(NO_STEP, no_step, 0.80, "the rules find no step time") \
    X(STEP, step, 0.86, "a printed step time") \
    X(CLOCKED, clocked, 0.96, "a step time that a clock agrees with or gives") \
    X(PART, part, 0.75, "a part of the infrastructure")

enum llm_trust_class {
#define LLM_TRUST_ENUM(id, name, usual, what) LLM_TRUST_##id,
    LLM_TRUST_CLASSES(LLM_TRUST_ENUM)
#undef LLM_TRUST_ENUM
        LLM_TRUST_N,
    LLM_TRUST_STEPS = LLM_TRUST_NO_STEP,
};
/* Names by enum llm_trust_class. */
extern const char *const llm_trust_names[LLM_TRUST_N];

/* Room for the fields of the Scheduling Advisor (schedmate/advisor/metadata.h).
 */
#define LLM_TRUST_FIELDS 32

struct llm_trust {
    /* Numbers of labelled logs in each class, and of right answers. */
    struct llm_trust_count {
        uint32_t n, rules, model;
    } counts[LLM_TRUST_N];
    /* By field: numbers of labelled jobs of which the rules gave a value, and
     * of right answers; a model that says nothing of it agrees. */
    struct llm_trust_count fields[LLM_TRUST_FIELDS];
};

/* Returns the estimated share of right answers of the rules in a class. */
double llm_trust_rules(const struct llm_trust *trust, enum llm_trust_class c);

/* Returns that of the model. `quoted`: the answer quotes a line that was shown.
 * Without counts the share is 0.85 with a quote (assumed, between the two
 * measured models), else 0.76 (the 7B model of SchedMate, table 4: 75.7 %; the
 * large model of the review reached 0.98). */
double llm_trust_model(const struct llm_trust *trust, enum llm_trust_class c,
                       bool quoted);

/* True if there are counts of fields. */
bool llm_trust_has_fields(const struct llm_trust *trust);

/* Return the estimated share of right values of a field, of the rules and of
 * the model. `usual`: the share without counts (schedmate/advisor/answer.h). */
double llm_trust_field_rules(const struct llm_trust *trust, unsigned field,
                             double usual);
double llm_trust_field_model(const struct llm_trust *trust, unsigned field,
                             double usual);

#endif
