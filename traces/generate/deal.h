/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deals numbers of GPUs, kinds, final states and durations to the runs of all
 * sessions. What is dealt is fixed beforehand: counts and quantiles of the
 * calibrated table. The scores of users, sessions and runs decide only who gets
 * what, so each margin is as published whatever the scores are, until the runs
 * with the most GPU time are scaled. */
#ifndef TRACES_DEAL_H
#define TRACES_DEAL_H

#include "traces/generate/people.h"
#include "traces/generate/sizes.h"

/* Fills gpus, size and kind of all sessions, state and seconds of all runs, and
 * gpu_s of all users. May cut sessions (people_cut). Scales the runs with the
 * most GPU time so that the mean GPU time of a run is `mean` GPU seconds, as
 * far as durations_meet can. */
void deal(struct people *people, const struct calibration *calibration,
          const struct traits *traits, const struct sizes *sizes, double mean,
          uint64_t seed);

/* Returns the mean GPU time of a job, GPU seconds, by the calibrated table, of
 * the jobs that ask for at most `gpus` GPUs. */
double deal_mean(const struct calibration *calibration, uint32_t gpus);

#endif
