/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/logs/job_end.h"

#include <signal.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/handler.h"

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
static const struct log_cause job_end_causes[N_END_STATES] = {
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
#define JOB_END_STRONG 0.70

#define STRONG_NETWORK 0.86

static bool end_is_strong(const struct diagnosis *d)
{
    if (!d->failed || d->source != HANDLER_SIGNATURE)
        return false;
    bool network = d->kind == FAILURE_INFRASTRUCTURE && d->part == PART_NETWORK;
    /* a collective operation that never ended may be why the job ran into its
     * time limit */
    bool hung = strstr(d->reason, "timeout") != NULL;
    return d->confidence >=
           (network && !hung ? STRONG_NETWORK : JOB_END_STRONG);
}

/* True if the cause `d` from the log probably led to the end that the state
 * names, so that the log decides. */
static bool log_wins(const struct diagnosis *d, enum end_state state)
{
    bool infra = d->kind == FAILURE_INFRASTRUCTURE;
    const char *said = job_end_causes[state].reason;
    bool same = said && strcmp(d->reason, said) == 0;
    if (!end_is_strong(d) || d->kind == FAILURE_OTHER || same)
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
        return job_end_causes[END_TIMEOUT];
    default:
        break;
    }
    if (end->has_code && end->code == 127)
        said = "command not found";
    return said ? log_cause_of(end->knowledge, text_from(said)) : none;
}

static void end_take(const struct log_cause *cause, struct diagnosis *out)
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

bool job_end_denies(const struct job_end *end, const struct diagnosis *d)
{
    enum end_verdict verdict = job_end_verdict(end);
    if (!d->failed || d->evidence != EVIDENCE_LOG ||
        verdict == END_SAYS_NOTHING)
        return false;
    for (unsigned s = 0; s < N_END_STATES && verdict == END_SAYS_FAILED; s++) {
        const char *said = job_end_causes[s].reason;
        bool killed = s == END_OUT_OF_MEMORY &&
                      (end->signal == SIGKILL || end->code == 128 + SIGKILL);
        if (said && strcmp(said, d->reason) == 0)
            return end->state != s && !killed;
    }
    return verdict == END_SAYS_WELL;
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
static void end_explain(const struct job_end *end, struct diagnosis *out)
{
    struct log_cause cause = end->cause;
    if (cause.weight == 0) {
        cause = cause_of_code(end);
        cause.weight = (unsigned)(cause.weight * CODE_TRUST);
    }
    if (cause.weight > 0) {
        end_take(&cause, out);
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
        if (end_is_strong(out)) {
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
    const struct log_cause *said = &job_end_causes[end->state];
    if (said->weight > 0 && !log_wins(out, end->state)) {
        end_take(said, out);
    } else if (said->weight > 0) {
        out->also = said->reason;
        out->also_evidence = EVIDENCE_SCHEDULER;
    } else if (!out->failed || out->source == HANDLER_NOTHING) {
        end_explain(end, out);
    } else if (end->cause.weight > 0 && !end_is_strong(out)) {
        end_take(&end->cause, out);
    }
    out->action = handler_action_for(end->knowledge, out);
}

/* The reasons that schedulers give for the end of a job. A reason that is not
 * in this table is read like a line of a log. */

#define INFRA(part_) .kind = FAILURE_INFRASTRUCTURE, .part = PART_##part_

#define JOB_END_USER .kind = FAILURE_SCRIPT, .part = PART_NONE

#define JOB_END_OTHER .kind = FAILURE_OTHER, .part = PART_NONE

/* The first row whose text occurs in the reason counts, in any case of
 * letters. */
static const struct end_reason {
    const char *text;
    enum end_state state; /* END_UNKNOWN: the reason names no state */
    const char *by;       /* who ended the job; NULL: unknown */
    struct log_cause cause;
} job_end_reasons[] = {
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
     .cause = {JOB_END_OTHER, .weight = 84, .reason = "quota of the account"}},
    {.text = "AssocMax",
     .cause = {JOB_END_OTHER, .weight = 84, .reason = "quota of the account"}},
    {.text = "QOSGrp",
     .cause = {JOB_END_OTHER, .weight = 84, .reason = "quota of the account"}},
    {.text = "QOSMax",
     .cause = {JOB_END_OTHER, .weight = 84, .reason = "quota of the account"}},
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
     .cause = {JOB_END_USER, .weight = 80, .reason = "container image"}},
    {.text = "InvalidImageName",
     .cause = {JOB_END_USER, .weight = 84, .reason = "container image"}},
    {.text = "CreateContainerConfigError",
     .cause = {JOB_END_USER, .weight = 84,
               .reason = "container configuration"}},
    {.text = "ContainerCannotRun",
     .cause = {JOB_END_USER, .weight = 80, .reason = "container command"}},
    {.text = "StartError",
     .cause = {JOB_END_USER, .weight = 74, .reason = "container command"}},
    {.text = "exceeded quota",
     .cause = {JOB_END_OTHER, .weight = 84, .reason = "quota of the account"}},
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
    for (size_t i = 0; i < sizeof job_end_reasons / sizeof *job_end_reasons;
         i++) {
        const struct end_reason *r = &job_end_reasons[i];
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

/* Reads the states, signals and exit codes with which schedulers report the end
 * of a job. */

const char *const end_states[] = {"unknown",       "completed", "failed",
                                  "cancelled",     "preempted", "timeout",
                                  "deadline",      "node_fail", "boot_fail",
                                  "out_of_memory", "requeued",  NULL};

/* The names of states, in lower case and without "_", "-" and blanks. */
static const struct end_word {
    const char *word;
    enum end_state state;
} job_end_words[] = {
    /* Slurm, long and short */
    {"completed", END_COMPLETED},
    {"cd", END_COMPLETED},
    {"completing", END_UNKNOWN},
    {"failed", END_FAILED},
    {"launchfailed", END_FAILED},
    {"specialexit", END_FAILED},
    {"cancelled", END_CANCELLED},
    {"canceled", END_CANCELLED},
    {"ca", END_CANCELLED},
    {"revoked", END_CANCELLED},
    {"preempted", END_PREEMPTED},
    {"pr", END_PREEMPTED},
    {"timeout", END_TIMEOUT},
    {"to", END_TIMEOUT},
    {"deadline", END_DEADLINE},
    {"dl", END_DEADLINE},
    {"nodefail", END_NODE_FAIL},
    {"nf", END_NODE_FAIL},
    {"bootfail", END_BOOT_FAIL},
    {"bf", END_BOOT_FAIL},
    {"reconfigfail", END_BOOT_FAIL},
    {"outofmemory", END_OUT_OF_MEMORY},
    {"oom", END_OUT_OF_MEMORY},
    {"requeued", END_REQUEUED},
    {"rq", END_REQUEUED},
    {"requeuehold", END_REQUEUED},
    {"requeuefed", END_REQUEUED},
    {"pending", END_UNKNOWN},
    {"running", END_UNKNOWN},
    {"configuring", END_UNKNOWN},
    {"suspended", END_UNKNOWN},
    {"stopped", END_UNKNOWN},
    {"resizing", END_UNKNOWN},
    {"signaling", END_UNKNOWN},
    {"stageout", END_UNKNOWN},
    {"unknown", END_UNKNOWN},
    /* Kubernetes: phases of pods, reasons of containers, conditions of jobs */
    {"succeeded", END_COMPLETED},
    {"complete", END_COMPLETED},
    {"error", END_FAILED},
    {"crashloopbackoff", END_FAILED},
    {"backofflimitexceeded", END_FAILED},
    {"oomkilled", END_OUT_OF_MEMORY},
    {"evicted", END_FAILED},
    {"deadlineexceeded", END_TIMEOUT},
    {"nodelost", END_NODE_FAIL},
    {"nodeshutdown", END_NODE_FAIL},
    {"terminated", END_NODE_FAIL}, /* the node of the pod was shut down */
    {"preempting", END_PREEMPTED},
    {"shutdown", END_NODE_FAIL},
    {"imagepullbackoff", END_FAILED},
    {"errimagepull", END_FAILED},
    {"containercannotrun", END_FAILED},
    {"starterror", END_FAILED},
    {"createcontainerconfigerror", END_FAILED},
    {"createcontainererror", END_FAILED},
    {"runcontainererror", END_FAILED},
    /* LSF, PBS and others */
    {"done", END_COMPLETED},
    {"exit", END_FAILED},
    {"zombi", END_FAILED},
    {"run", END_UNKNOWN},
    {"pend", END_UNKNOWN},
    {"finished", END_UNKNOWN}, /* PBS: the job ended, well or not */
    {"success", END_COMPLETED},
    {"killed", END_CANCELLED},
    {"removed", END_CANCELLED},
    {"termrunlimit", END_TIMEOUT},
    {"termcpulimit", END_TIMEOUT},
    {"termdeadline", END_DEADLINE},
    {"termmemlimit", END_OUT_OF_MEMORY},
    {"termswap", END_OUT_OF_MEMORY},
    {"termpreempt", END_PREEMPTED},
    {"termowner", END_CANCELLED},
    {"termforceowner", END_CANCELLED},
    {"termadmin", END_CANCELLED},
    {"termforceadmin", END_CANCELLED},
    {"termrequeueowner", END_REQUEUED},
    {"termrequeueadmin", END_REQUEUED},
};

enum { JOB_END_N_WORDS = sizeof job_end_words / sizeof *job_end_words };

#define STATE_MAX 40

/* Writes the letters of `t` in lower case; returns true if `t` has at least one
 * letter, no characters but letters, "_", "-" and blanks, and fits into
 * `out`. */
static bool end_fold(struct text t, char out[STATE_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < t.len; i++) {
        char c = ascii_lower(t.at[i]);
        if (c == '_' || c == '-' || c == ' ')
            continue;
        if (!ascii_is_letter(c) || n + 1 >= STATE_MAX)
            return false;
        out[n++] = c;
    }
    out[n] = 0;
    return n > 0;
}

static enum status no_state(struct text t, struct error *err)
{
    const char *all[JOB_END_N_WORDS];
    for (size_t i = 0; i < JOB_END_N_WORDS; i++)
        all[i] = job_end_words[i].word;
    char letters[STATE_MAX];
    const char *near = end_fold(t, letters) ? text_nearest(text_from(letters),
                                                           all, JOB_END_N_WORDS)
                                            : NULL;
    return error_set(err, STATUS_USAGE, "'%.*s' is not the state of a job%s",
                     TEXT_ARGS(t), text_suggest(near).words);
}

enum status job_end_read_state(const char *given, struct job_end *out,
                               struct error *err)
{
    struct text t = text_trim(text_from(given)), by = {0};
    char letters[STATE_MAX];
    const char *mark = memmem(t.at, t.len, " by ", 4);
    if (mark) { /* "CANCELLED by 1000" */
        by = text_trim(text_skip(t, (size_t)(mark - t.at) + 4));
        t.len = (size_t)(mark - t.at);
    }
    /* sacct marks a word that it cut off with "+" */
    if (t.len > 0 && t.at[t.len - 1] == '+')
        t.len--;
    if (!end_fold(t, letters))
        return no_state(text_from(given), err);
    for (size_t i = 0; i < JOB_END_N_WORDS; i++) {
        if (strcmp(letters, job_end_words[i].word) != 0)
            continue;
        out->state = job_end_words[i].state;
        if (out->state == END_CANCELLED && by.len > 0)
            out->by = by;
        return STATUS_OK;
    }
    return no_state(text_from(given), err);
}

#define SIGNAL_MAX 64

/* The numbers that a shell and PBS add to the number of a signal to make an
 * exit code. */
enum { SHELL_SIGNALS = 128, PBS_SIGNALS = 256 };

const char *job_end_signal_name(int number)
{
    const char *name =
        number > 0 && number <= SIGNAL_MAX ? sigabbrev_np(number) : NULL;
    return name ? name : "?";
}

enum status job_end_read_signal(const char *given, struct job_end *out,
                                struct error *err)
{
    struct text t = text_trim(text_from(given));
    const char *names[SIGNAL_MAX];
    uint32_t number;
    size_t n = 0;
    if (text_to_u32(t, &number)) {
        if (number > SIGNAL_MAX)
            return error_set(err, STATUS_USAGE,
                             "'%.*s' is no signal: expected 0 to %d or a name",
                             TEXT_ARGS(t), SIGNAL_MAX);
        out->signal = (int)number;
        return STATUS_OK;
    }
    if (t.len > 3 && text_is_nocase((struct text){t.at, 3}, "SIG"))
        t = text_skip(t, 3);
    for (int i = 1; i <= SIGNAL_MAX; i++) {
        const char *name = sigabbrev_np(i);
        if (!name)
            continue;
        if (text_is_nocase(t, name)) {
            out->signal = i;
            return STATUS_OK;
        }
        names[n++] = name;
    }
    const char *near = text_nearest(t, names, n);
    return error_set(err, STATUS_USAGE, "'%.*s' is no signal%s", TEXT_ARGS(t),
                     text_suggest(near).words);
}

/* Reads a negative code: that of a job that PBS ended at a limit, or a signal
 * as Python prints it. Returns false if it is neither. */
static bool negative_code(int64_t code, struct job_end *out)
{
    if (code == -29 || code == -28) { /* wall-clock time, processor time */
        out->state = out->state ? out->state : END_TIMEOUT;
        return true;
    }
    if (code == -27 || code == -26) { /* memory, virtual memory */
        out->state = out->state ? out->state : END_OUT_OF_MEMORY;
        return true;
    }
    if (code < -SIGNAL_MAX)
        return false;
    out->signal = (int)-code;
    return true;
}

static enum status no_code(struct text t, struct error *err)
{
    return error_set(err, STATUS_USAGE,
                     "'%.*s' is no exit code: expected 0 to 255, CODE:SIGNAL, "
                     "or a negative signal",
                     TEXT_ARGS(t));
}

/* Reads "CODE:SIGNAL". Returns false if one of them is not a number from 0 to
 * 255. */
static bool end_read_pair(struct text first, struct text second,
                          struct job_end *out)
{
    uint32_t code, signal;
    if (!text_to_u32(first, &code) || !text_to_u32(second, &signal) ||
        code > 255 || signal > 255)
        return false;
    out->has_code = true;
    out->code = (int)code;
    if (signal > 0)
        out->signal = (int)signal;
    return true;
}

enum status job_end_read_code(const char *given, struct job_end *out,
                              struct error *err)
{
    struct text all = text_trim(text_from(given)), rest;
    struct text first = text_split(all, ':', &rest);
    int64_t code;
    if (first.len < all.len)
        return end_read_pair(first, rest, out) ? STATUS_OK : no_code(all, err);
    if (!text_to_i64(first, &code) || code == PBS_SIGNALS ||
        code > PBS_SIGNALS + SIGNAL_MAX)
        return no_code(all, err);
    if (code < 0)
        return negative_code(code, out) ? STATUS_OK : no_code(all, err);
    if (code > PBS_SIGNALS) {
        out->signal = (int)code - PBS_SIGNALS;
        return STATUS_OK;
    }
    out->has_code = true;
    out->code = (int)code;
    if (code > SHELL_SIGNALS && code <= SHELL_SIGNALS + SIGNAL_MAX &&
        !out->signal)
        out->signal = (int)code - SHELL_SIGNALS;
    return STATUS_OK;
}
