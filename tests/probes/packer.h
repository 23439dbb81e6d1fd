/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A minimal first-in, first-out policy that profiles jobs and uses their
 * profiles. A job shares the GPUs of another job with the same number of GPUs
 * if both together are believed to use at most the share `most` of a GPU;
 * otherwise it gets GPUs of its own. */
#ifndef TESTS_PROBES_PACKER_H
#define TESTS_PROBES_PACKER_H

#include "policies/lucid/lucid.h"

struct packer_config {
    struct profiler_config profiler;
    double most;
};

extern const struct policy_ops packer_policy;

#endif
