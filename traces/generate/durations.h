/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deals durations to runs whose sizes, kinds and final states are known. */
#ifndef TRACES_DURATIONS_H
#define TRACES_DURATIONS_H

#include "traces/generate/people.h"
#include "traces/generate/sizes.h"

/* Fills `seconds` of all runs and `gpu_s` of all users; see deal(). */
void durations_deal(struct people *people,
                    const struct calibration *calibration,
                    const struct traits *traits, const struct sizes *sizes,
                    double mean, uint64_t seed);

/* Scales the durations of some runs, so that n runs have `mean` GPU seconds on
 * average. `runs`: indices of people.runs. Changes only the 1 % of these runs
 * with the most GPU time, by one factor of 0.05 to 20, and makes none longer
 * than 2^21 s; so the mean may not be reached. Leaves gpu_s of the users as it
 * is. */
void durations_meet(struct people *people, const uint32_t *runs, size_t n,
                    double mean);

#endif
