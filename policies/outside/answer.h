/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the answers of a program: one line of JSON each. A plan that breaks a
 * rule is refused with the name of the rule; docs/policy-protocol.md lists the
 * rules. */
#ifndef OUTSIDE_ANSWER_H
#define OUTSIDE_ANSWER_H

#include "policies/policy.h"

/* The answer of a program to the first question, before the run. */
struct introduction {
    char name[41];  /* 1 to 40 letters, digits, '-', '_' and '.' */
    unsigned needs; /* bits of enum policy_needs */
    /* true: ask also when no start can have become possible */
    bool asked_always;
};

/* Reads the answer to the first question. Returns STATUS_BAD_INPUT, and says in
 * `err` what is wrong, if it is not an introduction. */
enum status answer_hello(struct text line, struct introduction *out,
                         struct error *err) MUST_USE;
/* Reads the answer to the question that describes the cluster. Returns
 * STATUS_BAD_INPUT unless it has "ready":true. */
enum status answer_begin(struct text line, struct error *err) MUST_USE;
/* Reads an answer and fills the plan. If the answer or one of its actions
 * breaks a rule, marks the plan as broken, with the name of the rule, and
 * carries out no later action. `number`: number of the question; `needs`: the
 * needs in the introduction. */
void answer_plan(struct text line, uint64_t number, unsigned needs,
                 struct plan *plan);

#endif
