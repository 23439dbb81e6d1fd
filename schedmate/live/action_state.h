/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remembers in a file which disruptive actions were begun, so that processes
 * that diagnose at the same time do not take more nodes away than the limits
 * allow. The file has one JSON object per line: {"unix_s": 1700000000, "node":
 * "gpu-3", "action": "replace-node"}. It is replaced whole, and FILE.lock is
 * locked while that happens. A file that is damaged, that others can write,
 * that belongs to another user or that is not a plain file is an error, and no
 * disruptive action runs. */
#ifndef SIM_ACTION_STATE_H
#define SIM_ACTION_STATE_H

#include "base/json_out.h"

/* Limits of disruptive actions. */
struct action_limits {
    sim_span cooldown; /* shortest time between two actions on one node, us */
    uint32_t per_node; /* largest number of actions on one node in 24 hours */
    uint32_t per_hour; /* largest number of actions on all nodes in an hour */
};

/* Adds to the array `out` which limits an action on the node would exceed now.
 * With `begin`, waits at most 10 s for the lock and, if no limit would be
 * exceeded, records the beginning of the action in the file: if two processes
 * do so at the same time, the second sees the action of the first. An action
 * that was begun counts even if its command fails. */
enum status action_state(const char *path, const struct action_limits *limits,
                         const char *node, const char *action, bool begin,
                         json_t *out, struct error *err) MUST_USE;

#endif
