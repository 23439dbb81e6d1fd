/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What SchedMate would be worth on a trace: a policy alone, with all modules,
 * with each module, and with advice of each quality, over several draws of the
 * errors of the advice.
 *
 * Quality is the share of the answers that are right; the others have nothing
 * to do with the question (--schedmate random): the advisor describes another
 * job, the tracker and the handler toss a coin. */
#ifndef STUDY_WORTH_H
#define STUDY_WORTH_H

#include "commands/run_options.h"
#include "schedmate/simulated/schedmate.h"
#include "sim/results/summary.h"

enum worth_measure {
    WORTH_JCT,       /* mean, s */
    WORTH_WAIT,      /* mean, s */
    WORTH_PROFILING, /* GPU-hours of profiling */
    WORTH_IDLE_WORK, /* GPU-hours held for work that was lost, for overhead, and
                      * for what sharing cost; NaN: elastic jobs */
    WORTH_RESTARTS,  /* jobs that began again: evicted, or after a failure */
    WORTH_MEASURES
};
extern const char *const worth_measure_names[WORTH_MEASURES];

enum {
    WORTH_DRAWS_MAX = 64,
    WORTH_QUALITIES = 5,
    WORTH_ROWS_MAX = 16,
    WORTH_ALONE = 0, /* index of the row of the policy alone */
    WORTH_ALL = 1    /* and of that with all modules, errors as published */
};

/* What the language model did in one run. */
struct worth_cost {
    double questions[ADVICE_MODULES];
    double tokens_in, tokens_out, gpu_s;
    uint64_t n_unfinished; /* jobs of the run that did not finish */
};

/* A setting that is run once for each draw. */
struct worth_row {
    const char *name;
    const char *policy, *schedmate; /* as for --policy and --schedmate */
    double quality;                 /* 0..1; NaN: the row has none */
    double value[WORTH_MEASURES][WORTH_DRAWS_MAX];
    struct worth_cost cost[WORTH_DRAWS_MAX];
};

struct worth {
    struct run_config config; /* that of the user; strings are borrowed */
    const char *trace, *policy, *cluster;
    struct worth_row rows[WORTH_ROWS_MAX];
    size_t n_rows, first_quality; /* index of the first row with a quality */
    uint32_t draws;
    uint32_t n_jobs;
    bool assumes_models; /* jobs got models of SchedMate's Table 1 */
    double price_in, price_out, price_gpu; /* of 1e6 tokens, of a GPU-hour; 0:
                                            * not given */
    bool has_price;
    struct measured measured;      /* of --measured; model NULL: not given */
    size_t measured_row;           /* with its errors; 0: not given */
    const char *chance;            /* what differs between the draws */
    const struct remarks *remarks; /* of the policy alone */
};

/* The change of a measure from the policy alone to a row, in pairs of equal
 * draws: the mean, and the interval in which 95 % of single further draws are
 * expected. Of JCT and wait: a ratio minus 1; of the others a difference. */
struct worth_change {
    double alone, with, mean, lo, hi; /* NaN: not known */
};
struct worth_change worth_change_of(const struct worth *worth, size_t row,
                                    enum worth_measure measure);
/* Returns the mean cost of a row over the draws. */
struct worth_cost worth_cost_of(const struct worth *worth, size_t row);
/* Returns the mean change of the JCT at a quality, between the rows that were
 * run. */
double worth_at_quality(const struct worth *worth, double quality);
/* Finds the least quality from which on the mean JCT is no longer than that of
 * the policy alone. Returns false if it is longer even with perfect advice. */
bool worth_break_even(const struct worth *worth, double *quality);
/* Finds the quality whose change of the JCT is that of a row. Returns false if
 * no quality has it. */
bool worth_quality_of(const struct worth *worth, size_t row, double *quality);

enum worth_verdict { WORTH_PAYS, WORTH_UNSURE, WORTH_PAYS_NOT, WORTH_HARMS };
enum worth_verdict worth_judge(const struct worth *worth);

/* The quality of the built-in rules, measured on projects that nobody who
 * wrote them had seen: 85 of 110 fields right (bench/README.md). */
#define WORTH_RULES 0.77

void worth_print(const struct worth *worth, bool all_remarks);
void worth_json(const struct worth *worth, struct out *out);
/* Draws the change of the JCT over the quality of the advice as an SVG. */
enum status worth_plot(const struct worth *worth, const char *path,
                       struct error *err) MUST_USE;

#endif
