/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reasons that schedulers give for the end of a job. A reason that is not
 * in this table is read like a line of a log. */
#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/job_end.h"

#define INFRA(part_) .kind = FAILURE_INFRASTRUCTURE, .part = PART_##part_
#define USER .kind = FAILURE_SCRIPT, .part = PART_NONE
#define OTHER .kind = FAILURE_OTHER, .part = PART_NONE

/* The first row whose text occurs in the reason counts, in any case of
 * letters. */
static const struct end_reason {
    const char *text;
    enum end_state state; /* END_UNKNOWN: the reason names no state */
    const char *by;       /* who ended the job; NULL: unknown */
    struct log_cause cause;
} reasons[] = {
    /* Slurm */
    {.text = "PartitionTimeLimit", .state = END_TIMEOUT},
    {.text = "TimeLimit", .state = END_TIMEOUT},
    {.text = "NodeDown", .state = END_NODE_FAIL},
    {.text = "Node_Fail", .state = END_NODE_FAIL},
    {.text = "NodeFail", .state = END_NODE_FAIL},
    {.text = "BootFail", .state = END_BOOT_FAIL},
    {.text = "JobLaunchFailure",
     .cause = {INFRA(NODE), .weight = 74, .reason = "launch failed"}},
    {.text = "launch failed",
     .cause = {INFRA(NODE), .weight = 74, .reason = "launch failed"}},
    {.text = "SystemFailure",
     .cause = {INFRA(OTHER), .weight = 80, .reason = "scheduler failure"}},
    {.text = "InactiveLimit", .state = END_CANCELLED, .by = "the scheduler"},
    {.text = "JobHeldUser", .by = "the user"},
    {.text = "JobHeldAdmin", .by = "an administrator"},
    {.text = "AssocGrp",
     .cause = {OTHER, .weight = 84, .reason = "quota of the account"}},
    {.text = "AssocMax",
     .cause = {OTHER, .weight = 84, .reason = "quota of the account"}},
    {.text = "QOSGrp",
     .cause = {OTHER, .weight = 84, .reason = "quota of the account"}},
    {.text = "QOSMax",
     .cause = {OTHER, .weight = 84, .reason = "quota of the account"}},
    /* Kubernetes */
    {.text = "OOMKill", .state = END_OUT_OF_MEMORY},
    {.text = "low on resource: memory", .state = END_OUT_OF_MEMORY},
    {.text = "MemoryPressure", .state = END_OUT_OF_MEMORY},
    {.text = "ephemeral-storage",
     .cause = {INFRA(OTHER), .weight = 84, .reason = "storage full"}},
    {.text = "ephemeral local storage",
     .cause = {INFRA(OTHER), .weight = 84, .reason = "storage full"}},
    {.text = "DiskPressure",
     .cause = {INFRA(OTHER), .weight = 84, .reason = "storage full"}},
    {.text = "DeadlineExceeded", .state = END_TIMEOUT},
    {.text = "NodeLost", .state = END_NODE_FAIL},
    {.text = "NodeNotReady", .state = END_NODE_FAIL},
    {.text = "NodeShutdown", .state = END_NODE_FAIL},
    {.text = "node shutdown", .state = END_NODE_FAIL},
    {.text = "UnexpectedAdmissionError",
     .cause = {INFRA(NODE), .weight = 80, .reason = "devices of the node"}},
    {.text = "ImagePull",
     .cause = {USER, .weight = 80, .reason = "container image"}},
    {.text = "InvalidImageName",
     .cause = {USER, .weight = 84, .reason = "container image"}},
    {.text = "CreateContainerConfigError",
     .cause = {USER, .weight = 84, .reason = "container configuration"}},
    {.text = "ContainerCannotRun",
     .cause = {USER, .weight = 80, .reason = "container command"}},
    {.text = "StartError",
     .cause = {USER, .weight = 74, .reason = "container command"}},
    {.text = "exceeded quota",
     .cause = {OTHER, .weight = 84, .reason = "quota of the account"}},
    /* LSF, PBS */
    {.text = "TERM_RUNLIMIT", .state = END_TIMEOUT},
    {.text = "TERM_CPULIMIT", .state = END_TIMEOUT},
    {.text = "TERM_MEMLIMIT", .state = END_OUT_OF_MEMORY},
    {.text = "TERM_SWAP", .state = END_OUT_OF_MEMORY},
    {.text = "TERM_OWNER", .state = END_CANCELLED, .by = "the user"},
    {.text = "TERM_FORCE_OWNER", .state = END_CANCELLED, .by = "the user"},
    {.text = "TERM_ADMIN", .state = END_CANCELLED, .by = "an administrator"},
    {.text = "TERM_FORCE_ADMIN",
     .state = END_CANCELLED,
     .by = "an administrator"},
    /* words that several schedulers use */
    {.text = "walltime", .state = END_TIMEOUT},
    {.text = "time limit", .state = END_TIMEOUT},
    {.text = "preempt", .state = END_PREEMPTED},
    {.text = "OutOfMemory", .state = END_OUT_OF_MEMORY},
    {.text = "out of memory", .state = END_OUT_OF_MEMORY},
    {.text = "memory limit", .state = END_OUT_OF_MEMORY},
    {.text = "node failure", .state = END_NODE_FAIL},
    {.text = "cancelled", .state = END_CANCELLED},
    {.text = "canceled", .state = END_CANCELLED},
};

/* Returns a pointer to the first `word` in `t`, whatever the case of its
 * letters; NULL if `t` does not have the word. */
static const char *find_nocase(struct text t, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= t.len; i++) {
        if (text_is_nocase((struct text){t.at + i, len}, word))
            return t.at + i;
    }
    return NULL;
}

/* Reads the number of Slurm's "RaisedSignal:9(Killed)", unless the signal is
 * known already. */
static void raised_signal(struct text t, struct job_end *out)
{
    static const char word[] = "RaisedSignal:";
    const char *at = find_nocase(t, word);
    uint32_t number;
    if (!at)
        return;
    struct text rest = text_skip(t, (size_t)(at - t.at) + sizeof word - 1);
    size_t n = 0;
    while (ascii_is_digit(text_char(rest, n)))
        n++;
    rest.len = n;
    if (!out->signal && text_to_u32(rest, &number) && number <= 64)
        out->signal = (int)number;
}

/* Largest number of bytes of a reason that are kept and searched. */
#define REASON_MAX 4096

void job_end_read_reason(const char *given, struct job_end *out)
{
    struct text t = text_trim(text_from(given));
    if (t.len > REASON_MAX)
        t.len = REASON_MAX;
    if (t.len == 0 || text_is_nocase(t, "none") || text_is(t, "-"))
        return;
    out->why = t;
    raised_signal(t, out);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        const struct end_reason *r = &reasons[i];
        if (!find_nocase(t, r->text))
            continue;
        if (out->state == END_UNKNOWN || out->state == END_FAILED)
            out->state = r->state ? r->state : out->state;
        if (r->by && out->by.len == 0)
            out->by = text_from(r->by);
        out->cause = r->cause;
        return;
    }
    out->cause = log_cause_of(out->knowledge, t);
}
