/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search of quota_fair.c, and the order in which it draws queues. */
#ifndef POLICIES_QUOTA_FAIR_H
#define POLICIES_QUOTA_FAIR_H

#include "policies/quota/quota.h"

struct fair_search {
    struct quota_tree *tree;
    const struct quota_load *loads, *job;
    /* Candidates of the current step, as indices of loads, in the order in
     * which each queue gives them. Taken ones are removed. */
    uint32_t *candidates;
    size_t n;
    uint32_t *kept; /* candidates that failed the first step, in order */
    size_t n_kept;
    bool *dropped; /* by node: gives no more in this step */
    struct quota_victim *out;
    size_t n_out;
};

/* Returns the queue that gives next; QUOTA_NO_PARENT if none does. Nodes from
 * which nothing can be taken are dropped on the way. */
uint32_t fair_next_queue(struct fair_search *search);

/* Removes the first candidate of a queue and returns its index of loads. */
uint32_t fair_pop(struct fair_search *search, uint32_t queue);

#endif
