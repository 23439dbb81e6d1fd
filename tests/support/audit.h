/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks from the ledger and the jobs that a run kept the rules of every
 * cluster: no GPU is held by too many jobs, no job is in two places, all work
 * is done. */
#ifndef TESTS_SUPPORT_AUDIT_H
#define TESTS_SUPPORT_AUDIT_H

#include "tests/support/lab.h"

/* Returns STATUS_BROKEN with a sentence about the first rule that is broken.
 * Works for rigid jobs on GPUs of speed 1, and for elastic jobs with the
 * overheads of their application. `share_limit`: number of jobs that may hold
 * one GPU at the same time. */
enum status audit(const struct lab *lab, const struct run_result *result,
                  uint32_t share_limit, struct error *err) MUST_USE;

#endif
