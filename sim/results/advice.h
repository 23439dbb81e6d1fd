/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The questions that SchedMate's modules asked: the rows of advice.csv, and the
 * part `advice` of summary.json, which says how many there were, how long the
 * answers took, and what the language model cost. */
#ifndef SIM_ADVICE_H
#define SIM_ADVICE_H

#include "sim/results/columns.h"
#include "sim/results/facts.h"

const char *advice_module_name(enum advice_module module);
const char *advice_basis_name(enum advice_basis basis);

/* True if results must report questions: a module of SchedMate takes part in
 * the run. */
bool advice_exists(const struct run_result *run);

/* A row of advice.csv. */
struct advice_line {
    const struct advice_row *row;
    const struct job *job;
    struct advice_tokens tokens;
    bool counted; /* true if the tokens were counted, false if assumed */
};

/* A column of advice.csv. The array advice_columns ends with a column whose
 * name is NULL. */
struct advice_column {
    struct column column;
    void (*put)(struct out *out, const struct run_result *run,
                const struct advice_line *line);
};
extern const struct advice_column advice_columns[];
void report_advice(struct out *out, struct results results);

/* Sums over the rows of advice.csv. A question is a row that a server worked
 * on; in the other rows the advisor answered without asking the model, or had
 * nothing to ask about. */
struct advice_summary {
    bool any;               /* result of advice_exists */
    uint32_t servers, gpus; /* as in struct advice_station */
    uint64_t questions;
    /* number of rows that are not questions */
    uint64_t unasked;
    uint64_t by_module[ADVICE_MODULES]; /* number of questions, by enum
                                         * advice_module */
    /* by enum advice_basis: rows of the advisor, questions and others */
    uint64_t by_basis[ADVICE_BASES];
    uint64_t counted; /* number of questions whose tokens were counted */
    uint64_t k_sum;   /* sum of `k` over the rows of the advisor */
    uint64_t tokens_in, tokens_out;
    /* time of the first question, and of the last answer, us */
    sim_time first_asked, last_answered;
    double wait_sum, delay_sum; /* sums over the questions, us */
    double delay_p99;           /* 99th percentile of the delays, s */
    gpu_time service;           /* time for which servers worked, us */
    gpu_time busy;              /* part of `service` within the makespan */
    sim_time end;               /* makespan, us */
};

/* Both lists end with a NULL name. */
extern const struct scalar advice_scalars[];
extern const struct column advice_groupings[];

void advice_summary_init(struct advice_summary *summary,
                         const struct results *results);

struct json_stream;
void report_advice_summary(struct json_stream *js,
                           const struct advice_summary *summary);

#endif
