/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fair shares as KAI-Scheduler divides them (NVIDIA/KAI-Scheduler at 72de64fc,
 * pkg/scheduler/plugins/proportion/resource_division), for one resource:
 *
 * 1. Each queue gets the least of what it deserves, asks for and may have, even
 *    if that is more than the total.
 * 2. The rest is divided in rounds, among the queues of the highest priority
 *    first. W: the weight of a queue as a part of those that still ask; U: its
 *    usage; P = max(0, W + k (W - U)). It is offered the rest at the start of
 *    the round times P / sum of P. A queue that asks for no more gets what it
 *    asks for, the others the offer rounded down. Another round follows if a
 *    queue asked for less than its offer.
 * 3. What is left goes, a unit each, to queues whose offer was rounded down: by
 *    priority, then by the fraction cut off, then the queue created first.
 *
 * Amounts are units, such as GPUs; fractions are allowed. */
#ifndef POLICIES_QUOTA_DIVISION_H
#define POLICIES_QUOTA_DIVISION_H

#include <stdint.h>

#define DIVISION_ROOT UINT32_MAX

struct division_queue {
    uint32_t
        parent; /* index of a queue listed before it; DIVISION_ROOT: none */
    double deserved, request;
    double most;   /* may have; INFINITY: no limit */
    double weight; /* 0: nothing beyond what it deserves */
    double usage;  /* 0 to 1: its part of the capacity over time */
    int32_t priority;
    int64_t created; /* of equals, the one listed first comes first */
    double share;    /* set by the functions below */
    double fraction; /* scratch */
};

/* Divides a total among the children of `parent`, all steps or, for shares that
 * are set already, steps 2 and 3. Returns what is left of the total, 0 or
 * more. */
double division_split(struct division_queue *queues, uint32_t n,
                      uint32_t parent, double total, double k);
double division_split_rest(struct division_queue *queues, uint32_t n,
                           uint32_t parent, double rest, double k);

/* Divides a total among all queues; children divide the share of their
 * parent. */
void division_split_tree(struct division_queue *queues, uint32_t n,
                         double total, double k);

/* Returns what is left of an amount of usage after a time: half of it after
 * each half-life, all of it if half_life_s is 0. (docs/time-based-fairshare) */
double division_decay(double half_life_s, double age_s);

#endif
