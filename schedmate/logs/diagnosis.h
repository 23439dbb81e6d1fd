/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The diagnosis of a job: what the lines of its log, the log of the kernel, the
 * scheduler and a language model mean together, and what to do. All that judge
 * a job call this one function, so that they give the same answer. */
#ifndef MODELS_DIAGNOSIS_H
#define MODELS_DIAGNOSIS_H

#include "schedmate/logs/handler.h"
#include "schedmate/logs/log_host.h"

/* The strongest report in the log of a kernel (schedmate/live/kernel_log.h
 * reads it). */
struct kernel_finding {
    /* weight 0: no line of the kernel names a cause */
    struct log_cause cause;
    /* number of the line with the cause, from 1; 0: none, or not known */
    uint64_t line;
    struct host_guess host; /* the host that the line names */
    /* True if the range limits the time and the line lies in it. */
    bool placed;
    /* number of lines that look like lines of the kernel */
    uint64_t kernel_lines;
    /* numbers of kernel lines that were left out: they name another host, lie
     * outside the range of time, or have no time although there is a range */
    uint64_t other_host, outside, undated;
};

/* What a diagnosis is made from. All is borrowed. */
struct diagnosis_sources {
    const struct log_knowledge *knowledge;
    /* The lines of the log to judge. Empty: the log shows no error. Then, if
     * the scheduler says that the job failed, the caller passes the end of the
     * log. */
    struct text window;
    size_t error_at; /* offset of the first error in the window, bytes */
    bool sure;       /* that of struct located */
    /* true: the window is the end of the log and no error was located in it;
     * `error_at` and `sure` mean nothing */
    bool is_end;
    /* judgement of the window by other means than the rules; NULL: by the
     * rules */
    const struct diagnosis *judged;
    const struct job_end *end; /* NULL: the scheduler reports nothing */
    /* NULL: no log of the kernel was read */
    const struct kernel_finding *kernel;
    /* For the question to a model: the number of the window's first line, from
     * 1; the last lines of the log and the number of the first of them (empty:
     * only the window is shown); and what the other logs of the job and kept
     * cases say (NULL: nothing). */
    uint64_t first_line;
    struct text tail;
    uint64_t tail_line;
    const char *others, *cases;
    struct llm_client *client;           /* NULL: no model is asked */
    const struct handler_config *config; /* when to ask; used with `client` */
    struct arena *arena;                 /* for the question, as `config` */
};

/* Makes a diagnosis. The rules judge the window. Then the report of the kernel
 * is weighed: one of a hardware fault at the time of the job decides; any other
 * only if the job failed and its log names no cause with much confidence; what
 * does not decide, or concerns a job that ended well, goes to out->also; and if
 * the log blames the same part with no less confidence, only out->evidence
 * changes. Then the report of the scheduler is weighed (job_end_apply), and the
 * model is asked (handler_ask.h). The facts choose the action last. Returns
 * errors of the client. */
enum status diagnosis_make(const struct diagnosis_sources *from,
                           struct diagnosis *out, struct error *err) MUST_USE;

/* Returns the resource that ran out: "GPU memory", "host memory" or "disk
 * space"; NULL if none did. */
const char *diagnosis_resource(const struct diagnosis *d);

#endif
