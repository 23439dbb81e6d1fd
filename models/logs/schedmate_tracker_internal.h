/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of stage 2 of the Metric Tracker share. */
#ifndef MODELS_SCHEDMATE_TRACKER_INTERNAL_H
#define MODELS_SCHEDMATE_TRACKER_INTERNAL_H

#include "models/logs/log_bar.h"
#include "models/logs/schedmate_tracker.h"

/* What one line says. */
struct line_facts {
    struct log_numbers numbers;
    struct log_bar bar;
    bool has_bar;
    bool loss;       /* the line gives a loss of the training */
    bool metric;     /* it gives a loss, an accuracy, a learning rate or so */
    bool evaluation; /* it tells of an evaluation only */
    bool summary;    /* it sums up a whole run */
    bool train;      /* it speaks of training */
    bool part;       /* it also gives the time that a step waits for data */
    bool begins_epoch, other_work; /* as in struct tracker_lines */
};

/* The numbers of one kind, tier, key and bar in all lines. */
struct number_group {
    enum number_kind kind;
    enum number_tier tier;
    uint64_t scope; /* of the bars; 0 for other lines */
    const struct log_number *first;
    double values[TRACKER_LINES_MAX], printed[TRACKER_LINES_MAX];
    uint16_t lines[TRACKER_LINES_MAX]; /* by value: index of its line */
    size_t n;                          /* number of values */
    size_t with_loss; /* number of values from lines that also give a loss */
};

#define GROUPS_MAX 96
struct tracker_reading {
    const struct tracker_config *config;
    const struct tracker_lines *found;
    struct text head; /* the beginning of the log */
    struct line_facts *lines;
    size_t n_lines;
    struct number_group *groups;
    size_t n_groups;
};

/* The median of n values, 1 to TRACKER_LINES_MAX. */
double tracker_median(const double *values, size_t n);
/* The share of the values that differ from `middle` by at most a quarter of
 * it. */
double tracker_agreement(const double *values, size_t n, double middle);

/* A step time that may be given. */
struct candidate {
    enum tracker_source source;
    const char *basis;
    double seconds;
    const struct number_group *group; /* NULL: no printed number was used */
    double value;                     /* if there is no group: as in track */
    size_t values;                    /* number of values used */
    const char *unit;                 /* if there is no group */
    uint32_t evidence;
};

/* Sets bit i if seen[i] is true. */
uint32_t tracker_bits(const bool seen[N_TRACKER_EVIDENCE]);
/* The probability that a step time with this evidence is right. */
double tracker_confidence(uint32_t evidence);

/* Judges the numbers of a group of kind NUMBER_STEP_TIME. */
struct candidate tracker_judge(const struct tracker_reading *r,
                               const struct number_group *g);

/* Returns the group of a kind that is the best source of its number: the
 * surest, else one whose lines give a loss, else the largest. NULL if there is
 * none. */
const struct number_group *tracker_best(const struct tracker_reading *r,
                                        enum number_kind kind);

/* Computes the time of a step from samples per second. Sets *why if the samples
 * of a step are not known. */
struct candidate tracker_from_throughput(const struct tracker_reading *r,
                                         const char **why);

/* Returns the step counter by which lines are compared: one with "global" in
 * its key if there is one, else the one that is printed most often. */
const struct number_group *tracker_counter(const struct tracker_reading *r);
/* Reads the counter from a line. Returns false if the line does not have
 * it. */
bool tracker_step(const struct log_numbers *line,
                  const struct number_group *counter, double *step,
                  double *of) MUST_USE;
/* Returns the counter of the kind that most lines of the group have; NULL if
 * none has one. */
const struct number_group *tracker_counter_in(const struct tracker_reading *r,
                                              const struct number_group *g,
                                              enum number_kind kind);

/* Computes the time of a step from the times and the counters of the lines of
 * a group: times of day, or the time that their bar has run. Returns NaN if
 * they do not tell. */
double tracker_clock_of(const struct tracker_reading *r,
                        const struct number_group *g);
/* Computes the time of a step from the time and the steps between lines. The
 * time is the time of day at the start of a line if `clock` is true, else the
 * elapsed time that the line prints. */
struct candidate tracker_from_differences(const struct tracker_reading *r,
                                          bool clock);

#endif
