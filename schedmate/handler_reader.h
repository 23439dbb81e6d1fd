/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Failure Handler in simulated time by the code of the live module:
 * it sees the lines of the failed job's log and nothing else of the failure. By
 * rules, or by a language model if the run has one. */
#ifndef SCHEDMATE_HANDLER_READER_H
#define SCHEDMATE_HANDLER_READER_H

#include "schedmate/evidence/log.h"
#include "schedmate/handler_laws.h"
#include "sim/state/ledger.h"

struct handler_reader;
struct llm_client; /* models/llm/llm_client.h */

/* `llm`: the language model that judges, borrowed; NULL: rules judge. The
 * caller owns *out, and frees it even if this fails. */
enum status handler_reader_new(enum handler_method method,
                               struct llm_client *llm,
                               struct handler_reader **out,
                               struct error *err) MUST_USE;
void handler_reader_free(struct handler_reader *reader); /* accepts NULL */

/* The answer of the module, and what it cost. */
struct handler_reading {
    struct handler_verdict verdict;
    sim_span latency;            /* of the model; -1: no model was asked */
    struct advice_tokens tokens; /* estimate: a token is four bytes */
};

/* The log of a failed job. */
struct handler_log {
    const struct log_source *made; /* made on demand; NULL: a real log */
    struct text real;              /* the end of a real log */
};

/* Reads the log of a job that failed at `at` and ran on these GPUs. */
enum status handler_read(struct handler_reader *reader,
                         const struct handler_log *log, sim_time at,
                         struct gpu_set where, struct handler_reading *out,
                         struct error *err) MUST_USE;
/* Keeps the log for later comparisons, with what people found out about it.
 * Does nothing unless logs are compared. */
void handler_reader_add(struct handler_reader *reader,
                        const struct handler_log *log, sim_time at,
                        enum log_fault found);

#endif
