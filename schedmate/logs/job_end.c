/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/job_end.h"

#include <signal.h>
#include <string.h>

#include "schedmate/logs/schedmate_handler.h"

enum end_verdict job_end_verdict(const struct job_end *end)
{
    if (!end)
        return END_SAYS_NOTHING;
    if (end->signal || (end->has_code && end->code != 0))
        return END_SAYS_FAILED;
    if (end->state == END_COMPLETED)
        return END_SAYS_WELL;
    if (end->state != END_UNKNOWN || end->cause.weight > 0)
        return END_SAYS_FAILED;
    return end->has_code ? END_SAYS_WELL : END_SAYS_NOTHING;
}

/* Causes by enum end_state; weight 0: the state names no cause. */
static const struct log_cause causes[N_END_STATES] = {
    [END_CANCELLED] = {.kind = FAILURE_OTHER,
                       .part = PART_NONE,
                       .weight = 90,
                       .reason = "cancelled"},
    [END_PREEMPTED] = {.kind = FAILURE_OTHER,
                       .part = PART_NONE,
                       .weight = 95,
                       .reason = "preempted"},
    [END_TIMEOUT] = {.kind = FAILURE_OTHER,
                     .part = PART_NONE,
                     .weight = 95,
                     .reason = "time limit"},
    [END_DEADLINE] = {.kind = FAILURE_OTHER,
                      .part = PART_NONE,
                      .weight = 95,
                      .reason = "deadline"},
    [END_NODE_FAIL] = {.kind = FAILURE_INFRASTRUCTURE,
                       .part = PART_NODE,
                       .weight = 97,
                       .reason = "node failure"},
    [END_BOOT_FAIL] = {.kind = FAILURE_INFRASTRUCTURE,
                       .part = PART_NODE,
                       .weight = 97,
                       .reason = "node did not boot"},
    [END_OUT_OF_MEMORY] = {.kind = FAILURE_FRAMEWORK,
                           .part = PART_NONE,
                           .weight = 95,
                           .reason = "out of memory"},
};

/* Smallest confidence with which a signature in the log outweighs the state
 * from the scheduler, even the state "completed". It is larger for network
 * errors, because the processes of any job that is ended from outside report
 * lost connections. */
#define STRONG 0.70
#define STRONG_NETWORK 0.86

static bool is_strong(const struct diagnosis *d)
{
    if (!d->failed || d->source != HANDLER_SIGNATURE)
        return false;
    bool network = d->kind == FAILURE_INFRASTRUCTURE && d->part == PART_NETWORK;
    /* a collective operation that never ended may be why the job ran into its
     * time limit */
    bool hung = strstr(d->reason, "timeout") != NULL;
    return d->confidence >= (network && !hung ? STRONG_NETWORK : STRONG);
}

/* True if the cause `d` from the log probably led to the end that the state
 * names, so that the log decides. */
static bool log_wins(const struct diagnosis *d, enum end_state state)
{
    bool infra = d->kind == FAILURE_INFRASTRUCTURE;
    const char *said = causes[state].reason;
    bool same = said && strcmp(d->reason, said) == 0;
    if (!is_strong(d) || d->kind == FAILURE_OTHER || same)
        return false;
    if (state == END_NODE_FAIL || state == END_BOOT_FAIL)
        return infra && d->part != PART_NETWORK;
    if (state == END_OUT_OF_MEMORY) /* a killed worker is a consequence */
        return !strstr(d->reason, "killed");
    if (state == END_PREEMPTED || state == END_CANCELLED)
        return !infra || d->part != PART_NETWORK || d->confidence >= 0.86;
    return true;
}

/* Returns the cause that the exit code or the signal suggests; weight 0:
 * neither suggests one. */
static struct log_cause cause_of_code(const struct job_end *end)
{
    const char *said = NULL;
    struct log_cause none = {.weight = 0, .reason = ""};
    switch (end->signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
        said = "Segmentation fault (core dumped)";
        break;
    case SIGABRT:
        said = "Aborted (core dumped)";
        break;
    case SIGXCPU:
        return causes[END_TIMEOUT];
    default:
        break;
    }
    if (end->has_code && end->code == 127)
        said = "command not found";
    return said ? log_cause_of(end->knowledge, text_from(said)) : none;
}

static void take(const struct log_cause *cause, struct diagnosis *out)
{
    double confidence = cause->weight / 100.0;
    if (out->failed && out->source == HANDLER_SIGNATURE &&
        strcmp(out->reason, cause->reason) == 0) {
        /* The log names the same cause: out->line and out->host stay. */
        if (out->confidence < confidence)
            out->confidence = confidence;
        out->evidence = EVIDENCE_SCHEDULER;
        return;
    }
    if (out->failed && out->reason[0]) {
        out->also = out->reason;
        out->also_evidence = out->evidence;
    }
    out->failed = true;
    out->kind = cause->kind;
    out->part = cause->part;
    out->reason = cause->reason;
    out->signature = cause->signature;
    out->host = (struct text){0};
    out->source = HANDLER_SCHEDULER;
    out->evidence = EVIDENCE_SCHEDULER;
    out->confidence = confidence;
}

/* Returns the words that are shown as the reason of a failure whose cause is
 * unknown. */
static const char *unknown_words(const struct job_end *end)
{
    if (end->signal)
        return "ended by a signal, cause unknown";
    if (end->has_code && end->code)
        return "ended with an exit code that is not 0, cause unknown";
    return "ended before its time, cause unknown";
}

/* Factor for the weight of a cause that only a signal or an exit code suggests;
 * the words of a log have the factor 1. */
#define CODE_TRUST 0.7

/* Fills in the cause of a job that failed and whose log names none. */
static void explain(const struct job_end *end, struct diagnosis *out)
{
    struct log_cause cause = end->cause;
    if (cause.weight == 0) {
        cause = cause_of_code(end);
        cause.weight = (unsigned)(cause.weight * CODE_TRUST);
    }
    if (cause.weight > 0) {
        take(&cause, out);
        return;
    }
    *out = (struct diagnosis){.failed = true,
                              .kind = FAILURE_OTHER,
                              .part = PART_NONE,
                              .source = HANDLER_NOTHING,
                              .evidence = EVIDENCE_SCHEDULER,
                              .reason = unknown_words(end)};
}

void job_end_apply(const struct job_end *end, struct diagnosis *out)
{
    enum end_verdict verdict = job_end_verdict(end);
    if (verdict == END_SAYS_NOTHING)
        return;
    if (verdict == END_SAYS_WELL) {
        if (is_strong(out)) {
            out->also = "the scheduler says that the job completed";
            out->also_evidence = EVIDENCE_SCHEDULER;
        } else {
            const char *also = out->failed ? out->reason : "";
            *out = (struct diagnosis){.part = PART_NONE,
                                      .reason = "",
                                      .evidence = EVIDENCE_SCHEDULER,
                                      .also = also[0] ? also : NULL,
                                      .also_evidence = EVIDENCE_LOG};
        }
        return;
    }
    const struct log_cause *said = &causes[end->state];
    if (said->weight > 0 && !log_wins(out, end->state)) {
        take(said, out);
    } else if (said->weight > 0) {
        out->also = said->reason;
        out->also_evidence = EVIDENCE_SCHEDULER;
    } else if (!out->failed || out->source == HANDLER_NOTHING) {
        explain(end, out);
    } else if (end->cause.weight > 0 && !is_strong(out)) {
        take(&end->cause, out);
    }
    out->action = handler_action_for(end->knowledge, out);
}
