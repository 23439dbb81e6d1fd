/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A minimal policy that profiles jobs and uses their profiles: first in, first
 * out. A job joins another job of its size if both together are believed to
 * need at most `most` of a GPU; otherwise it runs alone. */
#ifndef TESTS_PROBES_PACKER_H
#define TESTS_PROBES_PACKER_H

#include "policies/lucid/profiler.h"

struct packer_config {
    struct profiler_config profiler;
    double most;
};

extern const struct policy_ops packer_policy;

#endif
