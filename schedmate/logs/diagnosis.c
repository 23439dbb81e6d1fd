/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/diagnosis.h"

#include <string.h>

#include "schedmate/logs/handler_ask.h"

/* Factor for the confidence in a report of unknown time. */
#define UNPLACED 0.8
/* Smallest weight at which a hardware fault at the time of the job overrides a
 * strong cause of the log, and at which it shows that a job failed at all. */
#define DIAGNOSIS_HARD 80
/* Smallest confidence with which a cause in the log is strong. */
#define DIAGNOSIS_STRONG 0.7

static void take_kernel(const struct kernel_finding *f, double confidence,
                        const struct log_knowledge *knowledge,
                        struct diagnosis *out)
{
    if (out->failed && out->reason[0] &&
        strcmp(out->reason, f->cause.reason) != 0) {
        out->also = out->reason;
        out->also_evidence = out->evidence;
    }
    out->failed = true;
    out->kind = f->cause.kind;
    out->part = f->cause.part;
    out->reason = f->cause.reason;
    out->signature = f->cause.signature;
    out->host = (struct text){0};
    out->source = HANDLER_KERNEL;
    out->evidence = EVIDENCE_KERNEL;
    out->confidence = confidence;
    out->action = handler_action_for(knowledge, out);
}

/* True if the log and the kernel blame the same part of the hardware. */
static bool names_same_part(const struct diagnosis *d,
                            const struct log_cause *c)
{
    return d->failed && c->kind == FAILURE_INFRASTRUCTURE &&
           d->kind == c->kind && d->part == c->part;
}

static bool is_strong_in_log(const struct diagnosis *d)
{
    return d->failed && d->source != HANDLER_NOTHING &&
           d->confidence >= DIAGNOSIS_STRONG;
}

/* Weighs the diagnosis *out of a job's log against the log of a kernel. */
static void weigh_kernel(const struct kernel_finding *f,
                         const struct job_end *end,
                         const struct log_knowledge *knowledge,
                         struct diagnosis *out)
{
    const struct log_cause *c = &f->cause;
    double confidence = c->weight / 100.0 * (f->placed ? 1 : UNPLACED);
    bool strong = is_strong_in_log(out);
    bool hard = c->kind == FAILURE_INFRASTRUCTURE && f->placed &&
                c->weight >= DIAGNOSIS_HARD;
    enum end_verdict verdict = job_end_verdict(end);
    bool weak = (out->failed || verdict == END_SAYS_FAILED) && !strong;
    if (c->weight == 0)
        return;
    if (strong && names_same_part(out, c) && confidence <= out->confidence) {
        /* the log names this fault too, so its line stays */
        out->evidence = EVIDENCE_KERNEL;
    } else if (verdict != END_SAYS_WELL && (hard || weak)) {
        take_kernel(f, confidence, knowledge, out);
    } else {
        out->also = c->reason;
        out->also_evidence = EVIDENCE_KERNEL;
    }
}

/* An action and a sentence for one cause, in place of those of the
 * knowledge. */
static const struct fact {
    const char *reason;
    enum handler_action action;
    const char *words;
} facts[] = {
    {.reason = "preempted",
     .action = ACTION_RESTART,
     .words = "put the job back into the queue: it made room for another job"},
    {.reason = "cancelled",
     .action = ACTION_NONE,
     .words = "nothing: somebody ended the job"},
    {.reason = "time limit",
     .action = ACTION_TELL_USER,
     .words =
         "tell the user: ask for a longer limit, or go on from a checkpoint"},
    {.reason = "deadline",
     .action = ACTION_TELL_USER,
     .words = "tell the user: the job could not end before its deadline"},
    {.reason = "storage quota",
     .action = ACTION_TELL_USER,
     .words = "tell the user: the quota of the user's files is used up"},
    {.reason = "quota of the account",
     .action = ACTION_TELL_OPERATOR,
     .words =
         "tell the operator: a limit of the account or namespace is reached"},
    {.reason = "storage full",
     .action = ACTION_TELL_OPERATOR,
     .words = "tell the operator: the file system is full for everybody"},
    {.reason = "remote service",
     .action = ACTION_RESTART,
     .words =
         "restart the job after a pause that grows with each try: a service "
         "outside "
         "the cluster failed"},
    {.reason = "name lookup",
     .action = ACTION_RESTART,
     .words = "restart the job after a pause that grows with each try: a name "
              "could not "
              "be resolved"},
    {.reason = "GPU out of memory",
     .action = ACTION_RESTART_BIGGER,
     .words = "restart with a smaller batch, or on GPUs with more memory"},
    {.reason = "out of memory",
     .action = ACTION_RESTART_BIGGER,
     .words = "restart with more memory of the host"},
};

/* True if a node is known to be at fault, so that no test has to find the node.
 */
static bool node_is_known(const struct job_end *end, const struct diagnosis *d)
{
    bool kernel = d->evidence == EVIDENCE_KERNEL;
    bool lost =
        end && (end->state == END_NODE_FAIL || end->state == END_BOOT_FAIL);
    return d->kind == FAILURE_INFRASTRUCTURE && d->part != PART_OTHER &&
           (kernel || lost);
}

const char *diagnosis_resource(const struct diagnosis *d)
{
    if (!d->failed)
        return NULL;
    if (strcmp(d->reason, "GPU out of memory") == 0)
        return "GPU memory";
    if (strcmp(d->reason, "out of memory") == 0)
        return "host memory";
    return strncmp(d->reason, "storage ", 8) == 0 ? "disk space" : NULL;
}

/* Sets out->action if the scheduler, the kernel or the cause calls for another
 * one than the knowledge has. Returns a sentence that says what to do; NULL if
 * the job did not fail or the words of the action are enough. */
static const char *advise(const struct job_end *end, struct diagnosis *out)
{
    if (!out->failed)
        return NULL;
    if (end && end->state == END_REQUEUED && out->kind == FAILURE_OTHER) {
        out->action = ACTION_NONE;
        return "nothing: the scheduler has put the job back into the queue";
    }
    if (node_is_known(end, out)) {
        out->action = ACTION_REPLACE_NODE;
        return out->evidence == EVIDENCE_KERNEL
                   ? "isolate the node, whose kernel reports the fault, and "
                     "restart the job"
                   : "isolate the node, which the scheduler lost, and restart "
                     "the job";
    }
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (strcmp(out->reason, facts[i].reason) != 0)
            continue;
        out->action = facts[i].action;
        return facts[i].words;
    }
    return out->source == HANDLER_NOTHING
               ? "tell the user: the cause is unknown; see the end of the log"
               : NULL;
}

static void diagnosis_judge_window(const struct diagnosis_sources *from,
                                   struct diagnosis *out)
{
    if (from->judged)
        *out = *from->judged;
    else if (from->window.len == 0)
        *out = (struct diagnosis){.reason = "", .part = PART_NONE};
    else if (from->is_end)
        handler_judge_end(from->knowledge, from->window, out);
    else
        handler_judge(from->knowledge, from->window, from->error_at, from->sure,
                      out);
}

enum status diagnosis_make(const struct diagnosis_sources *from,
                           struct diagnosis *out, struct error *err)
{
    enum status st = STATUS_OK;
    diagnosis_judge_window(from, out);
    if (from->kernel)
        weigh_kernel(from->kernel, from->end, from->knowledge, out);
    job_end_apply(from->end, out);
    if (from->client && (from->window.len > 0 || from->tail.len > 0))
        st = handler_ask(from, out, err);
    out->advice = advise(from->end, out);
    return st;
}
