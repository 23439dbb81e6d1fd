/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Failure Handler in simulated time, by the code of the live
 * module. It judges by rules, by comparison with earlier failures, or by a
 * language model. Of the failure it sees only the lines of the job's log, the
 * time, and the job's GPUs. */
#ifndef SCHEDMATE_HANDLER_READER_H
#define SCHEDMATE_HANDLER_READER_H

#include "base/state/ledger.h"
#include "schedmate/simulated/evidence/log.h"
#include "schedmate/simulated/handler_laws.h"

struct handler_reader;
struct llm_client; /* schedmate/llm/llm.h */

/* Makes a reader. `llm`: the language model that judges unless the method
 * compares logs; must outlive *out. NULL: rules judge. Returns an error
 * only if the built-in data are not valid. The caller owns *out, and frees it
 * even if this fails. */
enum status handler_reader_new(enum handler_method method,
                               struct llm_client *llm,
                               struct handler_reader **out,
                               struct error *err) MUST_USE;
void handler_reader_free(struct handler_reader *reader); /* accepts NULL */

/* A judgement and what it cost. */
struct handler_reading {
    struct handler_verdict verdict;
    sim_span latency; /* time of the model, us; -1: no model was asked */
    /* estimate of the tokens that were read, at four bytes each */
    struct advice_tokens tokens;
};

/* The log of a failed job: either made or real. */
struct handler_log {
    const struct log_source *made; /* source of a log that is made; NULL: the
                                    * log is real */
    struct text real; /* the end of a real log; not read if `made` is set */
};

/* Judges the log of a job that failed at `at` and ran on the GPUs `where`.
 * Failures must come in order of time. out->verdict.told is valid until the
 * next call. Returns errors of the model and of the comparison. */
enum status handler_read(struct handler_reader *reader,
                         const struct handler_log *log, sim_time at,
                         struct gpu_set where, struct handler_reading *out,
                         struct error *err) MUST_USE;
/* Keeps the log of the job that failed at `at`, labelled with `found`, the
 * cause that people find out. Failures are compared with it from an hour later
 * on. Does nothing unless the method compares logs. */
void handler_reader_add(struct handler_reader *reader,
                        const struct handler_log *log, sim_time at,
                        enum log_fault found);

#endif
