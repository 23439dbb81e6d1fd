/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks advice.csv: simulates the servers of the language model again from the
 * times of the questions, and computes the part `advice` of summary.json. */
#ifndef SIM_VERIFY_ADVICE_H
#define SIM_VERIFY_ADVICE_H

#include "sim/verify/verify_ids.h"

#define VERIFY_NO_SERVER UINT32_MAX

enum verify_module { ADVISOR, TRACKER, HANDLER, VERIFY_MODULES };
enum verify_basis {
    BASIS_WAITS,
    BASIS_NOTHING,
    BASIS_RESUBMISSION,
    BASIS_SIMILAR,
    BASIS_LAW,
    BASIS_READ,
    VERIFY_BASES,
};

/* A row of advice.csv. */
struct verify_question {
    struct text id; /* identifier of the job; valid while the row is read */
    sim_time asked, begun, answered;
    uint32_t server;        /* VERIFY_NO_SERVER: the model was not asked */
    uint32_t module, basis; /* VERIFY_MODULES, VERIFY_BASES: unknown words */
    uint32_t k, tokens_in, tokens_out;
    bool counted;
    uint64_t line;
};

/* What verify_advice_read is given: the directory of the result, and the
 * function that it calls for each row of advice.csv. verify_advice_read returns
 * STATUS_BAD_INPUT if the file cannot be read or understood. */
struct verify_advice_reader {
    const char *dir;
    void (*row)(void *self, const struct verify_question *question);
    void *self;
    struct verify_report *report; /* NULL: rules are not checked */
};
enum status verify_advice_read(struct verify_advice_reader *reader,
                               struct error *err) MUST_USE;
/* True if the result has an advice.csv. */
bool verify_advice_exists(const struct verify_data *data);

/* The options of --schedmate, as the manifest has them. */
struct verify_advice_options {
    const char *fidelity;
    uint32_t servers, top;
    /* longest and shortest time that a server works on a question, us */
    sim_span longest[VERIFY_MODULES], shortest[VERIFY_MODULES];
    uint32_t tokens_in[VERIFY_MODULES], tokens_out;
};

/* Sums over the rows, for the part `advice` of summary.json. */
struct verify_advice_sums {
    double questions, unasked, counted, tokens_in, tokens_out, k, service, busy,
        wait, delay;
    double by_module[VERIFY_MODULES], by_basis[VERIFY_BASES];
    sim_time first, last;
    double *delays; /* time from each question to its answer, seconds */
    size_t n_delays, cap_delays;
};

struct verify_advices {
    const struct verify_data *data;
    struct verify_report *report;
    struct verify_ids ids;
    struct verify_advice_options options;
    sim_time *free_at; /* by server: end of its last answer so far */
    sim_time before;   /* time at which the last question was asked */
    bool *asked;       /* by job: true if the advisor was asked about it */
    struct verify_advice_sums sums;
};

/* In verify_advice_parts.c. verify_advice_add adds a row to the sums,
 * verify_advice_parts compares the sums with summary.json. */
void verify_advice_add(struct verify_advices *v,
                       const struct verify_question *q);
void verify_advice_parts(const struct verify_advices *v,
                         const struct verify_part *part);
/* Words of the columns `module` and `basis`, by enum; in
 * verify_advice_read.c. */
extern const char *const verify_module_names[VERIFY_MODULES];
extern const char *const verify_basis_names[VERIFY_BASES];

#endif
