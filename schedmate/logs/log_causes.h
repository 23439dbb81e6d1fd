/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the cause of a failure from a line of its report, by the signatures of
 * log_knowledge.h. A signature is a code or phrase that a driver, a library or
 * a scheduler prints, so it does not depend on the author of the job. The code
 * is in log_knowledge.c. */
#ifndef MODELS_LOG_CAUSES_H
#define MODELS_LOG_CAUSES_H

#include "schedmate/logs/log_knowledge.h"

struct log_cause {
    enum failure_kind kind;
    enum failure_part part;
    unsigned weight; /* strength of the evidence, 1 to 100; 0: none */
    /* a few words from the knowledge or the code, never from the log; NULL or
     * "" if the weight is 0 */
    const char *reason;
    const struct log_signature *signature; /* NULL: none */
};

/* Returns the cause of one signature of the line: the first that decides, else
 * that of the largest weight, of equal weights the first. The weight is 0 if
 * the line has no signature with a cause. */
struct log_cause log_cause_of(const struct log_knowledge *k, struct text line);

#endif
