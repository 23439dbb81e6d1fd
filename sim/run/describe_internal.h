/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that read a cluster file share. */
#ifndef SIM_DESCRIBE_INTERNAL_H
#define SIM_DESCRIBE_INTERNAL_H

#include <jansson.h>

#include "policies/quota/quota.h"
#include "sim/run/describe.h"

/* Reads the quotas of a cluster file, whose keys are known to be right, into
 * spec->quotas; spec->vcs are the virtual clusters of its nodes. The tree lies
 * in the arena. STATUS_BAD_INPUT for quotas that contradict themselves. */
enum status describe_quotas(const char *path, const json_t *root,
                            struct arena *arena, struct cluster_spec *spec,
                            struct error *err) MUST_USE;

#endif
