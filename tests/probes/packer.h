/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The least that a policy must do to profile its jobs and to use what it learns
 * from that: first in, first out, beside a job of the same size if both are
 * believed to need no more than `most` of a GPU together, else alone. */
#ifndef TESTS_PROBES_PACKER_H
#define TESTS_PROBES_PACKER_H

#include "policies/profiler.h"

struct packer_config {
    struct profiler_config profiler;
    double most;
};

extern const struct policy_ops packer_policy;

#endif
