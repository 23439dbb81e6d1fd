/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Metric Tracker: reads from the text of a log how fast a job
 * trains (arXiv 2510.03334 and its predecessors, Metric Tracker). Stage 1 walks
 * the log backwards and classifies lines until it has enough progress lines.
 * Stage 2 reads the numbers of those lines, by rules that know units or by a
 * language model that sees only these lines. The input is text, the output is a
 * belief; no files and no clock are used. Finding nothing is a normal
 * outcome. */
#ifndef MODELS_SCHEDMATE_TRACKER_H
#define MODELS_SCHEDMATE_TRACKER_H

#include "models/llm/llm.h"
#include "models/logs/log_classifier.h"
#include "models/logs/log_numbers.h"
#include "sim/base/option.h"

struct tracker_config {
    uint32_t lines; /* number of progress lines to find */
    uint32_t walk;  /* largest number of lines to look at */
};
extern const struct option tracker_options[];

/* How seconds_per_step was found. */
enum tracker_source {
    TRACKER_NOT_FOUND,
    TRACKER_PRINTED,    /* a printed time per step, or steps per time */
    TRACKER_THROUGHPUT, /* samples per second and samples per step */
    TRACKER_ELAPSED,    /* elapsed times and a step counter */
    TRACKER_CLOCK,      /* times of day in front of lines */
    TRACKER_MODEL,      /* the answer of a language model */
};
extern const char *const tracker_source_names[];

/* Numbers that are not known are NaN. */
struct track {
    enum tracker_source source;
    /* More than 0, less than 86400. If the log counts only epochs, the time of
     * an epoch; `unit` is then "s/epoch". */
    double seconds_per_step;
    double value;             /* median of the numbers used, as printed */
    char unit[16];            /* unit of these numbers as printed; "": none */
    char key[NUMBER_KEY_MAX]; /* words before these numbers */
    uint32_t values;          /* number of values in the median */
    double loss;              /* last loss that was printed */
    double throughput;
    char throughput_unit[16];
    double step, steps; /* last step counter; total number of steps */
    double confidence;  /* 0: a guess, 1: certain */
    /* The cost: number of lines that stage 1 classified; numbers of lines and
     * bytes that stage 2 read. */
    uint64_t lines_walked;
    uint32_t progress_lines;
    uint64_t bytes_read;
    enum llm_method method;
    const char *why; /* reason why the model gave no answer; NULL if it did */
    uint64_t tokens; /* tokens sent to the model and received */
    sim_span latency;
};

/* Largest number of lines that stage 1 passes to stage 2. */
#define TRACKER_LINES_MAX 200

/* The lines that stage 1 found, as views into the log, in the order of the
 * log. */
struct tracker_lines {
    struct text at[TRACKER_LINES_MAX];
    size_t n;
    uint64_t walked; /* number of lines classified */
    bool whole;      /* true if the walk reached the first line */
};

/* Stage 1. `text` is the end of a log. Its first line is used even if the
 * beginning of that line is cut off. */
void tracker_find(struct log_classifier *c, const struct tracker_config *config,
                  struct text text, struct tracker_lines *out);

/* Stage 2 by rules. `head` is the beginning of the log (or empty). It is
 * searched for the number of samples per step if that is needed. */
void tracker_read(const struct tracker_lines *lines, struct text head,
                  struct track *out);

/* Stage 2 by a model. Call tracker_read first: *out keeps the values that the
 * model does not replace. Texts lie in the arena. */
struct llm_client; /* defined in models/llm/llm_client.h */
enum status tracker_ask(struct llm_client *client,
                        const struct tracker_lines *lines, struct arena *arena,
                        struct track *out, struct error *err) MUST_USE;

#endif
