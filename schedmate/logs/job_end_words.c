/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the states, signals and exit codes with which schedulers report the end
 * of a job. */
#include <signal.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/logs/job_end.h"

const char *const end_states[] = {"unknown",       "completed", "failed",
                                  "cancelled",     "preempted", "timeout",
                                  "deadline",      "node_fail", "boot_fail",
                                  "out_of_memory", "requeued",  NULL};

/* The names of states, in lower case and without "_", "-" and blanks. */
static const struct end_word {
    const char *word;
    enum end_state state;
} words[] = {
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
enum { N_WORDS = sizeof words / sizeof *words };

#define STATE_MAX 40

/* Writes the letters of `t` in lower case; returns true if `t` has at least one
 * letter, no characters but letters, "_", "-" and blanks, and fits into
 * `out`. */
static bool fold(struct text t, char out[STATE_MAX])
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
    const char *all[N_WORDS];
    for (size_t i = 0; i < N_WORDS; i++)
        all[i] = words[i].word;
    char letters[STATE_MAX];
    const char *near = fold(t, letters)
                           ? text_nearest(text_from(letters), all, N_WORDS)
                           : NULL;
    return error_set(err, STATUS_USAGE,
                     "'%.*s' is not the state of a job%s%s%s", TEXT_ARGS(t),
                     near ? "; did you mean '" : "", near ? near : "",
                     near ? "'?" : "");
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
    if (!fold(t, letters))
        return no_state(text_from(given), err);
    for (size_t i = 0; i < N_WORDS; i++) {
        if (strcmp(letters, words[i].word) != 0)
            continue;
        out->state = words[i].state;
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
    return error_set(err, STATUS_USAGE, "'%.*s' is no signal%s%s%s",
                     TEXT_ARGS(t), near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
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
static bool read_pair(struct text first, struct text second,
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
        return read_pair(first, rest, out) ? STATUS_OK : no_code(all, err);
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
