/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a run obeyed the laws of any cluster, judged from its ledger alone:
 * no GPU held by too many, no job in two places, all work done. */
#ifndef TESTS_SUPPORT_AUDIT_H
#define TESTS_SUPPORT_AUDIT_H

#include "tests/support/lab.h"

/* STATUS_BROKEN with a sentence for the first law that is broken. For rigid
 * jobs on GPUs of speed 1, or elastic ones whose overheads are their
 * application's; `share_limit` jobs may hold one GPU together. */
enum status audit(const struct lab *lab, const struct run_result *result,
                  uint32_t share_limit, struct error *err) MUST_USE;

#endif
