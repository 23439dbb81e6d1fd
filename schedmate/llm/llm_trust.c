/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/llm/llm_trust.h"

/* Number of logs that the usual share weighs as much as. */
#define PRIOR 4.0
#define MODEL_QUOTED 0.85
#define MODEL_BARE 0.76

#define LLM_TRUST_NAME(id, name, usual, what) #name,

const char *const llm_trust_names[LLM_TRUST_N] = {
    LLM_TRUST_CLASSES(LLM_TRUST_NAME)};

#define USUAL(id, name, usual, what) usual,

static const double usual_rules[LLM_TRUST_N] = {LLM_TRUST_CLASSES(USUAL)};

static double trust_share(double right, double n, double usual)
{
    return (right + PRIOR * usual) / (n + PRIOR);
}

double llm_trust_rules(const struct llm_trust *trust, enum llm_trust_class c)
{
    const struct llm_trust_count *count = &trust->counts[c];
    return trust_share(count->rules, count->n, usual_rules[c]);
}

double llm_trust_model(const struct llm_trust *trust, enum llm_trust_class c,
                       bool quoted)
{
    const struct llm_trust_count *count = &trust->counts[c];
    unsigned first = c < LLM_TRUST_STEPS  ? 0
                     : c < LLM_TRUST_PART ? LLM_TRUST_STEPS
                                          : LLM_TRUST_PART;
    unsigned end = c < LLM_TRUST_STEPS  ? LLM_TRUST_STEPS
                   : c < LLM_TRUST_PART ? LLM_TRUST_PART
                                        : LLM_TRUST_N;
    double n = 0, right = 0;
    for (unsigned i = first; i < end; i++) {
        n += trust->counts[i].n;
        right += trust->counts[i].model;
    }
    double usual = trust_share(right, n, quoted ? MODEL_QUOTED : MODEL_BARE);
    return trust_share(count->model, count->n, usual);
}

bool llm_trust_has_fields(const struct llm_trust *trust)
{
    for (unsigned i = 0; i < LLM_TRUST_FIELDS; i++) {
        if (trust->fields[i].n)
            return true;
    }
    return false;
}

double llm_trust_field_rules(const struct llm_trust *trust, unsigned field,
                             double usual)
{
    const struct llm_trust_count *count = &trust->fields[field];
    return trust_share(count->rules, count->n, usual);
}

double llm_trust_field_model(const struct llm_trust *trust, unsigned field,
                             double usual)
{
    const struct llm_trust_count *count = &trust->fields[field];
    double n = 0, right = 0;
    for (unsigned i = 0; i < LLM_TRUST_FIELDS; i++) {
        n += trust->fields[i].n;
        right += trust->fields[i].model;
    }
    return trust_share(count->model, count->n, trust_share(right, n, usual));
}
