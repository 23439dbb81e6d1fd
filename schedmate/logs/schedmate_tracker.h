/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Metric Tracker: reads from the text of a log how fast a job
 * trains (section "Metric Tracker" of arXiv 2510.03334 and its predecessors).
 * Stage 1 walks the log backwards and classifies lines until it has enough
 * progress lines. Stage 2 reads the numbers of those lines, by rules that know
 * units or by a language model that sees only these lines. The input is text,
 * the output is a belief; no files and no clock are used. Finding nothing is a
 * normal outcome. */
#ifndef SCHEDMATE_LOGS_SCHEDMATE_TRACKER_H
#define SCHEDMATE_LOGS_SCHEDMATE_TRACKER_H

#include "base/option.h"
#include "base/text.h"
#include "schedmate/llm/llm.h"
#include "schedmate/logs/log_classifier.h"

/* == log_numbers.c: Reads the numbers in a line of training output and decides,
 * by the words before a number and the unit after it, what the number is, such
 * as a time per step, a throughput, a loss or a step counter. Reads common
 * formats only. */

enum number_kind {
    NUMBER_NONE,
    NUMBER_STEP_TIME, /* seconds per step */
    /* samples, tokens, ... per second; `unit` or `key` tells which */
    NUMBER_THROUGHPUT,
    NUMBER_LOSS,
    NUMBER_STEP,    /* the current step */
    NUMBER_EPOCH,   /* the current epoch */
    NUMBER_ELAPSED, /* seconds since an unknown start */
    NUMBER_BATCH,   /* samples per step */
};

/* How certain it is that a NUMBER_STEP_TIME is a time per step, most certain
 * first. */
enum number_tier {
    TIER_SAID, /* the line names the time of a step, or the unit implies it */
    TIER_RUN,  /* the time that a bar has run, divided by its counter */
    TIER_TIME, /* the line names a time of something unknown */
    TIER_BARE, /* a time without any words */
    N_TIERS,
};

#define NUMBER_KEY_MAX 48
struct log_number {
    enum number_kind kind;
    enum number_tier tier;
    double value;   /* in the unit that the kind names */
    double printed; /* the number as printed */
    double of;      /* the number after "/", as in "3/10"; 0 if there is none */
    /* The last words before the number, in lower case, with one blank
     * between. */
    char key[NUMBER_KEY_MAX];
    /* Unit after the number or in the key, in lower case, such as "ms/iter"; ""
     * if none was used. */
    char unit[16];
};

#define LOG_NUMBERS_MAX 48
struct log_numbers {
    struct log_number at[LOG_NUMBERS_MAX];
    size_t n;
    /* true if the line gives the time that a step waits for data */
    bool has_part;
    /* true if a time of day stands near the start of the line */
    bool has_clock;
    double clock; /* this time of day, seconds since midnight */
};

/* Reads the first KiB of a line. Keeps only numbers of a known kind, at most
 * LOG_NUMBERS_MAX. */
void log_numbers_read(struct text line, struct log_numbers *out);

/* A number of a line, whatever it means. */
struct log_cell {
    /* the words before it and, as "#2", which one of these words it is */
    char key[NUMBER_KEY_MAX];
    double value, of; /* of: as in struct log_number */
    /* Seconds in its unit; 0: nothing says that it is a time. H:MM:SS and
     * "5m 3s" are seconds. */
    double unit;
    bool spelled; /* true for H:MM:SS and "5m 3s" */
    bool whole;   /* true if it has neither a fraction nor an exponent */
    bool left;    /* true if the words say that the time is still to come */
    bool loss;    /* true if the words name a loss */
    bool counts;  /* true if the words name steps */
    /* true if they name something else that is counted, or a part of a step:
     * neither a counter of steps nor a clock of the training */
    bool other;
};

/* Reads the numbers in the first KiB of a line, at most `room`; returns how
 * many. */
size_t log_cells_read(struct text line, struct log_cell *out, size_t room);

struct tracker_config {
    uint32_t lines; /* largest number of progress lines to find */
    uint32_t walk;  /* largest number of lines to look at */
    double floor;   /* smallest confidence with which a step time is given */
    /* A printed time that differs from the clock by more than this factor is
     * replaced by what the clock says; at least 1. */
    double clock_factor;
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

/* Evidence from which the confidence of a step time is computed. The weights
 * are fitted (schedmate_tracker_weights.h). Each entry: identifier, name, and
 * when it holds. */
#define TRACKER_EVIDENCE(X) \
    X(SAID, said, "the words or the unit say that it is the time of a step") \
    X(BARE, bare, "a time without words") \
    X(BAR, bar, "a progress bar shows it") \
    X(BAR_NAMED, bar_named, \
      "the label of the bar names training, steps or " \
      "an epoch") \
    X(LOSS_LINE, loss_line, "half of its lines also give a loss") \
    X(LOSS_NEAR, loss_near, "a line near them gives a loss") \
    X(METRIC, metric, "half of its lines give a metric of training") \
    X(ADVANCES, advances, "a step counter advances from line to line") \
    X(FEW, few, "there are fewer than three values") \
    X(AGREES, agrees, \
      "three quarters of the values are within a quarter of " \
      "their median") \
    X(CLOCK_AGREES, clock_agrees, "the times of the lines agree with it") \
    X(CLOCK_WINS, clock_wins, "the times of the lines replace it") \
    X(AVERAGE, average, "it is an average over many steps or the whole run") \
    X(RIVAL, rival, "other lines give another step time") \
    X(LONG, long, "the bar has run for ten minutes or more") \
    X(THROUGHPUT, throughput, "computed from samples per second") \
    X(ELAPSED, elapsed, "computed from elapsed times") \
    X(CLOCK, clock, "computed from times of day") \
    X(EPOCHS, epochs, "epochs are counted, not steps") \
    X(OTHER_WORK, other_work, "a bar of other work, or below its heading") \
    X(EPOCH_BAR, epoch_bar, "a bar that counts epochs, or to one") \
    X(BARE_BAR, bare_bar, \
      "a bar that names no training, and no loss between its " \
      "states") \
    X(NO_EPOCH, no_epoch, \
      "a bar after no \"Epoch\" line, as of an evaluation") \
    X(STANDS, stands, "all lines are those of the first step of an epoch") \
    X(COARSE, coarse, "the printed number has too few digits") \
    X(UNSAID, unsaid, \
      "few lines, and none says that it is the time of a step") \
    X(NO_METRIC, no_metric, \
      "no step counter or no metric of training beside " \
      "the times") \
    X(TOO_CLOSE, too_close, \
      "too few lines, or their times are too close " \
      "together or too uneven") \
    X(CONTRADICTED, contradicted, "other times in the log contradict it") \
    X(OBJECTED, objected, "so it may not be the time of a step")

enum tracker_evidence {
#define TRACKER_EVIDENCE_ENUM(id, name, what) TRACKER_##id##_SEEN,
    TRACKER_EVIDENCE(TRACKER_EVIDENCE_ENUM)
#undef TRACKER_EVIDENCE_ENUM
        N_TRACKER_EVIDENCE
};
/* The evidence from this entry on speaks against a step time. */
#define TRACKER_AGAINST TRACKER_OTHER_WORK_SEEN
#define TRACKER_SEEN(id) (UINT32_C(1) << TRACKER_##id##_SEEN)
extern const char *const tracker_evidence_names[N_TRACKER_EVIDENCE];
extern const char *const tracker_evidence_meanings[N_TRACKER_EVIDENCE];

/* Floating-point members that are not known are NaN, but `confidence` is 0. */
struct track {
    enum tracker_source source;
    /* The basis of seconds_per_step: "printed", "printed, clock agrees",
     * "clock", "elapsed", "throughput", "model"; "" if nothing was found. */
    const char *basis;
    uint32_t evidence; /* bit TRACKER_SEEN(id) for each evidence that holds */
    /* Seconds per step, more than 0, at most 86400. If the log counts only
     * epochs: seconds per epoch, and `unit` is "s/epoch". */
    double seconds_per_step;
    /* Median of the numbers used, as printed. If they were computed from times
     * and counters: seconds_per_step. */
    double value;
    /* unit of the numbers used, in lower case (from a model: as it wrote it);
     * "": none */
    char unit[16];
    char key[NUMBER_KEY_MAX]; /* words before the numbers used */
    uint32_t values;          /* number of values used; 0 if a model answered */
    double loss;              /* last loss that was printed */
    double throughput;
    char throughput_unit[16];
    double step, steps; /* last step counter; its end */
    double confidence;  /* estimated probability that the step time is right */
    /* The cost: number of lines that stage 1 classified; numbers of lines and
     * bytes that stage 2 read. */
    uint64_t lines_walked;
    uint32_t progress_lines;
    uint64_t bytes_read;
    enum llm_method method;
    /* Why there is no step time, or why the model that was asked gave none;
     * NULL if neither is the case. */
    const char *why;
    /* Seconds per step by the clock of the lines (times of day or the time that
     * a bar has run); NaN: they have none. */
    double clock_s;
    /* Longest step time for which the steps between the lines fit between the
     * first and the last time stamp of the log; NaN: there are no stamps. */
    double most_s;
    /* the likeliest step time, given or not, and the words on its basis; NaN:
     * none */
    double guess_s;
    const char *guess_basis;
    /* the answer of a model: whether it gave one, and the step time (NaN: it
     * says that the lines give none) */
    bool model_given;
    double model_s;
    enum llm_trust_class class; /* that of the answer of the rules */
    uint64_t tokens;            /* tokens sent to the model and received */
    sim_span latency;
};

/* Largest number of lines that stage 1 passes to stage 2. */
#define TRACKER_LINES_MAX 200

/* The lines that stage 1 found, as views into the log, in the order in which
 * they stand in it. */
struct tracker_lines {
    struct text at[TRACKER_LINES_MAX];
    /* true if a line like "Epoch 3/20" precedes the line, with no bar between.
     * Of the last bar also if such a line precedes the first state of its run,
     * or if the beginning of its run is too far back to be found */
    bool begins_epoch[TRACKER_LINES_MAX];
    /* true if a heading of other work precedes the line or its bar */
    bool other_work[TRACKER_LINES_MAX];
    /* true if the next line belongs to an evaluation */
    bool before_eval[TRACKER_LINES_MAX];
    size_t n;
    struct text text; /* what was searched: the end of the log */
    uint64_t walked;  /* number of lines classified */
    bool whole;       /* true if the walk reached the first line */
    /* true if a line like "Starting training" precedes the bars */
    bool training_starts;
    bool loss_near; /* true if a line found, or one before them, gives a loss */
    /* true if a line with a loss stands between states of a bar */
    bool loss_between;
};

/* Stage 1: walks backwards through `text`, the end of a log, and stores the
 * lines that it finds in *out. The first line of `text` is used even if its
 * beginning is cut off. */
void tracker_find(struct log_classifier *c, const struct tracker_config *config,
                  struct text text, struct tracker_lines *out);

/* Stage 2 by rules. `head` is the beginning of the log (or empty). It is
 * searched, if need be, for the number of samples or of steps and for words
 * that name training. A step time of less confidence than config->floor is not
 * given. The results hold no pointers into the log. */
void tracker_read(const struct tracker_config *config,
                  const struct tracker_lines *lines, struct text head,
                  struct track *out);

struct llm_client; /* defined in schedmate/llm/llm.h */
/* Stage 2 by a model, which is shown the progress lines with the lines before
 * them or, if there are none, the end of the log. Call tracker_read first. Of
 * two answers that differ, the one decides that is trusted more in this class
 * (llm_trust.h); but a clock refuses a model's time that is more than 1.5 times
 * off. out->why may lie in the arena. Returns errors of the client. */
enum status tracker_ask(struct llm_client *client,
                        const struct tracker_lines *lines, struct text head,
                        struct arena *arena, struct track *out,
                        struct error *err) MUST_USE;

#endif
