/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges from the ledger alone whether a run obeyed the laws of any cluster: no
 * GPU held by too many jobs, no job in two places, all work done. */
#ifndef TESTS_SUPPORT_AUDIT_H
#define TESTS_SUPPORT_AUDIT_H

#include "tests/support/lab.h"

/* Returns STATUS_BROKEN with a sentence for the first law that is broken. For
 * rigid jobs on GPUs of speed 1, or elastic jobs whose overheads are those of
 * their application. `share_limit` jobs may hold one GPU together. */
enum status audit(const struct lab *lab, const struct run_result *result,
                  uint32_t share_limit, struct error *err) MUST_USE;

#endif
