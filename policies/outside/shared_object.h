/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads policies that are compiled as shared objects: --policy ./mine.so. The
 * object has a descriptor like those of the registry (schedsim_policy.h), and
 * stays loaded as long as the program runs. */
#ifndef OUTSIDE_SHARED_OBJECT_H
#define OUTSIDE_SHARED_OBJECT_H

#include "policies/policy.h"

/* Loads the object at `path` and finds its descriptor. Returns STATUS_USAGE if
 * the file cannot be loaded, is not a policy, was compiled with other headers,
 * or has an incomplete descriptor. */
enum status shared_object_open(const char *path, const struct policy_ops **out,
                               struct error *err) MUST_USE;

#endif
