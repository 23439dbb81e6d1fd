/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a failure report means: the kinds of failure (after Acme, NSDI '24,
 * Table 3, as SchedMate uses them) and the signatures that identify a kind.
 * Signatures are codes and phrases of drivers, libraries, schedulers and the C
 * library, so they do not depend on the author of the job. */
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

/* The part of the infrastructure; PART_NONE for all other kinds. */
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
    unsigned weight;    /* strength of the evidence, 1 to 100; 0: none */
    const char *reason; /* a few words from the table, never from the log */
};

/* Returns the cause that a line points to; its weight is 0 if there is none. */
struct log_cause log_cause_of(struct text line);

#endif
