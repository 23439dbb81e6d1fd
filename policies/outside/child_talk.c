/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends lines to the program, reads its answers, and makes the error for a
 * program that does not answer. The clock is read only to end a run that takes
 * too long, never to decide what happens in it. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "policies/outside/child_internal.h"

enum { PIECE = 65536 };

sim_time child_clock(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (sim_time)at.tv_sec * SPAN_SECOND + at.tv_nsec / 1000;
}

bool child_wait(struct child *child, sim_span limit)
{
    sim_time until = child_clock() + limit;
    struct timespec nap = {.tv_nsec = 1000000};
    if (child->pid == 0)
        return true;
    for (;;) {
        siginfo_t info = {0};
        /* WNOWAIT leaves the program unreaped, so that its group can still be
         * killed */
        int st =
            waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT);
        if (st == 0 && info.si_pid == child->pid)
            break;
        if (st != 0 && errno != EINTR)
            break;
        if (child_clock() >= until)
            return false;
        nanosleep(&nap, NULL);
    }
    kill(-child->pid, SIGKILL);
    while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
        ;
    child->pid = 0;
    return true;
}

void child_read_log(struct child *child)
{
    char piece[4096];
    ssize_t n;
    while (child->log >= 0 && (n = read(child->log, piece, sizeof piece)) > 0) {
        size_t len = (size_t)n;
        const char *at = piece;
        child->n_log += len;
        if (len > CHILD_TAIL_MAX) {
            at += len - CHILD_TAIL_MAX;
            len = CHILD_TAIL_MAX;
        }
        size_t keep = CHILD_TAIL_MAX - len;
        if (keep > child->tail_len)
            keep = child->tail_len;
        memmove(child->tail, child->tail + child->tail_len - keep, keep);
        memcpy(child->tail + keep, at, len);
        child->tail_len = keep + len;
    }
}

void child_how(const struct child *child, char *out, size_t room)
{
    if (WIFSIGNALED(child->status))
        snprintf(out, room, "was ended by signal %d (%s)",
                 WTERMSIG(child->status), strsignal(WTERMSIG(child->status)));
    else
        snprintf(out, room, "ended with exit status %d",
                 WEXITSTATUS(child->status));
}

/* Returns the last line that is not empty of what the program wrote to its
 * standard error, or the end of it if the line is long; empty if there is
 * none. */
static struct text last_line(const struct child *child)
{
    size_t end = child->tail_len;
    while (end && strchr(" \t\r\n", child->tail[end - 1]))
        end--;
    size_t from = end;
    while (from && child->tail[from - 1] != '\n')
        from--;
    return text_trim((struct text){child->tail + from, end - from});
}

static enum status fail(struct child *child, const char *what,
                        struct error *err)
{
    child_read_log(child);
    struct text line = last_line(child);
    return error_set(
        err, STATUS_FAILED, "the program '%s' %s%s%.*s%s", child->words, what,
        line.len ? "; the last line of its standard error: \"" : "",
        TEXT_ARGS(line), line.len ? "\"" : "");
}

/* Returns the error for a program that has ended or closed its output. */
static enum status fail_ended(struct child *child, struct error *err)
{
    char how[160];
    if (!child_wait(child, SPAN_SECOND))
        return fail(child, "closed its output instead of answering", err);
    child_how(child, how, sizeof how);
    return fail(child, how, err);
}

/* `deed`: what the program did not do within the limit of an answer. */
static enum status fail_late(struct child *child, const char *deed, bool whole,
                             struct error *err)
{
    char what[160], limit[SPAN_TEXT_MAX + 1];
    sim_span span =
        whole ? child->setup.whole_limit : child->setup.answer_limit;
    limit[span_to_text(span, limit)] = '\0';
    if (whole)
        snprintf(what, sizeof what,
                 "has not answered all questions within %s s (whole_s)", limit);
    else
        snprintf(what, sizeof what, "did not %s within %s s (answer_s)", deed,
                 limit);
    return fail(child, what, err);
}

/* Returns the time until `until`, in milliseconds for poll, 0: it is over. -1
 * for `until` 0: no limit. */
static int wait_ms(sim_time until)
{
    sim_span rest = until - child_clock();
    if (!until)
        return -1;
    return rest <= 0 ? 0 : rest > SPAN_HOUR ? 3600000 : (int)(rest / 1000) + 1;
}

/* Waits until something can be read, or written if `writes` is true, or the
 * program has ended; may return earlier. Then reads what the program has
 * written to its standard error. Returns STATUS_END if the time is over;
 * `until` 0: no limit. Otherwise sets *ended to whether the program has ended.
 * Its output may then still be open, held by other programs that it has
 * started. */
static enum status await(struct child *child, bool writes, sim_time until,
                         bool *ended)
{
    struct pollfd all[4] = {
        {.fd = child->from, .events = POLLIN},
        {.fd = child->log, .events = POLLIN},
        {.fd = writes ? child->to : -1, .events = POLLOUT},
        {.fd = child->life, .events = POLLIN},
    };
    int wait = wait_ms(until);
    if (wait == 0)
        return STATUS_END;
    poll(all, 4, wait);
    *ended = all[3].revents != 0;
    if (all[1].revents & POLLIN)
        child_read_log(child);
    else if (all[1].revents) {
        close(child->log);
        child->log = -1;
    }
    return STATUS_OK;
}

/* Sends as many bytes as the socket takes and returns their number. If the
 * program reads no more, returns the whole length: reading the answer then
 * finds the error. */
static size_t send_some(const struct child *child, struct text line)
{
    ssize_t n = send(child->to, line.at, line.len, MSG_NOSIGNAL);
    if (n >= 0)
        return (size_t)n;
    return errno == EAGAIN || errno == EINTR ? 0 : line.len;
}

/* Reads at most PIECE bytes that the program has written, without waiting.
 * Returns false if its output is closed or cannot be read. */
static bool read_some(struct child *child)
{
    child->buf = mem_grow(child->buf, &child->cap, child->len + PIECE, 1);
    ssize_t n = read(child->from, child->buf + child->len, PIECE);
    child->len += n > 0 ? (size_t)n : 0;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Removes the last answer from the buffer. Returns false if the program has
 * written more than that answer. */
static bool drop_answer(struct child *child)
{
    bool clean = child->len == child->used;
    child->len = child->used = 0;
    return clean;
}

static sim_time limit_of(const struct child *child, bool *whole)
{
    sim_span limit = child->setup.answer_limit;
    sim_time until = limit ? child_clock() + limit : 0;
    *whole = child->end && (!until || child->end < until);
    return *whole ? child->end : until;
}

enum status child_ask(struct child *child, struct text line,
                      struct text *answer, struct error *err)
{
    bool whole;
    sim_time until = limit_of(child, &whole);
    if (!drop_answer(child))
        return fail(child, "wrote more than one line as its last answer", err);
    for (;;) {
        size_t from = child->len;
        bool ended;
        if (line.len)
            line = text_skip(line, send_some(child, line));
        if (await(child, line.len > 0, until, &ended) != STATUS_OK)
            return fail_late(child, "answer", whole, err);
        if (!read_some(child) || (ended && child->len == from))
            return fail_ended(child, err);
        const char *end = child->len == from ? NULL
                                             : memchr(child->buf + from, '\n',
                                                      child->len - from);
        if (end) {
            *answer = (struct text){child->buf, (size_t)(end - child->buf)};
            child->used = answer->len + 1;
            return STATUS_OK;
        }
        if (child->len > CHILD_ANSWER_MAX)
            return fail(child, "wrote an answer of more than 64 MiB", err);
    }
}

enum status child_await_start(struct child *child, int failed,
                              const char *program, struct error *err)
{
    bool whole;
    int code = 0;
    sim_time until = limit_of(child, &whole);
    for (;;) {
        struct pollfd all[2] = {{.fd = failed, .events = POLLIN},
                                {.fd = child->log, .events = POLLIN}};
        int wait = wait_ms(until);
        if (wait == 0)
            return fail_late(child, "start", whole, err);
        poll(all, 2, wait);
        /* read, so that a full pipe does not stop it before it runs */
        child_read_log(child);
        if (!all[0].revents)
            continue;
        ssize_t n = read(failed, &code, sizeof code);
        if (n == 0)
            return STATUS_OK;
        if (n > 0)
            return error_set(err, STATUS_FAILED,
                             "policy exec: '%s' cannot be run: %s", program,
                             strerror(code));
    }
}
