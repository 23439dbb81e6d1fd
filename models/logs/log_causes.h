/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the cause of a failure from the lines of its report. Kinds of failure
 * are those of Acme (NSDI '24, Table 3), which SchedMate uses too. A signature
 * identifies a kind: a code or phrase that a driver, a library or a scheduler
 * prints. So signatures do not depend on the author of the job. */
#ifndef MODELS_LOG_CAUSES_H
#define MODELS_LOG_CAUSES_H

#include "sim/base/text.h"

enum failure_kind {
    FAILURE_INFRASTRUCTURE,
    FAILURE_FRAMEWORK,
    FAILURE_USER_SCRIPT,
    FAILURE_OTHER,
    N_FAILURE_KINDS,
};
/* Names by enum failure_kind; ends with NULL. */
extern const char *const failure_kinds[];

/* The part of the infrastructure that failed; PART_NONE for all kinds but
 * FAILURE_INFRASTRUCTURE. */
enum failure_part {
    PART_GPU,
    PART_NVLINK,
    PART_NETWORK,
    PART_NODE,
    PART_OTHER, /* storage, power, ... */
    PART_NONE,
    N_FAILURE_PARTS,
};
/* Names by enum failure_part; ends with NULL. */
extern const char *const failure_parts[];

struct log_cause {
    enum failure_kind kind;
    enum failure_part part;
    unsigned weight; /* strength of the evidence, 1 to 100; 0: none */
    /* a few words from the table of signatures, never from the log */
    const char *reason;
};

/* Returns the cause that the signatures in a line indicate; weight 0: the line
 * has no signature. */
struct log_cause log_cause_of(struct text line);

#endif
