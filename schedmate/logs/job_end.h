/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts that a scheduler has about the end of a job: its state, exit code,
 * signal and reason. The words of Slurm, Kubernetes, PBS and LSF are
 * understood, in any case of letters. A diagnosis (handler.h) is made
 * from the log first; job_end_apply then weighs it against what the scheduler
 * knows. */
#ifndef MODELS_JOB_END_H
#define MODELS_JOB_END_H

#include "base/error.h"
#include "schedmate/logs/log_causes.h"

enum end_state {
    /* the scheduler does not say how the job ended, or it has not ended */
    END_UNKNOWN,
    END_COMPLETED, /* ended by itself with exit code 0 */
    END_FAILED,    /* failed; the state does not tell why */
    /* ended on request, usually that of its user or an administrator */
    END_CANCELLED,
    END_PREEMPTED,     /* ended in favour of another job */
    END_TIMEOUT,       /* ended at its time limit */
    END_DEADLINE,      /* ended at its deadline */
    END_NODE_FAIL,     /* ended because a node failed */
    END_BOOT_FAIL,     /* never began, because a node did not boot */
    END_OUT_OF_MEMORY, /* ended because it needed too much memory of the host */
    END_REQUEUED,      /* ended and put back into the queue */
    N_END_STATES,
};
/* Names by enum end_state; ends with NULL. */
extern const char *const end_states[];

/* All texts are borrowed. A struct of zeroes, apart from `knowledge`, means
 * that nothing is known. */
struct job_end {
    const struct log_knowledge *knowledge; /* borrowed; set by the caller */
    enum end_state state;
    bool has_code; /* true if `code` is known */
    int code;      /* exit code, 0 to 255 */
    /* number of the signal that ended the job; 0: none, or unknown */
    int signal;
    /* who ended the job, as given or as the reason implies; empty: unknown */
    struct text by;
    struct text why; /* the scheduler's reason, as given; empty: none */
    /* the cause that `why` names; weight 0: it names none */
    struct log_cause cause;
};

/* Each of the next four functions reads one fact and adds it to *out, which
 * borrows the words. A reason replaces the state only if the state is
 * END_UNKNOWN or END_FAILED. A state, code or signal that is not known is
 * STATUS_USAGE; for a state or signal, the error names the nearest known word,
 * if there is one. */

/* Reads a state: "COMPLETED", "CANCELLED by 1000", "CANCELLED+", "OOMKilled",
 * "EXIT", ... */
enum status job_end_read_state(const char *words, struct job_end *out,
                               struct error *err) MUST_USE;
/* Reads an exit code: "1", Slurm's "1:9" (code and signal), "137" (128 +
 * signal), "-9" (signal, as Python prints it), PBS's "271" (256 + signal) and
 * "-29" to "-26" (a limit of time or memory, which sets the state if that is
 * END_UNKNOWN). */
enum status job_end_read_code(const char *words, struct job_end *out,
                              struct error *err) MUST_USE;
/* Reads a signal: "9", "KILL" or "SIGKILL", from 0 (none) to 64. */
enum status job_end_read_signal(const char *words, struct job_end *out,
                                struct error *err) MUST_USE;
/* Reads a reason in any words: "TimeLimit", "NodeDown", "Evicted: ...", or a
 * line as logs have them. The first 4 KiB are kept in `why`; "", "None" and "-"
 * are no reason. A reason that is understood sets the state, the signal
 * ("RaisedSignal:9"), `by` or `cause`; any other decides nothing.
 * out->knowledge must be set. */
void job_end_read_reason(const char *words, struct job_end *out);

/* Returns the name of a signal without "SIG", such as "KILL"; "?" if the number
 * has no name. */
const char *job_end_signal_name(int signal);

enum end_verdict {
    END_SAYS_NOTHING,
    END_SAYS_WELL,   /* the job completed its work */
    END_SAYS_FAILED, /* the job ended before it completed its work */
};
/* Returns what the facts of the scheduler say about the end of a job. `end` may
 * be NULL, which says nothing. */
enum end_verdict job_end_verdict(const struct job_end *end);

struct diagnosis; /* defined in schedmate/logs/handler.h */
/* True if the log alone says how the job ended, and the scheduler says
 * otherwise: that it completed or, of an end that the scheduler knows
 * (preemption, time limit, a failed node, lack of memory, ...), another one. */
bool job_end_denies(const struct job_end *end, const struct diagnosis *d);

/* Weighs a diagnosis of the log against what the scheduler knows and stores the
 * result in *out:
 *
 * - A job that is known to have failed is never "no failure". If neither the
 *   log nor the scheduler has a cause, it is unknown (HANDLER_NOTHING).
 * - A job that is known to have completed has not failed, unless the log has a
 *   strong signature of a failure.
 * - The end by a time limit or deadline, cancellation, preemption, a node that
 *   failed or did not boot, or lack of memory decides the cause, unless the log
 *   has a strong cause that probably led to this end.
 *
 * If log and scheduler disagree, out->also has what did not win, unless that is
 * only a reason of the scheduler (end->cause). out->action becomes that of the
 * cause that won. `end` may be NULL or say nothing; *out then stays as it
 * is. */
void job_end_apply(const struct job_end *end, struct diagnosis *out);

#endif
