/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of `explain` that shows failures of a job. The code is in
 * explain_job.c. */
#ifndef SIM_CLI_EXPLAIN_FAILURE_H
#define SIM_CLI_EXPLAIN_FAILURE_H

#include "base/json.h"
#include "sim/verify/verify_failures.h"

/* Shows why the attempt failed and what the recovery rule decided, if
 * failures.csv has a row for it. If `json` is NULL, prints two lines; otherwise
 * adds a member `failure` to the last of its `events`. */
void explain_failure(const struct verify_failures *failures,
                     const struct verify_attempt *attempt, json_t *json);

#endif
