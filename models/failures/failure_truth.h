/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What really caused a failure. A recovery rule that reads evidence must not
 * see this. A rule that models how often a person or a tool is right may see
 * it, and so may the source of the logs that failed jobs leave. Only these
 * files may include this header: sim/engine/engine_internal.h,
 * models/failures/recovery_isolate.c, models/failures/recovery_person.c,
 * schedmate/simulated/handler_laws.c and schedmate/simulated/failed_log.c.
 * tests/lint reads the paths from this list and checks it. */
#ifndef MODELS_FAILURE_TRUTH_H
#define MODELS_FAILURE_TRUTH_H

#include "base/failure_kind.h"
#include "base/units.h"

struct failure_truth {
    enum failure_kind kind;
    node_id node;      /* the node at fault; NODE_NONE: no node is */
    const char *cause; /* the cause in words, such as "NVLink error" */
};

#endif
