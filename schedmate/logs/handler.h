/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Failure Handler: takes the text around the first error of a log
 * and decides what kind of failure it was, which part of the machine is to
 * blame, and what to do (Failure Handler of the paper; the kinds are those of
 * Acme, NSDI '24). The rules use signatures (handler.h); without one the
 * cause is unknown (HANDLER_NOTHING). A language model, if there is one, sees
 * only the window and has to answer with the declared words. The input is text,
 * the output is a belief.
 *
 * The text of a log is data. Nothing in it can lead to an action other than
 * those of enum handler_action, and no part of it gets into a command. */
#ifndef SIM_HANDLER_H
#define SIM_HANDLER_H

#include "schedmate/llm/llm.h"
#include "schedmate/logs/handler_method.h"
#include "schedmate/logs/job_end.h"
#include "schedmate/logs/log_causes.h"
#include "schedmate/logs/log_locator.h"
#include "schedmate/logs/log_stream.h"

/* How the kind of failure was found. */
enum handler_source {
    HANDLER_NOTHING,   /* no failure, or the cause is unknown */
    HANDLER_SIGNATURE, /* by a signature in the log (log_knowledge.h) */
    HANDLER_NEAREST,   /* by resemblance to an earlier failure (incidents.h) */
    HANDLER_MODEL,
    HANDLER_SCHEDULER, /* by what the scheduler knows (job_end.h) */
    HANDLER_KERNEL,    /* by a line of the kernel's own log */
};

extern const char *const handler_sources[];

/* Where the evidence of a cause comes from. Any user can print any line into
 * the log of a job, so only the other kinds justify taking a node away. */
enum handler_evidence {
    EVIDENCE_LOG,    /* the log of the job */
    EVIDENCE_KERNEL, /* the log of the kernel of a node of the job */
    EVIDENCE_HOOK,   /* a check that the operator's hook made */
    EVIDENCE_SCHEDULER,
};

/* Names by enum handler_evidence; ends with NULL. */
extern const char *const handler_evidence_words[];

/* When a model is asked. */
enum handler_asking {
    ASK_WEAK, /* where the rules find nothing, or a model is trusted more */
    ASK_ALWAYS,
    ASK_NEVER,
};

/* Whether the answers of the rules and of a model agree. */
enum handler_agreement {
    AGREE_RULES_ONLY, /* no model was asked, or it gave no answer */
    AGREE_MODEL_ONLY, /* the rules found no cause */
    AGREE_SAME,       /* kind and part are equal */
    AGREE_DIFFERS,
};

/* Names by enum handler_agreement; ends with NULL. */
extern const char *const handler_agreements[];

/* The answer of the rules or of a model. */
struct handler_opinion {
    bool given; /* false: it says nothing, or cannot tell */
    bool failed;
    /* False if the job failed for an unknown cause; `kind` and `part` then mean
     * nothing. */
    bool has_kind;
    enum failure_kind kind;
    enum failure_part part;
    double confidence;
};

/* The rest of a model's answer, as far as the program could check it. The texts
 * are the model's and may repeat text of the log: they are shown and never
 * become part of a command. */
struct handler_words {
    uint64_t line; /* number of the cause's line in the log; 0: none */
    /* a part of that line; NULL: none, or not among the lines that were shown
     */
    const char *quote;
    const char *host;     /* a host that the shown lines name; NULL: none */
    const char *sentence; /* for the operator; NULL: none */
    const char *action;   /* the action that it advises; NULL: none */
    /* the second reading and its weight, 0 to 1; NULL: none */
    const char *second;
    double second_weight;
    bool refused_quote; /* true if a quote is not among the shown lines */
};

struct diagnosis {
    bool failed;
    enum failure_kind kind;
    enum failure_part part;
    enum handler_source source;
    const char *reason; /* a few words, never text of the log; "": unknown */
    /* signature that decided; NULL: none did */
    const struct log_signature *signature;
    /* name of the host to which the signature points, part of the window;
     * empty: none */
    struct text host;
    /* number of the signature's line in the window, from 0 */
    uint64_t line;
    double confidence; /* 0: a guess, 1: certain */
    /* where the evidence of `reason` comes from */
    enum handler_evidence evidence;
    /* a second finding that did not decide, never text of the log; NULL:
     * none */
    const char *also;
    /* where the evidence of `also` comes from */
    enum handler_evidence also_evidence;
    enum handler_action action;
    /* a sentence that says what to do; NULL: the knowledge's words for the
     * action are enough */
    const char *advice;
    enum llm_method method;
    bool asked; /* true if a model was asked */
    struct handler_opinion rules, model;
    enum llm_trust_class class; /* that of the answer of the rules */
    struct handler_words words;
    enum handler_agreement agreement;
    /* why the model gave no answer; NULL if it did or was not asked */
    const char *why;
    uint64_t tokens; /* tokens sent to the model and received */
    sim_span latency;
};

/* `window`: number of lines around the first error that are judged. The paper's
 * evaluation uses 200, its description 500. */
struct handler_config {
    uint32_t window;
    unsigned ask; /* enum handler_asking */
};

extern const struct option handler_options[];

/* The first 1 / HANDLER_BEFORE_SHARE of the lines of a window come before the
 * error. */
#define HANDLER_BEFORE_SHARE 10

/* Judges by rules. `error_at` is the offset of the first error in the window,
 * in bytes. `sure` is that of struct located: if it is false and no line names
 * a cause or a failed process, out->failed is false. What the scheduler and the
 * kernel report is weighed afterwards (diagnosis.h). */
void handler_judge(const struct log_knowledge *knowledge, struct text window,
                   size_t error_at, bool sure, struct diagnosis *out);

/* Judges the end of a log in which no error was searched for. Only a clear
 * signature (confidence 0.6 or more) shows that the job failed at all;
 * out->failed is false if there is none. */
void handler_judge_end(const struct log_knowledge *knowledge, struct text tail,
                       struct diagnosis *out);

/* Returns the recommended action for a diagnosis: ACTION_NONE if the job did
 * not fail, else that of the cause if the knowledge has it, else one by kind
 * and part. `knowledge` may be NULL. */
enum handler_action handler_action_for(const struct log_knowledge *knowledge,
                                       const struct diagnosis *d);

/* Finds the cause of a failure in the report of several lines and processes:
 *
 * - A traceback is one unit: only the line that names its exception counts
 *   (log_locator.h). Of Python's chained exceptions the first one counts,
 *   because the others were raised while it was handled; of Java's, the last
 *   "Caused by".
 * - A line that says that a process failed, but not why (LOG_ROLE_WRAPPER), or
 *   that is harmless names no cause, unless the knowledge gives a wrapper one.
 * - A consequence (LOG_ROLE_FALLOUT: a peer is gone, a collective operation
 *   timed out, a launcher ends the other processes) counts only if nothing else
 *   is specific, whichever comes first.
 * - Among causes the earlier one counts, unless a later one is much stronger. A
 *   cause of the kind FAILURE_OTHER, such as a kill by the scheduler, never
 *   replaces a specific error: after that error a job may hang until the
 *   scheduler ends it. */

struct log_finding {
    struct log_cause cause; /* weight 0: none was found */
    uint64_t line; /* number of the cause's line in the report, from 0 */
    /* the host to which that line points, part of the report; empty: none */
    struct text host;
    bool fallout; /* true if only a consequence was found */
    bool wrapped; /* true if a line says that a process failed, but not why */
};

/* Finds the cause in the lines of `report` that begin at byte `from` or after
 * it. The lines before tell only whether a traceback has begun. */
void log_report_read(const struct log_knowledge *k, struct text report,
                     size_t from, struct log_finding *out);

#endif
