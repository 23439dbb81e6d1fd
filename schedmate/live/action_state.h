/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remembers in a file which actions were begun, so that processes that diagnose
 * at the same time do not take more nodes away, and do not restart a job more
 * often, than the limits allow. The file has one JSON object per line:
 * {"unix_s": 1700000000, "node": "gpu-3", "action": "replace-node", "job":
 * "17"}; the node of an action that is not disruptive is "". It is replaced
 * whole, and FILE.lock is locked while that happens. A file that is damaged,
 * that others can write, that belongs to another user or that is not a plain
 * file is an error, and no action runs. */
#ifndef SIM_ACTION_STATE_H
#define SIM_ACTION_STATE_H

#include "base/json.h"

/* Limits of actions; the first three are of disruptive ones. */
struct action_limits {
    sim_span cooldown; /* shortest time between two actions on one node, us */
    uint32_t per_node; /* largest number of actions on one node in 24 hours */
    uint32_t per_hour; /* largest number of actions on all nodes in an hour */
    /* Largest number of equal actions for one job in 24 hours, of those that
     * are not disruptive; for a restart on the log's word alone it is 1. */
    uint32_t per_job;
};

#endif
