/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fair shares of the layer quota with fair=division (quota_division.h), and
 * a tree in which the fair share of each virtual cluster is its nominal quota.
 * A virtual cluster deserves its nominal quota and asks for what its jobs hold
 * and wait for; a cohort deserves and asks for what its children do
 * together. Neither gets more than its borrowing limit allows. Roots
 * divide the GPUs of the cluster. What a node does not lend is its own, even if
 * it asks for less. */
#ifndef POLICIES_QUOTA_LENDING_SHARES_H
#define POLICIES_QUOTA_LENDING_SHARES_H

#include "policies/decide/view.h"
#include "policies/quota/quota.h"
#include "policies/quota/quota_division.h"

struct lending_shares {
    struct quota_tree tree; /* whole GPUs of the fair shares, without limits */
    double *order; /* by node: GPUs held / fair share; INFINITY: it has none */
    /* the other fields are private */
    const struct quota_tree *quotas;
    struct division_queue *queues; /* by node */
    uint16_t *vc_of;               /* by node, if it is a queue */
    double k, half_life_s;
    double *used;    /* by node: decayed GPU-seconds of its jobs */
    uint32_t *held;  /* by node: GPUs of its jobs since `since` */
    double capacity; /* decayed GPU-seconds that the cluster had */
    sim_time since;
};

/* k: weight of past usage, which decays by half in half_life_s; 0: usage does
 * not count. The quotas must outlive the shares. */
void lending_shares_init(struct lending_shares *shares,
                         const struct quota_tree *quotas,
                         const struct view *view, double k, double half_life_s);
void lending_shares_fini(struct lending_shares *shares);

/* Adds to the usage what jobs have held since the last call, as they did then.
 * Must be called at each decision. */
void lending_shares_note(struct lending_shares *shares,
                         const struct view *view);

/* Computes the fair shares and the order, and puts what is held now into the
 * tree. */
void lending_shares_divide(struct lending_shares *shares,
                           const struct view *view);

#endif
