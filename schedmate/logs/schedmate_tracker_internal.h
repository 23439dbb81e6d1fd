/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of the Metric Tracker share. */
#ifndef SCHEDMATE_LOGS_SCHEDMATE_TRACKER_INTERNAL_H
#define SCHEDMATE_LOGS_SCHEDMATE_TRACKER_INTERNAL_H

#include "base/text.h"
#include "schedmate/logs/schedmate_tracker.h"

/* == log_bar.c: Progress bars in logs: the label of a bar, its counter, how
 * long it has run, and whether its work is the training. Bars of downloads,
 * loading, preparation of data, evaluation, inference and generation look like
 * the bar of the training and show a speed of their own. */

/* What a bar shows about its work. */
enum bar_work {
    BAR_UNLABELLED, /* nothing shows what the work is */
    /* the label names training, steps or an epoch, or the bar shows a loss or
     * other metrics */
    BAR_TRAINING,
    BAR_EPOCHS, /* the bar counts epochs */
    /* the label names other work or a file, or the bar shows a speed in bytes
     * or that of an inference */
    BAR_OTHER,
};

struct log_bar {
    enum bar_work work;
    bool named; /* true if the label names steps, epochs or training */
    /* true if the label names epochs or training, not only steps */
    bool trains;
    bool lettered; /* true if the label has letters */
    /* true for "3/10 [==>...]" and "3/10 ━━" without a percentage */
    bool keras;
    double at, of;    /* counter and its end; 0 if unknown */
    double elapsed_s; /* time since the bar began; NaN if unknown */
    /* Hash of the letters of the label or, if it has none, of `of`: equal for
     * the states of one bar. */
    uint64_t scope;
};

/* Reads the first bar in the first 768 bytes of a line. Returns false if there
 * is none. */
bool log_bar_read(struct text line, struct log_bar *out) MUST_USE;

/* True if the first 120 bytes of the text name work that is not training, such
 * as "Evaluating" or "Loading model", and neither training nor steps or epochs.
 * The Metric Tracker reads the headings of bars with this function. */
bool log_names_other_work(struct text text);

/* True if the first 120 bytes of the text name training or epochs. */
bool log_names_training(struct text text);

/* True for a line like "Starting training" or "***** Running training *****".
 */
bool log_starts_training(struct text line);

/* True for a short line that begins an epoch, such as "Epoch 3/20": no letters
 * follow the number. */
bool log_begins_epoch(struct text line);

/* The facts that stage 2 reads from one line. */
struct line_facts {
    struct log_numbers numbers;
    struct log_bar bar;
    bool has_bar;
    bool loss; /* true if the line gives a loss of the training */
    /* true if the line names training or a metric of it, such as a loss, an
     * accuracy or a learning rate, and is not about other work */
    bool metric;
    /* true if the line is about an evaluation or other work only */
    bool evaluation;
    bool summary; /* true if the line sums up a whole run */
    bool train;   /* true if the line names training */
    /* true if the line gives the time that a step waits for data */
    bool part;
    /* as in struct tracker_lines */
    bool begins_epoch, other_work, before_eval;
};

/* The numbers of one kind, tier, key and scope in all lines, at most one from
 * each line. */
struct number_group {
    enum number_kind kind;
    enum number_tier tier;
    /* For step times: identifies the bar, 0 without a bar. For counters without
     * words: their end. Otherwise 0. */
    uint64_t scope;
    const struct log_number *first;
    double values[TRACKER_LINES_MAX], printed[TRACKER_LINES_MAX];
    uint16_t lines[TRACKER_LINES_MAX]; /* by value: index of the line */
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
    double most_s; /* as in struct track */
};

/* The last lines may belong to an evaluation, which looks like progress but
 * gives no loss. Earlier lines that give a loss and a time are better. So stage
 * 1 looks for them among up to BEYOND_EVALUATION lines more, and uses them if
 * there are at least ENOUGH_BETTER. */
#define BEYOND_EVALUATION 5000
#define ENOUGH_BETTER 3

/* Returns the median of n values. n: 1 to TRACKER_LINES_MAX. */
double tracker_median(const double *values, size_t n);
/* Returns the share of the n > 0 values that differ from `middle` by at most a
 * quarter of `middle`. */
double tracker_agreement(const double *values, size_t n, double middle);

/* A step time that may be given; none if `source` is TRACKER_NOT_FOUND. */
struct candidate {
    enum tracker_source source;
    const char *basis;
    double seconds;
    const struct number_group *group; /* NULL: no printed number was used */
    /* as in struct track; counts only if there is no group */
    double value;
    size_t values;    /* as in struct track; counts only if there is no group */
    const char *unit; /* as in struct track; counts only if there is no group */
    uint32_t evidence;
};

/* Returns the bits i for which seen[i] is true. */
uint32_t tracker_bits(const bool seen[N_TRACKER_EVIDENCE]);
/* Returns the probability that a step time with this evidence is right. */
double tracker_confidence(uint32_t evidence);

/* Returns the line of the i-th value of a group. */
const struct line_facts *tracker_line_of(const struct tracker_reading *r,
                                         const struct number_group *g,
                                         size_t i);
/* True if the word is one of the words of a key. */
bool tracker_has_word(const char *key, const char *word);
/* Returns the number of lines of a group whose member of type bool at `offset`
 * in struct line_facts is true. */
size_t tracker_count(const struct tracker_reading *r,
                     const struct number_group *g, size_t offset);
#define TRACKER_COUNT(r, g, field) \
    tracker_count(r, g, offsetof(struct line_facts, field))

/* Fewer values than FEW_VALUES may belong to a warm-up or an evaluation. */
#define FEW_VALUES 3
/* A bar that has run for this many seconds or more has run for long. */
#define LONG_S 600
/* Returns the longest time that a bar of the group has run, in seconds; 0 if it
 * is unknown. */
double tracker_bar_seconds(const struct tracker_reading *r,
                           const struct number_group *g);
/* Returns the evidence, as bits TRACKER_SEEN, against the numbers of a group
 * whose lines have bars. */
uint32_t tracker_against_bar(const struct tracker_reading *r,
                             const struct number_group *g);

/* True if a line of the head names training or epochs, or a line that was found
 * names these or shows a metric of training. */
bool tracker_speaks_of_training(const struct tracker_reading *r);

/* True if another group of at least FEW_VALUES printed step times differs from
 * `middle` by more than a factor of 1.5. `g` is the group that `middle` is
 * computed from; only groups of its tier or of a more certain one count. NULL:
 * no line prints `middle`, and all groups count. */
bool tracker_has_rival(const struct tracker_reading *r,
                       const struct number_group *g, double middle);

/* Returns the step time that a group of kind NUMBER_STEP_TIME gives, with its
 * evidence. For a group of another kind only the evidence is meaningful. */
struct candidate tracker_judge(const struct tracker_reading *r,
                               const struct number_group *g);

/* Returns the group of a kind that is the best source of its number: the one of
 * the most certain tier; among these one whose lines give a loss; among these
 * the largest. NULL if there is none. */
const struct number_group *tracker_best(const struct tracker_reading *r,
                                        enum number_kind kind);

/* Computes the time of a step from samples per second; none if that is not
 * possible. If lines print samples per second, but the samples per step of the
 * whole job are not known or the speed is that of one GPU, device or rank, *why
 * says this. */
struct candidate tracker_from_throughput(const struct tracker_reading *r,
                                         const char **why);

/* Returns the step counter by which lines are compared: a counter with "global"
 * in its key, else the counter that most lines print. NULL if there is none. */
const struct number_group *tracker_counter(const struct tracker_reading *r);
/* Reads the counter and its end (0: none) from a line. Returns false if the
 * line does not have the counter. */
bool tracker_step(const struct log_numbers *line,
                  const struct number_group *counter, double *step,
                  double *of) MUST_USE;
/* Returns the counter of the kind in the lines of the group: one with "global"
 * in its key, else the one that most of these lines have. NULL if none has
 * one. */
const struct number_group *tracker_counter_in(const struct tracker_reading *r,
                                              const struct number_group *g,
                                              enum number_kind kind);

/* Computes the time of a step from the times and the counters of the lines of a
 * group: times of day, or the time that their bar has run. Returns NaN if there
 * are too few of these times or they are too close together. */
double tracker_clock_of(const struct tracker_reading *r,
                        const struct number_group *g);
/* Computes the time of a step from the time and the steps between lines or, if
 * no line has a step counter, the time of an epoch from the epochs. It uses the
 * times of day at the start of the lines if `clock` is true, else the elapsed
 * times that they print. None if no two lines can be compared. */
struct candidate tracker_from_differences(const struct tracker_reading *r,
                                          bool clock);

/* Readings of a clock, in seconds since the first one, and of a step counter
 * beside them. */
struct step_times {
    double at[TRACKER_LINES_MAX], step[TRACKER_LINES_MAX];
    size_t n;
    bool clock; /* true for times of day, false for the time since a start */
    bool fine;  /* true if the clock shows parts of a second */
};

/* Computes the time of a step from readings in records that also give a
 * loss. */
struct candidate tracker_from_pairs(const struct tracker_reading *r,
                                    const struct step_times *pairs);

/* == tracker_series.c: computes the time of a step from any step counter and
 * any clock of the records at the end of the log; none if a record has no loss.
 * It reads lines that stage 1 does not find. */
struct candidate tracker_from_series(const struct tracker_reading *r);
/* Returns the longest time of a step for which the steps from the first to the
 * last line with the counter fit into the log: between the first time stamp
 * before them and the last one after them. NaN: there are no such stamps. */
double tracker_longest_step(const struct tracker_reading *r);

#endif
