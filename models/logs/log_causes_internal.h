/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short forms for tables of causes in code. */
#ifndef MODELS_LOG_CAUSES_INTERNAL_H
#define MODELS_LOG_CAUSES_INTERNAL_H

#include "models/logs/log_causes.h"

/* Values of the first two fields of a struct log_cause. */
#define INFRA(part) FAILURE_INFRASTRUCTURE, PART_##part
#define FRAME FAILURE_FRAMEWORK, PART_NONE
#define USER FAILURE_SCRIPT, PART_NONE
#define OTHER FAILURE_OTHER, PART_NONE

#endif
