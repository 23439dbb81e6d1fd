/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table that log_causes.c searches. */
#ifndef MODELS_LOG_CAUSES_INTERNAL_H
#define MODELS_LOG_CAUSES_INTERNAL_H

#include "models/logs/log_causes.h"

/* A text that identifies a cause. Case counts, because most of these texts are
 * written by programs in one way. */
struct log_signature {
    const char *text; /* must be in the line */
    const char *also; /* must be in the line too; NULL: nothing more */
    struct log_cause cause;
};
/* If several match a line, the one with the largest weight counts, and among
 * equal weights the first. The last row has no text. */
extern const struct log_signature log_signatures[];

/* The first two fields of a struct log_cause. */
#define INFRA(part) FAILURE_INFRASTRUCTURE, PART_##part
#define FRAME FAILURE_FRAMEWORK, PART_NONE
#define USER FAILURE_USER_SCRIPT, PART_NONE
#define OTHER FAILURE_OTHER, PART_NONE

#endif
