/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deals numbers of GPUs, kinds, final states and durations to the runs of all
 * sessions. What is dealt is fixed beforehand: counts and quantiles of the
 * calibrated table. The scores of users, sessions and runs decide only who gets
 * what, so each margin is as published whatever the scores are. */
#ifndef TRACES_DEAL_H
#define TRACES_DEAL_H

#include "traces/generate/people.h"
#include "traces/generate/sizes.h"

/* Fills gpus, size and kind of all sessions, state and seconds of all runs, and
 * gpu_s of all users. The GPU time of all runs together is `mean` GPU seconds a
 * run within 1 %, as far as no run has to be longer than 2^21 s: the longest
 * runs are shortened or lengthened for that. */
void deal(struct people *people, const struct calibration *calibration,
          const struct traits *traits, const struct sizes *sizes, double mean,
          uint64_t seed);

/* Returns the GPU time of a job, GPU seconds, that the calibrated table gives
 * if no job asks for more than `gpus`. */
double deal_mean(const struct calibration *calibration, uint32_t gpus);

#endif
