/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First in, first out, with company where no GPU is free: what policies that
 * pack two jobs of one size have in common. */
#ifndef POLICIES_PARTNER_H
#define POLICIES_PARTNER_H

#include "policies/policy.h"

/* Who would run in a virtual cluster if the plan were committed now: first the
 * running that it does not stop, then the started. */
struct partner_walk {
    const struct plan *plan;
    const struct job *running;
    size_t action;
    uint16_t vc;
};
struct partner_walk partner_walk(const struct plan *plan, uint16_t vc);
const struct job *partner_next(struct partner_walk *walk); /* NULL: no more */

/* Could `job` be put beside `host`: it holds as many GPUs as the job asks for,
 * alone, of a type that will do, and not to be profiled? Memory is left to
 * plan_share. */
bool partner_suits(const struct plan *plan, const struct job *job,
                   const struct job *host);

/* Puts a job that found no free GPUs beside another; false if nobody suits. */
typedef bool (*partner_join)(void *self, struct plan *plan,
                             const struct job *job);
/* Starts one job, on free GPUs or by `join`. */
bool partner_start(struct plan *plan, const struct job *job, partner_join join,
                   void *self);
/* The waiting of a virtual cluster in the order in which they began to wait;
 * the first that cannot start blocks the rest. False if one did. */
bool partner_fill(struct plan *plan, uint16_t vc, partner_join join,
                  void *self);

#endif
