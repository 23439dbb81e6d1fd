/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The least that a policy must do to profile its jobs and to use their
 * profiles: first in, first out; a job joins one of its size if both are
 * believed to need no more than `most` of a GPU together, otherwise it runs
 * alone. */
#ifndef TESTS_PROBES_PACKER_H
#define TESTS_PROBES_PACKER_H

#include "policies/lucid/profiler.h"

struct packer_config {
    struct profiler_config profiler;
    double most;
};

extern const struct policy_ops packer_policy;

#endif
