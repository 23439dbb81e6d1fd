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

/* Makes the longest of n runs, numbered as people.runs, shorter or longer so
 * that a run has `mean` GPU seconds. */
void durations_meet(struct people *people, const uint32_t *runs, size_t n,
                    double mean);

#endif
