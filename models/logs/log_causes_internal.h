/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of signatures that log_causes.c searches. */
#ifndef MODELS_LOG_CAUSES_INTERNAL_H
#define MODELS_LOG_CAUSES_INTERNAL_H

#include "models/logs/log_causes.h"

/* A text that identifies a cause. Case matters, because programs print most of
 * these texts in one spelling only. */
struct log_signature {
    const char *text; /* text that the line must contain */
    const char *also; /* another text that the line must contain; NULL: none */
    struct log_cause cause;
};
/* Ends with a row without text. If several rows match a line, the row with the
 * largest weight counts; among equal weights, the first row. */
extern const struct log_signature log_signatures[];

/* Values of the first two fields of a struct log_cause. */
#define INFRA(part) FAILURE_INFRASTRUCTURE, PART_##part
#define FRAME FAILURE_FRAMEWORK, PART_NONE
#define USER FAILURE_USER_SCRIPT, PART_NONE
#define OTHER FAILURE_OTHER, PART_NONE

#endif
