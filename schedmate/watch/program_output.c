/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program without a shell and reads its standard output. */
#include "schedmate/watch/watch_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT_MAX (256u << 20)
#define PROGRAM_OUTPUT_PIECE 65536
#define PROGRAM_WORDS_MAX 4096 /* what is kept of the messages of a program */
/* Longest time for which a program that was killed is waited for. After that,
 * one that hangs in the kernel, such as on a file server that does not answer,
 * is left alone. */
#define KILL_LIMIT (5 * SPAN_SECOND)

extern char **environ;

static sim_time clock_now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (sim_time)at.tv_sec * SPAN_SECOND + at.tv_nsec / 1000;
}

/* True if a variable changes what Slurm's commands list or how they print it
 * (squeue(1), INPUT ENVIRONMENT VARIABLES). */
static bool changes_output(const char *variable)
{
    static const char *const names[] = {
        "TZ=",
        "SQUEUE_",
        "SINFO_",
        "SACCT_",
        "SPRIO_",
        "SCONTROL_",
        "SLURM_TIME_FORMAT=",
        "SLURM_BITSTR_LEN=",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return true;
    }
    return false;
}

/* Returns the environment for Slurm's commands: with times in UTC, whole lists
 * of array tasks, and without the user's choice of what is printed. The caller
 * frees the array. */
static char **plain_environment(void)
{
    static char zone[] = "TZ=UTC", bits[] = "SLURM_BITSTR_LEN=0";
    size_t n = 0, kept = 0;
    while (environ[n])
        n++;
    char **all = mem_alloc((n + 3) * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        if (!changes_output(environ[i]))
            all[kept++] = environ[i];
    }
    all[kept++] = zone;
    all[kept++] = bits;
    all[kept] = NULL;
    return all;
}

/* Starts the program with default signals, empty input, and its output and its
 * messages in pipes. Returns 0 or an error number. */
static int output_start(const char *const *argv, int to, int messages,
                        pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    char **environment = plain_environment();
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, to, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, messages, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int code = posix_spawnp(pid, argv[0], &files, &attributes,
                            (char *const *)(uintptr_t)argv, environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    free(environment);
    return code;
}

/* Why a program gave no usable answer, for messages. */
static const char *const late = "did not answer in time";
static const char *const large = "wrote more than 256 MiB";
static const char *const failed = "ended with an error";

/* What a program writes: its output whole, and how its messages begin. */
struct program_reading {
    struct pollfd from[2]; /* output, messages */
    char *out;
    size_t len, cap;
    char words[PROGRAM_WORDS_MAX];
    size_t n_words;
};

/* Reads a piece of the output or of the messages. */
static const char *reading_piece(struct program_reading *r, size_t which)
{
    char piece[PROGRAM_WORDS_MAX], *to = piece;
    size_t room = sizeof piece;
    if (which == 0) {
        r->out =
            mem_grow(r->out, &r->cap, r->len + PROGRAM_OUTPUT_PIECE + 1, 1);
        to = r->out + r->len;
        room = PROGRAM_OUTPUT_PIECE;
    }
    ssize_t n = read(r->from[which].fd, to, room);
    if (n < 0)
        return errno == EINTR ? NULL : strerror(errno);
    if (n == 0) {
        close(r->from[which].fd);
        r->from[which].fd = -1; /* poll passes over it */
    } else if (which == 0) {
        r->len += (size_t)n;
    } else {
        room = sizeof r->words - r->n_words;
        room = (size_t)n < room ? (size_t)n : room;
        memcpy(r->words + r->n_words, piece, room);
        r->n_words += room;
    }
    return r->len > OUTPUT_MAX ? large : NULL;
}

/* Reads until the program closes its output and its messages. Returns NULL, or
 * why they were not read to their end. */
static const char *reading_all(struct program_reading *r, sim_time until)
{
    const char *why = NULL;
    while (!why && (r->from[0].fd >= 0 || r->from[1].fd >= 0)) {
        sim_span rest = until - clock_now();
        if (rest <= 0 || poll(r->from, 2, (int)(rest / 1000) + 1) == 0)
            return late;
        for (size_t i = 0; i < 2 && !why; i++) {
            if (r->from[i].fd >= 0 && r->from[i].revents)
                why = reading_piece(r, i);
        }
    }
    return why;
}

/* Waits until the program has ended. Returns false if it has not ended at
 * `until`, or if how it ended cannot be known. */
static bool output_await(pid_t pid, sim_time until, int *status)
{
    const struct timespec nap = {.tv_nsec = 2000000};
    pid_t ended;
    while ((ended = waitpid(pid, status, WNOHANG)) == 0 && clock_now() < until)
        nanosleep(&nap, NULL);
    return ended == pid;
}

/* Starts the program with two pipes. Returns 0 or an error number. */
static int reading_start(const char *const *argv, struct program_reading *r,
                         pid_t *pid)
{
    int out[2], messages[2];
    if (pipe2(out, O_CLOEXEC) != 0)
        return errno;
    if (pipe2(messages, O_CLOEXEC) != 0) {
        int code = errno;
        close(out[0]);
        close(out[1]);
        return code;
    }
    int code = output_start(argv, out[1], messages[1], pid);
    close(out[1]);
    close(messages[1]);
    r->from[0] = (struct pollfd){.fd = out[0], .events = POLLIN};
    r->from[1] = (struct pollfd){.fd = messages[0], .events = POLLIN};
    return code;
}

/* Makes the error: why, and what the program said, in one line. */
static enum status reading_failed(struct program_reading *r, const char *name,
                                  const char *why, struct error *err)
{
    size_t n = r->n_words > 300 ? 300 : r->n_words;
    while (n && r->words[n - 1] == '\n')
        n--;
    for (size_t i = 0; i < n; i++) {
        if (r->words[i] == '\n')
            r->words[i] = ' ';
    }
    return error_set(err, STATUS_FAILED, "%s: %s%s%.*s", name, why,
                     n ? ": " : "", (int)n, r->words);
}

enum status program_output(const char *const *argv, sim_span limit,
                           struct text *out, struct error *err)
{
    struct program_reading r = {.from = {{.fd = -1}, {.fd = -1}}};
    int status = 0;
    pid_t pid = -1;
    const char *why = NULL;
    *out = (struct text){0};
    int code = reading_start(argv, &r, &pid);
    sim_time until = clock_now() + limit;
    if (code == 0)
        why = reading_all(&r, until);
    if (code == 0 && !why && !output_await(pid, until, &status))
        why = late;
    for (size_t i = 0; i < 2; i++) {
        if (r.from[i].fd >= 0)
            close(r.from[i].fd);
    }
    if (why) {
        kill(pid, SIGKILL);
        (void)output_await(pid, clock_now() + KILL_LIMIT, &status);
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        why = failed;
    }
    if (code == 0 && !why) {
        fwrite(r.words, 1, r.n_words, stderr);
        *out = (struct text){r.out, r.len};
        return STATUS_OK;
    }
    free(r.out);
    if (code != 0)
        return error_set(err, STATUS_FAILED, "%s: cannot be run: %s", argv[0],
                         strerror(code));
    return reading_failed(&r, argv[0], why, err);
}
