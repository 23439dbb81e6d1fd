/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Metric Tracker: from the text of a log to how fast a job trains
 * (arXiv 2510.03334 and its predecessors, Metric Tracker). Stage 1 walks the
 * log backwards and classifies until enough progress lines are found. Stage 2
 * reads the numbers out of those lines: by rules that know units, or by a
 * language model that sees these lines only. Text in, beliefs out: no files, no
 * clock. Finding nothing is a normal outcome. */
#ifndef MODELS_SCHEDMATE_TRACKER_H
#define MODELS_SCHEDMATE_TRACKER_H

#include "models/llm.h"
#include "models/log_classifier.h"
#include "models/log_numbers.h"
#include "sim/base/option.h"

struct tracker_config {
    uint32_t lines; /* progress lines wanted */
    uint32_t walk;  /* lines looked at, at most */
};
extern const struct option tracker_options[];

/* Where seconds_per_step came from. */
enum tracker_source {
    TRACKER_NOT_FOUND,
    TRACKER_PRINTED,    /* a time per step, or steps per time */
    TRACKER_THROUGHPUT, /* samples per second and samples per step */
    TRACKER_ELAPSED,    /* an elapsed time against a step counter */
    TRACKER_CLOCK,      /* times of day in front of lines */
    TRACKER_MODEL,      /* a language model said so */
};
extern const char *const tracker_source_names[];

/* Absent numbers are NaN. */
struct track {
    enum tracker_source source;
    double seconds_per_step; /* in (0, 86400) */
    double value;            /* as printed: median of what was used */
    char unit[16];           /* as printed; "" if none was */
    char key[NUMBER_KEY_MAX];
    uint32_t values; /* how many numbers the median is of */
    double loss;     /* the last */
    double throughput;
    char throughput_unit[16];
    double step, steps; /* the last counter and its end */
    double confidence;  /* 0 to 1 */
    /* What it took: lines classified, lines and bytes a stage 2 reads. */
    uint64_t lines_walked;
    uint32_t progress_lines;
    uint64_t bytes_read;
    enum llm_method method;
    const char *why; /* a model was asked and gave no answer; NULL otherwise */
    uint64_t tokens; /* of the model, both ways */
    sim_span latency;
};

/* The most lines stage 1 hands on. */
#define TRACKER_LINES_MAX 200

/* Views into the text, first line first. */
struct tracker_lines {
    struct text at[TRACKER_LINES_MAX];
    size_t n;
    uint64_t walked;
    bool whole; /* the walk came to the first line */
};

/* Stage 1. `text` is the end of a log; the cut first line of it is used too. */
void tracker_find(struct log_classifier *c, const struct tracker_config *config,
                  struct text text, struct tracker_lines *out);

/* Stage 2 by rules. `head` is the beginning of the log (or empty), where the
 * number of samples per step is looked for if it is needed. */
void tracker_read(const struct tracker_lines *lines, struct text head,
                  struct track *out);

/* Stage 2 by a model; what it does not know stays as it is in *out, where the
 * rules have been before. Texts lie in the arena. */
struct llm_client; /* models/llm_client.h */
enum status tracker_ask(struct llm_client *client,
                        const struct tracker_lines *lines, struct arena *arena,
                        struct track *out, struct error *err) MUST_USE;

#endif
