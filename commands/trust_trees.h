/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labelled source trees, of which `mate trust` asks a model: a folder with
 * NAME.json beside each tree NAME/.
 *
 *     {"command": "python train.py", "expect": {"batch_size": "32",
 *      "framework": ["~pytorch", "~torch"]}, "absent": ["max_steps"]}
 *
 * `expect` has the value of a field or a list of accepted ones; `absent` names
 * fields for which any value is wrong. Letter case, blanks and signs do not
 * matter, numbers are compared as numbers, and an accepted value that begins
 * with "~" has to be a part of the answer. */
#ifndef COMMANDS_TRUST_TREES_H
#define COMMANDS_TRUST_TREES_H

#include "base/error.h"
#include "schedmate/advisor/answer.h"
#include "schedmate/advisor/schedmate_advisor.h"

struct trust_trees {
    struct llm_client *client;
    struct llm_trust *counts; /* receives the counts of the fields */
    uint32_t n, n_unanswered; /* numbers of trees */
};

/* Asks about all trees of a folder, in the order of their names. */
enum status trust_trees_judge(struct trust_trees *trees, const char *folder,
                              struct error *err) MUST_USE;

#endif
