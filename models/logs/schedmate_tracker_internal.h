/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of stage 2 of the Metric Tracker share. */
#ifndef MODELS_SCHEDMATE_TRACKER_INTERNAL_H
#define MODELS_SCHEDMATE_TRACKER_INTERNAL_H

#include "models/logs/schedmate_tracker.h"

/* The numbers of one kind, tier and key in all lines. */
struct number_group {
    enum number_kind kind;
    enum number_tier tier;
    const struct log_number *first;
    double values[TRACKER_LINES_MAX], printed[TRACKER_LINES_MAX];
    size_t n;         /* number of values */
    size_t with_loss; /* number of values from lines that also give a loss */
    size_t last_line; /* index of the line of the last value */
};

#define GROUPS_MAX 96
struct tracker_reading {
    struct log_numbers *lines;
    size_t n_lines;
    struct number_group *groups;
    size_t n_groups;
};

/* The median of n values, 1 to TRACKER_LINES_MAX. */
double tracker_median(const double *values, size_t n);
/* How well the values agree, 0.5 to 1: 0.5 plus half the share of the values
 * that differ from `middle` by at most a quarter. */
double tracker_agreement(const double *values, size_t n, double middle);
/* Sets the result, unless `seconds` cannot be the time of a step. */
void tracker_settle(struct track *out, enum tracker_source source,
                    double seconds, double confidence);

/* Returns the step counter by which lines are compared: one with "global" in
 * its key if there is one, else the one that is printed most often. */
const struct number_group *tracker_counter(const struct tracker_reading *r);
/* Reads the counter from a line. Returns false if the line does not have
 * it. */
bool tracker_step(const struct log_numbers *line,
                  const struct number_group *counter, double *step,
                  double *of) MUST_USE;
/* Computes the time of a step from the time and the steps between lines. The
 * time is the time of day at the start of a line if `clock` is true, else the
 * elapsed time that the line prints. */
void tracker_from_differences(const struct tracker_reading *r, bool clock,
                              struct track *out);

#endif
